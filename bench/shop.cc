#include "bench/shop.h"

#include <utility>

#include "base/check.h"
#include "judge/audit/audit.h"

namespace gavel::bench {

std::vector<rules::Command> Orders::next(std::size_t count, Time now) {
  std::vector<rules::Command> commands;
  commands.reserve(count);
  for (std::size_t i = 0; i < count; ++i) commands.push_back(next(now));
  return commands;
}

rules::Command Orders::next(Time now) {
  const Uuid key = make_uuid7(now, random_);
  rules::Reserve act{.user = rules::UserId("u" + std::to_string(random_.below(1'000'000'000'000))),
                     .lines = {{rules::SkuCode(sku_code), {1}}},
                     .activity = {},
                     .hold = {},
                     .payment = rules::Payment::later};
  if (limit_ == Limit::per_user) act.activity = rules::ActivityCode(activity_code);
  return rules::Command{.caller = rules::Caller("bench"),
                        .key = rules::RequestKey(to_text(key)),
                        .new_order_id = rules::OrderId{key},
                        .act = std::move(act)};
}

rules::Command command_of(const std::string& key, rules::Act act) {
  return rules::Command{.caller = rules::Caller("bench"),
                        .key = rules::RequestKey(key),
                        .new_order_id = {},
                        .act = std::move(act)};
}

Bench::Bench(judge::Store& store, Limit limit)
    : judge_(store, *log_, Random(1), [](Duration) {}, rules::Policy(), judge::JudgeLimits()) {
  const rules::SkuCode sku(sku_code);
  std::vector<rules::Command> commands;
  commands.push_back(command_of("sku", rules::PutSku{sku}));
  for (std::int64_t units = 0; units < stock_units; units += rules::line_units_max.units) {
    commands.push_back(command_of("in-" + std::to_string(units), rules::Receive{sku, rules::line_units_max}));
  }
  if (limit == Limit::per_user) {
    const rules::ActivityCode activity(activity_code);
    commands.push_back(command_of("activity", rules::CreateActivity{.activity = activity,
                                                                    .name = "Drop",
                                                                    .lines = {{sku, {stock_units}, {}}},
                                                                    .limit_per_user = rules::Quantity{1},
                                                                    .opens_at = {},
                                                                    .closes_at = {},
                                                                    .hold = {}}));
    commands.push_back(command_of("open", rules::OpenActivity{activity}));
  }
  for (const rules::Verdict& verdict : apply(commands)) CHECK(rules::traits(verdict.outcome).act);
}

std::vector<rules::Verdict> Bench::apply(const std::vector<rules::Command>& commands) {
  auto verdicts = judge_.apply(commands);
  CHECK(verdicts && verdicts->size() == commands.size());
  return *std::move(verdicts);
}

Audited audited(judge::TablesReader& reader) {
  const auto report = judge::audit(reader);
  if (!report) return {.verify = "failed: " + report.error().message};
  Audited audited{.verify = "clean", .orders = report->orders};
  if (!report->clean()) {
    audited.verify = report->findings.front().invariant + ": " + report->findings.front().what;
  }
  return audited;
}

}  // namespace gavel::bench
