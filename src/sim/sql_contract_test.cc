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
#include "judge/testing/store_wrapper.h"
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

// Every call runs on the fiber of its caller.
class CalledStore final : public judge::StoreWrapper {
 public:
  CalledStore(std::unique_ptr<Caller> caller, std::unique_ptr<Store> store)
      : StoreWrapper(*store), caller_(std::move(caller)), store_(std::move(store)) {}

 private:
  Result<void> around(judge::Call, const Answer& pass_on) override { return caller_->run(pass_on); }

  const std::unique_ptr<Caller> caller_;
  const std::unique_ptr<Store> store_;
};

class SqlWorld final : public judge::StoreWorld {
 public:
  ~SqlWorld() override {
    for (const std::string& complaint : server_.complaints()) {
      // The suite resolves batches of which nobody is in doubt, and writes rows that it loaded in an earlier
      // transaction; the judge does neither.
      const bool of_suite = complaint == "client: resolve is called out of turn" ||
                            complaint.ends_with("is updated and was not loaded for update");
      EXPECT_TRUE(of_suite) << complaint;
    }
    while (server_.open_transactions() > 0 && scheduler_.run_one()) {
    }
    EXPECT_EQ(server_.open_transactions(), 0U);
  }

  std::unique_ptr<Store> open_store() override {
    auto caller = std::make_unique<Caller>(scheduler_, faults_, tale_, sightings_, random_);
    auto store = server_.open_store(caller->client());
    return std::make_unique<CalledStore>(std::move(caller), std::move(store));
  }
  std::unique_ptr<Reader> open_reader() override { return server_.look(); }
  judge::StoreClock& clock() override { return clock_; }
  judge::Isolation isolation() const override { return judge::Isolation::rows; }

  // The scheduler lets the others act while somebody waits.
  void wait_for(const std::function<void()>& waits, const std::function<void()>& meanwhile) override {
    bool done = false;
    scheduler_.after(Micros(2'000), [&] {
      meanwhile();
      done = true;
    });
    waits();
    while (!done) CHECK(scheduler_.run_one());
  }

 private:
  judge::VirtualStoreClock clock_;
  Scheduler scheduler_;
  Random random_{1};
  Faults faults_{random_};  // Never unleashed.
  TraceLog tale_{scheduler_};
  CoverageMarks sightings_;
  SqlServer server_{scheduler_, tale_, clock_, [](const State&, judge::BatchId, Time) {}};
};

judge::StoreForm sql_form() {
  return {"sql", [] { return std::make_unique<SqlWorld>(); }};
}

}  // namespace
}  // namespace gavel::sim

namespace gavel::judge {

INSTANTIATE_TEST_SUITE_P(Sim, StoreContract, testing::Values(sim::sql_form()), name_of_form);
INSTANTIATE_TEST_SUITE_P(Sim, LanesContract, testing::Values(sim::sql_form()), name_of_form);
INSTANTIATE_TEST_SUITE_P(Sim, JudgeContract, testing::Values(sim::sql_form()), name_of_form);

}  // namespace gavel::judge
