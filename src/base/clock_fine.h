// Time for measuring: the steady clock of the machine in nanoseconds.
//
// Clock::steady() counts milliseconds, which is fine for deadlines and too coarse for latencies. For
// measuring alone: no logic may depend on it, since no test and no simulation owns it. Thread-safe.
#pragma once

#include <chrono>

namespace gavel {

using FineTime = std::chrono::nanoseconds;

// Since an arbitrary start; never steps back.
FineTime fine_now();

}  // namespace gavel
