#include "pipeline/gate_preparation.h"

#include <utility>
#include <vector>

#include "gate/bucket_calls.h"
#include "gate/drift.h"
#include "gate/statements.h"
#include "pipeline/activity_then.h"
#include "rules/stock.h"
#include "stage/await.h"

namespace gavel::pipeline {
namespace {

using boost::asio::awaitable;
using rules::Outcome;
using rules::Verdict;

Verdict of(Outcome outcome) {
  Verdict verdict;
  verdict.outcome = outcome;
  return verdict;
}

Verdict mismatch(const StockPool& pool, const rules::Item& item, std::size_t no,
                 const std::optional<gate::Bucket>& shown) {
  Verdict verdict = of(Outcome::mismatch);
  verdict.detail.sku = pool.sku;
  verdict.detail.bucket = static_cast<rules::BucketNo>(no);
  verdict.detail.available = item.buckets[no].available;
  if (shown) verdict.detail.at_gate = shown->available;
  return verdict;
}

}  // namespace

std::optional<GatePreparation::Act> GatePreparation::act_of(const rules::Command& command) {
  if (!command.key) return std::nullopt;
  const auto at_gate = [&](const rules::ActivityCode& activity, rules::ActivityState from) {
    return Act{{command.caller, *command.key}, activity, from};
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
  return std::nullopt;
}

GatePreparation::GatePreparation(gate::Gate& gate, gate::Incarnation incarnation, Reads& reads,
                                 const Clock& clock, Log& log, const GateModes& modes, HasRoom has_room,
                                 std::chrono::hours requests_kept)
    : gate_(gate),
      incarnation_(incarnation),
      reads_(reads),
      clock_(clock),
      log_(log),
      modes_(modes),
      has_room_(std::move(has_room)),
      requests_kept_(requests_kept) {}

awaitable<std::optional<Verdict>> GatePreparation::prepare(Act act) {
  std::function<Result<ActivityThen>(Reader&)> question = [&, now = clock_.now()](Reader& reader) {
    return read_activity(reader, act.key, act.activity, now - requests_kept_);
  };
  const Result<ActivityThen> then = co_await reads_.ask<ActivityThen>(question);
  if (!then) co_return of(Outcome::overloaded);
  const bool is_its_turn =
      then->activity && then->activity->state >= act.from && rules::is_before_open(then->activity->state);
  if (then->is_of_key || !is_its_turn) co_return std::nullopt;
  const bool loads = act.from == rules::ActivityState::draft;
  for (const auto& [id, item] : then->items) {
    const StockPool pool{then->skus.at(id), act.activity};
    if (!modes_.is_gated(pool) || is_unsound(item)) continue;
    awaitable<std::optional<Verdict>> part = loads ? load(item) : compare(pool, item);
    std::optional<Verdict> refusal = co_await std::move(part);
    if (refusal) co_return refusal;
  }
  co_return std::nullopt;
}

// What the buckets held before goes first, since numbers that only grow are not lowered by a statement;
// nobody sells from the item yet.
awaitable<std::optional<Verdict>> GatePreparation::load(const rules::Item& item) {
  if (!has_room_(item.id)) co_return std::nullopt;
  using Erased = std::vector<Result<void>>;
  const Erased erased = co_await stage::await_result<Erased>([&](std::move_only_function<void(Erased)> done) {
    gate::erase_buckets(gate_, incarnation_, item.id, item.buckets.size(), std::move(done));
  });
  if (!gate::all_arrived(erased)) co_return of(Outcome::not_ready);
  const std::vector<gate::PendingStatement> statements = gate::statements_of_refresh(item);
  using Replies = std::vector<Result<gate::Reply>>;
  const Replies replies =
      co_await stage::await_result<Replies>([&](std::move_only_function<void(Replies)> done) {
        gate::state_buckets(gate_, incarnation_, item.id, statements, std::move(done));
      });
  if (!gate::all_arrived(replies)) co_return of(Outcome::not_ready);
  co_return std::nullopt;
}

awaitable<std::optional<Verdict>> GatePreparation::compare(const StockPool& pool, const rules::Item& item) {
  using Buckets = std::vector<Result<std::optional<gate::Bucket>>>;
  const Buckets buckets =
      co_await stage::await_result<Buckets>([&](std::move_only_function<void(Buckets)> done) {
        gate::read_buckets(gate_, incarnation_, item.id, item.buckets.size(), std::move(done));
      });
  if (!gate::all_arrived(buckets)) co_return of(Outcome::not_ready);
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    const std::optional<gate::Bucket>& shown = *buckets[i];
    const auto no = static_cast<rules::BucketNo>(i);
    if (gate::is_equal(shown, item, no)) continue;
    log_.write(Level::warn, "gate_mismatch",
               {{"sku", pool.sku.text()},
                {"bucket", gate::to_text(gate::BucketKey{incarnation_, item.id, no})},
                {"judge", item.buckets[i].available.units},
                {"gate", gate::to_text(shown)}});
    co_return mismatch(pool, item, i, shown);
  }
  co_return std::nullopt;
}

}  // namespace gavel::pipeline
