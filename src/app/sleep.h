// The one sleep of the program: a pause of the calling thread that nothing needs to end early.
//
// For a pause between two tries, of at most a few seconds, on a thread that has nothing else to do: the
// judge's between two tries of a transaction, and the command line's between two of a request. It is handed
// to its users as a function, so that the simulator and the tests hand them another. What has to stop in time
// waits on a Condition instead (ticker.h).
#pragma once

#include <thread>

#include "base/time.h"

namespace gavel::app {

inline void sleep_for(Duration duration) { std::this_thread::sleep_for(duration); }

}  // namespace gavel::app
