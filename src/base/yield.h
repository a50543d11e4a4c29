// Yields the processor between two rows of long background work.
//
// Otherwise a thread that wakes up may have to wait until the worker's time slice ends, which is 3 ms with
// Linux's scheduler since 6.6, whatever the worker's nice value. Costs about a microsecond. Any thread.
#pragma once

#include <thread>

namespace gavel {

inline void yield_thread() { std::this_thread::yield(); }

}  // namespace gavel
