#include "sim/fiber.h"

#include <cstddef>
#include <memory>
#include <utility>

#include <boost/context/preallocated.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>

#include "base/check.h"

#if defined(__SANITIZE_ADDRESS__)
#define GAVEL_ADDRESS_SANITIZER 1
#elif defined(__SANITIZE_THREAD__)
#define GAVEL_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GAVEL_ADDRESS_SANITIZER 1
#elif __has_feature(thread_sanitizer)
#define GAVEL_THREAD_SANITIZER 1
#endif
#endif

#if defined(GAVEL_ADDRESS_SANITIZER)
#include <sanitizer/common_interface_defs.h>
#elif defined(GAVEL_THREAD_SANITIZER)
#include <sanitizer/tsan_interface.h>
#endif

namespace gavel::sim {

// What the sanitizers must be told of a switch between stacks; nothing without them.
struct Fiber::Stacks {
#if defined(GAVEL_ADDRESS_SANITIZER)
  void* inside_fake = nullptr;
  void* outside_fake = nullptr;
  const void* inside_bottom = nullptr;
  std::size_t inside_size = 0;
  const void* outside_bottom = nullptr;
  std::size_t outside_size = 0;

  void leave_for_inside() { __sanitizer_start_switch_fiber(&outside_fake, inside_bottom, inside_size); }
  void come_outside() { __sanitizer_finish_switch_fiber(outside_fake, nullptr, nullptr); }
  void leave_for_outside(bool for_good) {
    __sanitizer_start_switch_fiber(for_good ? nullptr : &inside_fake, outside_bottom, outside_size);
  }
  void come_inside() { __sanitizer_finish_switch_fiber(inside_fake, &outside_bottom, &outside_size); }
#elif defined(GAVEL_THREAD_SANITIZER)
  void* const inside = __tsan_create_fiber(0);
  void* outside = nullptr;

  ~Stacks() { __tsan_destroy_fiber(inside); }
  void leave_for_inside() {
    outside = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(inside, 0);
  }
  void come_outside() {}
  void leave_for_outside(bool) { __tsan_switch_to_fiber(outside, 0); }
  void come_inside() {}
#else
  void leave_for_inside() {}
  void come_outside() {}
  void leave_for_outside(bool) {}
  void come_inside() {}
#endif
};

namespace {

// A batch of SQLite's needs the most. The page behind it is protected, so that an overflow is seen.
constexpr std::size_t stack_bytes = 512 * 1024;

}  // namespace

Fiber::Fiber(Scheduler& scheduler, const ProcessState& power, std::function<void(Fiber&)> body)
    : scheduler_(scheduler), power_(power), stacks_(std::make_unique<Stacks>()) {
  boost::context::protected_fixedsize_stack allocator(stack_bytes);
  const boost::context::stack_context stack = allocator.allocate();
#if defined(GAVEL_ADDRESS_SANITIZER)
  stacks_->inside_bottom = static_cast<const char*>(stack.sp) - stack.size;
  stacks_->inside_size = stack.size;
#endif
  inside_ =
      boost::context::fiber(std::allocator_arg, boost::context::preallocated(stack.sp, stack.size, stack),
                            allocator, [this, body = std::move(body)](boost::context::fiber&& outside) {
                              stacks_->come_inside();
                              outside_ = std::move(outside);
                              body(*this);
                              done_ = true;
                              stacks_->leave_for_outside(true);
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
  stacks_->leave_for_outside(false);
  outside_ = std::move(outside_).resume();
  stacks_->come_inside();
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
  stacks_->leave_for_inside();
  inside_ = std::move(inside_).resume();
  stacks_->come_outside();
}

}  // namespace gavel::sim
