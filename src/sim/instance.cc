#include "sim/instance.h"

#include <optional>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "base/check.h"
#include "jobs/expiry.h"
#include "jobs/projection.h"
#include "jobs/refresh.h"
#include "jobs/retention.h"
#include "judge/judge.h"
#include "ops/metrics.h"
#include "pipeline/lane.h"
#include "pipeline/reads.h"
#include "pipeline/turnstile.h"
#include "sim/log_watch.h"
#include "sim/skewed_clock.h"

namespace gavel::sim {
namespace {

// One database that nobody restores.
constexpr gate::Incarnation this_database{1};

// As app/instance has them.
constexpr Micros overdue_every{100'000};
constexpr Micros expiry_while_work{2'000};
constexpr Micros expiry_else{100'000};
constexpr Micros refresh_while_work{100'000};
constexpr Micros follow_while_work{20'000};
constexpr Micros follow_else{200'000};
constexpr Micros forget_every{100'000};

// More than any user of a world has.
constexpr std::size_t orders_shown_max = 10'000;

// Between the moment when something may go on and that when a thread does.
constexpr std::uint64_t wake_up_micros_max = 30;

rules::Mode mode_of(const InstanceOptions& options) {
  return options.gated ? rules::Mode::gated : rules::Mode::direct;
}

// As they are when the process starts.
judge::Modes modes_of(Database& database) {
  auto modes = database.look()->modes();
  CHECK(modes.has_value());
  return *std::move(modes);
}

}  // namespace

// The members stand in dependency order: what is destroyed last is what callbacks and coroutines refer to.
class Instance::Wiring {
 public:
  Wiring(const SimContext& surroundings, const InstanceOptions& options, gate::InstanceId no,
         Duration clock_skew, std::function<void()> die);
  ~Wiring() { CHECK(dead()); }

  void ask(rules::Command command, Answer answer);
  void read_stock(const rules::SkuCode& sku, Shown shown);
  void read_orders(const rules::UserId& user, ShownOrders shown);
  void crash();
  void stir();
  bool dead() const {
    return !power.on() && lane_fiber_.done() && reads_fiber_.done() && jobs_fiber_.done() &&
           refresh_fiber_.done() && follow_fiber_.done() && forget_fiber_.done();
  }

  const gate::InstanceId number;
  const std::string name;
  ProcessState power;
  SkewedClock clock;
  bool broken = false;

 private:
  using Rows = std::optional<std::vector<judge::StockRow>>;
  boost::asio::awaitable<Result<Rows>> ask_stock(rules::SkuCode sku);
  boost::asio::awaitable<Result<jobs::UserOrders>> ask_orders(rules::UserId user);
  void turn();
  void tell_gate(const rules::State& state);
  void watch_overdue();
  // The life of a thread that works off a stage.
  template <class Step>
  void work(Fiber& fiber, bool& idle, Step step);
  void run_jobs(Fiber& fiber);
  void run_refresh(Fiber& fiber);
  void run_follow(Fiber& fiber);
  void run_forget(Fiber& fiber);
  Client client(Fiber*& fiber);
  Random draw_random() { return Random(s_.random.next()); }

  const SimContext s_;
  const InstanceOptions options_;
  const std::function<void()> die_;
  LogWatch log_watch_;
  std::unique_ptr<Log> log_;
  Sampler sampler_{1'000'000'000};
  boost::asio::io_context io_{1};
  bool stirred_ = false;

  // Of each thread: the fiber that runs it (by pointer, for the clients of the database), and whether it
  // waits for work.
  Fiber* on_lane_ = nullptr;
  Fiber* on_reads_ = nullptr;
  Fiber* on_jobs_ = nullptr;
  Fiber* on_refresh_ = nullptr;
  Fiber* on_follow_ = nullptr;
  Fiber* on_forget_ = nullptr;
  bool lane_idle_ = false;
  bool reads_idle_ = false;

  std::unique_ptr<judge::Store> store_;
  std::unique_ptr<judge::Reader> questions_;
  std::unique_ptr<judge::Reader> due_;
  std::unique_ptr<judge::Reader> compared_;
  std::unique_ptr<judge::Reader> ledger_;
  std::unique_ptr<judge::Reader> old_;
  std::unique_ptr<judge::OrderIndex> order_index_;
  std::unique_ptr<gate::Gate> gate_;
  judge::Judge judge_;
  pipeline::Lane lane_;
  pipeline::Reads reads_;
  pipeline::Turnstile turnstile_;
  pipeline::Pipeline pipeline_;
  jobs::Expiry expiry_;
  MetricsRegistry metrics_;  // Of the refresh; nobody reads them.
  jobs::Refresh refresh_;
  jobs::Projection projection_;
  jobs::Retention retention_;
  Fiber lane_fiber_;
  Fiber reads_fiber_;
  Fiber jobs_fiber_;
  Fiber refresh_fiber_;
  Fiber follow_fiber_;
  Fiber forget_fiber_;
  std::shared_ptr<const bool> alive_ = std::make_shared<bool>(true);  // For events that outlive the instance.

  friend class Instance;
};

Instance::Wiring::Wiring(const SimContext& surroundings, const InstanceOptions& options, gate::InstanceId no,
                         Duration clock_skew, std::function<void()> die)
    : number(no),
      name("i" + std::to_string(no.value)),
      clock(surroundings.scheduler, clock_skew),
      s_(surroundings),
      options_(options),
      die_(std::move(die)),
      log_watch_(name, s_.tale, s_.sightings),
      log_(log_watch_.open(clock)),
      store_(s_.database.open_store(client(on_lane_))),
      questions_(s_.database.open_reader(client(on_reads_))),
      due_(s_.database.open_reader(client(on_jobs_))),
      compared_(s_.database.open_reader(client(on_refresh_))),
      ledger_(s_.database.open_reader(client(on_follow_))),
      old_(s_.database.open_reader(client(on_forget_))),
      order_index_(s_.database.open_order_index(client(on_follow_))),
      gate_(open_redis_gate(RedisClient{s_.scheduler, s_.faults, s_.tale, s_.sightings, s_.random, s_.redis,
                                        power, name, options.gate_reply_within, options.gate_says_yes, die_,
                                        [this] { stir(); }})),
      judge_(
          *store_, *log_, draw_random(),
          [this](Duration pause) { on_lane_->rest(std::chrono::duration_cast<Micros>(pause)); },
          options.policy, options.judge, judge::Metrics(),
          [this](const rules::State& state) { tell_gate(state); }),
      lane_(judge_, options.lane, clock, *log_, [this](const std::string&) { broken = true; }),
      reads_(*questions_, options.reads, options.read_within, clock),
      turnstile_(io_.get_executor(), *gate_, reads_, clock, *log_,
                 pipeline::Turnstile::Post{this_database, number, mode_of(options), modes_of(s_.database),
                                           options.policy.requests_kept}),
      pipeline_(io_.get_executor(), lane_, clock, *log_, sampler_, options.pipeline, pipeline::Metrics(),
                &turnstile_),
      expiry_(*due_, lane_, clock, *log_),
      refresh_(
          *compared_, *gate_, this_database, [this] { return turnstile_.gated(); }, *log_, metrics_),
      projection_(*ledger_, *order_index_, clock, *log_, options.follow_flows_max),
      retention_(*old_, lane_, clock, *log_, options.policy, options.forget_rows_max),
      lane_fiber_(s_.scheduler, power,
                  [this](Fiber& fiber) {
                    on_lane_ = &fiber;
                    work(fiber, lane_idle_, [this] { return lane_.step(); });
                  }),
      reads_fiber_(s_.scheduler, power,
                   [this](Fiber& fiber) {
                     on_reads_ = &fiber;
                     work(fiber, reads_idle_, [this] { return reads_.step(); });
                   }),
      jobs_fiber_(s_.scheduler, power, [this](Fiber& fiber) { run_jobs(fiber); }),
      refresh_fiber_(s_.scheduler, power, [this](Fiber& fiber) { run_refresh(fiber); }),
      follow_fiber_(s_.scheduler, power, [this](Fiber& fiber) { run_follow(fiber); }),
      forget_fiber_(s_.scheduler, power, [this](Fiber& fiber) { run_forget(fiber); }) {
  watch_overdue();
}

Client Instance::Wiring::client(Fiber*& fiber) {
  return Client{s_.scheduler, s_.faults, s_.tale, s_.sightings,      s_.random,
                power,        fiber,     name,    options_.database, die_};
}

template <class Step>
void Instance::Wiring::work(Fiber& fiber, bool& idle, Step step) {
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

// The thread of the jobs, with the pauses of app/instance.
void Instance::Wiring::run_jobs(Fiber& fiber) {
  on_jobs_ = &fiber;
  while (power.on()) {
    const auto offered = expiry_.step(clock.now());
    if (!offered && power.on()) s_.sightings.saw(RareState::expiry_failed);
    stir();
    const bool more = offered && (*offered > 0 || expiry_.outstanding() > 0);
    fiber.rest(more ? expiry_while_work : expiry_else);
  }
}

void Instance::Wiring::run_refresh(Fiber& fiber) {
  on_refresh_ = &fiber;
  while (power.on()) {
    const auto step = refresh_.step();
    stir();
    fiber.rest(step && *step == jobs::Refresh::Step::more ? refresh_while_work : options_.refresh_every);
  }
}

// The thread of the index.
void Instance::Wiring::run_follow(Fiber& fiber) {
  on_follow_ = &fiber;
  bool first = true;
  while (power.on()) {
    const Result<bool> more = projection_.step();
    s_.sightings.saw_if(!more && power.on(), RareState::projection_failed);
    s_.sightings.saw_if(first && more && *more, RareState::projection_began_behind);
    first = first && !more;
    fiber.rest(more && *more ? follow_while_work : follow_else);
  }
}

// The thread of what is old.
void Instance::Wiring::run_forget(Fiber& fiber) {
  on_forget_ = &fiber;
  while (power.on()) {
    const auto looked_at = retention_.step(clock.now());
    s_.sightings.saw_if(!looked_at && power.on(), RareState::retention_failed);
    stir();
    fiber.rest(forget_every);
  }
}

void Instance::Wiring::ask(rules::Command command, Answer answer) {
  boost::asio::co_spawn(
      io_, pipeline_.submit(std::move(command)),
      [this, answer = std::move(answer)](const std::exception_ptr& thrown, rules::Verdict verdict) {
        CHECK(thrown == nullptr);
        if (power.on()) answer(std::move(verdict));
      });
  stir();
}

void Instance::Wiring::read_stock(const rules::SkuCode& sku, Shown shown) {
  boost::asio::co_spawn(
      io_, ask_stock(sku),
      [this, shown = std::move(shown)](const std::exception_ptr& thrown, const Result<Rows>& rows) {
        CHECK(thrown == nullptr);
        if (power.on() && rows && *rows) shown(**rows);
      });
  stir();
}

void Instance::Wiring::read_orders(const rules::UserId& user, ShownOrders shown) {
  boost::asio::co_spawn(io_, ask_orders(user),
                        [this, shown = std::move(shown)](const std::exception_ptr& thrown,
                                                         const Result<jobs::UserOrders>& orders) {
                          CHECK(thrown == nullptr);
                          if (power.on() && orders) shown(*orders);
                        });
  stir();
}

boost::asio::awaitable<Result<jobs::UserOrders>> Instance::Wiring::ask_orders(rules::UserId user) {
  const judge::OrdersQuery wanted{.user = std::move(user), .count = orders_shown_max};
  const Time now = clock.now();
  std::function<Result<jobs::UserOrders>(judge::Reader&)> question = [&](judge::Reader& reader) {
    return jobs::orders_of(*order_index_, reader, wanted, now);
  };
  const Result<jobs::UserOrders> orders = co_await reads_.ask<jobs::UserOrders>(question);
  co_return orders;
}

boost::asio::awaitable<Result<Instance::Wiring::Rows>> Instance::Wiring::ask_stock(rules::SkuCode sku) {
  std::function<Result<Rows>(judge::Reader&)> question = [&sku](judge::Reader& reader) {
    return reader.stock(sku);
  };
  const Result<Rows> rows = co_await reads_.ask<Rows>(question);
  co_return rows;
}

void Instance::Wiring::tell_gate(const rules::State& state) {
  if (!power.on()) return;
  std::optional<pipeline::Heard> heard = turnstile_.to_hear(state);
  if (!heard) return;
  boost::asio::post(io_, [this, heard = *std::move(heard)] { turnstile_.heard(heard); });
  stir();
}

void Instance::Wiring::watch_overdue() {
  pipeline_.step(clock.steady());
  stir();
  s_.scheduler.after(overdue_every, [this, alive = std::weak_ptr(alive_)] {
    if (!alive.expired() && power.on()) watch_overdue();
  });
}

// Has the thread of the io_context run soon.
void Instance::Wiring::stir() {
  if (!power.on() || std::exchange(stirred_, true)) return;
  const Micros soon(static_cast<std::int64_t>(s_.random.below(wake_up_micros_max)));
  const Micros at = std::max(s_.scheduler.now() + soon, power.paused_until());
  s_.scheduler.at(at, [this, alive = std::weak_ptr(alive_)] {
    if (!alive.expired()) turn();
  });
}

void Instance::Wiring::turn() {
  stirred_ = false;
  if (!power.on()) return;
  if (power.paused_until() > s_.scheduler.now()) return stir();
  io_.restart();
  io_.poll();
  if (lane_idle_ && lane_.waiting() > 0) lane_fiber_.wake();
  if (reads_idle_ && reads_.waiting() > 0) reads_fiber_.wake();
}

void Instance::Wiring::crash() {
  power.cut();
  for (Fiber* fiber :
       {&lane_fiber_, &reads_fiber_, &jobs_fiber_, &refresh_fiber_, &follow_fiber_, &forget_fiber_})
    fiber->wake();
}

Instance::Instance(const SimContext& surroundings, const InstanceOptions& options, gate::InstanceId number,
                   Duration clock_skew, std::function<void()> die)
    : wiring_(std::make_unique<Wiring>(surroundings, options, number, clock_skew, std::move(die))) {}
Instance::~Instance() = default;

void Instance::ask(rules::Command command, Answer answer) {
  wiring_->ask(std::move(command), std::move(answer));
}
void Instance::read_stock(const rules::SkuCode& sku, Shown shown) {
  wiring_->read_stock(sku, std::move(shown));
}
void Instance::read_orders(const rules::UserId& user, ShownOrders shown) {
  wiring_->read_orders(user, std::move(shown));
}
void Instance::crash() { wiring_->crash(); }
void Instance::pause(Micros until) { wiring_->power.pause_until(until); }
void Instance::jump_clock(Duration by) { wiring_->clock.jump(by); }
bool Instance::serving() const { return wiring_->power.on(); }
bool Instance::dead() const { return wiring_->dead(); }
bool Instance::broken() const { return wiring_->broken; }
bool Instance::in_transaction() const { return !wiring_->lane_idle_; }
std::size_t Instance::in_flight() const { return wiring_->pipeline_.in_flight(); }
std::vector<rules::ItemId> Instance::gated_items() const { return wiring_->turnstile_.gated(); }
judge::OrderIndex& Instance::order_index() const { return *wiring_->order_index_; }
bool Instance::follows() const { return wiring_->projection_.lag().batches == 0; }
Time Instance::now() const { return wiring_->clock.now(); }
const std::string& Instance::name() const { return wiring_->name; }
gate::InstanceId Instance::number() const { return wiring_->number; }

}  // namespace gavel::sim
