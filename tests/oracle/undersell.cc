#include "oracle/undersell.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "base/check.h"
#include "oracle/words.h"

namespace gavel::oracle {
namespace {

using Pool = std::pair<std::string, std::string>;                                    // SKU, activity
using Claims = std::map<std::tuple<std::string, std::string, std::string>, Series>;  // activity, SKU, user

// Where the effect of each request stands in the ledger.
struct Span {
  std::int64_t first = 0;
  std::int64_t last = 0;
};
std::map<RequestId, Span> effects_of(const Ledger& ledger) {
  std::map<RequestId, Span> effects;
  for (std::size_t k = 0; k < ledger.flows.size(); ++k) {
    const Flow& flow = ledger.flows[k];
    if (flow.key.empty()) continue;
    const auto position = static_cast<std::int64_t>(k) + 1;
    const auto [effect, fresh] = effects.try_emplace({flow.caller, flow.key}, Span{position, position});
    if (!fresh) effect->second.last = position;
  }
  return effects;
}

// (activity, SKU, user) -> what the user may still claim, prepared.
Claims claims_of(const Ledger& ledger) {
  Claims claims;
  for (std::size_t k = 0; k < ledger.flows.size(); ++k) {
    const Flow& flow = ledger.flows[k];
    const auto item = ledger.items.find(flow.place.item);
    const auto order = ledger.orders.find(flow.order);
    if (item == ledger.items.end() || order == ledger.orders.end()) continue;
    const auto activity = ledger.activities.find(item->second.activity);
    if (activity == ledger.activities.end() || activity->second.limit == 0) continue;
    const std::int64_t units = claim_of(flow);
    if (units == 0) continue;
    const auto name = std::tuple(activity->first, item->second.sku, order->second.user);
    const auto claim = claims.try_emplace(name, activity->second.limit).first;
    claim->second.step(static_cast<std::int64_t>(k) + 1, -units);
  }
  for (auto& [name, series] : claims) series.prepare();
  return claims;
}

// One refusal with all that is needed to judge it.
struct Refusal {
  std::string who;
  Reply reply;
  std::string user;
  std::string activity;
  std::int64_t quantity = 0;  // Of the line that was refused.
  Window window;
};

bool is_of_shortage(const Reply& reply) {
  return reply.outcome == "sold_out" || reply.outcome == "insufficient" || reply.outcome == "limit_reached";
}

// When the verdict was given that an attempt was told: a replay repeats one that was given to an earlier
// attempt, at a time that nobody knows better than this.
std::pair<Moment, Moment> time_of_verdict(const Asked& asked, const Attempt& attempt) {
  if (!attempt.reply->replayed) return {attempt.call, attempt.answered};
  Moment answered = attempt.answered;
  for (const Attempt& other : asked.attempts) {
    if (other.reply && other.reply->recorded && other.reply->outcome == attempt.reply->outcome) {
      answered = std::min(answered, other.answered);
    }
  }
  return {asked.first_call(), answered};
}

std::vector<Refusal> refusals_of(const World& world) {
  const Windows windows(world);
  const std::map<RequestId, Span> effects = effects_of(world.ledger);
  std::vector<Refusal> refusals;
  for (const auto& [id, asked] : world.history.asked()) {
    for (const Attempt& attempt : asked.attempts) {
      const Request& request = asked.request(attempt);
      if (request.act != "reserve" || !attempt.reply || !is_of_shortage(*attempt.reply)) continue;
      auto [call, answered] = time_of_verdict(asked, attempt);
      // What was refused was not done yet: a no after the effect of the same key contradicts it (I9).
      const auto own = effects.find(id);
      const Attempt* done = own == effects.end() ? nullptr : asked.answer();
      if (done != nullptr) answered = std::min(answered, done->answered);
      const bool of_limit = attempt.reply->outcome == "limit_reached";
      Window window = windows.of(call, answered, attempt.reply->sku, request.activity,
                                 of_limit ? request.user : std::string());
      if (own != effects.end()) window.high = std::min(window.high, own->second.first - 1);
      const auto line = std::ranges::find(request.lines, attempt.reply->sku, &Line::sku);
      const std::int64_t quantity = line == request.lines.end() ? 0 : line->quantity;
      refusals.push_back({name_of(id), *attempt.reply, request.user, request.activity, quantity, window});
    }
  }
  return refusals;
}

std::string range_of(const Window& window) {
  return "positions " + std::to_string(window.low) + " to " + std::to_string(window.high);
}

// What is wrong with a refusal, by the number that it depends on; nothing if it was right.
std::optional<std::string> wrong(const Refusal& refusal, const Series& left,
                                 std::optional<std::int64_t> said) {
  const auto& [low, high] = refusal.window;
  const std::string told = refusal.who + " was told " + refusal.reply.outcome + " for " +
                           std::to_string(refusal.quantity) + " of " + refusal.reply.sku;
  if (low > high)
    return told + ", when only position " + std::to_string(high) + " excused it; it saw " +
           std::to_string(low) + " at least";
  if (left.least(low, high) >= refusal.quantity) {
    return told + "; at " + range_of(refusal.window) + " of the ledger there were at least " +
           std::to_string(left.least(low, high));
  }
  if (said && !left.was(*said, low, high)) {
    return told + " and that " + std::to_string(*said) + " are left, which was never so at " +
           range_of(refusal.window);
  }
  return std::nullopt;
}

struct Wrong {
  std::string what;
  bool after_release = false;
};

// Whether the units that `refusal` was denied had come back by a release that it must have seen.
bool is_after_release(const Ledger& ledger, const Refusal& refusal, const Series& left) {
  std::int64_t position = std::min(refusal.window.low, static_cast<std::int64_t>(ledger.flows.size()));
  while (position > 0 && left.at(position - 1) >= refusal.quantity) --position;
  if (position == 0) return false;
  const std::string& action = ledger.flows[static_cast<std::size_t>(position - 1)].action;
  return action == "cancel" || action == "expire" || action == "refund" || action == "take_back";
}

std::vector<Wrong> wrong_refusals(const World& world) {
  const std::map<Pool, Series> available = availability(world.ledger);
  const Claims claims = claims_of(world.ledger);
  Series nothing;
  nothing.prepare();
  std::vector<Wrong> found;
  for (const Refusal& refusal : refusals_of(world)) {
    const Series* left = &nothing;
    std::optional<std::int64_t> said = refusal.reply.available;
    if (refusal.reply.outcome == "limit_reached") {
      const auto claim = claims.find({refusal.activity, refusal.reply.sku, refusal.user});
      if (claim != claims.end()) left = &claim->second;
      said.reset();
      if (refusal.reply.allowed && refusal.reply.claimed)
        said = *refusal.reply.allowed - *refusal.reply.claimed;
      if (claim == claims.end()) said.reset();
    } else {
      if (const auto pool = available.find({refusal.reply.sku, refusal.activity}); pool != available.end()) {
        left = &pool->second;
      }
      if (refusal.reply.outcome == "sold_out") said = 0;
    }
    if (auto what = wrong(refusal, *left, said)) {
      found.push_back({std::move(*what), is_after_release(world.ledger, refusal, *left)});
    }
  }
  return found;
}

}  // namespace

RangeMinimum::RangeMinimum(std::vector<std::int64_t> values) : levels_{std::move(values)} {
  for (std::size_t width = 2; width <= levels_.front().size(); width *= 2) {
    const std::vector<std::int64_t>& half = levels_.back();
    std::vector<std::int64_t> level(levels_.front().size() - width + 1);
    for (std::size_t i = 0; i < level.size(); ++i) level[i] = std::min(half[i], half[i + width / 2]);
    levels_.push_back(std::move(level));
  }
}

std::int64_t RangeMinimum::least(std::size_t first, std::size_t last) const {
  CHECK(first <= last && last < levels_.front().size());
  const std::size_t level = static_cast<std::size_t>(std::bit_width(last - first + 1)) - 1;
  return std::min(levels_[level][first], levels_[level][last + 1 - (std::size_t{1} << level)]);
}

void Series::step(std::int64_t position, std::int64_t difference) {
  CHECK(position >= positions_.back());
  const std::int64_t value = values_.back() + difference;
  if (position == positions_.back()) {
    values_.back() = value;
    return;
  }
  positions_.push_back(position);
  values_.push_back(value);
}

void Series::prepare() {
  minimum_.clear();
  indexes_.clear();
  minimum_.emplace_back(values_);
  for (std::size_t i = 0; i < values_.size(); ++i)
    indexes_[values_[i]].push_back(static_cast<std::int64_t>(i));
}

std::int64_t Series::least(std::int64_t low, std::int64_t high) const {
  return minimum_.front().least(index_of(low), index_of(high));
}

bool Series::was(std::int64_t value, std::int64_t low, std::int64_t high) const {
  const auto places = indexes_.find(value);
  if (places == indexes_.end()) return false;
  const auto first = std::ranges::lower_bound(places->second, static_cast<std::int64_t>(index_of(low)));
  return first != places->second.end() && *first <= static_cast<std::int64_t>(index_of(high));
}

std::int64_t Series::at(std::int64_t position) const { return values_[index_of(position)]; }

std::size_t Series::index_of(std::int64_t position) const {
  const auto after = std::ranges::upper_bound(positions_, std::max<std::int64_t>(position, 0));
  return static_cast<std::size_t>(after - positions_.begin()) - 1;
}

Windows::Windows(const World& world) : last_(static_cast<std::int64_t>(world.ledger.flows.size())) {
  for (const auto& [id, span] : effects_of(world.ledger)) {
    const auto asked = world.history.asked().find(id);
    if (asked == world.history.asked().end()) continue;
    begun_.emplace_back(asked->second.effect_begun(), span.first);
    const Attempt* answer = asked->second.answer();
    if (answer != nullptr) returned_.emplace_back(answer->answered, span.last);
  }
  for (std::int64_t position = 1; position <= last_; ++position) {
    const Flow& flow = world.ledger.flows[static_cast<std::size_t>(position - 1)];
    promise(world, flow, position);
    if (!flow.committed) continue;
    begun_.emplace_back(*flow.committed, position);
    returned_.emplace_back(*flow.committed, position);
  }
  accumulate(returned_);
  for (auto& [asker, returns] : promised_) accumulate(returns);
  std::ranges::sort(begun_);
  for (std::size_t i = begun_.size(); i-- > 1;) {
    begun_[i - 1].second = std::min(begun_[i - 1].second, begun_[i].second);
  }
}

// What runs out is free for whoever asks for units of that item, and for a new claim of its own user.
void Windows::promise(const World& world, const Flow& flow, std::int64_t position) {
  if (flow.action != "expire" || !world.terms.release_within_ms) return;
  const auto order = world.ledger.orders.find(flow.order);
  const auto item = world.ledger.items.find(flow.place.item);
  if (order == world.ledger.orders.end() || item == world.ledger.items.end()) return;
  if (!order->second.expires_at) return;
  const Moment moment = world.terms.clock.of(*order->second.expires_at + *world.terms.release_within_ms);
  promised_[{item->second.sku, item->second.activity, ""}].emplace_back(moment, position);
  promised_[{item->second.sku, item->second.activity, order->second.user}].emplace_back(moment, position);
}

void Windows::accumulate(Returns& returns) {
  std::ranges::sort(returns);
  for (std::size_t i = 1; i < returns.size(); ++i) {
    returns[i].second = std::max(returns[i].second, returns[i - 1].second);
  }
}

std::int64_t Windows::reached(const Returns& returns, Moment call) {
  const auto before =
      std::ranges::lower_bound(returns, call, {}, [](const auto& step) { return step.first; });
  return before == returns.begin() ? 0 : std::prev(before)->second;
}

Window Windows::of(Moment call, Moment answered) const {
  const auto after =
      std::ranges::upper_bound(begun_, answered, {}, [](const auto& step) { return step.first; });
  return {reached(returned_, call), after == begun_.end() ? last_ : after->second - 1};
}

Window Windows::of(Moment call, Moment answered, const std::string& sku, const std::string& activity,
                   const std::string& user) const {
  Window window = of(call, answered);
  const auto promised = promised_.find({sku, activity, user});
  if (promised != promised_.end()) window.low = std::max(window.low, reached(promised->second, call));
  return window;
}

std::map<Pool, Series> availability(const Ledger& ledger) {
  std::map<Pool, Series> available;
  for (const auto& [id, item] : ledger.items) available.try_emplace({item.sku, item.activity});
  for (std::size_t k = 0; k < ledger.flows.size(); ++k) {
    const Flow& flow = ledger.flows[k];
    const auto item = ledger.items.find(flow.place.item);
    const std::int64_t units = effect_of(flow.action).available * flow.quantity;
    if (item == ledger.items.end() || units == 0) continue;
    available.at({item->second.sku, item->second.activity}).step(static_cast<std::int64_t>(k) + 1, units);
  }
  for (auto& [pool, series] : available) series.prepare();
  return available;
}

void check_refusals(const World& world, Findings& findings) {
  for (const Wrong& refusal : wrong_refusals(world)) {
    if (!refusal.after_release) findings.add(refusal.what);
  }
}

void check_refusals_after_release(const World& world, Findings& findings) {
  for (const Wrong& refusal : wrong_refusals(world)) {
    if (refusal.after_release) findings.add(refusal.what);
  }
}

}  // namespace gavel::oracle
