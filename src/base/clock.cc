#include "base/clock.h"

#include <chrono>

#include "base/check.h"

namespace gavel {

Time RealClock::now() const {
  return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

Duration RealClock::steady() const {
  return std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch());
}

void VirtualClock::advance(Duration by) {
  CHECK(by >= Duration::zero());
  wall_ += by.count();
  steady_ += by.count();
}

}  // namespace gavel
