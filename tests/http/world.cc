#include "world.h"

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "base/check.h"
#include "base/random.h"
#include "gate/memory_gate.h"
#include "http/server.h"
#include "http/service.h"
#include "judge/audit/audit.h"
#include "judge/judge.h"
#include "judge/memory/database.h"
#include "judge/memory/store.h"
#include "judge/order_index.h"
#include "ops/log.h"
#include "pipeline/asio_executor.h"
#include "pipeline/gate_client.h"
#include "pipeline/gate_snapshot.h"
#include "pipeline/lanes.h"
#include "pipeline/pipeline.h"
#include "pipeline/reads.h"
#include "queries/audit_queries.h"
#include "queries/read_queries.h"

namespace gavel::http {
namespace {

HttpLimits http_limits(const WorldLimits& limits) {
  HttpLimits result;
  result.connections_max = limits.connections_max;
  result.large_bodies_bytes_max = limits.large_bodies_bytes_max;
  result.header_within = limits.header_within;
  result.body_within = limits.body_within;
  result.idle_within = limits.idle_within;
  result.write_within = Duration(2'000);
  result.sweep_every = Duration(10);
  return result;
}

}  // namespace

struct World::Parts {
  explicit Parts(const WorldLimits& limits)
      : pipeline(io.get_executor(), lanes, clock, *log, sampler,
                 pipeline::PipelineLimits{limits.in_flight_max, Duration(5'000), Duration(10'000)},
                 pipeline::Metrics(metrics, clock), &gate_client),
        shop(io, service, Audience::shop, http_limits(limits), *log),
        operators(io, service, Audience::operators, http_limits(limits), *log),
        ends_at_once(limits.ends_at_once) {
    pipeline::watch(metrics, lanes);
    pipeline::watch(metrics, pipeline);
    watch(metrics, shop, "shop");
    watch(metrics, operators, "operators");
  }

  // Runs `work` on the thread of the io_context, and waits for what it returns.
  template <class Work>
  auto on_io(Work work) {
    std::packaged_task<decltype(work())()> task(std::move(work));
    auto result = task.get_future();
    boost::asio::post(io, [&task] { task(); });
    return result.get();
  }

