// Fiber: a function with a stack of its own, which can stop in the middle of a call and go on later.
//
// The judge works through a batch in one synchronous call. On a fiber that call is suspended wherever the
// store makes it wait, and others act meanwhile: this is how two instances meet in the middle of their
// transactions.
//
//   made ──► running ──► parked (rest, park) ──► running … ──► done
//                           wake, or its time
//
// A fiber belongs to an instance. While the instance is paused, the fiber is not resumed. Once the instance
// has crashed, every park returns at once, so that the function runs to its end. No exception passes through
// it. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include <boost/context/fiber.hpp>

#include "sim/process_state.h"
#include "sim/scheduler.h"

namespace gavel::sim {

class Fiber {
 public:
  // Begins to run `body` at the present time, by an event of its own. Both references outlive the fiber.
  Fiber(Scheduler& scheduler, const ProcessState& power, std::function<void(Fiber&)> body);

  // The body has run to its end (CHECKed).
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Called by the body alone. park() returns true when it is woken, and false after `at_most`.
  bool park(Micros at_most = Micros::max());
  void rest(Micros duration);

  // Resumes a parked fiber, by an event at the present time; does nothing if it is not parked. Called from
  // outside the fiber.
  void wake();

  bool done() const { return done_; }

 private:
  void resume_at(Micros when, bool woken);
  void resume(std::uint64_t turn, bool woken);

  struct Stacks;

  Scheduler& scheduler_;
  const ProcessState& power_;
  const std::unique_ptr<Stacks> stacks_;
  boost::context::fiber inside_;   // Where it stopped; empty while it runs.
  boost::context::fiber outside_;  // Who resumed it.
  bool parked_ = true;
  bool woken_ = false;
  bool done_ = false;
  std::uint64_t turn_ = 0;  // Rises with every park, so that an event for an earlier one has no effect.
  std::shared_ptr<const bool> alive_ = std::make_shared<bool>(true);  // For events that outlive the fiber.
};

}  // namespace gavel::sim
