// Between two rows of long work that is not a sale: whoever wants the processor has it here.
//
// Else a thread that wakes up may wait until the worker's slice ends, which is 3 ms with Linux's scheduler
// since 6.6, whatever the worker's nice value. Costs about a microsecond. Any thread.
#pragma once

#include <thread>

namespace gavel {

inline void yield_thread() { std::this_thread::yield(); }

}  // namespace gavel
