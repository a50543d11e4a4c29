#include "judge/judge.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "judge/loading.h"
#include "rules/invariants.h"

namespace gavel::judge {
namespace {

using rules::Command;
using rules::Outcome;
using rules::State;
using rules::Verdict;

std::vector<Verdict> all(std::size_t count, Outcome outcome) {
  return std::vector<Verdict>(count, rules::verdict_of(outcome));
}

bool is_changed(const auto& rows) {
  return std::ranges::any_of(rows,
                             [](const auto& row) { return row.second.row_state != rules::RowState::clean; });
}

// False if a batch holds nothing but refusals that are not recorded, and replays: it has nothing to store.
// What changes a SKU is remembered as a request; Gavel itself closes sales.
bool has_changes(const State& state) {
  return !state.flows.empty() || is_changed(state.orders) || is_changed(state.requests) ||
         is_changed(state.activities) || !state.forgotten.empty();
}

bool is_worth_a_retry(ErrorCode code) { return code == ErrorCode::conflict || code == ErrorCode::duplicate; }

bool is_of_the_batch(ErrorCode code) { return is_worth_a_retry(code) || code == ErrorCode::constraint; }

}  // namespace

Judge::Judge(Store& store, Log& log, Random random, Pause pause, rules::Policy policy, JudgeLimits limits,
             Metrics metrics, Observer observer)
    : store_(store),
      log_(log),
      random_(random),
      pause_(std::move(pause)),
      policy_(policy),
      limits_(limits),
      metrics_(std::move(metrics)),
      observer_(std::move(observer)) {
  CHECK(limits_.attempts_max >= 1);
  CHECK(limits_.resolve_attempts_max >= 1);
  CHECK(limits_.due_orders_max >= 1);
  CHECK(limits_.batch_rows_max >= 1);
  CHECK(limits_.pause_max >= Duration(0));
}

Result<Judge::Verdicts> Judge::apply(std::span<const Command> commands) {
  CHECK(!commands.empty());
  Result<Verdicts> verdicts = persist(commands);
  if (verdicts || !is_of_the_batch(verdicts.error().code)) return verdicts;
  if (commands.size() == 1) return give_up(verdicts.error());

  // The store refuses this batch as a whole: halve it, so that a poisonous command fails alone.
  log_.write(Level::warn, "batch_halved",
             {{"commands", static_cast<std::int64_t>(commands.size())}, {"why", verdicts.error().message}});
  metrics_.halved.add();
  const std::size_t half = commands.size() / 2;
  Verdicts joined;
  for (const auto part : {commands.first(half), commands.subspan(half)}) {
    Result<Verdicts> part_verdicts = apply(part);
    if (!part_verdicts && part_verdicts.error().code == ErrorCode::broken) return part_verdicts;
    if (!part_verdicts) {
      const bool perhaps = part_verdicts.error().code == ErrorCode::unknown;
      part_verdicts = all(part.size(), perhaps ? Outcome::outcome_unknown : Outcome::overloaded);
    }
    joined.insert(joined.end(), part_verdicts->begin(), part_verdicts->end());
    if (part_verdicts->size() < part.size()) break;
  }
  CHECK(!joined.empty() && joined.size() <= commands.size());
  return joined;
}

// Before a commit in doubt is resolved the store may do nothing else.
Result<void> Judge::idle() { return in_doubt_ ? Result<void>() : store_.idle(); }

Result<void> Judge::try_begin() {
  if (const auto ready = resolve_in_doubt(); !ready) return std::unexpected(ready.error());
  if (const auto ready = ensure_lane(); !ready) return ready;
  if (const auto begun = store_.begin(); !begun) return abandon(begun.error());
  store_.rollback();
  return {};
}

// Tries one batch until it is stored, with pauses drawn at random so that two lanes do not collide in step.
Result<Judge::Verdicts> Judge::persist(std::span<const Command> commands) {
  for (int attempts = 1;; ++attempts) {
    Result<Verdicts> verdicts = attempt(commands);
    if (verdicts || !is_worth_a_retry(verdicts.error().code) || attempts == limits_.attempts_max)
      return verdicts;
    metrics_.retried.add();
    pause_(Duration(random_.below(static_cast<std::uint64_t>(limits_.pause_max.count()) + 1)));
  }
}

Result<Judge::Verdicts> Judge::attempt(std::span<const Command> commands) {
  if (const auto ready = resolve_in_doubt(); !ready) {
    if (ready.error().code == ErrorCode::broken) return std::unexpected(ready.error());
    return fail(ErrorCode::unavailable, "an earlier commit is still in doubt: " + ready.error().message);
  }
  if (const auto ready = ensure_lane(); !ready) return std::unexpected(ready.error());

  Result<Loaded> loaded = load_batch(store_, commands, {limits_.due_orders_max, limits_.batch_rows_max});
  if (!loaded) return abandon(loaded.error());
  CHECK(loaded->now >= latest_);  // The store's time never goes back within a lane.
  latest_ = loaded->now;
  State& state = loaded->state;
  CHECK(loaded->commands >= 1 && loaded->commands <= commands.size());
  Verdicts verdicts = decide(state, commands.first(loaded->commands), loaded->now);
  rules::raise_generations(state);
  if (const auto broken = rules::first_broken(state)) {
    log_.write(Level::error, "invariant_broken", {{"what", *broken}, {"next", "stop, and run gavel verify"}});
    CHECK(false);
  }
  if (!has_changes(state)) {
    store_.rollback();
    tell(state);
    return verdicts;
  }
  if (const auto written = store_.write(state, BatchId{*lane_, next_n_}, loaded->now); !written) {
    return abandon(written.error());
  }
  const auto committed = timed_commit();
  if (committed) {
    ++next_n_;
    tell(state);
    return verdicts;
  }
  if (committed.error().code != ErrorCode::unknown) return abandon(committed.error());
  in_doubt_ = std::move(state);
  metrics_.in_doubt.add();
  log_.write(Level::warn, "commit_in_doubt", {{"n", next_n_}, {"why", committed.error().message}});
  return resolve_or_stay(std::move(verdicts));
}

// In order of arrival, until the next command might write too much, or depends on due holds that this batch
// may not release: they are for the next one.
Judge::Verdicts Judge::decide(State& state, std::span<const Command> commands, Time now) const {
  const RowsBound bound(state);
  Verdicts verdicts;
  verdicts.reserve(commands.size());
  for (const Command& command : commands) {
    const std::size_t count = verdicts.size();
    const std::size_t written = rows_written(state, count);
    const std::size_t left = limits_.batch_rows_max - std::min(limits_.batch_rows_max, written);
    if (count > 0 && !bound.fits(command, left)) break;
    Verdict verdict = rules::decide(state, command, now, policy_);
    if (count > 0 && verdict.outcome == Outcome::overloaded) break;
    verdicts.push_back(std::move(verdict));
  }
  return verdicts;
}

void Judge::tell(const State& state) const {
  for (const rules::Flow& flow : state.flows) {
    metrics_.units.add(flow);
    tell_shortage(state, flow);
  }
  if (observer_) observer_(state);
}

// Somebody has to do something about it: more units are promised than there are (E7).
void Judge::tell_shortage(const State& state, const rules::Flow& flow) const {
  const bool grows = flow.action == rules::Action::fall_short;
  if (!grows && flow.action != rules::Action::make_good) return;
  const rules::Item& item = state.items.at(flow.item);
  log_.write(grows ? Level::warn : Level::info, grows ? "stock_short" : "stock_made_good",
             {{"item", item.id.value},
              {"units", flow.quantity.units},
              {"shortage", item.shortage().units},
              {"next", grows ? "receive stock, or cancel orders; gavel stock short lists all" : "nothing"}});
}

Result<void> Judge::timed_commit() {
  const Timer::Run run(metrics_.commit);
  return store_.commit();
}

// Ends a transaction that failed: rolled back first, classified after (pitfalls, MariaDB 1205).
std::unexpected<Error> Judge::abandon(Error error) {
  if (error.code != ErrorCode::broken) store_.rollback();
  return std::unexpected(std::move(error));
}

// One command that the store will not take: it fails alone, and says so to its caller and to the operator.
Judge::Verdicts Judge::give_up(const Error& error) {
  const bool constraint = error.code == ErrorCode::constraint;
  log_.write(
      Level::error, "command_refused_by_store",
      {{"why", error.message},
       {"next", constraint ? "the rows contradict each other: run gavel verify" : "the caller may retry"}});
  return all(1, constraint ? Outcome::frozen : Outcome::overloaded);
}

Result<void> Judge::ensure_lane() {
  if (lane_) return {};
  const Result<rules::LaneId> lane = store_.open_lane();
  if (!lane) return std::unexpected(lane.error());
  CHECK(lane->value >= 1);
  lane_ = *lane;
  log_.write(Level::info, "lane_opened", {{"lane", lane->value}});
  return {};
}

}  // namespace gavel::judge
