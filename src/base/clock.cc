#include "base/clock.h"

#include <algorithm>
#include <chrono>
#include <fstream>

#include <time.h>

#include "base/check.h"

namespace gavel {
namespace {

// Not by std::chrono, whose nanoseconds end in 2262 and whose steady clock leaves out the time of suspension.
Duration read(clockid_t id) {
  timespec time{};
  CHECK(clock_gettime(id, &time) == 0);
  return std::chrono::seconds(time.tv_sec) + Duration(time.tv_nsec / 1'000'000);
}

}  // namespace

Time RealClock::now() const {
  return std::clamp(Time(read(CLOCK_REALTIME)), earliest_wall_time, latest_wall_time);
}

Duration RealClock::steady() const { return read(CLOCK_BOOTTIME); }

std::string RealClock::boot() const {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  std::getline(file, boot);
  return boot;
}

void VirtualClock::advance(Duration by) {
  CHECK(by >= Duration::zero());
  wall_ += by.count();
  steady_ += by.count();
}

void VirtualClock::reboot() {
  ++boots_;
  steady_ = 0;
}

}  // namespace gavel
