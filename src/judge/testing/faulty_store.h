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
#include "judge/testing/store_wrapper.h"

namespace gavel::judge {

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

class FaultyStore final : public StoreWrapper {
 public:
  // What call number `count` (from 1) shall suffer. `state` is what is being written, else nullptr. It may
  // act on other stores of the same database before it answers, where no transaction is open.
  using Choose = std::function<std::optional<Fault>(Call call, int count, const rules::State* state)>;

  // `inner` outlives this.
  FaultyStore(Store& inner, Choose choose) : StoreWrapper(inner), choose_(std::move(choose)) {}

  Result<void> write(const rules::State& state, BatchId batch, Time now) override;
  void rollback() override;

  const std::vector<Call>& calls() const { return calls_; }
  const std::vector<std::string>& violations() const { return violations_; }

 private:
  enum class Phase : std::uint8_t { idle, open, failed, in_doubt, broken };

  Result<void> around(Call call, const Answer& pass_on) override;
  // Counts the call, notes if it is out of turn, and returns its fault.
  std::optional<Error> enter(Call call);
  bool in_turn(Call call) const;
  Error suffer(Fault fault, Call call);
  void end(Call call, ErrorCode code);

  const Choose choose_;
  const rules::State* writing_ = nullptr;  // Within write.
  Phase phase_ = Phase::idle;
  std::vector<Call> calls_;
  std::vector<std::string> violations_;
};

}  // namespace gavel::judge
