// Time for measuring: the steady clock of the machine in nanoseconds.
//
// Clock::steady() counts milliseconds, which is enough for deadlines and too coarse for latencies. Use this
// only for measuring: no logic may depend on it, since tests and the simulator cannot control it.
// Thread-safe.
#pragma once

#include <chrono>

namespace gavel {

using FineTime = std::chrono::nanoseconds;

// Since an arbitrary start; never steps back.
FineTime fine_now();

}  // namespace gavel
