// The contracts of store and judge on the simulated database server: what the simulator shows of the service
// is worth something only if its server keeps the promises of a database.
//
// Each call runs on a fiber of its own, with nothing going wrong, until it is over.
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "judge/testing/judge_contract.h"
#include "judge/testing/store_contract.h"
#include "sim/sql_server.h"

namespace gavel::sim {
namespace {

using judge::Reader;
using judge::Store;
using rules::OrderId;
using rules::State;

// The thread of a client: its calls one after another, each until it is over.
class Caller {
 public:
  Caller(Scheduler& scheduler, Faults& faults, TraceLog& tale, CoverageMarks& sightings, Random& random)
      : scheduler_(scheduler), client_{scheduler, faults, tale,     sightings,         random,
                                       power_,    fiber_, "client", DatabaseProfile(), [] {}} {}

  const Client& client() const { return client_; }

  template <class Use>
  auto run(Use use) -> decltype(use()) {
    std::optional<decltype(use())> answer;
    Fiber fiber(scheduler_, power_, [&](Fiber& mine) {
      fiber_ = &mine;
      answer = use();
    });
    while (!fiber.done()) CHECK(scheduler_.run_one());
    return *std::move(answer);
  }

 private:
  Scheduler& scheduler_;
  const ProcessState power_;
  Fiber* fiber_ = nullptr;
  const Client client_;
};

class CalledStore final : public Store {
 public:
  CalledStore(std::unique_ptr<Caller> caller, SqlServer& server)
      : caller_(std::move(caller)), store_(server.open_store(caller_->client())) {}

  Result<rules::LaneId> open_lane() override {
    return caller_->run([&] { return store_->open_lane(); });
  }
  Result<void> begin() override {
    return caller_->run([&] { return store_->begin(); });
  }
  Result<void> load_skus(const std::set<rules::SkuCode>& codes, State& state) override {
    return caller_->run([&] { return store_->load_skus(codes, state); });
  }
  Result<void> load_skus(const std::set<rules::SkuId>& ids, State& state) override {
    return caller_->run([&] { return store_->load_skus(ids, state); });
  }
  Result<void> load_activities(const std::set<rules::ActivityCode>& codes, State& state) override {
    return caller_->run([&] { return store_->load_activities(codes, state); });
  }
  Result<void> load_activities(const std::set<rules::ActivityId>& ids, State& state) override {
    return caller_->run([&] { return store_->load_activities(ids, state); });
  }
  Result<void> load_items(const std::set<rules::ItemId>& ids, State& state) override {
    return caller_->run([&] { return store_->load_items(ids, state); });
  }
  Result<void> load_orders(const std::set<OrderId>& ids, State& state) override {
    return caller_->run([&] { return store_->load_orders(ids, state); });
  }
  Result<void> load_requests(const std::set<rules::RequestId>& ids, const std::set<OrderId>& keys_as_orders,
                             State& state) override {
    return caller_->run([&] { return store_->load_requests(ids, keys_as_orders, state); });
  }
  Result<void> load_quotas(const std::set<rules::QuotaKey>& keys, State& state) override {
    return caller_->run([&] { return store_->load_quotas(keys, state); });
  }
  Result<void> load_counters(State& state) override {
    return caller_->run([&] { return store_->load_counters(state); });
  }
  Result<Time> now() override {
    return caller_->run([&] { return store_->now(); });
  }
  Result<std::vector<OrderId>> find_due(rules::ItemId item, Time now, std::size_t count) override {
    return caller_->run([&] { return store_->find_due(item, now, count); });
  }
  Result<std::vector<OrderId>> find_due_of(rules::ItemId item, const rules::UserId& user, Time now,
                                           std::size_t count) override {
    return caller_->run([&] { return store_->find_due_of(item, user, now, count); });
  }
  Result<void> write(const State& state, judge::BatchId batch, Time now) override {
    return caller_->run([&] { return store_->write(state, batch, now); });
  }
  Result<void> commit() override {
    return caller_->run([&] { return store_->commit(); });
  }
  void rollback() override { store_->rollback(); }
  Result<void> idle() override {
    return caller_->run([&] { return store_->idle(); });
  }
  Result<judge::Settlement> settle(judge::BatchId batch) override {
    return caller_->run([&] { return store_->settle(batch); });
  }

 private:
  const std::unique_ptr<Caller> caller_;
  const std::unique_ptr<Store> store_;
};

class SqlWorld final : public judge::StoreWorld {
 public:
  ~SqlWorld() override {
    for (const std::string& complaint : server_.complaints()) {
      // The suite settles batches of which nobody is in doubt; the judge never does.
      EXPECT_EQ(complaint, "client: settle is called out of turn");
    }
    while (server_.open_transactions() > 0 && scheduler_.run_one()) {
    }
    EXPECT_EQ(server_.open_transactions(), 0U);
  }

  std::unique_ptr<Store> open_store() override {
    auto caller = std::make_unique<Caller>(scheduler_, faults_, tale_, sightings_, random_);
    return std::make_unique<CalledStore>(std::move(caller), server_);
  }
  std::unique_ptr<Reader> open_reader() override { return server_.look(); }

 private:
  Scheduler scheduler_;
  Random random_{1};
  Faults faults_{random_};  // Never unleashed.
  TraceLog tale_{scheduler_};
  CoverageMarks sightings_;
  SqlServer server_{scheduler_, tale_, clock(), [](const State&, judge::BatchId, Time) {}};
};

judge::StoreForm sql_form() {
  return {"sql", [] { return std::make_unique<SqlWorld>(); }};
}

}  // namespace
}  // namespace gavel::sim

namespace gavel::judge {

INSTANTIATE_TEST_SUITE_P(Sim, StoreContract, testing::Values(sim::sql_form()), name_of_form);
INSTANTIATE_TEST_SUITE_P(Sim, JudgeContract, testing::Values(sim::sql_form()), name_of_form);

}  // namespace gavel::judge
