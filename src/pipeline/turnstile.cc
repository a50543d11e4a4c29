#include "pipeline/turnstile.h"

#include <algorithm>
#include <memory>
#include <string>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>

#include "gate/drift.h"
#include "gate/probes.h"
#include "gate/statements.h"
#include "pipeline/gathering.h"
#include "rules/stock.h"
#include "stage/await.h"

namespace gavel::pipeline {
namespace {

using boost::asio::awaitable;
using gate::BucketKey;
using gate::GateAnswer;
using gate::RoutingResult;
using rules::ItemId;
using rules::Mode;
using rules::Outcome;
using rules::Verdict;

// A sale that the gate denied asks for a rebalance no more often than this, whatever becomes of it.
constexpr Duration rebalance_every{1'000};

std::string pool_word(const std::optional<rules::ActivityCode>& activity) {
  return activity ? activity->text() : "-";
}

// True while the judge would answer neither not_open nor over.
bool is_open(const rules::Activity& activity, Time now) {
  return activity.state == rules::ActivityState::open && (!activity.opens_at || *activity.opens_at <= now) &&
         (!activity.closes_at || now < *activity.closes_at);
}

bool gates(const judge::Modes& modes) {
  const auto is_gated = [](const auto& set) { return set.second == Mode::gated; };
  return std::ranges::any_of(modes.skus, is_gated) || std::ranges::any_of(modes.activities, is_gated);
}

Turnstile::Passage refused(Outcome outcome) { return {.refusal = rules::verdict_of(outcome)}; }

}  // namespace

Turnstile::Turnstile(boost::asio::any_io_executor executor, gate::Gate& gate, Reads<judge::Reader>& reads,
                     const Clock& clock, Log& log, Post post, GateMetrics metrics)
    : executor_(std::move(executor)),
      gate_(gate),
      reads_(reads),
      clock_(clock),
      log_(log),
      incarnation_(post.incarnation),
      mode_(post.mode),
      set_(std::move(post.set)),
      requests_kept_(post.requests_kept),
      metrics_(std::move(metrics)),
      book_(post.instance),
      listens_(mode_ == Mode::gated || gates(set_)) {}

Mode Turnstile::mode_of(const Pool& pool) const {
  const auto sku = set_.skus.find(pool.first);
  Mode of_activity = Mode::service;
  if (pool.second) {
    const auto activity = set_.activities.find(*pool.second);
    if (activity != set_.activities.end()) of_activity = activity->second;
  }
  return effective(of_activity, sku == set_.skus.end() ? Mode::service : sku->second, mode_);
}

void Turnstile::pass(const rules::Command& command, Passed passed) {
  if (!command.key) return passed(Passage{});
  const rules::RequestId key(command.caller, *command.key);
  const auto at_gate = [&](const rules::ActivityCode& activity, rules::ActivityState from) {
    AtGate act{key, activity, from, std::move(passed)};
    boost::asio::co_spawn(executor_, act_at_gate(std::move(act)), boost::asio::detached);
  };
  if (const auto* warm = std::get_if<rules::WarmActivity>(&command.act)) {
    return at_gate(warm->activity, rules::ActivityState::draft);
  }
  if (const auto* check = std::get_if<rules::CheckActivity>(&command.act)) {
    return at_gate(check->activity, rules::ActivityState::warmed);
  }
  if (const auto* open = std::get_if<rules::OpenActivity>(&command.act)) {
    return at_gate(open->activity, rules::ActivityState::verified);
  }
  const auto* reserve = std::get_if<rules::Reserve>(&command.act);
  if (reserve == nullptr || reserve->lines.size() != 1) return passed(Passage{});
  const rules::Line& line = *reserve->lines.begin();
  const Pool pool(line.sku, reserve->activity);
  if (mode_of(pool) != Mode::gated) return passed(Passage{});
  const gate::TokenRequestId wanter = next_wanter_++;
  asking_.emplace(wanter, Asking{key, pool, reserve->user, line.quantity, {}, {}, std::move(passed)});
  if (items_.contains(pool)) return probe(wanter);
  if (known_.size() >= gated_items_max) return end(wanter, Passage{});
  std::vector<gate::TokenRequestId>& waiting = looked_up_[pool];
  waiting.push_back(wanter);
  if (waiting.size() == 1) boost::asio::co_spawn(executor_, look_up(pool), boost::asio::detached);
}

// Warming loads the gate, checking and opening compare it; whatever else is wrong, the judge says.
awaitable<void> Turnstile::act_at_gate(AtGate act) {
  Passage passage = co_await part_of(act);
  act.passed(std::move(passage));
}

awaitable<Turnstile::Passage> Turnstile::part_of(const AtGate& act) {
  std::function<Result<judge::ActivitySnapshot>(judge::Reader&)> question = [&act](judge::Reader& reader) {
    return reader.activity_snapshot(act.activity, act.key);
  };
  const Result<judge::ActivitySnapshot> found = co_await reads_.ask<judge::ActivitySnapshot>(question);
  if (!found) co_return refused(Outcome::overloaded);
  // The judge answers by the key alone: again, that it is another's, or that it is too old.
  if (found->is_key_known || rules::is_too_old(act.key.second, found->now - requests_kept_)) {
    co_return Passage{};
  }
  const std::optional<rules::Activity>& activity = found->activity;
  const bool is_its_turn = activity && activity->state >= act.from && rules::is_before_open(activity->state);
  if (!is_its_turn) co_return Passage{};
  const bool loads = act.from == rules::ActivityState::draft;
  for (const rules::AllottedLine& line : activity->lines) {
    const Pool pool(line.code, act.activity);
    const auto item = found->items.find(line.item);
    if (item == found->items.end() || mode_of(pool) != Mode::gated || is_unsound(item->second)) continue;
    awaitable<Passage> part = loads ? load(pool, item->second) : compare(pool, item->second);
    Passage passage = co_await std::move(part);
    if (passage.refusal) co_return passage;
  }
  co_return Passage{};
}

// States the item to its buckets and waits until they have heard it. What they held before goes first, since
// numbers that only grow are not lowered by a statement; nobody sells from the item yet.
awaitable<Turnstile::Passage> Turnstile::load(const Pool& pool, const rules::Item& item) {
  if (!known_.contains(item.id) && known_.size() >= gated_items_max) co_return Passage{};
  using Erased = Gathering<Result<void>>;
  const Erased::All erased =
      co_await stage::await_result<Erased::All>([&](std::move_only_function<void(Erased::All)> done) {
        const auto gathering = std::make_shared<Erased>(item.buckets.size(), std::move(done));
        for (std::size_t i = 0; i < item.buckets.size(); ++i) {
          gate_.erase(key_of(item.id, static_cast<rules::BucketNo>(i)),
                      [gathering, i](Result<void> one) { gathering->add(i, std::move(one)); });
        }
      });
  if (!std::ranges::all_of(erased, &Result<void>::has_value)) co_return refused(Outcome::not_ready);
  learn(pool, item);
  const std::vector<gate::PendingStatement> owed = gate::statements_of_refresh(item);
  using Replies = Gathering<Result<gate::Reply>>;
  const Replies::All replies =
      co_await stage::await_result<Replies::All>([&](std::move_only_function<void(Replies::All)> done) {
        const auto gathering = std::make_shared<Replies>(owed.size(), std::move(done));
        for (std::size_t i = 0; i < owed.size(); ++i) {
          gate_.say(key_of(item.id, owed[i].bucket), gate::to_state(owed[i].statement),
                    [gathering, i](Result<gate::Reply> reply) { gathering->add(i, std::move(reply)); });
        }
      });
  const bool heard = std::ranges::all_of(replies, [](const auto& reply) { return reply.has_value(); });
  co_return heard ? Passage{} : refused(Outcome::not_ready);
}

// Both numbers of the first bucket that differs (B13).
awaitable<Turnstile::Passage> Turnstile::compare(const Pool& pool, const rules::Item& item) {
  const Result<Shown> shown = co_await read_gate(item);
  if (!shown) co_return refused(Outcome::not_ready);
  for (std::size_t i = 0; i < shown->size(); ++i) {
    const std::optional<gate::Bucket>& bucket = (*shown)[i];
    const auto no = static_cast<rules::BucketNo>(i);
    if (gate::is_equal(bucket, item, no)) continue;
    Passage passage = refused(Outcome::mismatch);
    rules::Detail& detail = passage.refusal->detail;
    detail.sku = pool.first;
    detail.bucket = no;
    detail.available = item.buckets[i].available;
    if (bucket) detail.at_gate = bucket->available;
    log_.write(Level::warn, "gate_mismatch",
               {{"sku", pool.first.text()},
                {"bucket", gate::to_text(key_of(item.id, no))},
                {"judge", item.buckets[i].available.units},
                {"gate", gate::to_text(bucket)}});
    co_return passage;
  }
  co_return Passage{};
}

awaitable<Result<Turnstile::Shown>> Turnstile::read_gate(const rules::Item& item) {
  using Seen = Gathering<Result<std::optional<gate::Bucket>>>;
  const Seen::All seen =
      co_await stage::await_result<Seen::All>([&](std::move_only_function<void(Seen::All)> done) {
        const auto gathering = std::make_shared<Seen>(item.buckets.size(), std::move(done));
        for (std::size_t i = 0; i < item.buckets.size(); ++i) {
          gate_.read(
              key_of(item.id, static_cast<rules::BucketNo>(i)),
              [gathering, i](Result<std::optional<gate::Bucket>> one) { gathering->add(i, std::move(one)); });
        }
      });
  Shown shown;
  for (const auto& one : seen) {
    if (!one) co_return std::unexpected(one.error());
    shown.push_back(*one);
  }
  co_return shown;
}

awaitable<Result<std::optional<std::vector<GateSnapshot>>>> Turnstile::look(rules::SkuCode sku) {
  using Rows = std::optional<std::vector<judge::StockRow>>;
  std::function<Result<Rows>(judge::Reader&)> question = [&sku](judge::Reader& reader) {
    return reader.stock(sku);
  };
  const Result<Rows> rows = co_await reads_.ask<Rows>(question);
  if (!rows) co_return std::unexpected(rows.error());
  if (!*rows) co_return std::nullopt;
  std::vector<GateSnapshot> views;
  for (const judge::StockRow& row : **rows) {
    const auto activity = rules::ActivityCode::parse(row.pool);
    const Mode mode = mode_of(Pool(sku, row.pool == pool_word({}) ? std::nullopt : activity));
    Shown shown(row.item.buckets.size());
    if (mode == Mode::gated) {
      const Result<Shown> read = co_await read_gate(row.item);
      if (!read) co_return std::unexpected(read.error());
      shown = *read;
    }
    views.push_back(GateSnapshot{row, mode, std::move(shown)});
  }
  co_return views;
}

// The first request of an item finds out which one it is, and states it to the gate: a refresh like any
// other.
awaitable<void> Turnstile::look_up(Pool pool) {
  using Rows = std::optional<std::vector<judge::StockRow>>;
  std::function<Result<Rows>(judge::Reader&)> question = [&pool](judge::Reader& reader) {
    return reader.stock(pool.first);
  };
  const Result<Rows> rows = co_await reads_.ask<Rows>(question);
  if (rows && *rows) {
    const auto row = std::ranges::find(**rows, pool_word(pool.second), &judge::StockRow::pool);
    // Of an unsound item the judge says what is wrong with it.
    if (row != (*rows)->end() && !is_unsound(row->item)) learn(pool, row->item);
  }
  const std::vector<gate::TokenRequestId> waiting = std::move(looked_up_.extract(pool).mapped());
  const bool known = items_.contains(pool);
  for (const gate::TokenRequestId wanter : waiting) {
    if (known) {
      probe(wanter);
    } else {
      end(wanter, Passage{});  // There is no such SKU, or nobody can say: the judge's word.
    }
  }
}

void Turnstile::learn(const Pool& pool, const rules::Item& item) {
  if (mode_of(pool) != Mode::gated) return;  // It was changed while the look-up was under way.
  const auto rows = static_cast<std::int32_t>(item.buckets.size());
  items_.insert_or_assign(pool, item.id);
  known_.insert_or_assign(item.id, Known{pool, static_cast<std::int32_t>(item.in_use()), rows});
  book_.owe(incarnation_, item.id, gate::statements_of_refresh(item));
  schedule();
  // Others are told once the gate is: to them a bucket that is missing is a fault.
  boost::asio::post(executor_, [this, id = item.id] {
    const MutexLock lock(mutex_);
    if (known_.contains(id)) gated_.insert(id);
  });
}

// Its buckets are removed. Tokens of it that requests still carry are dropped with their verdicts; the gate
// will not know of them.
void Turnstile::forget(ItemId item) {
  const auto found = known_.find(item);
  if (found == known_.end()) return;
  for (rules::BucketNo bucket = 0; bucket < found->second.rows; ++bucket) {
    gate_.erase(key_of(item, bucket), [](const Result<void>&) {});  // What stays is found again.
    book_.forgive(key_of(item, bucket));
  }
  items_.erase(found->second.pool);
  known_.erase(found);
  uninitialised_.erase(item);
  rebalanced_.erase(item);
  const MutexLock lock(mutex_);
  gated_.erase(item);
}

std::vector<ItemId> Turnstile::gated() const {
  const MutexLock lock(mutex_);
  return {gated_.begin(), gated_.end()};
}

void Turnstile::probe(gate::TokenRequestId wanter) {
  Asking& asking = asking_.at(wanter);
  asking.item = items_.at(asking.pool);
  asking.probes = gate::probes_of(asking.user, known_.at(asking.item).in_use);
  want(wanter);
}

// At the next of its probes.
void Turnstile::want(gate::TokenRequestId wanter) {
  Asking& asking = asking_.at(wanter);
  const BucketKey key = key_of(asking.item, asking.probes.front());
  asking.probes.erase(asking.probes.begin());
  if (silent_.contains(key)) return end(wanter, Passage{});
  book_.want(key, wanter, asking.units);
  schedule();
}

void Turnstile::direct(const BucketKey& key, const RoutingResult& directed) {
  metrics_.add(directed.route);
  Asking& asking = asking_.at(directed.wanter);
  switch (directed.route) {
    case GateAnswer::granted:
      return end(directed.wanter, Passage{.token = Token{key, directed.units}});
    case GateAnswer::too_few:
      if (asking.probes.empty()) return end(directed.wanter, Passage{.denied = key.item});
      return want(directed.wanter);
    case GateAnswer::closed:
      doubted_.push_back(Doubted{directed.wanter, directed.shut});
      if (std::exchange(confirming_, true)) return;
      boost::asio::co_spawn(executor_, confirm(), boost::asio::detached);
      return;
    case GateAnswer::not_initialised:
      // Of an item that is gated no longer there is nothing at the gate, as it should be.
      if (known_.contains(key.item) && uninitialised_[key.item].insert(key.bucket).second) {
        log_.write(Level::warn, "gate_not_initialised", {{"bucket", gate::to_text(key)}});
      }
      return end(directed.wanter, Passage{});
    case GateAnswer::unavailable:
      return end(directed.wanter, Passage{});
  }
}

// One read for all that wait, begun after they came; those who come meanwhile are the next one's.
awaitable<void> Turnstile::confirm() {
  while (!doubted_.empty()) {
    const std::vector<Doubted> batch = std::exchange(doubted_, {});
    judge::SoldOutCheck check;
    for (const Doubted& doubted : batch) {
      const Asking& asking = asking_.at(doubted.wanter);
      check.items.insert(asking.item);
      check.keys.insert(asking.key);
      if (asking.pool.second) check.activities.insert(*asking.pool.second);
    }
    metrics_.reads.add();
    std::function<Result<judge::SoldOutCheckResult>(judge::Reader&)> question =
        [&check](judge::Reader& reader) { return reader.check_sold_out(check); };
    const Result<judge::SoldOutCheckResult> found = co_await reads_.ask<judge::SoldOutCheckResult>(question);
    for (const Doubted& doubted : batch) rule(doubted, found);
  }
  confirming_ = false;
}

void Turnstile::rule(const Doubted& doubted, const Result<judge::SoldOutCheckResult>& found) {
  const Asking& asking = asking_.at(doubted.wanter);
  if (!found) return end(doubted.wanter, refused(Outcome::overloaded));  // Nothing is known, nothing is said.
  const auto item = found->items.find(asking.item);
  if (item == found->items.end()) return end(doubted.wanter, Passage{});
  const gate::ConfirmingRead read{item->second.generation, item->second.available()};
  switch (gate::ruling(doubted.shut, read)) {
    case gate::Ruling::reopened:
      metrics_.reopened.add();
      reopen(asking.item, read.generation);
      return end(doubted.wanter, Passage{});
    case gate::Ruling::corrupted:
      metrics_.corrupted.add();
      // The gate knows a generation that never began. The look-up of the next request states it anew.
      if (known_.contains(asking.item)) {
        log_.write(Level::error, "gate_corrupted",
                   {{"item", asking.item.value},
                    {"next", "its buckets are stated anew; find out who else writes to the gate"}});
      }
      forget(asking.item);
      return end(doubted.wanter, Passage{});
    case gate::Ruling::refuse:
      break;
  }
  if (!may_refuse(asking, *found)) return end(doubted.wanter, Passage{});
  Passage passage = refused(Outcome::sold_out);
  passage.refusal->at = found->now;
  passage.refusal->detail.sku = asking.pool.first;
  end(doubted.wanter, std::move(passage));
}

// Whether "nothing is left" is all that the judge could say.
bool Turnstile::may_refuse(const Asking& asking, const judge::SoldOutCheckResult& found) const {
  const Time now = found.now;
  const auto expiry = found.first_expiry.find(asking.item);
  const bool is_hold_due = expiry != found.first_expiry.end() && expiry->second <= now;
  if (found.known.contains(asking.key) || is_hold_due) return false;
  if (!asking.pool.second) return true;
  const auto activity = found.activities.find(*asking.pool.second);
  return activity != found.activities.end() && is_open(activity->second, now);
}

void Turnstile::reopen(ItemId item, std::int64_t generation) {
  const auto known = known_.find(item);
  if (known == known_.end()) return;  // Removed meanwhile: whoever looks it up next states it anew.
  for (rules::BucketNo bucket = 0; bucket < known->second.rows; ++bucket) {
    book_.owe(key_of(item, bucket), gate::reopened_at(generation));
  }
  schedule();
}

void Turnstile::end(gate::TokenRequestId wanter, Passage passage) {
  const auto found = asking_.find(wanter);
  Passed passed = std::move(found->second.passed);
  asking_.erase(found);
  passed(std::move(passage));
}

void Turnstile::drop(const Token& token) {
  book_.drop(token.key, token.units);
  schedule();
}

std::optional<Heard> Turnstile::to_hear(const rules::State& state) const {
  Heard heard;
  heard.modes = modes_of(state);
  const bool sets_modes = !heard.modes.skus.empty() || !heard.modes.activities.empty();
  if (listens_.load()) heard.items = items_of(state);
  if (heard.items.empty() && !sets_modes) return std::nullopt;
  return heard;
}

void Turnstile::heard(const Heard& heard) {
  obey(heard.modes);
  for (const rules::Item& item : heard.items) {
    const auto known = known_.find(item.id);
    if (known == known_.end() || is_unsound(item)) continue;
    known->second.in_use = static_cast<std::int32_t>(item.in_use());
    known->second.rows = static_cast<std::int32_t>(item.buckets.size());
    std::set<rules::BucketNo> asked;
    if (const auto found = uninitialised_.extract(item.id)) asked = found.mapped();
    book_.owe(incarnation_, item.id, gate::statements_after_commit(item, asked));
  }
  schedule();
}

void Turnstile::obey(const judge::Modes& modes) {
  if (modes.skus.empty() && modes.activities.empty()) return;
  if (gates(modes)) listens_ = true;
  for (const auto& [code, mode] : modes.skus) set_.skus.insert_or_assign(code, mode);
  for (const auto& [code, mode] : modes.activities) set_.activities.insert_or_assign(code, mode);
  const auto follows = [](const auto& set) { return set.second == Mode::service; };
  std::erase_if(set_.skus, follows);
  std::erase_if(set_.activities, follows);
  std::vector<ItemId> no_longer;
  for (const auto& [pool, item] : items_) {
    if (mode_of(pool) != Mode::gated) no_longer.push_back(item);
  }
  for (const ItemId item : no_longer) forget(item);
}

std::optional<rules::Command> Turnstile::rebalance(ItemId item) {
  if (!known_.contains(item)) return std::nullopt;
  const Duration now = clock_.steady();
  const auto [last, first] = rebalanced_.try_emplace(item, now);
  if (!first && now < last->second + rebalance_every) return std::nullopt;
  last->second = now;
  return rules::Command{rules::Caller("gavel"), std::nullopt, rules::OrderId{}, rules::Rebalance{item}};
}

void Turnstile::wake() {
  silent_.clear();
  book_.wake();
  schedule();
}

// A bucket that gave no reply is not asked again before the next wake(), since a gate that fails at once
// would be asked for ever. Who waits for it goes to the judge.
void Turnstile::rest(const BucketKey& key) {
  silent_.insert(key);
  for (const RoutingResult& directed : book_.abandon(key)) direct(key, directed);
}

// Calls are sent once per turn of the executor, so that a batch's verdicts, statements and new wants share
// one call a bucket.
void Turnstile::schedule() {
  if (std::exchange(scheduled_, true)) return;
  boost::asio::post(executor_, [this] {
    scheduled_ = false;
    say_all();
  });
}

void Turnstile::say_all() {
  const auto reachable = [this](const BucketKey& key) { return !silent_.contains(key); };
  while (const std::optional<gate::GateCall> call = book_.next(reachable)) {
    gate_.say(call->key, call->say, [this, key = call->key, op = call->say.op](Result<gate::Reply> reply) {
      boost::asio::dispatch(executor_, [this, key, op, reply = std::move(reply)] {
        for (const RoutingResult& directed : book_.heard(key, op, reply)) direct(key, directed);
        if (!reply) rest(key);
        schedule();
      });
    });
  }
}

}  // namespace gavel::pipeline
