// MachineWatch: whether the machine itself stood still while something was measured.
//
// A processor of a shared host is taken away now and then, for milliseconds, and no program in the guest is
// told. A thread of real-time rank on each processor, which no ordinary thread holds up, sleeps for 2 ms and
// wakes; the time by which it wakes too late is the pause, or up to 2 ms less than it. The kernel's own work
// (interrupts, what it does not let itself be taken from) shows as well. For the programs of bench/ alone.
#pragma once

#include <atomic>
#include <thread>
#include <vector>

#include "bench/figure.h"

namespace gavel::bench {

class MachineWatch {
 public:
  MachineWatch();
  ~MachineWatch();
  MachineWatch(const MachineWatch&) = delete;
  MachineWatch& operator=(const MachineWatch&) = delete;

  // False where the system gives no real-time rank (it takes CAP_SYS_NICE): then nothing is known.
  bool works() const { return works_; }

  // The longest pause of a processor since the last call. Any thread.
  Span take_longest() { return longest_.exchange(Span(0)); }

 private:
  void watch(std::size_t processor);

  std::atomic<bool> works_{true};
  std::atomic<bool> ended_{false};
  std::atomic<Span> longest_{Span(0)};
  std::vector<std::thread> threads_;
};

}  // namespace gavel::bench
