#include "pipeline/gate_preparation.h"

#include <utility>
#include <vector>

#include "base/check.h"
#include "gate/bucket_calls.h"
#include "gate/drift.h"
#include "gate/statements.h"
#include "rules/decide.h"
#include "rules/stock.h"

namespace gavel::pipeline {
namespace {

using rules::Outcome;
using rules::Verdict;

Verdict mismatch_of(const StockPool& pool, const rules::Item& item, std::size_t no,
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

GatePreparation::GatePreparation(Executor& executor, gate::Gate& gate, rules::Incarnation incarnation,
                                 GateReads& reads, Log& log, const GateModes& modes, HasRoom has_room,
                                 std::chrono::hours requests_kept)
    : executor_(executor),
      gate_(gate),
      incarnation_(incarnation),
      reads_(reads),
      log_(log),
      modes_(modes),
      has_room_(std::move(has_room)),
      requests_kept_(requests_kept) {}

GatePreparation::~GatePreparation() {
  while (!running_.empty()) running_.front().suspended.destroy();
}

stage::Task GatePreparation::prepare(Act act, Callback done) {
  Running running;
  running_.push_back(running);
  const Snapshot found = co_await read_activity(running, act);
  if (!found) co_return done(rules::verdict_of(Outcome::overloaded));
  if (is_judges(*found, act)) co_return done(std::nullopt);
  for (const rules::AllottedLine& line : found->activity->lines) {
    const StockPool pool{line.code, act.activity};
    const auto known = found->items.find(line.item);
    if (known == found->items.end() || !modes_.is_gated(pool) || is_unsound(known->second)) continue;
    const rules::Item& item = known->second;
    if (act.from != rules::ActivityState::draft) {
      const Buckets buckets = co_await read_buckets(running, item);
      if (!gate::all_arrived(buckets)) co_return done(rules::verdict_of(Outcome::not_ready));
      if (auto mismatch = find_mismatch(pool, item, buckets)) co_return done(std::move(mismatch));
      continue;
    }
    // What the buckets held before goes first, since numbers that only grow are not lowered by a statement;
    // nobody sells from the item yet.
    if (!has_room_(item.id)) continue;
    const Erased erased = co_await erase(running, item);
    if (!gate::all_arrived(erased)) co_return done(rules::verdict_of(Outcome::not_ready));
    const Replies replies = co_await state(running, item);
    if (!gate::all_arrived(replies)) co_return done(rules::verdict_of(Outcome::not_ready));
  }
  done(std::nullopt);
}

// The judge answers by the key alone: again, that it is another's, or that it is too old. And by the
// activity's state, where the act is not its next step.
bool GatePreparation::is_judges(const judge::ActivitySnapshot& found, const Act& act) const {
  if (found.is_key_known || rules::is_too_old(act.key.second, found.now - requests_kept_)) return true;
  const std::optional<rules::Activity>& activity = found.activity;
  return !activity || activity->state < act.from || !rules::is_before_open(activity->state);
}

stage::Await<GatePreparation::Snapshot> GatePreparation::read_activity(Running& running, const Act& act) {
  return {running.suspended, [this, &act](stage::Await<Snapshot>::Callback done) {
            reads_.ask<judge::ActivitySnapshot>(
                [act](judge::Reader& reader) { return reader.activity_snapshot(act.activity, act.key); },
                on(executor_, std::move(done)));
          }};
}

stage::Await<GatePreparation::Erased> GatePreparation::erase(Running& running, const rules::Item& item) {
  return {running.suspended, [this, &item](stage::Await<Erased>::Callback done) {
            gate::erase_buckets(gate_, incarnation_, item.id, item.buckets.size(),
                                on(executor_, std::move(done)));
          }};
}

stage::Await<GatePreparation::Replies> GatePreparation::state(Running& running, const rules::Item& item) {
  return {running.suspended, [this, &item](stage::Await<Replies>::Callback done) {
            gate::state_buckets(gate_, incarnation_, item.id, gate::statements_of_refresh(item),
                                on(executor_, std::move(done)));
          }};
}

stage::Await<GatePreparation::Buckets> GatePreparation::read_buckets(Running& running,
                                                                     const rules::Item& item) {
  return {running.suspended, [this, &item](stage::Await<Buckets>::Callback done) {
            gate::read_buckets(gate_, incarnation_, item.id, item.buckets.size(),
                               on(executor_, std::move(done)));
          }};
}

std::optional<Verdict> GatePreparation::find_mismatch(const StockPool& pool, const rules::Item& item,
                                                      const Buckets& buckets) {
  CHECK(buckets.size() == item.buckets.size());
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    const std::optional<gate::Bucket>& shown = *buckets[i];
    const auto no = static_cast<rules::BucketNo>(i);
    if (gate::is_equal(shown, item, no)) continue;
    log_.write(Level::warn, "gate_mismatch",
               {{"sku", pool.sku.text()},
                {"bucket", gate::to_text(gate::BucketKey{incarnation_, item.id, no})},
                {"judge", item.buckets[i].available.units},
                {"gate", gate::to_text(shown)}});
    return mismatch_of(pool, item, i, shown);
  }
  return std::nullopt;
}

}  // namespace gavel::pipeline
