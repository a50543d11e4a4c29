// One noun: the crowd of simulated callers.
#include "sim/crowd.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/uuid.h"
#include "sim/plain_words.h"
#include "sim/skewed_clock.h"

namespace gavel::sim {
namespace {

using rules::Outcome;
using rules::Verdict;

constexpr std::uint64_t network_micros = 150;  // One way, at the mean.
constexpr int attempts_max = 6;                // Before somebody gives up for good, while things are bad.
constexpr Micros insist_every{2'000};
constexpr Micros patience{2'000'000};
constexpr const char* customers = "shop";
constexpr const char* strangers = "kiosk";
constexpr const char* operators = "ops";

// Every third name has what shops have in theirs, and would read as other fields and lines in a request's
// content (E27).
std::string name_of(std::string_view kind, std::uint64_t number) {
  const std::string name = std::string(kind) + std::to_string(number);
  return number % 3 == 2 ? name + "*1,sku1;lines=100% \"ü\"/汉" : name;
}

rules::ActivityCode activity_of(std::uint64_t number) { return rules::ActivityCode(name_of("sale", number)); }
rules::SkuCode sku_of(std::uint64_t number) { return rules::SkuCode(name_of("sku", number)); }

rules::Quantity units(std::uint64_t count) { return rules::Quantity{static_cast<std::int64_t>(count)}; }

}  // namespace

Crowd::Crowd(const SimContext& surroundings, const WorldOptions& options, Fleet& fleet, Auditor& auditor)
    : s_(surroundings), options_(options), fleet_(fleet), auditor_(auditor) {}

void Crowd::set_up() {
  for (std::uint64_t i = 1; i <= options_.skus; ++i) {
    const auto buckets = static_cast<std::int32_t>(1 + s_.random.below(options_.buckets_max));
    attempt(intend(operators, rules::PutSku{sku_of(i), buckets}));
  }
  // Stock comes once its SKU is there: whoever is too early is told so, and that is an answer.
  s_.scheduler.after(Micros(500'000), [this] {
    for (std::uint64_t i = 1; i <= options_.skus; ++i) {
      const std::uint64_t stock = s_.random.below(options_.stock_max + 1);
      if (stock > 0) attempt(intend(operators, rules::Receive{sku_of(i), units(stock)}));
    }
    for (std::uint64_t i = 1; i <= options_.activities; ++i) {
      attempt(intend(operators, draw_activity(activity_of(i))));
    }
  });
}

void Crowd::begin(std::uint64_t operations) {
  left_ = operations;
  begun_all_ = false;
  operate();
}

void Crowd::operate() {
  if (left_ == 0) {
    begun_all_ = true;
    return;
  }
  --left_;
  if (options_.leap > Micros(0) && s_.random.chance(1, 100)) days_are_due_ = true;
  if (s_.database.open_transactions() == 0 && std::exchange(days_are_due_, false)) let_days_pass();
  act();
  s_.scheduler.after(draw_micros(static_cast<std::uint64_t>(options_.gap.count())), [this] { operate(); });
}

// ladder: what callers do, each as often as its share of a hundred.
void Crowd::act() {
  const std::uint64_t die = s_.random.below(100);
  if (die < 40) return reserve();
  if (die < 45) return burst();
  if (die < 63) return settle_order();
  if (die < 71) return race();
  if (die < 74) return refund();
  if (die < 77) return ship();
  if (die < 81) return alter_order();
  if (die < 91) return operators_act();
  if (die < 95) return ask_again();
  if (die < 97) return read_stock();
  if (die < 98) return read_orders();
  if (die < 99) return act_as_another();
  return misuse_key();
}

void Crowd::reserve() { attempt(intend(customers, draw_reserve())); }

// Many want the same thing at the same moment.
void Crowd::burst() {
  const rules::Reserve wanted = draw_reserve();
  const std::uint64_t count = 2 + s_.random.below(10);
  for (std::uint64_t i = 0; i < count; ++i) {
    rules::Reserve mine = wanted;
    mine.user = draw_user();
    attempt(intend(customers, std::move(mine)));
  }
}

void Crowd::settle_order() {
  if (orders_.empty()) return reserve();
  const rules::OrderId order = draw_order();
  if (s_.random.chance(1, 3)) {
    attempt(intend(customers, rules::Cancel{order}));
  } else {
    attempt(intend(customers, rules::Confirm{order, draw_lines(true)}));
  }
}

// Two who know nothing of each other act on one order at once.
void Crowd::race() {
  if (orders_.empty()) return reserve();
  const rules::OrderId order = draw_order();
  attempt(intend(customers, rules::Confirm{order}));
  attempt(intend(customers, rules::Cancel{order}));
}

void Crowd::refund() {
  if (orders_.empty()) return reserve();
  const auto restock = s_.random.chance(2, 3) ? rules::Restock::yes : rules::Restock::no;
  rules::RefundFrom from = rules::RefundFrom::both;
  if (s_.random.chance(1, 3)) {
    from = s_.random.chance(1, 2) ? rules::RefundFrom::shelf : rules::RefundFrom::buyer;
  }
  attempt(intend(customers, rules::Refund{draw_order(), draw_lines(true), restock, from}));
}

void Crowd::ship() {
  if (orders_.empty()) return reserve();
  attempt(intend(customers, rules::Ship{draw_order(), draw_lines(true)}));
}

// Somebody wants another day to pay, or less, or more.
void Crowd::alter_order() {
  if (orders_.empty()) return reserve();
  if (s_.random.chance(1, 2))
    return attempt(intend(customers, rules::ChangeOrder{draw_order(), draw_lines(false)}));
  rules::Extend act{draw_order()};
  if (s_.random.chance(1, 2)) act.seconds = std::chrono::seconds(1 + s_.random.below(4));
  attempt(intend(customers, act));
}

void Crowd::operators_act() {
  const std::uint64_t die = s_.random.below(10);
  const rules::SkuCode sku = draw_sku();
  if (die < 3) return attempt(intend(operators, rules::Receive{sku, units(1 + s_.random.below(3))}));
  if (die < 4) {
    const auto difference = static_cast<std::int64_t>(1 + s_.random.below(2));
    const rules::Quantity by{s_.random.chance(1, 2) ? difference : -difference};
    return attempt(intend(operators, rules::Adjust{sku, by, "found"}));
  }
  if (die < 5) {
    return attempt(intend(operators, rules::Count{sku, units(s_.random.below(6)), version_of(sku)}));
  }
  if (options_.activities == 0) return attempt(intend(operators, rules::Receive{sku, units(1)}));
  const rules::ActivityCode activity = activity_of(1 + s_.random.below(options_.activities));
  if (die < 7) return open_activity(activity);
  if (die < 8) return attempt(intend(operators, draw_change(activity)));
  if (die < 9) return attempt(intend(operators, rules::CloseActivity{activity}));
  if (s_.random.chance(1, 3)) return attempt(intend(operators, draw_activity(activity)));
  make_at_once();
}

// Buckets and mode of what is being sold (A3, D1).
rules::Act Crowd::draw_change(const rules::ActivityCode& activity) {
  constexpr std::array modes{rules::Mode::service, rules::Mode::direct, rules::Mode::gated};
  std::optional<std::int32_t> buckets;
  std::optional<rules::Mode> mode;
  if (s_.random.chance(1, 2))
    buckets = static_cast<std::int32_t>(1 + s_.random.below(options_.buckets_max + 2));
  if (s_.random.chance(1, 2)) mode = modes[s_.random.below(modes.size())];
  if (s_.random.chance(1, 2)) return rules::PutSku{draw_sku(), buckets, mode};
  return rules::ChangeActivity{activity, buckets, mode};
}

// A gated sale is warmed and checked before it opens; who is in a hurry opens it at once.
void Crowd::open_activity(const rules::ActivityCode& activity) {
  if (s_.random.chance(1, 4)) return attempt(intend(operators, rules::OpenActivity{activity}));
  attempt(intend(operators, rules::WarmActivity{activity}));
  s_.scheduler.after(Micros(20'000),
                     [this, activity] { attempt(intend(operators, rules::CheckActivity{activity})); });
  s_.scheduler.after(Micros(40'000),
                     [this, activity] { attempt(intend(operators, rules::OpenActivity{activity})); });
}

// Several operators make the same new thing, and know nothing of each other.
void Crowd::make_at_once() {
  const std::string name = "new" + std::to_string(next_key_++);
  const rules::CreateActivity sale = draw_activity(rules::ActivityCode(name));
  const bool makes_sale = s_.random.chance(1, 2);
  for (int i = 0; i < 3; ++i) {
    attempt(makes_sale ? intend(operators, sale) : intend(operators, rules::PutSku{rules::SkuCode(name), 1}));
  }
}

rules::CreateActivity Crowd::draw_activity(const rules::ActivityCode& code) {
  rules::CreateActivity act{.activity = code,
                            .name = "sale",
                            .lines = {},
                            .limit_per_user = {},
                            .opens_at = {},
                            .closes_at = {},
                            .hold = {}};
  const std::uint64_t lines = 1 + s_.random.below(options_.skus);
  for (std::uint64_t sku = 1; sku <= lines; ++sku) {
    act.lines.push_back({sku_of(sku), units(1 + s_.random.below(3)), std::nullopt});
  }
  if (s_.random.chance(1, 2)) act.limit_per_user = units(1 + s_.random.below(2));
  if (s_.random.chance(1, 4))
    act.opens_at = world_begins + Duration(static_cast<std::int64_t>(s_.random.below(3'000)));
  // Over before fresh users come at the end, so that it does not close while they ask.
  const Time later = act.opens_at.value_or(world_begins);
  if (s_.random.chance(1, 4))
    act.closes_at = later + Duration(1 + static_cast<std::int64_t>(s_.random.below(2'000)));
  if (s_.random.chance(1, 4)) act.hold = std::chrono::seconds(1 + s_.random.below(2));
  return act;
}

// The same key again, whether or not it was answered.
void Crowd::ask_again() {
  if (intents_.empty()) return reserve();
  const Number number = s_.random.below(intents_.size());
  if (!intents_[number]->waits) attempt(number);
}

// Somebody looks at what there is (I14).
void Crowd::read_stock() {
  SimInstance* instance = fleet_.pick(s_.random);
  if (instance == nullptr) return;
  const rules::SkuCode sku = draw_sku();
  const oracle::Moment call = auditor_.moment();
  instance->read_stock(sku, [this, sku, call](const std::vector<judge::StockRow>& rows) {
    const oracle::Moment answered = auditor_.moment();
    for (const judge::StockRow& row : rows) {
      oracle::Reading reading{call, answered, sku.text(), row.pool == "-" ? "" : row.pool};
      for (const rules::Bucket& bucket : row.item.buckets) {
        reading.available += bucket.available.units;
        reading.reserved += bucket.reserved.units;
        reading.sold += bucket.sold.units;
        reading.shortage += bucket.shortage.units;
        reading.shipped += bucket.shipped.units;
      }
      auditor_.history().read(std::move(reading));
    }
  });
}

// Somebody looks at what he has ordered (B17).
void Crowd::read_orders() {
  SimInstance* instance = fleet_.pick(s_.random);
  if (instance == nullptr) return;
  const rules::UserId user = draw_user();
  const oracle::Moment call = auditor_.moment();
  instance->read_orders(
      user, [this, user, call](const queries::UserOrders& shown) { auditor_.was_shown(user, call, shown); });
}

// Everybody stands still: what was asked is old afterwards. No server keeps a transaction open for so long.
void Crowd::let_days_pass() {
  s_.tale.tell("world", "stands still for " + std::to_string(options_.leap / std::chrono::hours(1)) + " h");
  s_.sightings.saw(RareState::days_passed);
  s_.scheduler.leap(options_.leap);
}

// A key of somebody else, or with another content.
void Crowd::misuse_key() {
  if (intents_.empty()) return reserve();
  const Intent& other = *intents_[s_.random.below(intents_.size())];
  rules::Command command = other.command;
  if (s_.random.chance(1, 2)) {
    command.caller = rules::Caller(strangers);
  } else if (auto* reserve = std::get_if<rules::Reserve>(&command.act)) {
    reserve->user = rules::UserId("somebody");
  }
  intents_.push_back(std::make_unique<Intent>(Intent{command, in_plain_words(command)}));
  attempt(intents_.size() - 1);
}

// Operators act upon everybody's orders, for others they are unknown (A9).
void Crowd::act_as_another() {
  if (orders_.empty()) return reserve();
  const char* caller = s_.random.chance(1, 3) ? operators : strangers;
  const rules::OrderId order = draw_order();
  const std::array<rules::Act, 6> acts{rules::Ship{order},   rules::Confirm{order},
                                       rules::Cancel{order}, rules::Refund{order, {}, rules::Restock::yes},
                                       rules::Extend{order}, rules::ChangeOrder{order, draw_lines(false)}};
  attempt(intend(caller, acts[s_.random.below(acts.size())]));
}

rules::Reserve Crowd::draw_reserve() {
  rules::Reserve act{.user = draw_user(), .lines = draw_lines(false), .activity = {}, .hold = {}};
  if (options_.activities > 0 && s_.random.chance(2, 5)) {
    act.activity = activity_of(1 + s_.random.below(options_.activities));
  }
  if (s_.random.chance(1, 3)) act.hold = std::chrono::seconds(1 + s_.random.below(2));
  if (s_.random.chance(1, 5)) act.payment = rules::Payment::none;
  return act;
}

// Lines in any order, so that two orders may cross. `may_be_none`: of an act on an order, it means all of it.
rules::Lines Crowd::draw_lines(bool may_be_none) {
  if (may_be_none && s_.random.chance(3, 4)) return {};
  std::vector<rules::Line> lines;
  const std::uint64_t count = 1 + s_.random.below(options_.lines_max);
  for (std::uint64_t i = 0; i < count; ++i) {
    lines.push_back({draw_sku(), units(1 + s_.random.below(options_.units_max))});
  }
  return rules::Lines(std::move(lines));
}

rules::SkuCode Crowd::draw_sku() { return sku_of(1 + s_.random.below(options_.skus)); }

// Rather a late one than an early one.
rules::OrderId Crowd::draw_order() {
  const std::size_t back = std::min(s_.random.below(orders_.size()), s_.random.below(orders_.size()));
  return orders_[orders_.size() - 1 - back];
}

// Some users come far oftener than others.
rules::UserId Crowd::draw_user() {
  const std::uint64_t user = std::min(s_.random.below(options_.users), s_.random.below(options_.users));
  return rules::UserId(name_of("u", user));
}

rules::RequestKey Crowd::draw_key() {
  const Time now = world_begins + std::chrono::floor<Duration>(s_.scheduler.now());
  // Where days pass all keys carry their time: a retry under another one would be a new request after them
  // (A28).
  if (options_.leap > Micros(0)) return rules::RequestKey(to_text(make_uuid7(now, s_.random)));
  if (s_.random.chance(1, 80))
    return rules::RequestKey(to_text(make_uuid7(now - std::chrono::hours(49), s_.random)));
  if (s_.random.chance(1, 2)) return rules::RequestKey(to_text(make_uuid7(now, s_.random)));
  return rules::RequestKey("k" + std::to_string(next_key_++));
}

// As an operator reads it before he counts; somebody may be faster.
std::int64_t Crowd::version_of(const rules::SkuCode& code) {
  const auto rows = s_.database.look()->stock(code);
  if (!rows || !*rows) return 0;
  std::int64_t version = 0;
  for (const judge::StockRow& row : **rows) {
    if (row.pool != "-") continue;
    for (const rules::Bucket& bucket : row.item.buckets) version += bucket.seq;
  }
  return version;
}

Crowd::Number Crowd::intend(const std::string& caller, rules::Act act) {
  rules::Command command{rules::Caller(caller), draw_key(), {}, std::move(act)};
  if (caller == operators) command.scope = rules::Scope::all;
  oracle::Request request = in_plain_words(command);
  intents_.push_back(std::make_unique<Intent>(Intent{std::move(command), std::move(request)}));
  return intents_.size() - 1;
}

void Crowd::ask(rules::Command command) {
  oracle::Request request = in_plain_words(command);
  intents_.push_back(std::make_unique<Intent>(Intent{std::move(command), std::move(request)}));
  attempt(intents_.size() - 1);
}

// Sends it to an instance, or, where the network plays tricks, to two of them at once.
void Crowd::attempt(Number number) {
  Intent& intent = *intents_[number];
  intent.waits = false;
  SimInstance* instance = fleet_.pick(s_.random);
  if (instance == nullptr) {  // Nobody answers the door: it was certainly not asked.
    ++intent.open;
    return try_later(number);
  }
  ++intent.attempts;
  ++intent.open;
  intent.waits = true;
  const std::uint64_t turn = ++intent.turn;
  if (s_.faults.strikes(Fault::request_repeated)) {
    SimInstance* other = fleet_.pick(s_.random);
    s_.sightings.saw_if(other != instance, RareState::two_answers_at_once);
    send(number, *other, auditor_.history().begin(intent.request, auditor_.moment()), turn, false);
  }
  send(number, *instance, auditor_.history().begin(intent.request, auditor_.moment()), turn, true);
  // Who insists is patient: a caller who gives up before a busy service can answer makes it busier for ever.
  const Micros waits = insists_ ? std::max(options_.caller_waits, patience) : options_.caller_waits;
  s_.scheduler.after(waits, [this, number, turn] { give_up(number, turn); });
}

void Crowd::send(Number number, SimInstance& instance, const oracle::AttemptId& id, std::uint64_t turn,
                 bool heard) {
  rules::Command command = intents_[number]->command;
  command.new_order_id = rules::OrderId{make_uuid7(instance.now(), s_.random)};
  s_.tale.tell(instance.name(),
               "asked: " + id.id.first + "/" + id.id.second + " " + rules::fingerprint_of(command.act));
  const rules::InstanceId to = instance.number();
  s_.scheduler.after(draw_micros(network_micros), [this, number, id, turn, heard, to, command] {
    SimInstance* there = fleet_.find(to);
    if (there == nullptr) return;
    there->ask(command, [this, number, id, turn, heard, to](const Verdict& verdict) {
      s_.tale.tell("i" + std::to_string(to.value), "answers " + id.id.second + ": " + to_text(verdict));
      if (!heard || s_.faults.strikes(Fault::reply_lost)) return;
      s_.scheduler.after(draw_micros(network_micros), [this, number, id, turn, to, verdict] {
        const Intent& intent = *intents_[number];
        if (intent.waits && intent.turn == turn) hear(number, id, to, verdict);
      });
    });
  });
}

void Crowd::hear(Number number, const oracle::AttemptId& id, rules::InstanceId by, const Verdict& verdict) {
  Intent& intent = *intents_[number];
  const oracle::Reply reply = in_plain_words(verdict);
  auditor_.history().end(id, auditor_.moment(), reply);
  watch(intent, by, verdict);
  intent.waits = false;
  if (oracle::is_unknown(reply)) intent.told_unknown = true;
  if (oracle::is_unknown(reply) || oracle::is_passing(reply)) return try_later(number);
  intent.open = 0;
  intent.recorded = intent.recorded || reply.recorded;
  intent.answered_by = by;
  learn(intent, verdict);
}

void Crowd::give_up(Number number, std::uint64_t turn) {
  Intent& intent = *intents_[number];
  if (!intent.waits || intent.turn != turn) return;
  intent.waits = false;
  s_.tale.tell("caller", "gives up waiting for " + intent.request.key);
  try_later(number);
}

// With the same key, which is always right; or never, and perhaps with a new one.
void Crowd::try_later(Number number) {
  Intent& intent = *intents_[number];
  if (!insists_) {
    if (intent.attempts >= attempts_max || s_.random.chance(1, 6)) return;
    if (options_.renews_keys && s_.random.chance(1, 6))
      return attempt(intend(intent.request.caller, intent.command.act));
  }
  // A storm of retries must not outlive its cause: whoever insists waits twice as long each time, up to a
  // second.
  const auto pause = draw_micros(2'000U << std::min(intent.attempts, insists_ ? 9 : 5));
  const std::uint64_t turn = ++intent.turn;
  intent.waits = true;
  s_.scheduler.after(pause, [this, number, turn] {
    if (intents_[number]->turn == turn) attempt(number);
  });
}

void Crowd::insist() {
  insists_ = true;
  insist_on_next(0);
}

// One after another, for all at once would be the next overload.
void Crowd::insist_on_next(Number number) {
  while (number < intents_.size() && (intents_[number]->waits || !needs_answer(*intents_[number]))) ++number;
  insisted_ = number == intents_.size();
  if (insisted_) return;
  attempt(number);
  s_.scheduler.after(insist_every, [this, number] { insist_on_next(number + 1); });
}

void Crowd::learn(const Intent& intent, const Verdict& verdict) {
  const bool makes = verdict.outcome == Outcome::reserved || verdict.outcome == Outcome::sold;
  if (!makes || intent.attempts == 0 || !verdict.order) return;
  if (std::ranges::find(orders_, *verdict.order) == orders_.end()) orders_.push_back(*verdict.order);
}

bool Crowd::is_quiet() const {
  if (insists_ && !insisted_) return false;
  return std::ranges::none_of(
      intents_, [&](const auto& intent) { return intent->waits || (insists_ && needs_answer(*intent)); });
}

std::string Crowd::waiting() const {
  std::string text;
  for (const auto& intent : intents_) {
    if (intent->waits || needs_answer(*intent)) text += " " + intent->request.act + " " + intent->request.key;
  }
  return text;
}

// table: what an answer shows of rare states.
void Crowd::watch(const Intent& intent, rules::InstanceId by, const Verdict& verdict) {
  constexpr std::array told{
      std::pair{Outcome::hold_expired, RareState::confirm_lost_to_expiry},
      std::pair{Outcome::insufficient, RareState::insufficient_told},
      std::pair{Outcome::limit_reached, RareState::limit_reached_told},
      std::pair{Outcome::version_conflict, RareState::version_conflict_told},
      std::pair{Outcome::key_reused, RareState::key_reused_told},
      std::pair{Outcome::key_in_flight, RareState::key_in_flight_told},
      std::pair{Outcome::key_in_use, RareState::key_in_use_told},
      std::pair{Outcome::overloaded, RareState::queue_full},
      std::pair{Outcome::over, RareState::activity_over_told},
      std::pair{Outcome::not_open, RareState::activity_not_open_told},
      std::pair{Outcome::hold_capped, RareState::hold_capped_told},
      std::pair{Outcome::extended, RareState::hold_extended},
  };
  for (const auto& [outcome, rare] : told) s_.sightings.saw_if(verdict.outcome == outcome, rare);
  const bool replayed = verdict.record == rules::Record::replayed;
  s_.sightings.saw_if(intent.attempts > 1 && verdict.outcome == Outcome::key_too_old,
                      RareState::old_retry_refused);
  const bool confirms = std::holds_alternative<rules::Confirm>(intent.command.act);
  const bool cancels = std::holds_alternative<rules::Cancel>(intent.command.act);
  s_.sightings.saw_if(cancels && verdict.outcome == Outcome::already_confirmed,
                      RareState::cancel_lost_to_confirm);
  s_.sightings.saw_if(confirms && verdict.outcome == Outcome::already_cancelled,
                      RareState::confirm_lost_to_cancel);
  s_.sightings.saw_if(verdict.outcome == Outcome::sold_out && verdict.record == rules::Record::no,
                      RareState::refused_by_gate);
  s_.sightings.saw_if(std::holds_alternative<rules::OpenActivity>(intent.command.act) &&
                          (verdict.outcome == Outcome::sold_out || verdict.outcome == Outcome::insufficient),
                      RareState::opening_found_too_little);
  const std::string& caller = intent.request.caller;
  s_.sightings.saw_if(caller == strangers && verdict.outcome == Outcome::unknown_order,
                      RareState::order_of_another_told);
  s_.sightings.saw_if(
      caller == operators && (verdict.outcome == Outcome::confirmed || verdict.outcome == Outcome::cancelled),
      RareState::operator_acted_for_another);
  const bool changes = std::holds_alternative<rules::ChangeOrder>(intent.command.act);
  s_.sightings.saw_if(changes && verdict.outcome == Outcome::changed, RareState::order_changed);
  s_.sightings.saw_if(changes && verdict.outcome == Outcome::insufficient,
                      RareState::change_found_too_little);
  const bool definite = verdict.outcome != Outcome::outcome_unknown && verdict.record != rules::Record::no;
  s_.sightings.saw_if(intent.told_unknown && definite && replayed, RareState::unknown_then_yes);
  s_.sightings.saw_if(intent.told_unknown && definite && !replayed, RareState::unknown_then_fresh);
  s_.sightings.saw_if(replayed && intent.answered_by.value != 0 && intent.answered_by != by,
                      RareState::replayed_by_another);
}

}  // namespace gavel::sim
