// One noun: the world.
#include "sim/world.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "jobs/projection.h"
#include "jobs/retention.h"
#include "judge/audit/audit.h"
#include "sim/auditor.h"
#include "sim/crowd.h"
#include "sim/disk_database.h"
#include "sim/fleet.h"
#include "sim/home_watch.h"
#include "sim/options.h"
#include "sim/plain_words.h"
#include "sim/skewed_clock.h"
#include "sim/sql_server.h"

namespace gavel::sim {
namespace {

constexpr Micros look_every{10'000};
constexpr Micros set_up_within{20'000'000};
constexpr Micros last_operations_within{2'000'000};
constexpr Micros resolved_within{10'000'000};    // Unknowns and the like, after things heal (proof.md).
constexpr Micros holds_over_within{12'000'000};  // The longest hold, extended, and two seconds to release it.
constexpr Micros short_holds_over_within{5'000'000};  // Of a scenario, where nobody extends one.
constexpr Micros errand_within{10'000'000};
constexpr Micros second_look_after{2'000'000};
constexpr Micros refresh_takes{1'000'000};
constexpr std::chrono::hours all_is_old_after{50};
// A lane that takes one command at a time is offered one at each step of the job.
constexpr Micros forgotten_within{10'000'000};
constexpr Micros forgets_one{200'000};
constexpr std::size_t records_max = 1'000'000;
constexpr std::int64_t release_within_ms = 2'000;
constexpr std::int64_t closed_within_ms = 2'000;
// Whoever asks finds a hold that is past its time free at once (C9), by the judge's clock, which counts whole
// milliseconds. What an instance's clock says counts nowhere.
constexpr std::int64_t free_within_ms = 1;
// F028: what a wall clock may do behind the judge's back.
constexpr std::chrono::hours clock_back_by{1};
constexpr std::chrono::hours clock_ahead_by{8};
constexpr std::size_t errands_of_an_item_max = 4;
constexpr std::chrono::seconds errand_hold{3'600};

class World {
 public:
  explicit World(const RunOptions& options)
      : run_(options),
        random_(options.seed),
        tale_(scheduler_, options.listener),
        options_(run_.scenario == nullptr ? draw_options(random_) : options_of(*run_.scenario, run_.form)),
        faults_(random_) {}

  Report run();

 private:
  std::unique_ptr<SimDatabase> make_database();
  std::vector<PlannedFault> planned() const;
  void look();
  void step_clock();
  void watch_time(Time now);
  bool run_while(Micros at_most, const std::function<bool()>& goes_on);
  void set_up();
  void live();
  void heal();
  void look_for_left(std::int64_t must_be);
  void converge();
  void look_for_overdue();
  void look_for_ended();
  void buy_what_is_left();
  std::string resting_rows();
  void look_twice();
  void look_at_gate(std::string_view when);
  void look_at_buckets(std::string_view when, rules::ItemId item, const oracle::Ledger& ledger);
  void look_at_indexes();
  void look_for_forgotten();
  bool lost_statements() const;
  void look_for_units(const oracle::Request& last);
  void judge();
  void violation(std::string what);

  const RunOptions run_;
  Random random_;
  Scheduler scheduler_;
  TraceLog tale_;
  const WorldOptions options_;
  Faults faults_;
  CoverageMarks sightings_;
  SkewedClock server_clock_{scheduler_, Duration(0)};
  Auditor auditor_{scheduler_, sightings_};
  HomeWatch home_watch_;
  const std::unique_ptr<SimDatabase> database_ = make_database();
  RedisServer redis_{scheduler_, faults_, tale_, sightings_, random_};
  SimContext surroundings_{scheduler_, faults_, tale_, sightings_, random_, *database_, redis_};
  Fleet fleet_{surroundings_, options_};
  Crowd crowd_{surroundings_, options_, fleet_, auditor_};
  std::vector<std::string> violations_;
};

std::unique_ptr<SimDatabase> World::make_database() {
  auto on_commit = [this](const rules::State& state, judge::BatchId batch, Time now) {
    watch_time(now);
    server_clock_.time_is_kept();
    auditor_.committed(state, batch, now);
    redis_.watch().committed(state);
    home_watch_.committed(state);
  };
  if (options_.on_disk)
    return std::make_unique<DiskDatabase>(faults_, tale_, random_, server_clock_, on_commit);
  return std::make_unique<SqlServer>(scheduler_, tale_, server_clock_, on_commit);
}

Report World::run() {
  tale_.tell("world", to_text(options_));
  if (run_.planned) faults_.plan(planned());
  look();
  set_up();
  live();
  heal();
  converge();
  judge();
  Report report;
  report.seed = run_.seed;
  report.hash = tale_.hash();
  report.events = scheduler_.events();
  report.faults = faults_.fired();
  report.opportunities = faults_.opportunities();
  report.rares = sightings_.counts();
  report.violations = violations_;
  return report;
}

// What is planned, and what the scenario has anyhow.
std::vector<PlannedFault> World::planned() const {
  std::vector<PlannedFault> all = run_.only;
  if (run_.scenario == nullptr) return all;
  const std::vector<PlannedFault>& always = run_.scenario->always_on(run_.form);
  all.insert(all.end(), always.begin(), always.end());
  return all;
}

void World::violation(std::string what) {
  tale_.tell("VIOLATION", what);
  violations_.push_back(std::move(what));
}

// What happens every few milliseconds.
void World::look() {
  step_clock();
  redis_.look();
  fleet_.look();
  fleet_.tend();
  for (const auto& [key, bucket] : redis_.buckets()) {
    for (const auto& [instance, holding] : bucket->holdings) {
      const bool dead = fleet_.is_dead(instance) && holding.tokens > rules::no_units;
      sightings_.saw_if(dead, RareState::token_of_the_dead);
    }
  }
  scheduler_.after(look_every, [this] { look(); });
}

void World::step_clock() {
  if (faults_.strikes(Fault::database_clock_back)) server_clock_.go_wrong_or_right(-clock_back_by);
  if (faults_.strikes(Fault::database_clock_ahead)) server_clock_.go_wrong_or_right(clock_ahead_by);
}

// E25: the judge's time goes on at the speed of time. That it does not stand still C9 says.
void World::watch_time(Time now) {
  const Duration ahead = now - true_time(scheduler_);
  if (ahead > Duration(0))
    violation("E25: the judge's time is " + std::to_string(ahead.count()) +
              " ms ahead of the time that passed");
}

// False if it still goes on after `at_most`.
bool World::run_while(Micros at_most, const std::function<bool()>& goes_on) {
  const Micros until = scheduler_.now() + at_most;
  while (goes_on() && scheduler_.now() < until) scheduler_.run_one();
  return !goes_on();
}

void World::set_up() {
  if (run_.scenario == nullptr) {
    crowd_.set_up();
  } else {
    sim::set_up(*run_.scenario, scheduler_, crowd_);
  }
  scheduler_.run_until(scheduler_.now() + Micros(1'000'000));
  crowd_.insist();
  if (!run_while(set_up_within, [this] { return !crowd_.is_quiet(); })) {
    violation("liveness: set up without faults, no answer for" + crowd_.waiting());
  }
  crowd_.relent();
}

void World::live() {
  tale_.tell("world", "anything goes");
  faults_.unleash();
  if (run_.scenario == nullptr) {
    crowd_.begin(run_.operations);
    run_while(Micros::max() / 2, [this] { return !crowd_.has_begun_all(); });
  } else {
    play(*run_.scenario, scheduler_, random_, crowd_);
    scheduler_.run_until(scheduler_.now() + last_asked_after(*run_.scenario));
  }
  run_while(last_operations_within, [this] { return !crowd_.is_quiet(); });
}

void World::heal() {
  tale_.tell("world", "heals");
  faults_.heal();
  crowd_.insist();
  // Everybody is asked to insist one after another, which takes its time where there are many.
  const std::uint64_t asked = run_.scenario == nullptr ? run_.operations : run_.scenario->callers();
  const Micros asking(static_cast<std::int64_t>(asked) * 20'000);
  if (!run_while(resolved_within + asking, [this] { return !crowd_.is_quiet(); })) {
    violation("liveness: after healing no answer for" + crowd_.waiting());
  }
  if (run_.scenario != nullptr && run_.scenario->left) look_for_left(*run_.scenario->left);
}

// Everybody has his answer, and so every unit has its owner.
void World::look_for_left(std::int64_t must_be) {
  std::int64_t left = 0;
  for (const auto& [place, row] : auditor_.ledger(*database_->look()).buckets) left += row.available;
  if (left != must_be)
    violation("U4: " + std::to_string(left) + " units have no owner, and it must be " +
              std::to_string(must_be));
}

void World::converge() {
  scheduler_.run_until(scheduler_.now() +
                       (run_.scenario == nullptr ? holds_over_within : short_holds_over_within));
  look_for_overdue();
  look_for_ended();
  buy_what_is_left();
  look_twice();
  if (!lost_statements()) look_at_gate("at rest");
  // Two passes, since one may be under way, and each is a step for ten items.
  scheduler_.run_until(scheduler_.now() + 2 * options_.instance.refresh_every + refresh_takes);
  look_at_gate("refreshed");
  look_at_indexes();
  if (options_.leap > Micros(0)) look_for_forgotten();
}

void World::look_for_overdue() {
  const std::int64_t now = ms_of(true_time(scheduler_));
  for (const auto& [id, order] : auditor_.ledger(*database_->look()).orders) {
    if (order.state != "held" || !order.expires_at || now - *order.expires_at <= release_within_ms) continue;
    violation("C9: order " + id + " is held, " + std::to_string(now - *order.expires_at) +
              " ms after its time");
  }
}

void World::look_for_ended() {
  const std::int64_t now = ms_of(true_time(scheduler_));
  for (const auto& [id, sale] : auditor_.ledger(*database_->look()).activities) {
    if (sale.state != "open" || !sale.closes_at || now - *sale.closes_at <= closed_within_ms) continue;
    violation("E23: sale " + id + " is open, " + std::to_string(now - *sale.closes_at) + " ms after its end");
  }
}

// U2, one after another: each fresh user comes when the one before has his answer.
void World::buy_what_is_left() {
  const auto errands = oracle::errands(auditor_.ledger(*database_->look()), ms_of(true_time(scheduler_)),
                                       "late", "fresh", errands_of_an_item_max);
  for (const oracle::Errand& errand : errands) {
    crowd_.ask(reserve_of(errand.request, errand_hold));
    if (!run_while(errand_within, [this] { return !crowd_.is_quiet(); })) {
      violation("liveness: no answer for a fresh user:" + crowd_.waiting());
    }
  }
  for (const oracle::Finding& finding : oracle::check_errands(errands, auditor_.history())) {
    violation(to_text(finding));
  }
  for (const oracle::Errand& errand : errands) {
    if (!errand.must_succeed) look_for_units(errand.request);
  }
}

// U4: of a pool that was wanted by more than it has, every unit that ever came is held or sold.
void World::look_for_units(const oracle::Request& last) {
  const oracle::Ledger ledger = auditor_.ledger(*database_->look());
  const std::string& sku = last.lines.front().sku;
  std::int64_t units = 0;
  for (const oracle::Flow& flow : ledger.flows) {
    const oracle::Item& item = ledger.items.at(flow.place.item);
    if (item.sku != sku || item.activity != last.activity) continue;
    units += oracle::effect_of(flow.action).inward * flow.quantity;
  }
  for (const oracle::Finding& finding : oracle::check_sold_out(ledger, sku, last.activity, units)) {
    violation(to_text(finding));
  }
}

// Where days passed the retention may still be at work, in batches of its own.
std::string World::resting_rows() {
  std::string dump = judge::canonical_dump(*database_->look()).value();
  if (options_.leap == Micros(0)) return dump;
  std::string rows;
  std::istringstream lines(dump);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("request ") && !line.starts_with("batch ")) rows += line + "\n";
  }
  return rows;
}

void World::look_twice() {
  const std::string first = resting_rows();
  scheduler_.run_until(scheduler_.now() + second_look_after);
  if (resting_rows() != first) violation("rest: the database changes though nobody asks");
  if (database_->open_transactions() > 0) violation("rest: a transaction is still open");
  if (fleet_.in_flight() > 0) violation("rest: a request is still in process");
}

// Each instance's index of orders by user has what the ledger says, and so has one that is made from nothing.
void World::look_at_indexes() {
  const auto rows = database_->look();
  const auto compare = [&](const std::string& whose, judge::OrderIndex& index) {
    for (const std::string& what : auditor_.compare(index, *rows)) violation(what + " (" + whose + ")");
  };
  fleet_.for_each([&](SimInstance& instance) {
    if (!instance.follows()) violation("projection: " + instance.name() + " has not followed to the end");
    compare(instance.name(), instance.order_index());
  });
  const auto index = judge::make_memory_order_index();
  const auto log = Log::silent();
  jobs::Projection projection(*rows, *index, server_clock_, *log, options_.instance.follow_flows_max);
  while (projection.step().value()) {
  }
  compare("made anew", *index);
}

// A28: when all that was ever asked is old, no record of it stays; that nothing is done twice since and the
// ledger is whole the oracles say.
void World::look_for_forgotten() {
  scheduler_.leap(all_is_old_after);
  const auto left = [this] {
    return database_->look()->request_ages(std::nullopt, records_max)->requests.size();
  };
  const auto wait = [this, left] {
    const Micros within = forgotten_within + static_cast<std::int64_t>(left()) * forgets_one;
    const Micros until = scheduler_.now() + within;
    while (left() > 0 && scheduler_.now() < until) scheduler_.run_until(scheduler_.now() + second_look_after);
  };
  wait();
  // A record that the lane had no time for, or that was young when its turn came, is the next round's.
  if (left() > 0) scheduler_.leap(jobs::retention_rests);
  wait();
  if (left() > 0) violation("A28: " + std::to_string(left()) + " records of old requests are not deleted");
}

// Whether the gate may lack what nobody owes it any more, until the next refresh. Among several instances
// something may always be unsaid, since one states no item that it never led through the gate.
bool World::lost_statements() const {
  if (options_.gated != std::vector{true}) return true;
  for (const Fault fault : {Fault::instance_crashed, Fault::gate_restarted, Fault::gate_failed_over,
                            Fault::gate_key_lost, Fault::gate_corrupted}) {
    if (faults_.fired()[static_cast<std::size_t>(fault)] > 0) return true;
  }
  return sightings_.counts()[static_cast<std::size_t>(RareState::store_broken)] > 0;
}

// The gate says what the judge has, and counts no token but those of the dead, and of who leads the item
// through the gate no more: what a failover brought back of these, only leases will end (A15). Of items that
// nobody leads through the gate any more buckets may be left.
void World::look_at_gate(std::string_view when) {
  const oracle::Ledger ledger = auditor_.ledger(*database_->look());
  for (const rules::ItemId item : fleet_.gated_items()) look_at_buckets(when, item, ledger);
}

void World::look_at_buckets(std::string_view when, rules::ItemId item, const oracle::Ledger& ledger) {
  std::map<rules::BucketNo, oracle::Bucket> rows;
  std::int64_t available = 0;
  for (const auto& [place, row] : ledger.buckets) {
    if (place.item != item.value) continue;
    rows.emplace(static_cast<rules::BucketNo>(place.bucket), row);
    available += row.available;
  }
  const auto complain = [&](rules::BucketNo bucket, const std::string& what) {
    violation("gate: " + std::string(when) + ", bucket " + std::to_string(item.value) + "/" +
              std::to_string(bucket) + " " + what);
  };
  for (const auto& [key, bucket] : redis_.buckets()) {
    if (key.item != item) continue;
    const auto row = rows.extract(key.bucket);
    if (!row) {
      complain(key.bucket, "is there, and the judge has no such bucket");
      continue;
    }
    const bool same = bucket->available.units == row.mapped().available && bucket->seq == row.mapped().seq;
    const bool no_tokens = std::ranges::all_of(bucket->holdings, [&](const auto& holding) {
      return holding.second.tokens == rules::no_units || !fleet_.leads(holding.first, item);
    });
    if (same && no_tokens && bucket->closed() == (available == 0)) continue;
    complain(key.bucket, "says " + to_text(bucket) + ", the judge has " +
                             std::to_string(row.mapped().available) + " at " +
                             std::to_string(row.mapped().seq));
  }
  for (const auto& [bucket, row] : rows) complain(bucket, "is missing");
}

void World::judge() {
  for (std::string& finding : auditor_.findings(*database_->look(), free_within_ms)) {
    violation(std::move(finding));
  }
  for (const std::string& what : redis_.watch().violations()) violation(what);
  for (const std::string& what : home_watch_.violations()) violation(what);
  for (const std::string& complaint : database_->complaints()) violation("contract: " + complaint);
}

}  // namespace

Report run_world(const RunOptions& options) { return World(options).run(); }

}  // namespace gavel::sim
