#include "oracle/left.h"

#include <algorithm>
#include <map>
#include <utility>

#include "oracle/words.h"

namespace gavel::oracle {
namespace {

struct Left {
  std::int64_t units = 0;
  std::int64_t limit = 0;
};

bool may_sell(const Ledger& ledger, const std::string& code, std::int64_t now) {
  if (code.empty()) return true;
  const auto activity = ledger.activities.find(code);
  if (activity == ledger.activities.end() || activity->second.state != "open") return false;
  return activity->second.opens_at.value_or(now) <= now && now < activity->second.closes_at.value_or(now + 1);
}

}  // namespace

std::vector<Errand> errands(const Ledger& ledger, std::int64_t now, std::string_view caller,
                            std::string_view name, std::size_t requests_max) {
  std::map<std::pair<std::string, std::string>, Left> pools;
  for (const auto& [place, bucket] : ledger.buckets) {
    const auto item = ledger.items.find(place.item);
    if (item == ledger.items.end() || !may_sell(ledger, item->second.activity, now)) continue;
    Left& left = pools[{item->second.sku, item->second.activity}];
    left.units += bucket.available;
    const auto activity = ledger.activities.find(item->second.activity);
    left.limit = activity == ledger.activities.end() ? 0 : activity->second.limit;
  }
  std::vector<Errand> all;
  for (const auto& [pool, left] : pools) {
    const auto ask = [&](std::int64_t quantity, bool must_succeed) {
      const std::string user = std::string(name) + std::to_string(all.size() + 1);
      Request request{.caller = std::string(caller),
                      .key = user,
                      .act = "reserve",
                      .user = user,
                      .activity = pool.second,
                      .order = {},
                      .lines = {{pool.first, quantity}}};
      all.push_back({std::move(request), must_succeed});
    };
    std::int64_t units = left.units;
    for (std::size_t asked = 1; asked <= requests_max && units > 0; ++asked) {
      const bool last = asked == requests_max && left.limit == 0;
      const std::int64_t share = last ? units : std::max<std::int64_t>(1, units / 2);
      const std::int64_t quantity = left.limit == 0 ? share : std::min(units, left.limit);
      ask(quantity, true);
      units -= quantity;
    }
    if (units == 0) ask(1, false);
  }
  return all;
}

std::vector<Finding> check_errands(const std::vector<Errand>& errands, const History& history) {
  std::vector<Finding> found;
  Findings findings("U2", found);
  for (const Errand& errand : errands) {
    const Request& request = errand.request;
    const std::string who = "fresh user " + request.user + ", who wanted " + text_of(request.lines) +
                            (request.activity.empty() ? "" : " in " + request.activity) + ",";
    const auto asked = history.asked().find({request.caller, request.key});
    std::string told = "nothing";
    bool bought = false;
    if (asked != history.asked().end()) {
      for (const Attempt& attempt : asked->second.attempts) {
        if (!attempt.reply) continue;
        told = attempt.reply->outcome;
        bought = bought || is_yes(*attempt.reply);
      }
    }
    if (errand.must_succeed && !bought) findings.add(who + " was told " + told + ", and it is there");
    if (!errand.must_succeed && told != "sold_out")
      findings.add(who + " was told " + told + ", and nothing is left");
  }
  return found;
}

std::vector<Finding> check_sold_out(const Ledger& ledger, std::string_view sku, std::string_view activity,
                                    std::int64_t units) {
  Bucket sums;
  for (const auto& [place, bucket] : ledger.buckets) {
    const auto item = ledger.items.find(place.item);
    if (item == ledger.items.end() || item->second.sku != sku || item->second.activity != activity) continue;
    sums.available += bucket.available;
    sums.reserved += bucket.reserved;
    sums.sold += bucket.sold;
    sums.shortage += bucket.shortage;
    sums.shipped += bucket.shipped;
  }
  // What is short is in orders, and never came.
  if (sums.reserved + sums.sold + sums.shipped - sums.shortage == units && sums.available == 0) return {};
  return {{"U4", std::string(sku) + " has " + std::to_string(sums.reserved) + " held, " +
                     std::to_string(sums.sold) + " sold and " + std::to_string(sums.available) + " left of " +
                     std::to_string(units)}};
}

std::vector<Finding> check_overdue(const Ledger& ledger, std::int64_t now, std::int64_t within_ms) {
  std::vector<Finding> found;
  Findings findings("C9", found);
  for (const auto& [id, order] : ledger.orders) {
    if (order.state != "held" || !order.expires_at || now - *order.expires_at <= within_ms) continue;
    findings.add("order " + id + " is held, " + std::to_string(now - *order.expires_at) +
                 " ms after its time");
  }
  return found;
}

std::vector<Finding> check_releases(const Ledger& ledger, std::int64_t now, std::int64_t within_ms) {
  std::vector<Finding> found = check_overdue(ledger, now, within_ms);
  Findings findings("C9", found);
  for (const Flow& flow : ledger.flows) {
    const auto order = ledger.orders.find(flow.order);
    if (flow.action != "expire" || order == ledger.orders.end() || !order->second.expires_at) continue;
    const std::int64_t late = flow.at - *order->second.expires_at;
    if (late > within_ms)
      findings.add("order " + order->first + " was released " + std::to_string(late) + " ms late");
  }
  return found;
}

}  // namespace gavel::oracle
