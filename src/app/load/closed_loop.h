// Closed loop: a crowd of which each keeps one request outstanding, whatever that does to the server.
//
// Each caller has a connection of its own and asks the next thing as soon as it has its answer. All
// connections are opened first, and the rung's time begins when the last one stands or was turned away.
//
//   absent ──connect──► connecting ──► idle ──ask──► asking ──final answer──► asks the next
//     ▲                                  ▲             │ busy, unknown, lost
//     └── the server closed it           └── pausing ◄─┘
//
// A caller that is told "later" waits for as long as Retry-After says and asks again with the same key, as a
// good client does; the same after "perhaps" and after a lost connection. To leave such requests uncounted
// would make an overloaded server look fast, and to ask at once would measure how fast it refuses. So the
// latency of a request counts from its first sending to its final answer, pauses included; `exchanges` is
// what one sending and its answer took.
//
// Beyond 25,000 connections to one loopback address the ports of one source run out; they come from
// 127.0.0.1, .2, .3 and so on, 25,000 each. Elsewhere the system chooses, and says when no port is left.
// Blocks; one thread; about 1 KiB of memory a caller beside its socket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "app/load/latency_histogram.h"
#include "app/load/traffic.h"
#include "base/clock_fine.h"
#include "base/result.h"

namespace gavel::app {

struct Crowd {
  std::size_t callers = 0;
  FineTime during{0};
};

// Connections that were turned away are among the busy answers, and callers that never had one among what is
// unsent.
struct CrowdMeasured : Tally {
  Histogram exchanges;                          // Of every sending that got any answer.
  std::map<std::string, std::int64_t> in_time;  // The words of the final answers while the rung lasted.
  std::int64_t doubtful = 0;  // Of the unanswered, those that were not told each time that nothing was done.
};

// The last answers are waited for so long after the rung's time.
inline constexpr FineTime crowd_end_within = std::chrono::seconds(10);

inline constexpr std::size_t callers_per_source = 25'000;
inline constexpr std::size_t callers_max = 1'000'000;

// From which address the caller's connection to `url` comes; empty: the system chooses.
std::string source_of(const std::string& url, std::size_t caller);

// `go_on` is told now and then how long the rung's time has lasted; false breaks off. `unavailable`: nobody
// listens at `url`, or no further connection can be made; `invalid`: an answer makes no sense.
Result<CrowdMeasured> run_closed_loop(const std::string& url, const Crowd& crowd, Traffic& traffic,
                                      const std::function<bool(FineTime lasted)>& go_on);

}  // namespace gavel::app
