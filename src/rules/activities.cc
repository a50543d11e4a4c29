#include "rules/activities.h"

#include <algorithm>

#include "base/check.h"
#include "rules/holds.h"

namespace gavel::rules {
namespace {

Verdict refuse_in_state(std::string state) {
  Detail detail;
  detail.state = std::move(state);
  return verdict_of(Outcome::illegal_transition, detail);
}

void count_up(State& state) {
  if (state.counters.row_state == RowState::clean) state.counters.row_state = RowState::updated;
}

ItemId make_item(State& state, SkuId sku, ActivityId activity, std::int32_t buckets) {
  CHECK(buckets >= 1 && buckets <= buckets_max && state.counters.next_item >= 1);
  const ItemId id{state.counters.next_item++};
  count_up(state);
  state.items.emplace(id, Item{.id = id,
                               .sku = sku,
                               .activity = activity,
                               .generation = 1,
                               .buckets = std::vector<Bucket>(static_cast<std::size_t>(buckets)),
                               .loaded = std::vector<Bucket>(static_cast<std::size_t>(buckets)),
                               .row_state = RowState::inserted});
  return id;
}

std::string source_of(const Activity& activity) { return "activity:" + activity.code.text(); }

// A value that stays the same is not written.
void enter(Activity& activity, ActivityState state, Mode mode) {
  CHECK(activity.state != ActivityState::closed);
  const bool stays = activity.state == state && activity.mode == mode;
  activity.state = state;
  activity.mode = mode;
  if (!stays && activity.row_state == RowState::clean) activity.row_state = RowState::updated;
}

void enter(Activity& activity, ActivityState state) { enter(activity, state, activity.mode); }

bool is_gated(const DecisionContext& c, const Activity& activity) {
  return std::ranges::any_of(activity.lines, [&](const AllottedLine& line) {
    return effective(activity.mode, c.state.sku_of(line.sku).mode, c.policy.mode) == Mode::gated;
  });
}

// Opening and closing move units between both items of each line, so both must be sound.
std::optional<Verdict> refuse_frozen(const DecisionContext& c, const Activity& activity) {
  for (const AllottedLine& line : activity.lines) {
    const ItemId free_item = c.state.sku_of(line.sku).free_item;
    if (is_unsound(c.state.item(free_item)) || is_unsound(c.state.item(line.item))) {
      return verdict_of(Outcome::frozen, of_sku(line.code));
    }
  }
  return std::nullopt;
}

}  // namespace

namespace {

// Safe under traffic: tokens and held units of an old bucket stay where they are (A3).
Verdict change_sku(DecisionContext& c, Sku& sku, const PutSku& act) {
  const bool respreads = act.buckets && *act.buckets != sku.bucket_count;
  const Mode mode = act.mode.value_or(sku.mode);
  if (respreads && is_unsound(c.state.item(sku.free_item)))
    return verdict_of(Outcome::frozen, of_sku(act.sku));

  // From here it must succeed.
  if (respreads) {
    change_buckets(c.state, sku.free_item, *act.buckets, c.because(std::nullopt, "buckets"));
    sku.bucket_count = *act.buckets;
    CHECK(c.state.item(sku.free_item).in_use() == static_cast<std::size_t>(sku.bucket_count));
  }
  const bool stays = !respreads && mode == sku.mode;
  sku.mode = mode;
  if (!stays && sku.row_state == RowState::clean) sku.row_state = RowState::updated;
  return verdict_of(Outcome::changed);
}

}  // namespace

Verdict put_sku(DecisionContext& c, const PutSku& act) {
  if (Sku* sku = c.state.find_sku(act.sku)) return change_sku(c, *sku, act);

  // From here it must succeed.
  CHECK(c.state.counters.next_sku >= 1);
  const SkuId id{c.state.counters.next_sku++};
  const std::int32_t buckets = act.buckets.value_or(1);
  const ItemId item = make_item(c.state, id, free_pool, buckets);
  c.state.skus.emplace(act.sku, Sku{.id = id,
                                    .code = act.sku,
                                    .bucket_count = buckets,
                                    .free_item = item,
                                    .row_state = RowState::inserted,
                                    .mode = act.mode.value_or(Mode::service)});
  return verdict_of(Outcome::created);
}

// Only denials of the gate lead here, and a rebalance that is repeated or late changes nothing.
Verdict rebalance(DecisionContext& c, const Rebalance& act) {
  const auto item = c.state.items.find(act.item);
  if (item == c.state.items.end() || is_unsound(item->second)) return verdict_of(Outcome::frozen);
  if (is_uneven(item->second)) respread(c.state, act.item, c.because(std::nullopt, "rebalance"));
  return verdict_of(Outcome::changed);
}

Verdict receive(DecisionContext& c, const Receive& act) {
  const Sku* sku = c.state.find_sku(act.sku);
  if (sku == nullptr) return verdict_of(Outcome::unknown_sku, of_sku(act.sku));
  const Item& item = c.state.item(sku->free_item);
  // Unsound numbers are not added up.
  if (!is_unsound(item) && item.total() + item.shipped() + act.quantity > total_units_max) {
    return malformed("quantity: the SKU's total would be above 10^12");
  }
  if (is_unsound(item)) return verdict_of(Outcome::frozen, of_sku(act.sku));

  // From here it must succeed.
  for (const Allocation& part : spread(item, act.quantity)) {
    post(c.state, part.item, part.bucket, Action::receive, part.quantity, c.because(std::nullopt, "inbound"));
  }
  return verdict_of(Outcome::received);
}

Verdict create_activity(DecisionContext& c, const CreateActivity& act) {
  for (const ActivityLine& line : act.lines) {
    if (c.state.find_sku(line.sku) == nullptr) return verdict_of(Outcome::unknown_sku, of_sku(line.sku));
  }
  if (const Activity* there = c.state.find_activity(act.activity)) {
    return refuse_in_state(std::string(word(there->state)));
  }

  // From here it must succeed.
  CHECK(c.state.counters.next_activity >= 1 && !act.lines.empty());
  Activity activity{.id = ActivityId{c.state.counters.next_activity++},
                    .code = act.activity,
                    .name = act.name,
                    .state = ActivityState::draft,
                    .limit_per_user = act.limit_per_user,
                    .opens_at = act.opens_at,
                    .closes_at = act.closes_at,
                    .hold = act.hold,
                    .lines = {},
                    .row_state = RowState::inserted,
                    .mode = act.mode};
  for (const ActivityLine& line : act.lines) {
    const Sku& sku = *c.state.find_sku(line.sku);
    const ItemId item = make_item(c.state, sku.id, activity.id, line.buckets.value_or(sku.bucket_count));
    activity.lines.push_back(AllottedLine{sku.id, sku.code, line.allotment, item});
  }
  CHECK(c.state.activities.emplace(act.activity, std::move(activity)).second);
  return verdict_of(Outcome::created);
}

Verdict change_activity(DecisionContext& c, const ChangeActivity& act) {
  Activity* activity = c.state.find_activity(act.activity);
  if (activity == nullptr) return verdict_of(Outcome::unknown_activity);
  if (act.buckets) {
    if (const auto refusal = refuse_frozen(c, *activity)) return *refusal;
  }
  if (activity->state == ActivityState::closed) return refuse_in_state(std::string(word(activity->state)));

  // From here it must succeed.
  for (const AllottedLine& line : activity->lines) {
    const Item& item = c.state.item(line.item);
    if (!act.buckets || item.in_use() == static_cast<std::size_t>(*act.buckets)) continue;
    change_buckets(c.state, line.item, *act.buckets, c.because(std::nullopt, "buckets"));
  }
  const ActivityState state = is_before_open(activity->state) ? ActivityState::draft : activity->state;
  enter(*activity, state, act.mode.value_or(activity->mode));
  Detail detail;
  detail.state = std::string(word(state));
  return verdict_of(Outcome::changed, detail);
}

Verdict warm_activity(DecisionContext& c, const WarmActivity& act) {
  Activity* activity = c.state.find_activity(act.activity);
  if (activity == nullptr) return verdict_of(Outcome::unknown_activity);
  if (!is_before_open(activity->state)) return refuse_in_state(std::string(word(activity->state)));

  // From here it must succeed.
  enter(*activity, ActivityState::warmed);
  return verdict_of(Outcome::warmed);
}

Verdict check_activity(DecisionContext& c, const CheckActivity& act) {
  Activity* activity = c.state.find_activity(act.activity);
  if (activity == nullptr) return verdict_of(Outcome::unknown_activity);
  const bool checkable =
      activity->state == ActivityState::warmed || activity->state == ActivityState::verified;
  if (!checkable) return refuse_in_state(std::string(word(activity->state)));

  // From here it must succeed.
  enter(*activity, ActivityState::verified);
  return verdict_of(Outcome::verified);
}

Verdict open_activity(DecisionContext& c, const OpenActivity& act) {
  Activity* activity = c.state.find_activity(act.activity);
  if (activity == nullptr) return verdict_of(Outcome::unknown_activity);
  if (const auto refusal = refuse_frozen(c, *activity)) return *refusal;
  const bool before_open = is_before_open(activity->state);
  if (before_open && activity->closes_at && c.now >= *activity->closes_at) return verdict_of(Outcome::over);
  const bool unverified = activity->state != ActivityState::verified && is_gated(c, *activity);
  if (!before_open || unverified) return refuse_in_state(std::string(word(activity->state)));
  std::vector<RequestedLine> lines;
  for (const AllottedLine& line : activity->lines) {
    lines.push_back(
        RequestedLine{line.code, c.state.sku_of(line.sku).free_item, line.allotment, std::nullopt});
  }
  if (const auto refusal = refuse_shortage(c, lines)) return *refusal;

  // From here it must succeed.
  for (const AllottedLine& line : activity->lines) {
    move(c.state, c.state.sku_of(line.sku).free_item, line.item, line.allotment,
         c.because(std::nullopt, source_of(*activity)));
  }
  enter(*activity, ActivityState::open);
  return verdict_of(Outcome::opened);
}

namespace {

// Gavel itself, which has no key, closes an open sale that is past its end, and nothing else (E23).
bool may_close(const DecisionContext& c, const Activity& activity) {
  if (c.command.key) return activity.state != ActivityState::closed;
  return activity.state == ActivityState::open && activity.closes_at && c.now >= *activity.closes_at;
}

}  // namespace

Verdict close_activity(DecisionContext& c, const CloseActivity& act) {
  Activity* activity = c.state.find_activity(act.activity);
  if (activity == nullptr) return verdict_of(Outcome::unknown_activity);
  if (const auto refusal = refuse_frozen(c, *activity)) return *refusal;
  if (!may_close(c, *activity)) return refuse_in_state(std::string(word(activity->state)));

  // From here it must succeed.
  for (const AllottedLine& line : activity->lines) {
    move(c.state, line.item, c.state.sku_of(line.sku).free_item, c.state.item(line.item).available(),
         c.because(std::nullopt, source_of(*activity)));
  }
  enter(*activity, ActivityState::closed);
  return verdict_of(Outcome::closed);
}

}  // namespace gavel::rules
