#include "sim/options.h"

#include <chrono>
#include <initializer_list>

#include "jobs/projection.h"
#include "jobs/retention.h"

namespace gavel::sim {
namespace {

// One of these, each as likely.
template <class T>
T one_of(Random& random, std::initializer_list<T> values) {
  return *(values.begin() + random.below(values.size()));
}

std::uint64_t between(Random& random, std::uint64_t least, std::uint64_t most) {
  return least + random.below(most - least + 1);
}

Duration ms(std::uint64_t count) { return Duration(static_cast<std::int64_t>(count)); }

std::vector<bool> draw_modes(Random& random) {
  std::vector<bool> gated(between(random, 1, 3));
  const std::uint64_t kind = random.below(6);  // All gated, all direct, or each as it comes.
  for (std::size_t i = 0; i < gated.size(); ++i)
    gated[i] = kind == 0 ? false : kind < 4 || random.chance(1, 2);
  return gated;
}

InstanceOptions draw_instance(Random& random) {
  InstanceOptions options;
  options.lane = {one_of<std::size_t>(random, {1, 2, 4, 8, 1000}),
                  one_of<std::size_t>(random, {1, 2, 3, 4, 100})};
  options.reads = {one_of<std::size_t>(random, {1, 4, 1000}), one_of<std::size_t>(random, {1, 2, 64})};
  options.pipeline.in_flight_max = one_of<std::size_t>(random, {2, 8, 50, 1000});
  options.pipeline.judge_within = ms(one_of<std::uint64_t>(random, {20, 100, 500}));
  // The longer one, as the program demands: else nothing that waits too long would be refused in time.
  options.pipeline.answer_within =
      options.pipeline.judge_within + ms(one_of<std::uint64_t>(random, {30, 100, 500}));
  options.read_within = ms(one_of<std::uint64_t>(random, {20, 500}));
  options.judge.attempts_max = static_cast<int>(between(random, 1, 5));
  options.judge.resolve_attempts_max = one_of<int>(random, {2, 5, 20});
  options.judge.due_orders_max = one_of<std::size_t>(random, {1, 2, 8192});
  options.policy.hold_default = std::chrono::seconds(between(random, 1, 3));
  options.policy.extend_default = std::chrono::seconds(2);
  options.policy.refusals_recorded_max = one_of<std::int64_t>(random, {1, 3, 1000});
  options.database.call_takes = Micros(one_of<std::int64_t>(random, {10, 50, 200}));
  options.database.lock_wait_max = Micros(one_of<std::int64_t>(random, {3'000, 20'000, 100'000}));
  options.database.sees_inserts = random.chance(1, 2);
  options.refresh_every = Micros(one_of<std::int64_t>(random, {300'000, 1'000'000, 3'000'000}));
  options.gate_reply_within = Micros(one_of<std::int64_t>(random, {500, 5'000, 50'000}));
  options.gate_says_yes = random.chance(1, 16);
  options.follow_flows_max = one_of<std::size_t>(random, {1, 5, jobs::projection_flows_max});
  options.forget_rows_max = one_of<std::size_t>(random, {10, jobs::retention_rows_max});
  options.judge.batch_rows_max = one_of<std::size_t>(random, {40, 400, 16'384});
  options.pipeline.call_commands_max = one_of<std::size_t>(random, {1, 3, 2'000});
  return options;
}

}  // namespace

WorldOptions draw_options(Random& random) {
  WorldOptions options;
  options.gated = draw_modes(random);
  options.on_disk = random.chance(1, 12);
  if (options.on_disk) options.gated.resize(1);
  options.instance = draw_instance(random);
  options.skus = between(random, 1, 3);
  options.stock_max = one_of<std::uint64_t>(random, {1, 3, 5, 20});
  options.buckets_max = between(random, 1, 4);
  options.activities = random.below(4);
  options.users = one_of<std::uint64_t>(random, {1, 4, 12});
  options.lines_max = between(random, 1, options.skus);
  options.units_max = one_of<std::uint64_t>(random, {1, 2, 4});
  options.gap = Micros(one_of<std::int64_t>(random, {500, 5'000, 20'000}));
  options.caller_waits = Micros(one_of<std::int64_t>(random, {20'000, 200'000, 1'000'000}));
  if (random.chance(1, 4)) options.leap = std::chrono::hours(one_of<std::int64_t>(random, {1, 25, 50, 80}));
  if (!options.on_disk && random.chance(1, 3)) {
    options.instance.lanes = between(random, 1, 3);
    options.instance.orders_remembered_max = one_of<std::size_t>(random, {2, 10, 1'000});
  }
  options.skew_max = Micros(one_of<std::int64_t>(random, {0, 1'500'000, 180'000'000}));
  return options;
}

std::string to_text(const WorldOptions& options) {
  std::string text = options.on_disk ? "on disk, instances " : "instances ";
  text += std::to_string(options.gated.size()) + " (";
  for (const bool gated : options.gated) text += gated ? "gated " : "direct ";
  text.back() = ')';
  text += ", skus " + std::to_string(options.skus) + ", stock to " + std::to_string(options.stock_max) +
          ", buckets to " + std::to_string(options.buckets_max) + ", activities " +
          std::to_string(options.activities) + ", users " + std::to_string(options.users) + ", lanes " +
          std::to_string(options.instance.lanes) + ", queue " +
          std::to_string(options.instance.lane.queue_max) + ", batch " +
          std::to_string(options.instance.lane.batch_max) + ", in flight " +
          std::to_string(options.instance.pipeline.in_flight_max);
  if (options.leap > Micros(0))
    text += ", leaps of " + std::to_string(options.leap / std::chrono::hours(1)) + " h";
  if (options.instance.gate_says_yes) text += ", the gate always says yes";
  return text;
}

}  // namespace gavel::sim
