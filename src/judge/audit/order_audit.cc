// One noun: the audit of orders.
#include "judge/audit/order_audit.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <variant>

#include "judge/audit/batch_order.h"
#include "judge/audit/record_bytes.h"

namespace gavel::judge {
namespace {

using rules::Action;
using rules::Order;
using rules::OrderState;

bool is_taking(Action action) { return action == Action::reserve || action == Action::sell; }
// Before schema 8 orders named no account: those that operators made are shop's too (docs/adr/0027).
bool is_account_of(const rules::Caller& account, const rules::Caller& maker) {
  static const rules::Caller shop("shop");
  static const rules::Caller operators("operator");
  return account == maker || (account == shop && maker == operators);
}
bool is_settling(Action action) {
  return action == Action::confirm || action == Action::cancel || action == Action::expire;
}

// What the flows of one part of an order must say, where its row says that so many were taken there and so
// many have returned.
struct Part {
  std::int64_t taken = 0;
  std::int64_t returned = 0;
};

// `changed` is what of it changes of the held order took and gave back.
bool matches(const Units& units, const Units& changed, OrderState state, Part part) {
  const std::int64_t given_back = changed[Action::cancel];
  const std::int64_t refunded = units[Action::refund] + units[Action::write_off] + units[Action::take_back] +
                                units[Action::write_off_shipped];
  const std::int64_t left = units[Action::confirm] + units[Action::sell] - refunded;
  const std::int64_t others = units[Action::receive] + units[Action::move_in] + units[Action::move_out] +
                              units[Action::adjust_in] + units[Action::adjust_out] +
                              units[Action::fall_short] + units[Action::make_good];
  const std::int64_t held = units[Action::reserve] - given_back;
  // Of a hold that was paid in part the rest was cancelled.
  const std::int64_t rest = units[Action::cancel] - given_back;
  if (others != 0) return false;
  if (is_paid(state) || state == OrderState::refunded) {
    const bool sold_at_once = units[Action::sell] > 0;
    return held == units[Action::confirm] + rest && units[Action::expire] == 0 &&
           part.returned == rest + refunded && (state != OrderState::paid || refunded == 0) &&
           (!sold_at_once || held == 0);
  }
  const std::int64_t cancelled = state == OrderState::cancelled ? part.taken : 0;
  const std::int64_t expired = state == OrderState::expired ? part.taken : 0;
  return part.returned == 0 && left == 0 && units[Action::ship] == 0 && refunded == 0 && rest == cancelled &&
         units[Action::expire] == expired;
}

}  // namespace

void OrderAudit::begin(rules::OrderId id) {
  if (id_ == id) return;
  end();
  id_ = id;
}

void OrderAudit::end() {
  if (id_ && !known_ && story_.first) {
    const auto& [place, seq] = *story_.first;
    findings_.add(Subject::order_without_row, "orders",
                  name_of(*id_) + " has no row, but seq " + std::to_string(seq) + " of " +
                      name_of(place.first, place.second) + " names it");
  }
  id_.reset();
  story_ = {};
  own_.clear();
  under_its_key_.clear();
  known_.reset();
}

Result<void> OrderAudit::flow(const FlowRow& row) {
  const rules::Flow& flow = row.flow;
  begin(*flow.order);
  if (is_own(flow)) own_.push_back({{flow.caller, *flow.key}, flow.at, EffectPart::of(flow)});
  const Place place{flow.item, flow.bucket};
  if (!story_.first) story_.first = {place, flow.seq};
  story_.parts[place][flow.action] += flow.quantity.units;
  story_.units[flow.action] += flow.quantity.units;
  const bool is_change = flow.source == "change";
  if (is_change) add_change(row);
  const std::int32_t next = ++story_.rows[{flow.item, flow.bucket, flow.action}];
  if (flow.occurrence != next && story_.strange.empty()) {
    story_.strange = name_of(flow) + " says occurrence " + std::to_string(flow.occurrence) + " of " +
                     std::string(word(flow.action)) + ", and is number " + std::to_string(next);
  }
  if (is_taking(flow.action)) {
    story_.taken_at = std::min(story_.taken_at.value_or(flow.at), flow.at);
    if (!is_change) story_.maker = flow.caller;
  } else if (is_settling(flow.action) && !is_change) {
    story_.settled_at = std::max(story_.settled_at.value_or(flow.at), flow.at);
  }
  return {};
}

void OrderAudit::add_change(const FlowRow& row) {
  const rules::Flow& flow = row.flow;
  const Place place{flow.item, flow.bucket};
  story_.changed[place][flow.action] += flow.quantity.units;
  const std::int64_t units = is_taking(flow.action) ? flow.quantity.units : -flow.quantity.units;
  const rules::RequestKey key = flow.key.value_or(rules::RequestKey("-"));
  story_.changes.push_back({flow.at, row.batch, row.i, {flow.caller, key}, place, flow.seq, units});
}

Result<void> OrderAudit::order(const Order& row) {
  begin(row.id);
  Wrong wrong = wrong_parts(row, story_);
  if (!wrong) wrong = wrong_shipments(row, story_);
  if (!wrong && !story_.strange.empty()) wrong = "is wrongly counted: " + story_.strange;
  if (!wrong) wrong = wrong_times(row, story_);
  if (!wrong) wrong = wrong_pool(row, story_);
  if (!wrong) wrong = wrong_account(row, story_);
  if (wrong) findings_.add(Subject::order, "orders", name_of(row.id) + " " + *wrong);

  known_ = KnownOrder{.id = row.id,
                      .state = row.state,
                      .account = row.account,
                      .user = row.user,
                      .units = {},
                      .expires_at = row.expires_at,
                      .changes = {}};
  for (const auto& [part, units] : story_.parts) {
    const std::int64_t taken = units[Action::reserve] + units[Action::sell];
    const std::int64_t later = changed_in(part)[Action::reserve];
    if (catalogue_.pool_of(part.first) != nullptr) {
      known_->units[catalogue_.sku_of(part.first)] += taken - later;
    }
  }
  replay_changes();
  if (const Result<void> claimed = add_claims(row); !claimed) return claimed;
  return add_holds(row);
}

Units OrderAudit::changed_in(const Place& place) const {
  const auto found = story_.changed.find(place);
  return found == story_.changed.end() ? Units() : found->second;
}

// Units that an order has and did not give back count against its user's limit, sold ones included.
Result<void> OrderAudit::add_claims(const Order& row) {
  if (row.activity == rules::free_pool) return {};
  for (const auto& [part, units] : story_.parts) {
    const Catalogue::Pool* pool = catalogue_.pool_of(part.first);
    if (pool == nullptr) continue;
    const std::int64_t kept =
        units[Action::reserve] + units[Action::sell] - units[Action::cancel] - units[Action::expire];
    const auto added = claims_.add({row.activity, pool->sku, row.user}, kept, row);
    if (!added) return added;
  }
  return {};
}

// One for each stock item of which it holds units in any bucket.
Result<void> OrderAudit::add_holds(const Order& row) {
  if (row.state != OrderState::held || !row.expires_at) return {};
  std::optional<rules::ItemId> last;
  for (const auto& [part, units] : story_.parts) {
    if (units[Action::reserve] == changed_in(part)[Action::cancel] || last == part.first) continue;
    last = part.first;
    if (const auto added = holds_.add({part.first, *row.expires_at, row.id}); !added) return added;
  }
  return {};
}

Result<bool> OrderAudit::pass_request() {
  if (requests_.is_end() || !id_ || *id_ < requests_.order()) return false;
  return take_request();
}

Result<bool> OrderAudit::pass_all_requests() {
  if (requests_.is_end()) return false;
  return take_request();
}

Result<bool> OrderAudit::take_request() {
  const rules::OrderId order = requests_.order();
  auto taken = requests_.take();
  if (!taken) return std::unexpected(taken.error());
  if (auto* entry = std::get_if<KeyEntry>(&*taken)) {
    if (order == id_) under_its_key_.push_back(std::move(*entry));
    return true;
  }
  const auto& request = std::get<NamingRequest>(*taken);
  const rules::IdempotencyRecord& row = request.row;
  Result<Wrong> wrong = wrong_names(row);
  if (!wrong) return std::unexpected(wrong.error());
  if (!*wrong) {
    const Effects effects = effects_of(request.entries, catalogue_);
    *wrong = check_.wrong_request(row, effects, row.verdict.order ? &*known_ : nullptr);
  }
  if (*wrong) {
    RecordWriter key;
    key.text(row.caller.text()).text(row.key.text());
    findings_.add(Subject::request, "requests", finding_of(row, **wrong), key.bytes());
  }
  return true;
}

// An order that the row names and that does not exist.
Result<Wrong> OrderAudit::wrong_names(const rules::IdempotencyRecord& row) const {
  for (const auto& order : {row.verdict.order, row.verdict.detail.order}) {
    if (!order) continue;
    const Result<bool> exists = has_order(*order);
    if (!exists) return std::unexpected(exists.error());
    if (!*exists) return "but " + name_of(*order) + " does not exist";
  }
  return std::nullopt;
}

Result<bool> OrderAudit::has_order(rules::OrderId order) const {
  if (known_ && known_->id == order) return true;
  const auto found = find_(order);
  if (!found) return std::unexpected(found.error());
  return found->has_order;
}

Result<void> OrderAudit::order_as_request(const rules::IdempotencyRecord& row) {
  Result<Wrong> wrong = wrong_names(row);
  if (!wrong) return std::unexpected(wrong.error());
  const auto& uuid = row.key.uuid7();
  const bool is_its_own = uuid && known_ && known_->id == rules::OrderId{*uuid};
  const bool names_it = !row.verdict.order || (known_ && row.verdict.order == known_->id);
  if (!*wrong && !names_it) *wrong = "but names another order than its own";
  if (!*wrong) {
    const KnownOrder* named = row.verdict.order ? &*known_ : nullptr;
    *wrong = check_.wrong_request(row, own_effects({row.caller, row.key}), named);
  }
  if (!*wrong && !is_its_own) *wrong = "but its key names no order";
  if (!*wrong && !is_account_of(known_->account, row.caller))
    *wrong = "but its order is of account " + known_->account.text();
  if (!*wrong) {
    const bool refused = known_->state == OrderState::refused;
    const bool sale =
        row.verdict.outcome == rules::Outcome::reserved || row.verdict.outcome == rules::Outcome::sold;
    if (refused == sale) *wrong = "but its order is " + std::string(word(known_->state));
  }
  if (*wrong) findings_.add(Subject::order_as_request, "requests", finding_of(row, **wrong));
  return {};
}

// What happened under the key that is the order's id: with the order, and elsewhere.
Effects OrderAudit::own_effects(const rules::RequestId& id) const {
  Effects effects;
  for (const std::vector<KeyEntry>* entries : {&own_, &under_its_key_}) {
    for (const KeyEntry& entry : *entries) {
      if (entry.id == id) entry.part.add_to(effects[entry.at], catalogue_);
    }
  }
  return effects;
}

// In the order of their batches, as lanes and chains say; where those leave it open, by time. False if that
// leaves it open as well.
bool OrderAudit::put_in_order(std::vector<Step>& changes) {
  std::ranges::sort(changes, {}, [](const Step& step) { return std::tuple(step.batch, step.i); });
  std::vector<BatchLinks<Place>> batches;
  for (const Step& step : changes) {
    if (batches.empty() || batches.back().batch != step.batch) batches.push_back({step.batch});
    batches.back().add(step.place, step.seq);
  }
  if (const auto order = order_of_batches(batches)) {
    std::map<BatchId, std::size_t> ranks;
    for (const std::size_t i : *order) ranks.emplace(batches[i].batch, ranks.size());
    std::ranges::sort(changes, {}, [&](const Step& step) { return std::pair(ranks.at(step.batch), step.i); });
    return true;
  }
  std::ranges::sort(changes, {}, [](const Step& step) { return std::tuple(step.at, step.batch, step.i); });
  return std::ranges::adjacent_find(changes, [](const Step& one, const Step& next) {
           return one.at == next.at && one.batch.lane != next.batch.lane;
         }) == changes.end();
}

// What the order had after each change, whichever bucket it moved first.
void OrderAudit::replay_changes() {
  if (story_.changes.empty()) return;
  known_->unordered = !put_in_order(story_.changes);
  UnitsBySku units = known_->units;
  for (const Step& step : story_.changes) {
    const rules::ItemId item = step.place.first;
    if (catalogue_.pool_of(item) != nullptr) units[catalogue_.sku_of(item)] += step.units;
    known_->changes.emplace_back(step.at, text_of(units));
    known_->changed_to[step.request] = known_->changes.back().second;
  }
}

Wrong OrderAudit::wrong_parts(const Order& row, const Story& story) {
  const std::string is = "is " + std::string(word(row.state));
  std::map<Place, Part> parts;
  for (const auto& [place, units] : story.parts) parts[place];
  for (const rules::Allocation& part : row.taken)
    parts[{part.item, part.bucket}].taken += part.quantity.units;
  for (const rules::Allocation& part : row.returned) {
    parts[{part.item, part.bucket}].returned += part.quantity.units;
  }
  for (const auto& [place, part] : parts) {
    const std::string where = name_of(place.first, place.second);
    const auto found = story.parts.find(place);
    const Units units = found == story.parts.end() ? Units() : found->second;
    const auto change = story.changed.find(place);
    const Units changed = change == story.changed.end() ? Units() : change->second;
    const std::int64_t by_flows = units[Action::reserve] + units[Action::sell] - changed[Action::cancel];
    if (part.taken != by_flows) {
      return "says that it took " + std::to_string(part.taken) + " from " + where + ", its flows say " +
             std::to_string(by_flows);
    }
    if (row.state == OrderState::refused || !matches(units, changed, row.state, part)) {
      const std::string back =
          part.returned == 0 ? "" : " and says that " + std::to_string(part.returned) + " returned";
      return is + back + ", but its flows in " + where + " say " + units.text();
    }
  }
  if (row.state != OrderState::refused && story.parts.empty()) return is + ", but has no flows";
  return wrong_state(row);
}

// What the buyer has of it, bucket by bucket.
Wrong OrderAudit::wrong_shipments(const Order& row, const Story& story) {
  std::map<Place, std::int64_t> shipped;
  for (const auto& [place, units] : story.parts) {
    shipped[place] = units[Action::take_back] + units[Action::write_off_shipped] - units[Action::ship];
  }
  for (const rules::Allocation& part : row.shipped) shipped[{part.item, part.bucket}] += part.quantity.units;
  for (const auto& [place, unexplained] : shipped) {
    if (migration_.explains(place.first, place.second, unexplained)) continue;
    const auto found = story.parts.find(place);
    const Units units = found == story.parts.end() ? Units() : found->second;
    return "says that " + std::to_string(units_at(row.shipped, place.first, place.second).units) +
           " are shipped, but its flows in " + name_of(place.first, place.second) + " say " + units.text();
  }
  return std::nullopt;
}

// What its parts cannot say one by one: whether anything is left, and where.
Wrong OrderAudit::wrong_state(const Order& row) const {
  std::int64_t left = 0;
  std::int64_t shipped = 0;
  for (const rules::Allocation& part : row.taken) left += part.quantity.units;
  for (const rules::Allocation& part : row.returned) left -= part.quantity.units;
  for (const rules::Allocation& part : row.shipped) shipped += part.quantity.units;
  const std::string is = "is " + std::string(word(row.state));
  if (row.state == OrderState::refunded && left != 0)
    return is + ", but has " + std::to_string(left) + " left";
  if (is_paid(row.state) && left == 0) return is + ", but has nothing left";
  const bool all_are = shipped > 0 && shipped == left;
  const bool says_all = row.state == OrderState::shipped;
  const bool says_some = row.state == OrderState::partly_shipped;
  if (shipped > left || says_all != all_are || says_some != (shipped > 0 && !all_are)) {
    return is + ", but " + std::to_string(shipped) + " of " + std::to_string(left) + " are shipped";
  }
  return std::nullopt;
}

Wrong OrderAudit::wrong_times(const Order& row, const Story& story) const {
  if (row.state == OrderState::refused) return std::nullopt;
  if (story.taken_at != row.created_at) return "was made at another time than its flows say";
  const bool was_held = story.units[Action::reserve] > 0;
  if (was_held != row.expires_at.has_value()) {
    return was_held ? "was held, but its hold has no end" : "was never held, but its hold has an end";
  }
  if (row.first_expires_at.has_value() != (row.extensions > 0))
    return "does not know how often it was extended";
  if (row.first_expires_at > row.expires_at) return "was extended to an earlier time";
  if (row.first_expires_at && *row.expires_at > row.created_at + rules::hold_max) {
    return "was extended beyond the longest hold";
  }
  if (story.settled_at != row.settled_at) return "was settled at another time than its flows say";
  if (!story.settled_at) return std::nullopt;
  const bool past = story.settled_at >= row.expires_at;
  if (row.state == OrderState::expired && !past) return "expired before its hold's end";
  if (row.state != OrderState::expired && past) {
    return "was " + std::string(word(row.state)) + " after its hold's end";
  }
  return std::nullopt;
}

Wrong OrderAudit::wrong_account(const Order& row, const Story& story) {
  if (!story.maker || is_account_of(row.account, *story.maker)) return std::nullopt;
  return "is of account " + row.account.text() + ", but " + story.maker->text() + " made it";
}

Wrong OrderAudit::wrong_pool(const Order& row, const Story& story) const {
  for (const auto& [part, units] : story.parts) {
    const Catalogue::Pool* pool = catalogue_.pool_of(part.first);
    if (pool == nullptr || pool->activity != row.activity) {
      return "took from item " + std::to_string(part.first.value) + ", which is of another pool";
    }
  }
  return std::nullopt;
}

}  // namespace gavel::judge
