// codec_bench: bytes to commands and verdicts to bytes, at the entrance and in the store's columns.
#include <string>

#include <benchmark/benchmark.h>

#include "base/check.h"
#include "base/clock.h"
#include "bench/shop.h"
#include "http/command_parser.h"
#include "http/problem.h"
#include "http/render.h"
#include "http/routes.h"
#include "http/strict_json.h"
#include "judge/codec.h"

namespace gavel::bench {
namespace {

const std::string& order_body() {
  static const std::string body = R"({"user":"u123456789012","lines":[{"sku":"tee","quantity":1}]})";
  return body;
}

std::string body_of_lines(std::int64_t lines) {
  std::string body = R"({"user":"u123456789012","lines":[)";
  for (std::int64_t i = 0; i < lines; ++i) {
    body += (i == 0 ? "" : ",") + (R"({"sku":"sku-)" + std::to_string(i)) + R"(","quantity":2})";
  }
  return body + "]}";
}

void read_order(benchmark::State& bench) {
  const std::string body = body_of_lines(bench.range(0));
  for (auto _ : bench) {
    auto json = http::read_json(body, http::reserve_shape);
    CHECK(json.has_value());
    benchmark::DoNotOptimize(json);
  }
  bench.SetBytesProcessed(bench.iterations() * static_cast<std::int64_t>(body.size()));
}

void act_of_order(benchmark::State& bench) {
  const auto json = http::read_json(order_body(), http::reserve_shape);
  const rules::RequestKey key("order-1");
  for (auto _ : bench) {
    auto act = http::act_of(http::Endpoint::reserve, {}, *json, key);
    CHECK(act.has_value());
    benchmark::DoNotOptimize(act);
  }
}

void content_of_order(benchmark::State& bench) {
  const rules::Command command = Orders(Limit::none, 1).next(RealClock().now());
  for (auto _ : bench) benchmark::DoNotOptimize(rules::fingerprint_of(command.act));
}

void uuid_of_text(benchmark::State& bench) {
  const std::string text = to_text(Orders(Limit::none, 1).next(RealClock().now()).new_order_id.uuid);
  for (auto _ : bench) benchmark::DoNotOptimize(parse_uuid(text));
}

void text_of_uuid(benchmark::State& bench) {
  const Uuid uuid = Orders(Limit::none, 1).next(RealClock().now()).new_order_id.uuid;
  for (auto _ : bench) benchmark::DoNotOptimize(to_text(uuid));
}

void code_of_text(benchmark::State& bench) {
  const std::string text = to_text(Orders(Limit::none, 1).next(RealClock().now()).new_order_id.uuid);
  for (auto _ : bench) benchmark::DoNotOptimize(rules::RequestKey::parse(text));
}

void render_reserved(benchmark::State& bench) {
  const rules::Command command = Orders(Limit::none, 1).next(RealClock().now());
  rules::Verdict verdict;
  verdict.outcome = rules::Outcome::reserved;
  verdict.order = command.new_order_id;
  verdict.at = RealClock().now();
  verdict.detail.expires_at = verdict.at + std::chrono::minutes(15);
  for (auto _ : bench) benchmark::DoNotOptimize(http::success(command, verdict));
}

void render_sold_out(benchmark::State& bench) {
  Random random(1);
  rules::Verdict verdict;
  verdict.outcome = rules::Outcome::sold_out;
  verdict.record = rules::Record::fresh;
  verdict.detail.sku = rules::SkuCode(sku_code);
  for (auto _ : bench) benchmark::DoNotOptimize(http::problem(verdict, random));
}

void detail_as_text(benchmark::State& bench) {
  rules::Detail detail;
  detail.expires_at = RealClock().now();
  std::string text;
  for (auto _ : bench) {
    text.clear();
    judge::append_detail(text, detail);
    benchmark::DoNotOptimize(judge::parse_detail(text));
  }
}

BENCHMARK(read_order)->Arg(1)->Arg(100);
BENCHMARK(act_of_order);
BENCHMARK(content_of_order);
BENCHMARK(uuid_of_text);
BENCHMARK(text_of_uuid);
BENCHMARK(code_of_text);
BENCHMARK(render_reserved);
BENCHMARK(render_sold_out);
BENCHMARK(detail_as_text);

}  // namespace
}  // namespace gavel::bench
