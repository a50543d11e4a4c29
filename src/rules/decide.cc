#include "rules/decide.h"

#include <set>

#include "base/check.h"
#include "rules/activities.h"
#include "rules/changes.h"
#include "rules/counts.h"
#include "rules/decision.h"
#include "rules/orders.h"
#include "rules/refunds.h"
#include "rules/shipping.h"

namespace gavel::rules {
namespace {

// The record under the command's key, if there is one, in either kind of row.
const IdempotencyRecord* find_recorded(const DecisionContext& c) {
  const auto row = c.state.requests.find(RequestId{c.command.caller, *c.command.key});
  if (row != c.state.requests.end()) return &row->second;
  if (const auto& uuid = c.command.key->uuid7()) {
    const auto order = c.state.orders_as_requests.find(OrderId{*uuid});
    if (order != c.state.orders_as_requests.end()) return &order->second;
  }
  return nullptr;
}

// True of the id of an order that was made under another key (had it been made under this one, that were
// recorded), and of the key of another act.
bool is_id_in_use(State& state, OrderId id) {
  return state.ids_in_use.contains(id) || state.key_guards.contains(id) || state.find_order(id) != nullptr;
}

// The answer that the key alone determines: the first answer again, or a refusal. Nothing if the key is new.
std::optional<Verdict> answer_by_key(const DecisionContext& c) {
  if (const IdempotencyRecord* recorded = find_recorded(c)) {
    if (recorded->caller != c.command.caller) return verdict_of(Outcome::key_in_use);
    const std::string content = fingerprint_of(c.command.act);
    if (recorded->content != content) {
      Detail detail;
      detail.fields = differing_fields(recorded->content, content);
      return verdict_of(Outcome::key_reused, detail);
    }
    Verdict verdict = recorded->verdict;
    verdict.record = Record::replayed;
    return verdict;
  }
  if (const auto& uuid = c.command.key->uuid7()) {
    if (time_of(*uuid) > c.now + key_ahead_max) {
      return malformed("Idempotency-Key: the time in this UUIDv7 is more than an hour ahead");
    }
    if (std::holds_alternative<Reserve>(c.command.act) && is_id_in_use(c.state, OrderId{*uuid})) {
      return verdict_of(Outcome::key_in_use);
    }
  }
  if (is_too_old(*c.command.key, c.now - c.policy.requests_kept)) return verdict_of(Outcome::key_too_old);
  return std::nullopt;
}

// The one act on the record of requests itself.
Verdict forget(DecisionContext& c, const Forget& act) {
  const auto found = c.state.requests.find(RequestId{act.of, act.key});
  if (found == c.state.requests.end()) return verdict_of(Outcome::unknown_request);
  if (!may_forget(found->second.verdict.at, c.now, c.policy)) {
    Detail detail;
    detail.state = "kept";
    return verdict_of(Outcome::illegal_transition, detail);
  }

  // From here it must succeed. A key that is forgotten is too old for any other use (A28).
  CHECK(c.state.forgotten.insert(found->first).second);
  if (const auto& uuid = act.key.uuid7()) c.state.key_guards_freed.insert(OrderId{*uuid});
  c.state.requests.erase(found);
  return verdict_of(Outcome::changed);
}

Verdict act_on(DecisionContext& c) {
  struct Acts {
    DecisionContext& c;
    Verdict operator()(const Reserve& act) { return reserve(c, act); }
    Verdict operator()(const Confirm& act) { return confirm(c, act); }
    Verdict operator()(const Cancel& act) { return cancel(c, act); }
    Verdict operator()(const Extend& act) { return extend(c, act); }
    Verdict operator()(const ChangeOrder& act) { return change_order(c, act); }
    Verdict operator()(const Refund& act) { return refund(c, act); }
    Verdict operator()(const Ship& act) { return ship(c, act); }
    Verdict operator()(const Expire& act) { return expire(c, act); }
    Verdict operator()(const Forget& act) { return forget(c, act); }
    Verdict operator()(const Rebalance& act) { return rebalance(c, act); }
    Verdict operator()(const PutSku& act) { return put_sku(c, act); }
    Verdict operator()(const Receive& act) { return receive(c, act); }
    Verdict operator()(const Adjust& act) { return adjust(c, act); }
    Verdict operator()(const Count& act) { return count(c, act); }
    Verdict operator()(const CreateActivity& act) { return create_activity(c, act); }
    Verdict operator()(const ChangeActivity& act) { return change_activity(c, act); }
    Verdict operator()(const WarmActivity& act) { return warm_activity(c, act); }
    Verdict operator()(const CheckActivity& act) { return check_activity(c, act); }
    Verdict operator()(const OpenActivity& act) { return open_activity(c, act); }
    Verdict operator()(const CloseActivity& act) { return close_activity(c, act); }
  };
  return std::visit(Acts{c}, c.command.act);
}

// Binds the verdict to the key. Sales and refusals of orders share one unique key: where it is a UUIDv7, both
// are order rows, the refused one with nothing taken.
void record(DecisionContext& c, Verdict& verdict) {
  CHECK(verdict.record == Record::no && verdict.at == c.now);
  verdict.record = Record::fresh;
  const Command& command = c.command;
  IdempotencyRecord recorded{command.caller, *command.key, fingerprint_of(command.act), verdict,
                             RowState::inserted};
  const auto& uuid = command.key->uuid7();
  const auto* act = std::get_if<Reserve>(&command.act);
  if (act == nullptr || !uuid) {
    if (uuid && !is_id_in_use(c.state, OrderId{*uuid})) c.state.key_guards.insert(OrderId{*uuid});
    c.state.requests.emplace(RequestId{command.caller, *command.key}, std::move(recorded));
    return;
  }
  const OrderId id{*uuid};
  if (!verdict.order) {
    c.state.orders.emplace(id, Order{.id = id,
                                     .state = OrderState::refused,
                                     .account = command.caller,
                                     .user = act->user,
                                     .activity = free_pool,
                                     .taken = {},
                                     .created_at = c.now,
                                     .expires_at = std::nullopt,
                                     .settled_at = std::nullopt,
                                     .row_state = RowState::inserted});
  }
  c.state.orders_as_requests.emplace(id, std::move(recorded));
}

using Wrong = std::optional<std::string>;

Wrong wrong_seconds(std::string_view field, std::optional<std::chrono::seconds> seconds) {
  if (!seconds || (*seconds >= hold_min && *seconds <= hold_max)) return std::nullopt;
  return std::string(field) + ": must be 1 to 86400";
}

Wrong wrong_buckets(std::int32_t buckets) {
  if (buckets < 1 || buckets > buckets_max) return "buckets: must be 1 to 64";
  return std::nullopt;
}

Wrong wrong_lines(const Lines& lines) {
  if (lines.fault()) return std::string(*lines.fault());
  return std::nullopt;
}

Wrong wrong_or_no_lines(const Lines& lines) {
  if (!lines.fault() && lines.empty()) return "lines: must not be empty";
  return wrong_lines(lines);
}

struct Malformation {
  Wrong operator()(const Reserve& act) const {
    if (Wrong wrong = wrong_or_no_lines(act.lines)) return wrong;
    return wrong_seconds("hold_seconds", act.hold);
  }
  Wrong operator()(const Confirm& act) const { return wrong_lines(act.lines); }
  Wrong operator()(const Cancel&) const { return std::nullopt; }
  Wrong operator()(const Extend& act) const { return wrong_seconds("seconds", act.seconds); }
  Wrong operator()(const ChangeOrder& act) const { return wrong_or_no_lines(act.lines); }
  Wrong operator()(const Refund& act) const { return wrong_lines(act.lines); }
  Wrong operator()(const Ship& act) const { return wrong_lines(act.lines); }
  Wrong operator()(const Expire&) const { return std::nullopt; }
  Wrong operator()(const Forget&) const { return std::nullopt; }
  Wrong operator()(const Rebalance&) const { return std::nullopt; }
  Wrong operator()(const PutSku& act) const { return wrong_buckets(act.buckets.value_or(1)); }
  Wrong operator()(const Receive& act) const {
    if (!is_line_quantity(act.quantity)) return "quantity: must be 1 to 1000000";
    return std::nullopt;
  }
  Wrong operator()(const Adjust& act) const {
    const bool in_bounds = is_line_quantity(act.difference) || is_line_quantity(no_units - act.difference);
    if (!in_bounds) return "difference: must be -1000000 to 1000000 and not 0";
    return std::nullopt;
  }
  Wrong operator()(const Count& act) const {
    if (act.counted < no_units || act.counted > total_units_max) return "counted: must be 0 to 1000000000000";
    if (act.version < 0) return "version: must not be negative";
    return std::nullopt;
  }
  Wrong operator()(const CreateActivity& act) const {
    if (act.lines.empty()) return "lines: must not be empty";
    if (act.lines.size() > activity_lines_max) return "lines: at most 100";
    std::set<SkuCode> seen;
    for (const ActivityLine& line : act.lines) {
      if (!seen.insert(line.sku).second) return "lines: SKU " + line.sku.text() + " is given twice";
      if (line.allotment <= no_units || line.allotment > total_units_max) {
        return "allotment: must be 1 to 1000000000000";
      }
      if (const Wrong wrong = wrong_buckets(line.buckets.value_or(1))) return wrong;
    }
    if (act.limit_per_user && !is_line_quantity(*act.limit_per_user))
      return "limit_per_user: must be 1 to 1000000";
    if (act.opens_at && act.closes_at && *act.opens_at >= *act.closes_at) {
      return "closes_at: must be later than opens_at";
    }
    return wrong_seconds("hold_seconds", act.hold);
  }
  Wrong operator()(const ChangeActivity& act) const { return wrong_buckets(act.buckets.value_or(1)); }
  Wrong operator()(const WarmActivity&) const { return std::nullopt; }
  Wrong operator()(const CheckActivity&) const { return std::nullopt; }
  Wrong operator()(const OpenActivity&) const { return std::nullopt; }
  Wrong operator()(const CloseActivity&) const { return std::nullopt; }
};

}  // namespace

bool is_too_old(const RequestKey& key, Time kept_since) {
  return key.uuid7() && time_of(*key.uuid7()) < kept_since;
}

Verdict decide(State& state, const Command& command, Time now, const Policy& policy) {
  DecisionContext c{state, command, now, policy};
  std::optional<Verdict> answer;
  if (auto wrong = malformation(command)) answer = malformed(std::move(*wrong));
  if (!answer && command.key) answer = answer_by_key(c);
  Verdict verdict = answer ? *std::move(answer) : act_on(c);
  CHECK(verdict.outcome != Outcome::outcome_unknown);  // Whoever decides knows.
  if (verdict.record == Record::replayed) return verdict;
  CHECK(verdict.record == Record::no);
  verdict.at = now;
  CHECK(!c.beyond_bound || verdict.outcome == Outcome::sold_out || verdict.outcome == Outcome::insufficient);
  verdict.short_of = c.beyond_bound;
  if (command.key && traits(verdict.outcome).recorded && !c.beyond_bound) record(c, verdict);
  return verdict;
}

void raise_generations(State& state) {
  for (auto& [id, item] : state.items) {
    if (item.buckets == item.loaded) continue;  // Untouched, and perhaps unsound: its numbers are not added.
    Quantity before;
    for (const Bucket& bucket : item.loaded) before += bucket.available;
    if (before != no_units || item.available() == no_units) continue;
    item.generation += 1;
    item.refusals = 0;
    if (item.row_state == RowState::clean) item.row_state = RowState::updated;
  }
}

std::optional<std::string> malformation(const Command& command) {
  const bool internal =
      std::holds_alternative<Expire>(command.act) || std::holds_alternative<Forget>(command.act) ||
      std::holds_alternative<Rebalance>(command.act) || std::holds_alternative<CloseActivity>(command.act);
  CHECK(internal || command.key);  // Every command of a caller carries a request key.
  return std::visit(Malformation{}, command.act);
}

}  // namespace gavel::rules
