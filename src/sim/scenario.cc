#include "sim/scenario.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>

#include "base/uuid.h"
#include "sim/skewed_clock.h"

namespace gavel::sim {
namespace {

using Act = Wish::Act;

constexpr Micros stock_after{500'000};  // Once the SKU is there.
constexpr Micros then_after{100'000};
constexpr std::uint64_t many = 50;  // From so many callers on batches are large.

constexpr PlannedFault first(Fault fault) { return {fault, 1}; }

// In a thousand callers' world one kind can strike thousands of calls, which are much alike.
const std::array all_scenarios{
    Scenario{.name = "one_unit_against_10",
             .row = "stock 1 against 10 concurrent",
             .stock = 1,
             .crowd = {{Act::buy, 10}},
             .left = 0},
    Scenario{.name = "one_unit_against_100",
             .row = "stock 1 against 100 concurrent",
             .stock = 1,
             .crowd = {{Act::buy, 100}},
             .left = 0,
             .calls_max = 25},
    Scenario{.name = "one_unit_against_1000",
             .row = "stock 1 against 1000 concurrent",
             .stock = 1,
             .crowd = {{Act::buy, 1'000}},
             .left = 0,
             .calls_max = 4},
    Scenario{.name = "hundred_in_ones",
             .row = "stock 100 with quantity 1",
             .stock = 100,
             .crowd = {{Act::buy, 120, 1}},
             .left = 0,
             .calls_max = 12},
    Scenario{.name = "hundred_in_tens",
             .row = "stock 100 with quantity 10",
             .stock = 100,
             .crowd = {{Act::buy, 15, 10}},
             .left = 0},
    Scenario{.name = "hundred_in_101s",
             .row = "stock 100 with quantity 101",
             .stock = 100,
             .crowd = {{Act::buy, 10, 101}},
             .left = 100},
    Scenario{.name = "hundred_in_all_of_these",
             .row = "stock 100 with quantities 1, 10, 101",
             .stock = 100,
             .crowd = {{Act::buy, 3, 101}, {Act::buy, 10, 10}, {Act::buy, 30, 1}},
             .left = 0,
             .calls_max = 12},
    Scenario{.name = "one_id_2_times",
             .row = "one id 2 times",
             .stock = 5,
             .crowd = {{Act::buy, 2}},
             .one_key = true,
             .left = 4},
    Scenario{.name = "one_id_5_times",
             .row = "one id 5 times",
             .stock = 5,
             .crowd = {{Act::buy, 5}},
             .one_key = true,
             .left = 4},
    Scenario{.name = "one_id_20_times",
             .row = "one id 20 times",
             .stock = 5,
             .crowd = {{Act::buy, 20}},
             .one_key = true,
             .left = 4,
             .calls_max = 20},
    Scenario{.name = "commit_done_answer_lost",
             .row = "commit done but answer lost",
             .stock = 2,
             .crowd = {{Act::buy, 4}},
             .left = 0,
             .always = {first(Fault::sql_commit_stored)},
             .on_disk = {first(Fault::file_sync_failed)}},
    Scenario{.name = "cancel_races_payment",
             .row = "cancel racing payment",
             .stock = 1,
             .crowd = {{Act::hold, 1}},
             .then = {{Act::cancel, 2}, {Act::pay, 2}}},
    Scenario{.name = "restart_after_the_gate_took",
             .row = "restart right after the gate took",
             .stock = 2,
             .crowd = {{Act::buy, 4}},
             .left = 0,
             .always = {first(Fault::instance_crashed_granted)},
             .on_disk = {first(Fault::instance_crashed_granted)}},
    Scenario{.name = "written_but_a_later_step_failed",
             .row = "ledger written but later step failed",
             .stock = 2,
             .crowd = {{Act::buy, 4}},
             .left = 0,
             .always = {first(Fault::sql_commit_conflict)},
             .on_disk = {first(Fault::file_full)}},
};

const rules::SkuCode the_sku("sku1");

rules::Caller customers() { return rules::Caller("shop"); }
rules::Caller operators() { return rules::Caller("ops"); }

rules::Act act_of(const Wish& wish, const std::string& user, rules::OrderId held) {
  switch (wish.act) {
    case Act::pay:
      return rules::Confirm{held};
    case Act::cancel:
      return rules::Cancel{held};
    case Act::buy:
    case Act::hold:
      break;
  }
  return rules::Reserve{.user = rules::UserId(user),
                        .lines = {{the_sku, rules::Quantity{wish.units}}},
                        .activity = {},
                        .hold = {},
                        .payment = wish.act == Act::buy ? rules::Payment::none : rules::Payment::later};
}

// An order has its UUIDv7 key as its id, so that a payment can name what is to be held.
void ask(const Scenario& scenario, const std::vector<Wish>& crowd, const std::string& name,
         rules::OrderId held, Crowd& callers) {
  std::uint64_t number = 0;
  for (const Wish& wish : crowd) {
    for (std::uint64_t i = 0; i < wish.callers; ++i) {
      const std::string caller = scenario.one_key ? name : name + std::to_string(++number);
      const rules::RequestKey key(wish.act == Act::hold ? to_text(held.uuid) : caller);
      callers.ask(rules::Command{customers(), key, {}, act_of(wish, "u-" + caller, held)});
    }
  }
}

std::uint64_t count(const std::vector<Wish>& crowd) {
  std::uint64_t callers = 0;
  for (const Wish& wish : crowd) callers += wish.callers;
  return callers;
}

}  // namespace

std::string_view word(Form form) { return form == Form::server ? "on a server" : "on disk"; }

std::uint64_t Scenario::callers() const { return count(crowd) + count(then); }

const std::vector<PlannedFault>& Scenario::always_on(Form form) const {
  return form == Form::server ? always : on_disk;
}

std::span<const Scenario> scenarios() { return all_scenarios; }

const Scenario* find_scenario(std::string_view name) {
  const auto found = std::ranges::find(all_scenarios, name, &Scenario::name);
  return found == all_scenarios.end() ? nullptr : &*found;
}

// Nothing is drawn: what differs between two runs of a scenario is the fault alone.
WorldOptions options_of(const Scenario& scenario, Form form) {
  const bool large = scenario.callers() >= many;
  WorldOptions options;
  options.on_disk = form == Form::disk;
  options.gated = options.on_disk ? std::vector{true} : std::vector{true, true};
  options.renews_keys = false;
  options.stock_max = static_cast<std::uint64_t>(scenario.stock);
  options.gap = Micros(1'000);
  options.caller_waits = Micros(100'000);
  InstanceOptions& instance = options.instance;
  instance.lane = {.queue_max = 1'000, .batch_max = large ? std::size_t{100} : 4};
  instance.reads = {.queue_max = 1'000, .batch_max = 64};
  instance.pipeline.in_flight_max = 1'000;
  instance.pipeline.judge_within = Duration(500);
  instance.pipeline.answer_within = Duration(1'000);
  instance.read_within = Duration(500);
  instance.judge.attempts_max = 3;
  instance.judge.resolve_attempts_max = 5;
  instance.policy.hold_default = std::chrono::seconds(2);
  instance.database.call_takes = Micros(50);
  instance.database.lock_wait_max = Micros(20'000);
  instance.gate_reply_within = Micros(5'000);
  return options;
}

void set_up(const Scenario& scenario, Scheduler& scheduler, Crowd& crowd) {
  crowd.ask(rules::Command{operators(), rules::RequestKey("put"), {}, rules::PutSku{the_sku, 2}});
  scheduler.after(stock_after, [&scenario, &crowd] {
    crowd.ask(rules::Command{operators(),
                             rules::RequestKey("receive"),
                             {},
                             rules::Receive{the_sku, rules::Quantity{scenario.stock}}});
  });
}

void play(const Scenario& scenario, Scheduler& scheduler, Random& random, Crowd& crowd) {
  const Time now = world_begins + std::chrono::floor<Duration>(scheduler.now());
  const rules::OrderId held{make_uuid7(now, random)};
  ask(scenario, scenario.crowd, "first", held, crowd);
  scheduler.after(then_after,
                  [&scenario, &crowd, held] { ask(scenario, scenario.then, "then", held, crowd); });
}

Micros last_asked_after(const Scenario& scenario) { return scenario.then.empty() ? Micros(0) : then_after; }

}  // namespace gavel::sim
