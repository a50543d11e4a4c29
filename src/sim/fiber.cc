#include "sim/fiber.h"

#include <cstddef>
#include <memory>
#include <utility>

#include <boost/context/protected_fixedsize_stack.hpp>

#include "base/check.h"

namespace gavel::sim {
namespace {

// A batch of SQLite's needs the most. The page behind it is protected, so that an overflow is seen.
constexpr std::size_t stack_bytes = 512 * 1024;

}  // namespace

Fiber::Fiber(Scheduler& scheduler, const Power& power, std::function<void(Fiber&)> body)
    : scheduler_(scheduler), power_(power) {
  inside_ = boost::context::fiber(std::allocator_arg, boost::context::protected_fixedsize_stack(stack_bytes),
                                  [this, body = std::move(body)](boost::context::fiber&& outside) {
                                    outside_ = std::move(outside);
                                    body(*this);
                                    done_ = true;
                                    return std::move(outside_);
                                  });
  resume_at(scheduler_.now(), true);
}

Fiber::~Fiber() { CHECK(done_); }

bool Fiber::park(Micros at_most) {
  CHECK(!parked_ && !done_);
  if (!power_.on()) return false;
  ++turn_;
  parked_ = true;
  if (at_most != Micros::max()) resume_at(scheduler_.now() + at_most, false);
  outside_ = std::move(outside_).resume();
  return woken_;
}

void Fiber::rest(Micros duration) {
  const Micros until = scheduler_.now() + duration;
  while (power_.on() && scheduler_.now() < until) park(until - scheduler_.now());
}

void Fiber::wake() {
  if (parked_) resume_at(scheduler_.now(), true);
}

void Fiber::resume_at(Micros when, bool woken) {
  scheduler_.at(when, [this, alive = std::weak_ptr(alive_), turn = turn_, woken] {
    if (!alive.expired()) resume(turn, woken);
  });
}

void Fiber::resume(std::uint64_t turn, bool woken) {
  if (done_ || !parked_ || turn != turn_) return;
  if (power_.paused_until() > scheduler_.now()) return resume_at(power_.paused_until(), woken);
  parked_ = false;
  woken_ = woken;
  inside_ = std::move(inside_).resume();
}

}  // namespace gavel::sim
