// Lanes: the lanes of one process, and the one rule which command goes to which (docs/adr/0019).
//
//                 ┌─ the lane of the lowest SKU that the command names
//   offer ─► rule ┼─ an act on an order: the lane that made the order, if it is remembered
//                 └─ else: look up the order's SKUs, one read for all that wait ─► the lane of the lowest SKU
//
// The rule keeps one hot item in one lane, so that lanes seldom wait for one another's rows. No answer
// depends on it: the judge's locks decide, and a command in a lane of its own choice is decided just the
// same.
//
// With one lane there is no rule, no memory and no look-up: offer() is the lane's.
//
// Threads: offer(), stop_acknowledging() and the figures from any thread. Each lane runs on a thread of its
// own; with several lanes the look-up has one more, inside run_look_up(), or by calls of step_look_up().
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "judge/judge.h"
#include "judge/reader.h"
#include "ops/log.h"
#include "ops/metrics.h"
#include "pipeline/lane.h"
#include "pipeline/metrics.h"
#include "pipeline/order_lanes.h"
#include "pipeline/sold_out_times.h"
#include "rules/command.h"
#include "rules/decide.h"
#include "rules/state.h"
#include "stage/stage.h"

namespace gavel::pipeline {

inline constexpr std::size_t lanes_max = 16;

// Orders whose lane is remembered. Some 13 MB, and at 10,000 orders a second those of the last 10 s at least.
inline constexpr std::size_t orders_remembered_max = 200'000;

// Where a command goes: to a lane by its place, or to the lane of this order.
using LaneRoute = std::variant<std::size_t, rules::OrderId>;

// The rule, for a command of sound form. Pure; `lanes` is at least 1.
LaneRoute lane_route_of(const rules::Command& command, std::size_t lanes);

// What a lane has of its own: a thread's worth of everything.
struct LaneParts {
  std::unique_ptr<judge::Store> store;
  Random random;
  judge::Judge::Pause pause;
};

// What the lanes of a process share. What it refers to outlives them.
struct LanesOptions {
  stage::Limits limits;  // Of each lane, and of the look-up.
  rules::Policy policy;
  judge::JudgeLimits judge_limits = {};
  std::size_t remembered_max = orders_remembered_max;
  Metrics metrics = {};
  judge::Metrics judge_metrics = {};
  judge::Judge::Observer observer = nullptr;  // Of each lane's judge, on that lane's thread.
};

class Lanes {
 public:
  using Done = Lane::Done;

  // A single lane, which outlives this.
  explicit Lanes(Lane& lane);

  // One to lanes_max lanes. With several, `reader` is the look-up's own. When a lane finds its store broken,
  // all lanes stop acknowledging and `on_broken` is called on that lane's thread; `clock` and `log` outlive
  // this.
  Lanes(std::vector<LaneParts> parts, LanesOptions options, std::unique_ptr<judge::OrdersReader> reader,
        const Clock& clock, Log& log, Lane::OnBroken on_broken);
  ~Lanes();

  Lanes(const Lanes&) = delete;
  Lanes& operator=(const Lanes&) = delete;

  // As Lane::offer: false, and neither argument consumed, when the queue that the command would wait in is
  // full or closed. A command whose order is looked up first may find its lane full afterwards: it is
  // answered `overloaded`, certainly not done.
  bool offer(rules::Command& command, Duration deadline, Done& done, stage::Rank rank = stage::Rank::caller);

  // From here on no lane acknowledges anything, since somebody found the store broken
  // (Lane::stop_acknowledging). Idempotent.
  void stop_acknowledging();

  // The look-up: a stage that has its own thread where there are several lanes; with one lane step_look_up()
  // finds nothing and run_look_up() returns at once. It is closed and has run out before the lanes are
  // closed.
  bool has_look_up() const { return look_up_.has_value(); }
  std::size_t step_look_up();
  void run_look_up();
  void close_look_up();
  std::size_t waiting_look_ups() const;

  std::size_t size() const { return lanes_.size(); }
  Lane& at(std::size_t place) { return *lanes_.at(place); }
  const Lane& at(std::size_t place) const { return *lanes_.at(place); }

  // Answers the commands that have waited too long `overloaded`, in all lanes and for a look-up, whatever the
  // judges are at; called ten times a second or so. Any thread.
  void answer_late();
  // One line for people while nothing can be decided, since all lanes are stuck. Any thread.
  std::optional<std::string> why_stuck() const;

  // Since when the items have nothing left that the batches of all lanes have emptied.
  SoldOutTimes& sold_out_times() { return sold_out_times_; }

  // Commands that wait, in all lanes and for a look-up.
  std::size_t waiting() const;
  // Commands that the judges were given so far.
  std::uint64_t decided() const;
  // Orders that were looked up so far.
  std::uint64_t looked_up() const { return looked_up_.load(); }

 private:
  // A lane with its judge and its store.
  struct Worker;
  // The lane of each order; nothing for one that waited too long.
  using Place = std::optional<std::size_t>;

  bool offer_after_look_up(rules::OrderId order, rules::Command& command, Duration deadline, Done& done,
                           stage::Rank rank);
  std::vector<Place> places_of(const std::vector<rules::OrderId>& orders);
  void remember(const rules::State& state, std::size_t place);
  void break_off(const std::string& why);

  Log* const log_ = nullptr;
  const LanesOptions options_;
  const Lane::OnBroken on_broken_;
  SoldOutTimes sold_out_times_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Lane*> lanes_;
  const std::unique_ptr<judge::OrdersReader> reader_;  // Closed before the stores.
  std::optional<OrderLanes> remembered_;
  std::optional<stage::Stage<rules::OrderId, Place>> look_up_;
  std::atomic<std::uint64_t> looked_up_{0};
};

// Has `metrics` read what waits and what each lane was given, on any thread. Both outlive the readings.
void watch(MetricsRegistry& metrics, const Lanes& lanes);

}  // namespace gavel::pipeline
