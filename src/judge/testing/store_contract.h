// The contract suite of Store and Reader: what store.h and reader.h promise, run on every form of a store.
//
// The test program of a form compiles the store_contract*.cc files and instantiates the suites with its own
// factory:
//
//   INSTANTIATE_TEST_SUITE_P(Memory, StoreContract, testing::Values(memory_form()), name_of_form);
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "judge/audit/audit.h"
#include "judge/reader.h"
#include "judge/store.h"
#include "rules/state.h"

namespace gavel::judge {

// One fresh database, and the clock that its stores take their time from. A test has at most one store open
// at a time; opening another one after it is gone is what a restart does.
class StoreWorld {
 public:
  virtual ~StoreWorld() = default;
  virtual std::unique_ptr<Store> open_store() = 0;
  virtual std::unique_ptr<Reader> open_reader() = 0;

  VirtualClock& clock() { return clock_; }

 private:
  VirtualClock clock_{Time(std::chrono::milliseconds(1'800'000'000'000))};  // 2027-01-15T08:00:00.000Z
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
  VirtualClock& clock() { return world_->clock(); }

  // Closes the store and the reader and opens new ones on the same database, with a new lane.
  void reopen();

  // Begins, writes `state` as the lane's next batch and commits; the first error rolls back and is returned.
  Result<void> post(const rules::State& state);

  // The rows that every test finds (see the source for their numbers).
  void post_first_rows();

  // What `load` fills in, within a transaction that is rolled back.
  rules::State loaded(const std::function<Result<void>(rules::State&)>& load);
  rules::State loaded_item(std::int64_t item);

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
