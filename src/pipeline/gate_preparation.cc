#include "pipeline/gate_preparation.h"

#include <utility>
#include <vector>

#include "gate/bucket_calls.h"
#include "gate/drift.h"
#include "gate/statements.h"
#include "rules/decide.h"
#include "rules/stock.h"
#include "stage/await.h"

namespace gavel::pipeline {
namespace {

using boost::asio::awaitable;
using rules::Outcome;
using rules::Verdict;

Verdict mismatch(const StockPool& pool, const rules::Item& item, std::size_t no,
                 const std::optional<gate::Bucket>& shown) {
  Verdict verdict = rules::verdict_of(Outcome::mismatch);
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

GatePreparation::GatePreparation(gate::Gate& gate, gate::Incarnation incarnation, Reads& reads, Log& log,
                                 const GateModes& modes, HasRoom has_room, std::chrono::hours requests_kept)
    : gate_(gate),
      incarnation_(incarnation),
      reads_(reads),
      log_(log),
      modes_(modes),
      has_room_(std::move(has_room)),
      requests_kept_(requests_kept) {}

awaitable<std::optional<Verdict>> GatePreparation::prepare(Act act) {
  std::function<Result<judge::ActivitySnapshot>(Reader&)> question = [&act](Reader& reader) {
    return reader.activity_snapshot(act.activity, act.key);
  };
  const Result<judge::ActivitySnapshot> found = co_await reads_.ask<judge::ActivitySnapshot>(question);
  if (!found) co_return rules::verdict_of(Outcome::overloaded);
  // The judge answers by the key alone: again, that it is another's, or that it is too old.
  if (found->is_key_known || rules::is_too_old(act.key.second, found->now - requests_kept_))
    co_return std::nullopt;
  const std::optional<rules::Activity>& activity = found->activity;
  const bool is_its_turn = activity && activity->state >= act.from && rules::is_before_open(activity->state);
  if (!is_its_turn) co_return std::nullopt;
  const bool loads = act.from == rules::ActivityState::draft;
  for (const rules::AllottedLine& line : activity->lines) {
    const StockPool pool{line.code, act.activity};
    const auto item = found->items.find(line.item);
    if (item == found->items.end() || !modes_.is_gated(pool) || is_unsound(item->second)) continue;
    awaitable<std::optional<Verdict>> part = loads ? load(item->second) : compare(pool, item->second);
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
  if (!gate::all_arrived(erased)) co_return rules::verdict_of(Outcome::not_ready);
  const std::vector<gate::PendingStatement> statements = gate::statements_of_refresh(item);
  using Replies = std::vector<Result<gate::Reply>>;
  const Replies replies =
      co_await stage::await_result<Replies>([&](std::move_only_function<void(Replies)> done) {
        gate::state_buckets(gate_, incarnation_, item.id, statements, std::move(done));
      });
  if (!gate::all_arrived(replies)) co_return rules::verdict_of(Outcome::not_ready);
  co_return std::nullopt;
}

awaitable<std::optional<Verdict>> GatePreparation::compare(const StockPool& pool, const rules::Item& item) {
  using Buckets = std::vector<Result<std::optional<gate::Bucket>>>;
  const Buckets buckets =
      co_await stage::await_result<Buckets>([&](std::move_only_function<void(Buckets)> done) {
        gate::read_buckets(gate_, incarnation_, item.id, item.buckets.size(), std::move(done));
      });
  if (!gate::all_arrived(buckets)) co_return rules::verdict_of(Outcome::not_ready);
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
