// One noun: the instance.
#include "app/instance.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "app/database.h"
#include "app/sleep.h"
#include "app/ticker.h"
#include "base/random.h"
#include "gate/gate.h"
#include "gate/open_gate.h"
#include "http/accounts.h"
#include "http/server.h"
#include "http/service.h"
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
#include "pipeline/gate_snapshot.h"
#include "pipeline/lane_threads.h"
#include "pipeline/lanes.h"
#include "pipeline/pipeline.h"
#include "pipeline/reads.h"
#include "queries/audit_queries.h"
#include "queries/read_queries.h"

namespace gavel::app {
namespace {

// Questions that wait for the reading thread, and how long they may: a shop that asks more has to ask again.
constexpr stage::Limits reads_limits{.queue_max = 1'000, .batch_max = 64};
constexpr Duration read_within{5'000};

// One audit after the other, each of which reads the whole database; whoever finds three waiting asks again.
constexpr stage::Limits audit_limits{.queue_max = 3, .batch_max = 1};

constexpr Duration overdue_every{100};  // How often the pipeline looks for answers that are overdue.
constexpr Duration storage_every{200};  // How often the files of the database are looked at.
constexpr Duration drained_every{10};   // How often a draining instance looks whether it is done.

// Within stop_within there must be time to work off the queues after the last connection.
constexpr Duration answer_open_within{8'000};

std::string url_of(const std::string& address, std::uint16_t port) {
  const bool is_six = address.contains(':');
  return "http://" + (is_six ? "[" + address + "]" : address) + ":" + std::to_string(port);
}

pipeline::PipelineLimits pipeline_limits(const Options& options) {
  return {.in_flight_max = options.in_flight_max,
          .judge_within = options.judge_within,
          .answer_within = options.answer_within,
          .call_commands_max = 2 * options.batch_commands_max};  // The judge has a full batch to go on with.
}

http::HttpLimits limits_with(std::size_t connections_max) {
  http::HttpLimits limits;
  limits.connections_max = connections_max;
  return limits;
}

rules::Policy policy_of(const Options& options) {
  rules::Policy policy;
  policy.hold_default = options.hold;
  policy.extend_default = options.extend;
  policy.requests_kept = options.requests_kept;
  policy.mode = options.mode;
  return policy;
}

std::vector<pipeline::LaneParts> parts_of(std::vector<std::unique_ptr<judge::Store>> stores) {
  std::vector<pipeline::LaneParts> parts;
  parts.reserve(stores.size());
  for (std::unique_ptr<judge::Store>& store : stores) {
    parts.push_back({std::move(store), Random::from_system(), sleep_for});
  }
  return parts;
}

std::unexpected<Error> not_listening(const Error& error, const std::string& settings) {
  return fail(error.code,
              error.message + "; --" + settings + ".address and --" + settings + ".port name another");
}

// Nobody knows for how long the machine was off, but for the wall clock.
void tell_time_after_boot(const judge::TimeAfterBoot& time, Log& log) {
  const bool believed = time.judge == time.wall;
  log.write(believed || time.wall <= time.judge ? Level::info : Level::warn, "time_after_boot",
            {{"kept", gavel::to_text(time.kept)},
             {"wall", gavel::to_text(time.wall)},
             {"judge", gavel::to_text(time.judge)}});
}

}  // namespace

// The members stand in dependency order; the order of their end is in finish() and ~Wiring().
class Instance::Wiring {
 public:
  // One for each thread that asks.
  struct Readers {
    std::unique_ptr<judge::Reader> gate, queries, audits, due, ledger, old, refresh, ended;
    std::unique_ptr<judge::Reader> look_up;  // Of several lanes.

    std::vector<std::unique_ptr<judge::Reader>*> all(std::size_t lanes) {
      std::vector<std::unique_ptr<judge::Reader>*> readers{&gate,   &queries, &audits,  &due,
                                                           &ledger, &old,     &refresh, &ended};
      if (lanes > 1) readers.push_back(&look_up);
      return readers;
    }
  };

  Wiring(const Options& options, http::Accounts& accounts, Database database, const judge::Identity& identity,
         Readers readers, std::unique_ptr<gate::Gate> gate, judge::Modes modes, const Clock& clock, Log& log);
  ~Wiring();

  Result<void> listen(const Options& options);
  Ended run();
  void stop();

  std::string shop_url;
  std::string operators_url;

 private:
  void watch_parts();
  void start_threads();
  pipeline::LanesOptions lanes_options(const Options& options);
  void tell_gate(const rules::State& state);
  void watch_overdue();
  void watch_lanes();
  Duration check_storage();
  void break_off(const std::string& why);
  void drain();
  void drain_on();
  void finish();
  void overrun();

  const Clock& clock_;
  Log& log_;
  Random random_ = Random::from_system();
  Sampler sampler_;
  MetricsRegistry metrics_;
  pipeline::HotSkus hot_skus_;
  pipeline::Lanes lanes_;  // With the stores, which are closed after all readers.
  std::unique_ptr<judge::Reader> gate_reader_;
  std::unique_ptr<judge::Reader> query_reader_;
  std::unique_ptr<judge::Reader> audit_reader_;
  std::unique_ptr<judge::Reader> due_;
  std::unique_ptr<judge::Reader> ledger_;
  std::unique_ptr<judge::Reader> old_;
  const std::function<Result<void>()> check_storage_;
  std::unique_ptr<judge::OrderIndex> order_index_;
  std::unique_ptr<judge::Reader> compared_;
  std::unique_ptr<judge::Reader> ended_activities_;
  http::Readiness readiness_;
  std::optional<boost::asio::io_context> io_{std::in_place, 1};  // One thread runs it.
  std::optional<boost::asio::steady_timer> overdue_timer_{*io_};
  std::optional<boost::asio::steady_timer> drain_timer_{*io_};
  pipeline::AsioExecutor executor_{io_->get_executor()};
  const std::unique_ptr<gate::Gate> gate_;
  pipeline::Reads<judge::Reader> gate_reads_;  // Whoever waits at the gate waits for nobody's list.
  queries::ReadQueries read_queries_;
  pipeline::Reads<queries::ReadQueries> queries_;
  queries::AuditQueries audit_queries_;
  pipeline::Reads<queries::AuditQueries> audits_;
  pipeline::GateClient gate_client_;
  pipeline::GateSnapshotReader gate_snapshots_;
  pipeline::Pipeline pipeline_;
  http::Service service_;
  std::optional<http::Server> shop_;
  std::optional<http::Server> operators_;
  jobs::Expiry expiry_;
  jobs::Projection projection_;
  jobs::Retention retention_;
  jobs::Refresh refresh_;
  jobs::Shortages shortages_;
  jobs::Closing closing_;
  jobs::ClockWatch clock_watch_;
  jobs::JobSchedule schedule_;

  // Of run's thread.
  bool draining_ = false;
  Duration drain_until_{0};
  Ended ended_;

  std::atomic<bool> lanes_drained_{false};
  std::atomic<bool> broken_{false};
  std::optional<pipeline::LaneThreads> lane_threads_;
  std::thread gate_reads_thread_;
  std::thread queries_thread_;
  std::thread audits_thread_;
  std::optional<Ticker> expiry_thread_;
  std::optional<Ticker> follow_thread_;
  std::optional<Ticker> forget_thread_;
  std::optional<Ticker> refresh_thread_;
  std::optional<Ticker> closing_thread_;
  std::optional<Ticker> storage_thread_;
  std::optional<Ticker> stop_bound_;  // While draining.
};

Instance::Wiring::Wiring(const Options& options, http::Accounts& accounts, Database database,
                         const judge::Identity& identity, Readers readers, std::unique_ptr<gate::Gate> gate,
                         judge::Modes modes, const Clock& clock, Log& log)
    : clock_(clock),
      log_(log),
      sampler_(options.log_one_in),
      hot_skus_(clock),
      lanes_(parts_of(std::move(database.stores)), lanes_options(options), std::move(readers.look_up), clock,
             log, [this](const std::string& why) { break_off(why); }),
      gate_reader_(std::move(readers.gate)),
      query_reader_(std::move(readers.queries)),
      audit_reader_(std::move(readers.audits)),
      due_(std::move(readers.due)),
      ledger_(std::move(readers.ledger)),
      old_(std::move(readers.old)),
      check_storage_(std::move(database.check_storage)),
      order_index_(std::move(database.order_index)),
      compared_(std::move(readers.refresh)),
      ended_activities_(std::move(readers.ended)),
      gate_(std::move(gate)),
      gate_reads_(*gate_reader_, reads_limits, options.judge_within, clock),
      read_queries_(*query_reader_, *order_index_),
      queries_(read_queries_, reads_limits, read_within, clock),
      audit_queries_(*audit_reader_),
      audits_(audit_queries_, audit_limits, read_within, clock),
      gate_client_(executor_, *gate_, gate_reads_, clock, log,
                   pipeline::GateClient::Options{identity.incarnation, identity.instance, options.mode,
                                                 std::move(modes), policy_of(options).requests_kept},
                   pipeline::GateMetrics(metrics_)),
      gate_snapshots_(executor_, *gate_, identity.incarnation, gate_reads_, gate_client_.modes()),
      pipeline_(io_->get_executor(), lanes_, clock, log, sampler_, pipeline_limits(options),
                pipeline::Metrics(metrics_, clock, &hot_skus_), &gate_client_),
      service_(pipeline_, queries_, audits_, gate_snapshots_, clock, random_, log, readiness_, accounts,
               options.requests_kept, metrics_),
      shop_(std::in_place, *io_, service_, http::Audience::shop, limits_with(options.connections_max), log),
      operators_(std::in_place, *io_, service_, http::Audience::operators,
                 limits_with(operators_connections_max), log),
      expiry_(*due_, lanes_, clock, log, jobs::expiry_delays(metrics_)),
      projection_(*ledger_, *order_index_, clock, log),
      retention_(*old_, lanes_, clock, log, policy_of(options)),
      refresh_(
          *compared_, *gate_, identity.incarnation, [this] { return gate_client_.gated_items(); }, log,
          metrics_),
      shortages_(*compared_),
      closing_(*ended_activities_, lanes_, clock, log),
      clock_watch_(*ended_activities_, clock, log),
      schedule_(
          {expiry_, projection_, retention_, shortages_, refresh_, closing_, clock_watch_},
          options.refresh_every, [this] { return lanes_.decided(); }, clock, log,
          [this](const std::string& why) { break_off(why); }) {
  watch_parts();
  start_threads();
}

void Instance::Wiring::start_threads() {
  lane_threads_.emplace(lanes_);
  gate_reads_thread_ = std::thread([this] { gate_reads_.run(); });
  queries_thread_ = std::thread([this] { queries_.run(); });
  audits_thread_ = std::thread([this] { audits_.run(); });
  expiry_thread_.emplace([this] { return schedule_.expiry.run().pause; });
  follow_thread_.emplace([this] { return schedule_.projection.run().pause; });
  forget_thread_.emplace([this] { return schedule_.retention.run().pause; });
  refresh_thread_.emplace([this] { return schedule_.refresh.run().pause; });
  closing_thread_.emplace([this] { return schedule_.closing.run().pause; });
  storage_thread_.emplace([this] { return check_storage(); });
}

pipeline::LanesOptions Instance::Wiring::lanes_options(const Options& options) {
  return {.limits = {.queue_max = options.queue_commands_max,
                     .batch_max = options.batch_commands_max,
                     .party_max = pipeline::share_of_party(options.queue_commands_max)},
          .policy = policy_of(options),
          .judge_limits = {.batch_rows_max = options.batch_rows_max},
          .metrics = pipeline::Metrics(metrics_, clock_, &hot_skus_),
          .judge_metrics = judge::Metrics(metrics_, clock_),
          .observer = [this](const rules::State& state) { tell_gate(state); }};
}

void Instance::Wiring::watch_parts() {
  pipeline::watch(metrics_, lanes_);
  pipeline::watch(metrics_, pipeline_);
  pipeline::watch(metrics_, hot_skus_);
  jobs::watch(metrics_, expiry_);
  jobs::watch(metrics_, projection_);
  jobs::watch(metrics_, retention_);
  jobs::watch(metrics_, shortages_);
  jobs::watch(metrics_, clock_watch_);
  http::watch(metrics_, *shop_, "shop");
  http::watch(metrics_, *operators_, "operators");
  metrics_.watch_counter("gavel_base_log_lines_lost_total", "Lines that the log could not write.",
                         [this] { return log_.lines_lost(); });
}

Result<void> Instance::Wiring::listen(const Options& options) {
  const auto shop = shop_->listen(options.shop.address, options.shop.port);
  if (!shop) return not_listening(shop.error(), "http");
  const auto operators = operators_->listen(options.operators.address, options.operators.port);
  if (!operators) return not_listening(operators.error(), "admin");
  shop_url = url_of(options.shop.address, *shop);
  operators_url = url_of(options.operators.address, *operators);
  readiness_.ready = true;
  readiness_.why.clear();
  return {};
}

Instance::Ended Instance::Wiring::run() {
  watch_overdue();
  io_->run();
  finish();
  return ended_;
}

void Instance::Wiring::stop() {
  boost::asio::post(*io_, [this] { drain(); });
}

// On a lane's thread. What a batch left behind goes to the gate whoever caused it, an expiry as well as a
// sale.
void Instance::Wiring::tell_gate(const rules::State& state) {
  std::optional<pipeline::CommittedItems> committed = gate_client_.committed_items(state);
  if (!committed) return;
  executor_.post([this, committed = *std::move(committed)] { gate_client_.apply(committed); });
}

void Instance::Wiring::watch_overdue() {
  pipeline_.step(clock_.steady());
  watch_lanes();
  overdue_timer_->expires_after(overdue_every);
  overdue_timer_->async_wait([this](const boost::system::error_code& cancelled) {
    if (!cancelled) watch_overdue();
  });
}

// Ready is who can decide.
void Instance::Wiring::watch_lanes() {
  if (draining_) return;
  readiness_.warnings.clear();
  if (auto warning = clock_watch_.warning()) readiness_.warnings.push_back(*std::move(warning));
  const std::optional<std::string> why = lanes_.why_stuck();
  if (readiness_.ready == !why) return;
  readiness_.ready = !why;
  readiness_.why = why ? "nothing can be decided: " + *why : "";
}

// On a thread of its own, for a look at storage that has gone can take long.
Duration Instance::Wiring::check_storage() {
  if (const auto sound = check_storage_(); !sound) break_off(sound.error().message);
  return storage_every;
}

// On any thread: the store cannot be trusted any longer, so nothing more is acknowledged.
void Instance::Wiring::break_off(const std::string& why) {
  broken_ = true;
  lanes_.stop_acknowledging();
  boost::asio::post(*io_, [this, why] {
    if (ended_.broken.empty()) {
      ended_.broken = why;
      readiness_.ready = false;
      readiness_.why = "the store is broken: " + why;
      log_.write(Level::error, "store_broken", {{"why", why}});
    }
    drain();
  });
}

void Instance::Wiring::drain() {
  if (std::exchange(draining_, true)) return;
  log_.write(Level::info, "draining");
  if (readiness_.ready) readiness_ = http::Readiness{false, "stopping", {}};
  shop_->stop();
  operators_->stop();
  drain_until_ = clock_.steady() + answer_open_within;
  stop_bound_.emplace([this, until = clock_.steady() + stop_within] {
    const Duration left = until - clock_.steady();
    if (left <= Duration(0)) overrun();
    return left;
  });
  drain_on();
}

void Instance::Wiring::drain_on() {
  ended_.all_answered = shop_->connections() + operators_->connections() == 0;
  if (ended_.all_answered || clock_.steady() >= drain_until_) return io_->stop();
  drain_timer_->expires_after(drained_every);
  drain_timer_->async_wait([this](const boost::system::error_code& cancelled) {
    if (!cancelled) drain_on();
  });
}

// Ends the threads from the outside in: who asks before who answers. Idempotent.
void Instance::Wiring::finish() {
  if (storage_thread_) storage_thread_->stop();
  if (expiry_thread_) expiry_thread_->stop();
  if (follow_thread_) follow_thread_->stop();
  if (forget_thread_) forget_thread_->stop();
  if (refresh_thread_) refresh_thread_->stop();
  if (closing_thread_) closing_thread_->stop();
  if (lane_threads_) lane_threads_->drain();
  lanes_drained_ = true;
  audit_queries_.stop();
  gate_reads_.close();
  queries_.close();
  audits_.close();
  for (std::thread* thread : {&gate_reads_thread_, &queries_thread_, &audits_thread_}) {
    if (thread->joinable()) thread->join();
  }
  // What the last batches and questions answered was posted here: each coroutine that waited goes on to its
  // end, or to a connection that does not take its answer.
  io_->restart();
  io_->poll();
  gate_->close();
  stop_bound_.reset();
}

// On the thread of the bound, while another hangs.
void Instance::Wiring::overrun() {
  const std::string_view hangs = lanes_drained_ ? "a question to the database" : "the judge's database";
  log_.write(Level::error, "stop_overrun", {{"hangs", hangs}});
  std::fprintf(stderr,
               "gavel: shutdown timed out after %lld s waiting for %.*s; exiting. What was answered is "
               "stored; send the "
               "other requests again with the same keys.\n",
               static_cast<long long>(stop_within.count() / 1000), static_cast<int>(hangs.size()),
               hangs.data());
  std::_Exit(lanes_drained_ && !broken_ ? 0 : 3);
}

// Coroutines that still wait for a connection end with the io_context, so it goes while all that they refer
// to is there, and after every socket and timer that is registered with it.
Instance::Wiring::~Wiring() {
  finish();
  overdue_timer_.reset();
  drain_timer_.reset();
  shop_.reset();
  operators_.reset();
  io_.reset();
}

Result<std::unique_ptr<Instance>> Instance::start(const Options& options, http::Accounts& accounts,
                                                  const Clock& clock, Log& log) {
  auto database = open_database(options, clock);
  if (!database) return std::unexpected(database.error());
  Wiring::Readers readers;
  for (std::unique_ptr<judge::Reader>* reader : readers.all(options.lanes)) {
    auto opened = database->open_reader();
    if (!opened) return std::unexpected(opened.error());
    *reader = *std::move(opened);
  }
  if (database->after_boot) tell_time_after_boot(*database->after_boot, log);
  auto modes = readers.gate->modes();
  if (!modes) return std::unexpected(modes.error());
  auto gate = gate::open_gate(options.gate);
  if (!gate) return std::unexpected(gate.error());
  const auto identity = database->stores.front()->open_instance();
  if (!identity) return std::unexpected(identity.error());
  auto wiring = std::make_unique<Wiring>(options, accounts, *std::move(database), *identity,
                                         std::move(readers), *std::move(gate), *std::move(modes), clock, log);
  if (auto listening = wiring->listen(options); !listening) return std::unexpected(listening.error());
  return std::unique_ptr<Instance>(new Instance(std::move(wiring)));
}

Instance::Instance(std::unique_ptr<Wiring> wiring) : wiring_(std::move(wiring)) {}
Instance::~Instance() = default;

const std::string& Instance::shop() const { return wiring_->shop_url; }
const std::string& Instance::operators() const { return wiring_->operators_url; }
Instance::Ended Instance::run() { return wiring_->run(); }
void Instance::stop() { wiring_->stop(); }

}  // namespace gavel::app
