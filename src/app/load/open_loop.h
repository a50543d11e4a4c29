// Open loop: requests by a schedule that goes on whatever the server does.
//
// A loop that waits for answers slows down with the server and leaves out the requests that would have
// waited. Here each request has a time at which it is to be sent, and its latency counts from then, though no
// connection was free or the first answer said "later". What is busy, unknown or lost is sent again with the
// same key, as a good client does. Blocks; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "app/load/traffic.h"
#include "base/clock_fine.h"
#include "base/result.h"

namespace gavel::app {

struct Rung {
  std::int64_t per_second = 1000;
  FineTime during{0};
  std::size_t connections = 64;
};

struct Measured : Tally {
  FineTime took{0};  // From the first scheduled time to the last answer.
};

// The last answers are waited for so long after the schedule's end.
inline constexpr FineTime rung_end_within = std::chrono::seconds(10);

// `go_on` is told now and then how many answers there are; false breaks off. An error means that the server
// could not be reached, or broke off too often.
Result<Measured> run_open_loop(const std::string& url, const Rung& rung, Traffic& traffic,
                               const std::function<bool(std::int64_t done)>& go_on);

}  // namespace gavel::app
