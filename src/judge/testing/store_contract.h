// The contract suite of Store and Reader: what store.h and reader.h promise, run on every form of a store.
//
// The test program of a form compiles the store_contract*.cc files and instantiates the suites with its own
// factory:
//
//   INSTANTIATE_TEST_SUITE_P(Memory, StoreContract, testing::Values(memory_form()), name_of_form);
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "judge/audit/audit.h"
#include "judge/reader.h"
#include "judge/store.h"
#include "rules/state.h"

namespace gavel::judge {

// The time that the stores of a database take, which a test moves: a form with a server of its own shifts
// what the server says.
class StoreClock : public Clock {
 public:
  virtual void advance(Duration by) = 0;
  // Sets the wall time alone, in either direction.
  virtual void jump(Duration by) = 0;
  // Starts the machine again; no store and no reader is open.
  virtual void reboot() = 0;
};

class VirtualStoreClock final : public StoreClock {
 public:
  Time now() const override { return clock_.now(); }
  Duration steady() const override { return clock_.steady(); }
  std::string boot() const override { return clock_.boot(); }
  void advance(Duration by) override { clock_.advance(by); }
  void jump(Duration by) override { clock_.jump(by); }
  void reboot() override { clock_.reboot(); }

 private:
  VirtualClock clock_{Time(std::chrono::milliseconds(1'800'000'000'000))};  // 2027-01-15T08:00:00.000Z
};

// What keeps several stores of one form apart.
enum class Isolation : std::uint8_t {
  one_store,        // A second store cannot be opened (SQLite).
  one_transaction,  // begin waits for whoever has begun (memory).
  rows,             // Each row is locked for itself (a server).
};

// One fresh database. Opening another store after the first is gone is what a restart does; several at once
// are opened only by LanesContract.
class StoreWorld {
 public:
  virtual ~StoreWorld() = default;
  virtual std::unique_ptr<Store> open_store() = 0;
  virtual std::unique_ptr<Reader> open_reader() = 0;
  virtual StoreClock& clock() = 0;
  virtual Isolation isolation() const = 0;

  // Runs `waits`, a call that may have to wait for another store, and `meanwhile`, which is what it waits
  // for. Both have ended when this returns. By default `waits` waits on a thread of its own.
  virtual void wait_for(const std::function<void()>& waits, const std::function<void()>& meanwhile) {
    std::thread waiting(waits);
    meanwhile();
    waiting.join();
  }
};

struct StoreForm {
  std::string name;
  std::function<std::unique_ptr<StoreWorld>()> make;
};

inline std::string name_of_form(const ::testing::TestParamInfo<StoreForm>& info) { return info.param.name; }
inline void PrintTo(const StoreForm& form, std::ostream* out) { *out << form.name; }

// A database with rows of every table, written through the store alone. The rows obey the constraints of a
// store; what the rules would say of them is no matter here.
class StoreContract : public ::testing::TestWithParam<StoreForm> {
 protected:
  void SetUp() override;

  Store& store() { return *store_; }
  Reader& reader() { return *reader_; }
  StoreClock& clock() { return world_->clock(); }
  StoreWorld& world() { return *world_; }

  // Closes the store and the reader and opens new ones on the same database, with a new lane.
  void reopen();
  void close_store() { store_.reset(); }

  // Begins, writes `state` as the lane's next batch and commits; the first error rolls back and is returned.
  Result<void> post(const rules::State& state);

  // The rows that every test finds (see the source for their numbers).
  void post_first_rows();

  // What `load` fills in, within a transaction that is rolled back.
  rules::State loaded(const std::function<Result<void>(rules::State&)>& load);
  rules::State loaded_item(std::int64_t item);

  // The answer to one question, within a transaction that is open.
  std::vector<rules::OrderId> due_of(const DueQuestion& question, Time now);
  // The keys that load the activity of the first rows so that it may be changed.
  static ActivityKeys sale_for_update();

  std::string dump();

  // The lines of the dump that begin with `table`.
  std::string dump_of(const std::string& table);

  rules::LaneId lane_;
  std::int64_t n_ = 1;  // Of the next batch.

 private:
  std::unique_ptr<StoreWorld> world_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Reader> reader_;
};

// Several stores at once on one database: one for each of two lanes, beside that of the fixture, which is
// closed.
class LanesContract : public StoreContract {
 protected:
  // A store with a lane of its own.
  struct Lane {
    std::unique_ptr<Store> store;
    rules::LaneId id;
    std::int64_t n = 1;

    BatchId batch() const { return {id, n}; }
    Result<void> write(const rules::State& state);  // Reads the time first.
  };

  void SetUp() override;
  Lane open_lane();
  bool locks_rows() { return world().isolation() == Isolation::rows; }

  Lane one_;
  Lane two_;
};

// Short names for the rows of tests.
rules::OrderId order_id(std::uint8_t number);
rules::RequestId request_id(const std::string& caller, const std::string& key);
rules::Order make_order(std::uint8_t number, const std::string& user, std::vector<rules::Allocation> taken,
                        Time expires_at);
rules::Flow make_flow(std::int64_t item, rules::BucketNo bucket, std::int64_t seq,
                      std::optional<rules::OrderId> order);
rules::IdempotencyRecord make_recorded(const std::string& caller, const std::string& key,
                                       rules::Outcome outcome);

}  // namespace gavel::judge
