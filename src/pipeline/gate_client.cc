#include "pipeline/gate_client.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/check.h"
#include "gate/bucket_calls.h"
#include "gate/probes.h"
#include "gate/statements.h"
#include "rules/stock.h"

namespace gavel::pipeline {
namespace {

using gate::BucketKey;
using gate::GateAnswer;
using gate::RoutingResult;
using gate::TokenRequestId;
using rules::ItemId;
using rules::Outcome;

// A sale that the gate denied asks for a rebalance no more often than this, whatever becomes of it.
constexpr Duration rebalance_every{1'000};

GateClient::Result refused(Outcome outcome) { return {.refusal = rules::verdict_of(outcome)}; }

}  // namespace

GateClient::GateClient(Executor& executor, gate::Gate& gate, GateReads& reads, const Clock& clock, Log& log,
                       Options options, GateMetrics metrics)
    : executor_(executor),
      gate_(gate),
      reads_(reads),
      clock_(clock),
      log_(log),
      incarnation_(options.incarnation),
      metrics_(std::move(metrics)),
      modes_(options.mode, std::move(options.set)),
      sold_out_check_(executor_, reads, clock, log, metrics_),
      preparation_(
          executor, gate, incarnation_, reads, log, modes_, [this](ItemId item) { return has_room(item); },
          options.requests_kept),
      book_(options.instance) {
  CHECK(options.instance.value >= 1);
}

void GateClient::ask(const rules::Command& command, Duration deadline, Callback done) {
  if (!command.key) return done(Result{});
  if (std::optional<GatePreparation::Act> act = GatePreparation::act_of(command)) {
    const TokenRequestId id = enter(deadline, std::move(done), std::nullopt);
    preparation_.prepare(*std::move(act), [this, id](std::optional<rules::Verdict> refusal) {
      end(id, Result{.refusal = std::move(refusal)});
    });
    return;
  }
  const auto* reserve = std::get_if<rules::Reserve>(&command.act);
  if (reserve == nullptr || reserve->lines.size() != 1) return done(Result{});
  const rules::Line& line = *reserve->lines.begin();
  const StockPool pool{line.sku, reserve->activity};
  if (!modes_.is_gated(pool)) return done(Result{});
  const TokenRequestId id = enter(deadline, std::move(done),
                                  Order{{command.caller, *command.key}, pool, reserve->user, line.quantity});
  if (items_.contains(pool)) return begin_probes(id);
  look_up_or_wait(pool, id);
}

TokenRequestId GateClient::enter(Duration deadline, Callback done, std::optional<Order> order) {
  CHECK(done != nullptr);
  CHECK(requests_.empty() || requests_.rbegin()->second.deadline <= deadline);
  const TokenRequestId id = next_id_++;
  requests_.emplace(id, Request{deadline, std::move(done), std::move(order)});
  return id;
}

// Nothing if the request was ended meanwhile, since it was overdue.
GateClient::Order* GateClient::find_order(TokenRequestId id) {
  const auto found = requests_.find(id);
  return found == requests_.end() ? nullptr : &found->second.order.value();
}

// The first request of an item finds out which one it is, and states it to the gate: a refresh like any
// other.
void GateClient::look_up_or_wait(const StockPool& pool, TokenRequestId id) {
  if (known_.size() >= gated_items_max) return end(id, Result{});
  std::vector<TokenRequestId>& waiting = looked_up_[pool];
  waiting.push_back(id);
  if (waiting.size() == 1) look_up(pool);
}

void GateClient::look_up(const StockPool& pool) {
  std::move_only_function<void(Rows)> done = [this, pool](const Rows& rows) { end_look_up(pool, rows); };
  reads_.ask<std::optional<std::vector<judge::StockRow>>>(
      [sku = pool.sku](judge::Reader& reader) { return reader.stock(sku); }, on(executor_, std::move(done)));
}

void GateClient::end_look_up(const StockPool& pool, const Rows& rows) {
  if (rows && *rows) {
    const auto row = std::ranges::find_if(
        **rows, [&](const judge::StockRow& one) { return pool_of(pool.sku, one) == pool; });
    // Of an unsound item the judge says what is wrong with it.
    if (row != (*rows)->end() && !is_unsound(row->item)) learn(pool, row->item);
  }
  const std::vector<TokenRequestId> waiting = std::move(looked_up_.extract(pool).mapped());
  for (const TokenRequestId id : waiting) {
    if (items_.contains(pool)) {
      begin_probes(id);
    } else {
      end(id, Result{});  // There is no such SKU, or nobody can say: the judge's word.
    }
  }
}

void GateClient::learn(const StockPool& pool, const rules::Item& item) {
  if (!modes_.is_gated(pool)) return;  // It was changed while the look-up was under way.
  if (erasing_.contains(item.id))
    return;  // Calls have no order: what is stated now could be erased after it.
  const auto rows = static_cast<std::int32_t>(item.buckets.size());
  items_.insert_or_assign(pool, item.id);
  known_.insert_or_assign(item.id, Known{pool, static_cast<std::int32_t>(item.in_use()), rows});
  book_.owe(incarnation_, item.id, gate::statements_of_refresh(item));
  schedule_calls();
  // Others are told once the gate is: to them a bucket that is missing is a fault.
  executor_.post([this, id = item.id] {
    const MutexLock lock(mutex_);
    if (known_.contains(id)) gated_.insert(id);
  });
}

// Its buckets are removed. Tokens of it that requests still carry are released with their verdicts; the gate
// will not know of them.
void GateClient::forget(ItemId item) {
  const auto found = known_.find(item);
  if (found == known_.end()) return;
  const Known known = found->second;
  items_.erase(known.pool);
  known_.erase(found);
  uninitialised_.erase(item);
  rebalanced_.erase(item);
  {
    const MutexLock lock(mutex_);
    gated_.erase(item);
  }
  for (rules::BucketNo bucket = 0; bucket < known.rows; ++bucket) book_.forgive(key_of(item, bucket));
  erasing_.insert(item);
  // A bucket that stays, since the gate did not answer, is found again by whoever looks the item up next.
  gate::erase_buckets(gate_, incarnation_, item, static_cast<std::size_t>(known.rows),
                      [this, item](const std::vector<gavel::Result<void>>&) {
                        executor_.dispatch([this, item] { erasing_.erase(item); });
                      });
}

std::vector<ItemId> GateClient::gated_items() const {
  const MutexLock lock(mutex_);
  return {gated_.begin(), gated_.end()};
}

void GateClient::begin_probes(TokenRequestId id) {
  Order* const order = find_order(id);
  if (order == nullptr) return;
  order->item = items_.at(order->pool);
  order->probes = gate::probes_of(order->user, known_.at(order->item).in_use);
  next_probe(id);
}

void GateClient::next_probe(TokenRequestId id) {
  Order& order = *find_order(id);
  const BucketKey key = key_of(order.item, order.probes.front());
  order.probes.erase(order.probes.begin());
  if (silent_.contains(key)) return end(id, Result{});
  book_.want(key, id, order.units);
  schedule_calls();
}

void GateClient::route(const BucketKey& key, const RoutingResult& result) {
  metrics_.add(result.route);
  const TokenRequestId id = result.wanter;
  const Order* const order = find_order(id);
  switch (result.route) {
    case GateAnswer::granted:
      return end(id, Result{.token = Token{key, result.units}});
    case GateAnswer::too_few:
      if (order == nullptr) return;
      if (order->probes.empty()) return end(id, Result{.denied = key.item});
      return next_probe(id);
    case GateAnswer::closed:
      return check_sold_out(id, result.shut);
    case GateAnswer::not_initialised:
      // Of an item that is gated no longer there is nothing at the gate, as it should be.
      if (known_.contains(key.item) && uninitialised_[key.item].insert(key.bucket).second) {
        log_.write(Level::warn, "gate_not_initialised", {{"bucket", gate::to_text(key)}});
      }
      return end(id, Result{});
    case GateAnswer::unavailable:
      return end(id, Result{});
  }
}

void GateClient::check_sold_out(TokenRequestId id, std::int64_t shut) {
  const Order* const order = find_order(id);
  if (order == nullptr) return;
  sold_out_check_.ask({order->item, order->key, order->pool, shut},
                      [this, id](const SoldOutCheck::Result& result) { end_checked(id, result); });
}

void GateClient::end_checked(TokenRequestId id, const SoldOutCheck::Result& result) {
  const Order* const order = find_order(id);
  if (order == nullptr) return;
  const ItemId item = order->item;
  switch (result.finding) {
    case SoldOutCheck::Finding::sold_out: {
      Result refusal = refused(Outcome::sold_out);
      refusal.refusal->at = result.at;
      refusal.refusal->detail.sku = order->pool.sku;
      refusal.refusal->short_of = rules::ItemGeneration{item, result.generation};
      return end(id, std::move(refusal));
    }
    case SoldOutCheck::Finding::undecided:
      return end(id, Result{});
    case SoldOutCheck::Finding::reopened:
      metrics_.reopened.add();
      reopen(item, result.generation);
      return end(id, Result{});
    case SoldOutCheck::Finding::corrupted:
      metrics_.corrupted.add();
      // The look-up of the next request states it anew.
      if (known_.contains(item)) {
        log_.write(Level::error, "gate_corrupted",
                   {{"item", item.value},
                    {"next", "its buckets are stated anew; find out who else writes to the gate"}});
      }
      forget(item);
      return end(id, Result{});
    case SoldOutCheck::Finding::unavailable:
      return end(id, refused(Outcome::overloaded));  // Nothing is known, nothing is said.
  }
}

void GateClient::reopen(ItemId item, std::int64_t generation) {
  const auto known = known_.find(item);
  if (known == known_.end()) return;  // Removed meanwhile: whoever looks it up next states it anew.
  for (rules::BucketNo bucket = 0; bucket < known->second.rows; ++bucket) {
    book_.owe(key_of(item, bucket), gate::reopened_at(generation));
  }
  schedule_calls();
}

// A token that comes too late for its request goes back at once.
void GateClient::end(TokenRequestId id, Result result) {
  CHECK(!(result.token && result.refusal));
  const auto found = requests_.find(id);
  if (found == requests_.end()) {
    if (result.token) release(*result.token);
    return;
  }
  Callback done = std::move(found->second.done);
  requests_.erase(found);
  done(std::move(result));
}

void GateClient::end_overdue(Duration steady_now) {
  while (!requests_.empty() && requests_.begin()->second.deadline <= steady_now) {
    metrics_.overdue.add();
    end(requests_.begin()->first, refused(Outcome::overloaded));
  }
}

void GateClient::release(const Token& token) {
  CHECK(token.units > rules::no_units);
  book_.drop(token.key, token.units);
  schedule_calls();
}

std::optional<CommittedItems> GateClient::committed_items(const rules::State& state) const {
  CommittedItems committed;
  committed.modes = modes_of(state);
  const bool sets_modes = !committed.modes.skus.empty() || !committed.modes.activities.empty();
  if (any_gated()) committed.items = items_of(state);
  if (committed.items.empty() && !sets_modes) return std::nullopt;
  return committed;
}

void GateClient::apply(const CommittedItems& committed) {
  modes_.apply(committed.modes);
  if (!committed.modes.skus.empty() || !committed.modes.activities.empty()) {
    std::vector<ItemId> no_longer;
    for (const auto& [pool, item] : items_) {
      if (!modes_.is_gated(pool)) no_longer.push_back(item);
    }
    for (const ItemId item : no_longer) forget(item);
  }
  for (const rules::Item& item : committed.items) {
    const auto known = known_.find(item.id);
    if (known == known_.end() || is_unsound(item)) continue;
    known->second.in_use = static_cast<std::int32_t>(item.in_use());
    known->second.rows = static_cast<std::int32_t>(item.buckets.size());
    std::set<rules::BucketNo> asked;
    if (const auto found = uninitialised_.extract(item.id)) asked = found.mapped();
    book_.owe(incarnation_, item.id, gate::statements_after_commit(item, asked));
  }
  schedule_calls();
}

std::optional<rules::Command> GateClient::rebalance(ItemId item) {
  if (!known_.contains(item)) return std::nullopt;
  const Duration now = clock_.steady();
  const auto [last, first] = rebalanced_.try_emplace(item, now);
  if (!first && now < last->second + rebalance_every) return std::nullopt;
  last->second = now;
  return rules::Command{rules::Caller("gavel"), std::nullopt, rules::OrderId{}, rules::Rebalance{item}};
}

void GateClient::step(Duration steady_now) {
  end_overdue(steady_now);
  silent_.clear();
  book_.wake();
  schedule_calls();
}

// A bucket that gave no reply is not asked again before the next step(), since a gate that fails at once
// would be asked for ever. Who waits for it goes to the judge.
void GateClient::rest(const BucketKey& key) {
  silent_.insert(key);
  for (const RoutingResult& result : book_.abandon(key)) route(key, result);
}

// Calls are sent once per turn of the executor, so that a batch's verdicts, statements and new requests share
// one call a bucket.
void GateClient::schedule_calls() {
  if (std::exchange(calls_scheduled_, true)) return;
  executor_.post([this] {
    calls_scheduled_ = false;
    send_calls();
  });
}

void GateClient::send_calls() {
  const auto reachable = [this](const BucketKey& key) { return !silent_.contains(key); };
  while (const std::optional<gate::GateCall> call = book_.next(reachable)) {
    gate_.say(call->key, call->say,
              [this, key = call->key, op = call->say.op](gavel::Result<gate::Reply> reply) {
                executor_.dispatch([this, key, op, reply = std::move(reply)] { on_reply(key, op, reply); });
              });
  }
}

void GateClient::on_reply(const BucketKey& key, std::int64_t op, const gavel::Result<gate::Reply>& reply) {
  for (const RoutingResult& result : book_.heard(key, op, reply)) route(key, result);
  if (!reply) rest(key);
  schedule_calls();
}

}  // namespace gavel::pipeline
