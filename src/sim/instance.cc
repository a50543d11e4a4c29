// One noun: the simulated instance.
#include "sim/instance.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "base/check.h"
#include "jobs/clock_watch.h"
#include "jobs/closing.h"
#include "jobs/expiry.h"
#include "jobs/projection.h"
#include "jobs/refresh.h"
#include "jobs/retention.h"
#include "jobs/schedule.h"
#include "jobs/shortages.h"
#include "ops/metrics.h"
#include "pipeline/asio_executor.h"
#include "pipeline/gate_client.h"
#include "pipeline/lanes.h"
#include "pipeline/reads.h"
#include "sim/log_watch.h"
#include "sim/skewed_clock.h"

namespace gavel::sim {
namespace {

constexpr Micros overdue_every{100'000};  // As in app/instance.

// More than any user of a world has.
constexpr std::size_t orders_shown_max = 10'000;

// Between the moment when something may go on and that when a thread does.
constexpr std::uint64_t wake_up_micros_max = 30;

rules::Mode mode_of(const InstanceOptions& options) {
  return options.gated ? rules::Mode::gated : rules::Mode::direct;
}

// As they are when the process starts.
judge::Modes modes_of(SimDatabase& database) {
  auto modes = database.look()->modes();
  CHECK(modes.has_value());
  return *std::move(modes);
}

}  // namespace

// The members stand in dependency order: what is destroyed last is what callbacks and coroutines refer to.
class SimInstance::Wiring {
 public:
  Wiring(const SimContext& surroundings, const InstanceOptions& options, const judge::Identity& identity,
         Duration clock_skew, std::function<void()> die);
  ~Wiring() { CHECK(dead()); }

  void ask(rules::Command command, Answer answer);
  void read_stock(const rules::SkuCode& sku, Shown shown);
  void read_orders(const rules::UserId& user, ShownOrders shown);
  void crash();
  void stir();
  bool dead() const {
    return !power.on() && std::ranges::all_of(fibers_, [](const auto& fiber) { return fiber->done(); });
  }

  const rules::InstanceId number;
  const std::string name;
  ProcessState power;
  SkewedClock clock;
  bool broken = false;

 private:
  using Rows = std::optional<std::vector<judge::StockRow>>;
  using Work = jobs::ScheduledJob::Work;
  boost::asio::awaitable<Result<Rows>> ask_stock(rules::SkuCode sku);
  boost::asio::awaitable<Result<queries::UserOrders>> ask_orders(rules::UserId user);
  void turn();
  void tell_gate(const rules::State& state);
  void watch_order(const rules::State& state);
  void watch_overdue();
  // The life of a thread that works off a stage.
  template <class Step>
  void work(Fiber& fiber, bool& idle, Step step);
  void start_threads();
  // Starts a fiber in place of a thread; `thread` names it once it runs.
  template <class Body>
  void start(Fiber*& thread, Body body);
  // The same for a job; `watch` is told what each step left.
  template <class Watch>
  void start_job(Fiber*& thread, jobs::ScheduledJob& job, Watch watch);
  void watch_projection(Work work);
  std::vector<pipeline::LaneParts> lane_parts();
  pipeline::LanesOptions lanes_options();
  Client client(Fiber*& fiber);
  Random draw_random() { return Random(s_.random.next()); }

