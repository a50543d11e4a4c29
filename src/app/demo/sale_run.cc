#include "app/demo/sale_run.h"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include <boost/json.hpp>

#include "app/load/load_engine.h"
#include "base/check.h"

namespace gavel::app {
namespace {

// The plan's requests in their order; those that are repeated come again after their response, before others.
class SaleTraffic final : public Traffic {
 public:
  SaleTraffic(const SalePlan& plan, const SaleTarget& target) : plan_(plan), target_(target) {
    run_.results.resize(plan.requests.size());
  }

  std::optional<HttpRequest> next() override {
    if (!repeats_.empty()) {
      const std::size_t number = repeats_.front();
      repeats_.pop_front();
      return request_of(number);
    }
    if (next_ == plan_.requests.size()) return std::nullopt;
    return request_of(next_++);
  }

  void on_response(const HttpRequest& request, const HttpResponse& response, const std::string&) override {
    const auto asked = outstanding_.extract(request.key);
    CHECK(!asked.empty());
    const std::size_t number = asked.mapped();
    SaleRun::Result& result = run_.results[number];
    if (result.first.status != 0) {
      CHECK(!result.again);
      ++run_.repeats;
      result.again = read_reply(response);
      return;
    }
    result.first = read_reply(response);
    if (plan_.requests[number].repeated) repeats_.push_back(number);
  }

  SaleRun take(LoadStatistics statistics) {
    run_.statistics = std::move(statistics);
    return std::move(run_);
  }

 private:
  HttpRequest request_of(std::size_t number) {
    const SalePlan::Request& planned = plan_.requests[number];
    CHECK(outstanding_.emplace(planned.key, number).second);
    const boost::json::object line{{"sku", target_.sku}, {"quantity", 1}};
    const boost::json::object body{
        {"user", planned.user}, {"activity", target_.activity}, {"lines", boost::json::array{line}}};
    return HttpRequest{
        .method = "POST", .target = "/v1/orders", .body = boost::json::serialize(body), .key = planned.key};
  }

  const SalePlan& plan_;
  const SaleTarget& target_;
  std::map<std::string, std::size_t> outstanding_;  // Requests without a response, by their key.
  std::size_t next_ = 0;
  std::deque<std::size_t> repeats_;
  SaleRun run_;
};

}  // namespace

SaleReply read_reply(const HttpResponse& response) {
  SaleReply reply;
  reply.status = response.status;
  reply.body = response.body;
  const std::string* replayed = response.header("idempotency-replayed");
  reply.replayed = replayed != nullptr && *replayed == "true";
  boost::system::error_code wrong;
  const boost::json::value value = boost::json::parse(response.body, wrong);
  if (wrong || !value.is_object()) return reply;
  const auto word = [&value](std::string_view name) -> std::string {
    const boost::json::value* found = value.as_object().if_contains(name);
    return found != nullptr && found->is_string() ? std::string(found->as_string()) : std::string();
  };
  reply.outcome = word("code");
  const bool made = response.status == 201;
  if (made) reply.order = word("order");
  if (made) reply.user = word("user");
  // A success is always recorded; a refusal says so.
  const boost::json::value* recorded = value.as_object().if_contains("recorded");
  reply.recorded = made || (recorded != nullptr && recorded->is_bool() && recorded->as_bool());
  return reply;
}

std::int64_t exchanges_of(const SalePlan& plan) {
  const auto repeated =
      std::ranges::count_if(plan.requests, [](const auto& request) { return request.repeated; });
  return static_cast<std::int64_t>(plan.requests.size()) + repeated;
}

Result<SaleRun> run_sale(const SalePlan& plan, const SaleTarget& target,
                         const std::function<bool(std::int64_t done)>& progress) {
  CHECK(target.connections > 0);
  SaleTraffic traffic(plan, target);
  const auto engine = LoadEngine::create({.url = target.shop, .connections = target.connections});
  if (!engine) return std::unexpected(engine.error());
  auto statistics = (*engine)->run(OutstandingSchedule{}, traffic, [&progress](const LoadProgress& so_far) {
    return progress(so_far.answered);
  });
  if (!statistics) return std::unexpected(statistics.error());
  CHECK(statistics->latencies.count() == exchanges_of(plan));
  progress(exchanges_of(plan));  // Nothing is left to break off.
  return traffic.take(*std::move(statistics));
}

}  // namespace gavel::app