  VirtualClock clock{*parse_time("2026-11-29T20:00:00Z")};
  std::unique_ptr<Log> log = Log::silent();
  Sampler sampler{1};
  MetricsRegistry metrics;
  Random random{1};
  Readiness readiness{true, ""};
  std::shared_ptr<judge::MemoryDatabase> database = judge::make_memory_database();
  std::unique_ptr<judge::Store> store = judge::open_memory_store(database, clock);
  std::unique_ptr<judge::Reader> reader = judge::open_memory_reader(database, clock);
  std::unique_ptr<judge::Reader> gate_reader = judge::open_memory_reader(database, clock);
  std::unique_ptr<judge::Reader> audit_reader = judge::open_memory_reader(database, clock);
  judge::Judge judge{
      *store,
      *log,
      Random(2),
      [](Duration) {},
      rules::Policy{},
      judge::JudgeLimits{},
      judge::Metrics(metrics, clock),
      [this](const rules::State& state) {
        ++batches_decided;
        while (judge_held) std::this_thread::sleep_for(std::chrono::microseconds(200));
        auto committed = gate_client.committed_items(state);
        if (!committed) return;
        executor.post([this, committed = *std::move(committed)] { gate_client.apply(committed); });
      }};
  pipeline::Lane lane{judge,
                      stage::Limits{10'000, 1000},
                      clock,
                      *log,
                      [](const std::string&) { CHECK(false); },
                      pipeline::Metrics(metrics, clock)};
  pipeline::Lanes lanes{lane};
  pipeline::Reads<judge::Reader> gate_reads{*gate_reader, stage::Limits{1000, 100}, Duration(5'000), clock};
  // Nobody follows the ledger with it: an answer finds all in the tail.
  std::unique_ptr<judge::OrderIndex> order_index = judge::make_memory_order_index();
  queries::ReadQueries read_queries{*reader, *order_index};
  Service::Queries query_stage{read_queries, stage::Limits{1000, 100}, Duration(5'000), clock};
  queries::AuditQueries audit_queries{*audit_reader, 1};
  Service::Audits audit_stage{audit_queries, stage::Limits{10, 1}, Duration(5'000), clock};
  boost::asio::io_context io{1};
  gate::MemoryGate gate;
  pipeline::AsioExecutor executor{io.get_executor()};
  pipeline::GateClient gate_client{executor,
                                   gate,
                                   gate_reads,
                                   clock,
                                   *log,
                                   pipeline::GateClient::Options{rules::Incarnation{Uuid{{1}}},
                                                                 rules::InstanceId{1}, rules::Mode::direct}};
  pipeline::GateSnapshotReader gate_snapshots{executor, gate, rules::Incarnation{Uuid{{1}}}, gate_reads,
                                              gate_client.modes()};
  pipeline::Pipeline pipeline;
  Accounts accounts{operator_key, {}, Keyless::as_shop};
  Service service{pipeline, query_stage, audit_stage, gate_snapshots, clock,
                  random,   *log,        readiness,   accounts,       rules::Policy{}.requests_kept,
                  metrics};
  Server shop;
  Server operators;
  std::uint16_t shop_port = 0;
  std::uint16_t operators_port = 0;
  const bool ends_at_once;
  std::atomic<bool> lane_held{false};
  std::atomic<bool> judge_held{false};
  std::atomic<std::size_t> batches_decided{0};
  std::atomic<bool> lane_ends{false};
  std::thread lane_thread, gate_reads_thread, queries_thread, audits_thread, io_thread;
};

World::World(WorldLimits limits) : parts_(std::make_unique<Parts>(limits)) {
  Parts& p = *parts_;
  p.shop_port = p.shop.listen("127.0.0.1", 0).value();
  p.operators_port = p.operators.listen("127.0.0.1", 0).value();
  p.lane_thread = std::thread([&p] {
    while (!p.lane_ends) {
      if (p.lane_held || p.lane.step() == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    while (p.lane.step() > 0) continue;
  });
  p.gate_reads_thread = std::thread([&p] { p.gate_reads.run(); });
  p.queries_thread = std::thread([&p] { p.query_stage.run(); });
  p.audits_thread = std::thread([&p] { p.audit_stage.run(); });
  p.io_thread = std::thread([&p] { p.io.run(); });
}

World::~World() {
  if (parts_->ends_at_once) {
    parts_->io.stop();
    parts_->io_thread.join();
  }
  let_lane_go();
  let_judge_go();
  if (!parts_->ends_at_once) {
    stop_servers();
    const auto idle = [&] { return connections(Audience::shop) + connections(Audience::operators) == 0; };
    CHECK(comes_true(idle));
    // Ends by itself: every coroutine has ended, and no timer is left.
    parts_->io_thread.join();
  }
  parts_->lane_ends = true;
  parts_->lane_thread.join();
  parts_->gate_reads.close();
  parts_->query_stage.close();
  parts_->audit_stage.close();
  parts_->gate_reads_thread.join();
  parts_->queries_thread.join();
  parts_->audits_thread.join();
}

std::string World::listen_error(const std::string& address, std::uint16_t port) {
  Parts parts{WorldLimits()};
  return parts.shop.listen(address, port).error().message;
}

std::uint16_t World::port(Audience audience) const {
  return audience == Audience::shop ? parts_->shop_port : parts_->operators_port;
}

VirtualClock& World::clock() { return parts_->clock; }

void World::hold_lane() { parts_->lane_held = true; }
void World::let_lane_go() { parts_->lane_held = false; }
std::size_t World::commands_waiting() const { return parts_->lane.waiting(); }

void World::hold_judge() { parts_->judge_held = true; }
void World::let_judge_go() { parts_->judge_held = false; }
std::size_t World::batches_decided() const { return parts_->batches_decided; }

void World::look_for_overdue() {
  parts_->on_io([this] { parts_->pipeline.step(parts_->clock.steady()); });
}

void World::use_accounts(std::vector<AccountKey> keys) {
  parts_->accounts.replace(std::move(keys), Keyless::refused);
}

void World::set_ready(bool ready, const std::string& why) {
  parts_->on_io([this, ready, why] {
    parts_->readiness.ready = ready;
    parts_->readiness.why = why;
  });
}

// When the io_context has run dry, nobody is connected any more.
std::size_t World::connections(Audience audience) const {
  if (parts_->io.stopped()) return 0;
  const Server& server = audience == Audience::shop ? parts_->shop : parts_->operators;
  std::packaged_task<std::size_t()> count([&server] { return server.connections(); });
  auto result = count.get_future();
  boost::asio::post(parts_->io, [&count] { count(); });
  while (result.wait_for(std::chrono::milliseconds(10)) != std::future_status::ready) {
    if (parts_->io.stopped()) return 0;
  }
  return result.get();
}

void World::stop_servers() {
  boost::asio::post(parts_->io, [this] {
    parts_->shop.stop();
    parts_->operators.stop();
  });
}

void World::break_stock(const std::string& sku) {
  parts_->database->change([&](judge::Tables& tables) {
    const rules::ItemId item = tables.skus.at(rules::SkuCode(sku)).free_item;
    tables.items.at(item).buckets[0].sold = rules::Quantity{-1};
  });
}

void World::write_at_gate(std::int64_t item, std::int32_t bucket, std::int64_t units) {
  const gate::BucketKey key{rules::Incarnation{Uuid{{1}}}, rules::ItemId{item}, bucket};
  gate::Bucket there;
  parts_->gate.read(key, [&](const auto& seen) { there = (*seen).value_or(gate::Bucket{}); });
  const gate::Statement statement{gate::Position{there.seq, {units}}, there.open, there.shut};
  parts_->gate.say(key, gate::to_state(statement), [](const Result<gate::Reply>&) {});
}

std::string World::dump() const {
  const auto reader = judge::open_memory_reader(parts_->database, parts_->clock);
  return judge::canonical_dump(*reader).value();
}

}  // namespace gavel::http