  const SimContext s_;
  const InstanceOptions options_;
  const std::function<void()> die_;
  LogWatch log_watch_;
  std::unique_ptr<Log> log_;
  Sampler sampler_{1'000'000'000};
  boost::asio::io_context io_{1};
  pipeline::AsioExecutor executor_{io_.get_executor()};
  bool stirred_ = false;
  std::map<std::pair<rules::ItemId, rules::BucketNo>, std::int64_t>
      told_;  // The gate, of each bucket: its seq.

  // Of each thread: the fiber that runs it (by pointer, for the clients of the database), and whether it
  // waits for work.
  struct LaneThread {
    Fiber* fiber = nullptr;
    bool idle = false;
  };
  std::vector<LaneThread> on_lanes_;
  Fiber* on_look_up_ = nullptr;
  Fiber* on_gate_reads_ = nullptr;
  Fiber* on_reads_ = nullptr;
  Fiber* on_jobs_ = nullptr;
  Fiber* on_refresh_ = nullptr;
  Fiber* on_follow_ = nullptr;
  Fiber* on_forget_ = nullptr;
  Fiber* on_closing_ = nullptr;
  bool look_up_idle_ = false;
  bool gate_reads_idle_ = false;
  bool reads_idle_ = false;

  pipeline::Lanes lanes_;
  std::unique_ptr<judge::Reader> sold_out_;
  std::unique_ptr<judge::Reader> questions_;
  std::unique_ptr<judge::Reader> due_;
  std::unique_ptr<judge::Reader> compared_;
  std::unique_ptr<judge::Reader> ledger_;
  std::unique_ptr<judge::Reader> old_;
  std::unique_ptr<judge::Reader> ended_;
  std::unique_ptr<judge::OrderIndex> order_index_;
  std::unique_ptr<gate::Gate> gate_;
  pipeline::Reads<judge::Reader> gate_reads_;
  pipeline::Reads<judge::Reader> reads_;
  pipeline::GateClient gate_client_;
  pipeline::Pipeline pipeline_;
  jobs::Expiry expiry_;
  MetricsRegistry metrics_;  // Of the refresh; nobody reads them.
  jobs::Refresh refresh_;
  jobs::Projection projection_;
  jobs::Retention retention_;
  jobs::Shortages shortages_;
  jobs::Closing closing_;
  jobs::ClockWatch clock_watch_;
  jobs::JobSchedule schedule_;
  bool followed_ = false;  // The projection has taken a step that succeeded.
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::shared_ptr<const bool> alive_ = std::make_shared<bool>(true);  // For events that outlive the instance.

  friend class SimInstance;
};

SimInstance::Wiring::Wiring(const SimContext& surroundings, const InstanceOptions& options,
                            const judge::Identity& identity, Duration clock_skew, std::function<void()> die)
    : number(identity.instance),
      name("i" + std::to_string(identity.instance.value)),
      clock(surroundings.scheduler, clock_skew),
      s_(surroundings),
      options_(options),
      die_(std::move(die)),
      log_watch_(name, s_.tale, s_.sightings),
      log_(log_watch_.open(clock)),
      on_lanes_(options.lanes),
      lanes_(lane_parts(), lanes_options(),
             options.lanes > 1 ? s_.database.open_reader(client(on_look_up_)) : nullptr, clock, *log_,
             [this](const std::string&) { broken = true; }),
      sold_out_(s_.database.open_reader(client(on_gate_reads_))),
      questions_(s_.database.open_reader(client(on_reads_))),
      due_(s_.database.open_reader(client(on_jobs_))),
      compared_(s_.database.open_reader(client(on_refresh_))),
      ledger_(s_.database.open_reader(client(on_follow_))),
      old_(s_.database.open_reader(client(on_forget_))),
      ended_(s_.database.open_reader(client(on_closing_))),
      order_index_(s_.database.open_order_index(client(on_follow_))),
      gate_(open_redis_gate(RedisClient{s_.scheduler, s_.faults, s_.tale, s_.sightings, s_.random, s_.redis,
                                        power, name, options.gate_reply_within, options.gate_says_yes, die_,
                                        [this] { stir(); }})),
      gate_reads_(*sold_out_, options.reads, options.read_within, clock),
      reads_(*questions_, options.reads, options.read_within, clock),
      gate_client_(executor_, *gate_, gate_reads_, clock, *log_,
                   pipeline::GateClient::Options{identity.incarnation, number, mode_of(options),
                                                 modes_of(s_.database), options.policy.requests_kept}),
      pipeline_(io_.get_executor(), lanes_, clock, *log_, sampler_, options.pipeline, pipeline::Metrics(),
                &gate_client_),
      expiry_(*due_, lanes_, clock, *log_),
      refresh_(
          *compared_, *gate_, identity.incarnation, [this] { return gate_client_.gated_items(); }, *log_,
          metrics_),
      projection_(*ledger_, *order_index_, clock, *log_, options.follow_flows_max),
      retention_(*old_, lanes_, clock, *log_, options.policy, options.forget_rows_max),
      shortages_(*compared_),
      closing_(*ended_, lanes_, clock, *log_),
      clock_watch_(*ended_, clock, *log_),
      schedule_(
          {expiry_, projection_, retention_, shortages_, refresh_, closing_, clock_watch_},
          std::chrono::floor<Duration>(options.refresh_every), [this] { return lanes_.decided(); }, clock,
          *log_,
          [this](const std::string&) {
            broken = true;
            lanes_.stop_acknowledging();
          }) {
  start_threads();
  watch_overdue();
}

std::vector<pipeline::LaneParts> SimInstance::Wiring::lane_parts() {
  std::vector<pipeline::LaneParts> parts;
  for (LaneThread& thread : on_lanes_) {
    parts.push_back({s_.database.open_store(client(thread.fiber)), draw_random(), [&thread](Duration pause) {
                       thread.fiber->rest(std::chrono::duration_cast<Micros>(pause));
                     }});
  }
  return parts;
}

pipeline::LanesOptions SimInstance::Wiring::lanes_options() {
  return {.limits = options_.lane,
          .policy = options_.policy,
          .judge_limits = options_.judge,
          .remembered_max = options_.orders_remembered_max,
          .observer = [this](const rules::State& state) { tell_gate(state); }};
}

void SimInstance::Wiring::start_threads() {
  for (std::size_t place = 0; place < lanes_.size(); ++place) {
    start(on_lanes_[place].fiber, [this, place](Fiber& fiber) {
      work(fiber, on_lanes_[place].idle, [this, place] { return lanes_.at(place).step(); });
    });
  }
  if (lanes_.has_look_up()) {
    start(on_look_up_, [this](Fiber& fiber) {
      work(fiber, look_up_idle_, [this] {
        const std::size_t looked_up = lanes_.step_look_up();
        s_.sightings.saw_if(looked_up > 0, RareState::order_looked_up);
        return looked_up;
      });
    });
  }
  start(on_gate_reads_,
        [this](Fiber& fiber) { work(fiber, gate_reads_idle_, [this] { return gate_reads_.step(); }); });
  start(on_reads_, [this](Fiber& fiber) { work(fiber, reads_idle_, [this] { return reads_.step(); }); });
  start_job(on_jobs_, schedule_.expiry,
            [this](Work work) { s_.sightings.saw_if(work == Work::failed, RareState::expiry_failed); });
  start_job(on_refresh_, schedule_.refresh, [](Work) {});
  start_job(on_closing_, schedule_.closing, [](Work) {});
  start_job(on_follow_, schedule_.projection, [this](Work work) { watch_projection(work); });
  start_job(on_forget_, schedule_.retention,
            [this](Work work) { s_.sightings.saw_if(work == Work::failed, RareState::retention_failed); });
}

template <class Body>
void SimInstance::Wiring::start(Fiber*& thread, Body body) {
  fibers_.push_back(std::make_unique<Fiber>(s_.scheduler, power, [&thread, body](Fiber& fiber) {
    thread = &fiber;
    body(fiber);
  }));
}

template <class Watch>
void SimInstance::Wiring::start_job(Fiber*& thread, jobs::ScheduledJob& job, Watch watch) {
  start(thread, [this, &job, watch](Fiber& fiber) {
    while (power.on()) {
      const jobs::ScheduledJob::Turn turn = job.run();
      if (power.on()) watch(turn.work);
      stir();
      fiber.rest(std::chrono::duration_cast<Micros>(turn.pause));
    }
  });
}

Client SimInstance::Wiring::client(Fiber*& fiber) {
  return Client{s_.scheduler, s_.faults, s_.tale, s_.sightings,      s_.random,
                power,        fiber,     name,    options_.database, die_};
}

template <class Step>
void SimInstance::Wiring::work(Fiber& fiber, bool& idle, Step step) {
  while (power.on()) {
    if (step() > 0) {
      stir();
      continue;
    }
    idle = true;
    fiber.park();
    idle = false;
  }
}

void SimInstance::Wiring::watch_projection(Work work) {
  s_.sightings.saw_if(work == Work::failed, RareState::projection_failed);
  s_.sightings.saw_if(!followed_ && work == Work::left, RareState::projection_began_behind);
  followed_ = followed_ || work != Work::failed;
}

void SimInstance::Wiring::ask(rules::Command command, Answer answer) {
  boost::asio::co_spawn(
      io_, pipeline_.submit(std::move(command)),
      [this, answer = std::move(answer)](const std::exception_ptr& thrown, rules::Verdict verdict) {
        CHECK(thrown == nullptr);
        if (power.on()) answer(std::move(verdict));
      });
  stir();
}

void SimInstance::Wiring::read_stock(const rules::SkuCode& sku, Shown shown) {
  boost::asio::co_spawn(
      io_, ask_stock(sku),
      [this, shown = std::move(shown)](const std::exception_ptr& thrown, const Result<Rows>& rows) {
        CHECK(thrown == nullptr);
        if (power.on() && rows && *rows) shown(**rows);
      });
  stir();
}

void SimInstance::Wiring::read_orders(const rules::UserId& user, ShownOrders shown) {
  boost::asio::co_spawn(io_, ask_orders(user),
                        [this, shown = std::move(shown)](const std::exception_ptr& thrown,
                                                         const Result<queries::UserOrders>& orders) {
                          CHECK(thrown == nullptr);
                          if (power.on() && orders) shown(*orders);
                        });
  stir();
}

boost::asio::awaitable<Result<queries::UserOrders>> SimInstance::Wiring::ask_orders(rules::UserId user) {
  const judge::OrdersQuery wanted{.user = std::move(user), .count = orders_shown_max};
  std::function<Result<queries::UserOrders>(judge::Reader&)> question = [&](judge::Reader& reader) {
    return queries::orders_of(*order_index_, reader, reader, wanted);
  };
  const Result<queries::UserOrders> orders = co_await reads_.ask<queries::UserOrders>(question);
  co_return orders;
}

boost::asio::awaitable<Result<SimInstance::Wiring::Rows>> SimInstance::Wiring::ask_stock(rules::SkuCode sku) {
  std::function<Result<Rows>(judge::Reader&)> question = [&sku](judge::Reader& reader) {
    return reader.stock(sku);
  };
  const Result<Rows> rows = co_await reads_.ask<Rows>(question);
  co_return rows;
}

void SimInstance::Wiring::tell_gate(const rules::State& state) {
  if (!power.on()) return;
  watch_order(state);
  std::optional<pipeline::CommittedItems> committed = gate_client_.committed_items(state);
  if (!committed) return;
  boost::asio::post(io_, [this, committed = *std::move(committed)] { gate_client_.apply(committed); });
  stir();
}

// Another lane of this instance committed after this one, and was quicker to tell of it.
void SimInstance::Wiring::watch_order(const rules::State& state) {
  for (const auto& [id, item] : state.items) {
    for (std::size_t no = 0; no < item.buckets.size(); ++no) {
      std::int64_t& latest = told_[{id, static_cast<rules::BucketNo>(no)}];
      s_.sightings.saw_if(item.buckets[no].seq < latest, RareState::gate_told_out_of_order);
      latest = std::max(latest, item.buckets[no].seq);
    }
  }
}

void SimInstance::Wiring::watch_overdue() {
  pipeline_.step(clock.steady());
  stir();
  s_.scheduler.after(overdue_every, [this, alive = std::weak_ptr(alive_)] {
    if (!alive.expired() && power.on()) watch_overdue();
  });
}

// Has the thread of the io_context run soon.
void SimInstance::Wiring::stir() {
  if (!power.on() || std::exchange(stirred_, true)) return;
  const Micros soon(static_cast<std::int64_t>(s_.random.below(wake_up_micros_max)));
  const Micros at = std::max(s_.scheduler.now() + soon, power.paused_until());
  s_.scheduler.at(at, [this, alive = std::weak_ptr(alive_)] {
    if (!alive.expired()) turn();
  });
}

void SimInstance::Wiring::turn() {
  stirred_ = false;
  if (!power.on()) return;
  if (power.paused_until() > s_.scheduler.now()) return stir();
  io_.restart();
  io_.poll();
  for (std::size_t place = 0; place < lanes_.size(); ++place) {
    if (on_lanes_[place].idle && lanes_.at(place).waiting() > 0) on_lanes_[place].fiber->wake();
  }
  if (look_up_idle_ && lanes_.waiting_look_ups() > 0) on_look_up_->wake();
  if (gate_reads_idle_ && gate_reads_.waiting() > 0) on_gate_reads_->wake();
  if (reads_idle_ && reads_.waiting() > 0) on_reads_->wake();
}

void SimInstance::Wiring::crash() {
  power.cut();
  for (const auto& fiber : fibers_) fiber->wake();
}

SimInstance::SimInstance(const SimContext& surroundings, const InstanceOptions& options,
                         const judge::Identity& identity, Duration clock_skew, std::function<void()> die)
    : wiring_(std::make_unique<Wiring>(surroundings, options, identity, clock_skew, std::move(die))) {}
SimInstance::~SimInstance() = default;

void SimInstance::ask(rules::Command command, Answer answer) {
  wiring_->ask(std::move(command), std::move(answer));
}
void SimInstance::read_stock(const rules::SkuCode& sku, Shown shown) {
  wiring_->read_stock(sku, std::move(shown));
}
void SimInstance::read_orders(const rules::UserId& user, ShownOrders shown) {
  wiring_->read_orders(user, std::move(shown));
}
void SimInstance::crash() { wiring_->crash(); }
void SimInstance::pause(Micros until) { wiring_->power.pause_until(until); }
void SimInstance::jump_clock(Duration by) { wiring_->clock.jump(by); }
bool SimInstance::serving() const { return wiring_->power.on(); }
bool SimInstance::dead() const { return wiring_->dead(); }
bool SimInstance::broken() const { return wiring_->broken; }
bool SimInstance::in_transaction() const {
  return std::ranges::any_of(wiring_->on_lanes_, [](const auto& thread) { return !thread.idle; });
}
std::size_t SimInstance::in_flight() const { return wiring_->pipeline_.in_flight(); }
std::vector<rules::ItemId> SimInstance::gated_items() const { return wiring_->gate_client_.gated_items(); }
judge::OrderIndex& SimInstance::order_index() const { return *wiring_->order_index_; }
bool SimInstance::follows() const { return wiring_->projection_.lag().batches == 0; }
Time SimInstance::now() const { return wiring_->clock.now(); }
const std::string& SimInstance::name() const { return wiring_->name; }
rules::InstanceId SimInstance::number() const { return wiring_->number; }

}  // namespace gavel::sim
