#include "bench/machine_watch.h"

#include <algorithm>
#include <chrono>

#include <pthread.h>
#include <sched.h>

#include "base/check.h"

namespace gavel::bench {
namespace {

constexpr Span nap = std::chrono::milliseconds(2);

bool take_rank(std::size_t processor) {
  cpu_set_t processors;
  CPU_ZERO(&processors);
  CPU_SET(processor, &processors);
  sched_param rank{};
  rank.sched_priority = 1;
  return ::pthread_setaffinity_np(::pthread_self(), sizeof processors, &processors) == 0 &&
         ::pthread_setschedparam(::pthread_self(), SCHED_FIFO, &rank) == 0;
}

}  // namespace

MachineWatch::MachineWatch() {
  CHECK(std::thread::hardware_concurrency() > 0);
  for (std::size_t i = 0; i < std::thread::hardware_concurrency(); ++i) {
    threads_.emplace_back([this, i] { watch(i); });
  }
}

MachineWatch::~MachineWatch() {
  ended_ = true;
  for (std::thread& thread : threads_) thread.join();
}

void MachineWatch::watch(std::size_t processor) {
  if (!take_rank(processor)) {
    works_ = false;
    return;
  }
  while (!ended_) {
    const Span begun = steady_now();
    std::this_thread::sleep_for(nap);
    const Span late = steady_now() - begun - nap;
    Span longest = longest_.load();
    while (late > longest && !longest_.compare_exchange_weak(longest, late)) {
    }
  }
}

}  // namespace gavel::bench
