// FaultyStore: a store in front of another one, which fails when it is told to and watches how it is called.
//
// A fault happens in place of the call, except that a commit whose answer is lost may have happened. What the
// contract of store.h asks of the caller after each error is checked: a call out of turn is noted in
// violations(). For tests and the simulator. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "judge/store.h"

namespace gavel::judge {

enum class Call : std::uint8_t {
  open_lane,
  begin,
  load_skus,
  load_activities,
  load_items,
  load_orders,
  load_requests,
  load_quotas,
  load_counters,
  now,
  find_due,
  find_due_of,
  write,
  commit,
  settle,
  idle,
};

std::string_view word(Call call);

enum class Fault : std::uint8_t {
  conflict,
  duplicate,
  constraint,
  unavailable,
  unknown_stored,  // Of commit alone: it happened, and its answer was lost.
  unknown_lost,    // Of commit alone: it never happened, and nobody said so.
  broken,          // And so is every call after it.
};

std::span<const Fault> faults_of(Call call);  // Those that the contract allows it.
std::string_view word(Fault fault);

class FaultyStore final : public Store {
 public:
  // What call number `count` (from 1) shall suffer. `state` is what is being written, else nullptr. It may
  // act on other stores of the same database before it answers, where no transaction is open.
  using Choose = std::function<std::optional<Fault>(Call call, int count, const rules::State* state)>;

  // `inner` outlives this.
  FaultyStore(Store& inner, Choose choose) : inner_(inner), choose_(std::move(choose)) {}

  Result<rules::LaneId> open_lane() override;
  Result<void> begin() override;
  Result<void> load_skus(const std::set<rules::SkuCode>& codes, rules::State& state) override;
  Result<void> load_skus(const std::set<rules::SkuId>& ids, rules::State& state) override;
  Result<void> load_activities(const std::set<rules::ActivityCode>& codes, rules::State& state) override;
  Result<void> load_activities(const std::set<rules::ActivityId>& ids, rules::State& state) override;
  Result<void> load_items(const std::set<rules::ItemId>& ids, rules::State& state) override;
  Result<void> load_orders(const std::set<rules::OrderId>& ids, rules::State& state) override;
  Result<void> load_requests(const std::set<rules::RequestId>& ids,
                             const std::set<rules::OrderId>& keys_as_orders, rules::State& state) override;
  Result<void> load_quotas(const std::set<rules::QuotaKey>& keys, rules::State& state) override;
  Result<void> load_counters(rules::State& state) override;
  Result<Time> now() override;
  Result<std::vector<rules::OrderId>> find_due(rules::ItemId item, Time now, std::size_t count) override;
  Result<std::vector<rules::OrderId>> find_due_of(rules::ItemId item, const rules::UserId& user, Time now,
                                                  std::size_t count) override;
  Result<void> write(const rules::State& state, BatchId batch, Time now) override;
  Result<void> commit() override;
  void rollback() override;
  Result<Settlement> settle(BatchId batch) override;
  Result<void> idle() override;

  const std::vector<Call>& calls() const { return calls_; }
  const std::vector<std::string>& violations() const { return violations_; }

 private:
  enum class Phase : std::uint8_t { idle, open, failed, in_doubt, broken };

  // Counts the call, notes if it is out of turn, and returns its fault.
  std::optional<Error> enter(Call call, const rules::State* state = nullptr);
  bool in_turn(Call call) const;
  Error suffer(Fault fault, Call call);
  // What a call inside of a batch answers.
  template <class Use>
  auto within(Call call, Use use) -> decltype(use());
  void end(ErrorCode code);

  Store& inner_;
  const Choose choose_;
  Phase phase_ = Phase::idle;
  std::vector<Call> calls_;
  std::vector<std::string> violations_;
};

}  // namespace gavel::judge
