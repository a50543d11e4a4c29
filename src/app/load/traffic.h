// Traffic: what a load sends, and how a good client reads the answers, for both kinds of load: the schedule
// of open_loop.h and the crowd of closed_loop.h.
//
// The functions are pure and thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "app/client/http_answer.h"
#include "app/client/http_connection.h"
#include "app/load/latency_histogram.h"
#include "base/clock_fine.h"

namespace gavel::app {

// What came of a load, whichever kind it is of.
struct Tally {
  Histogram latencies;                        // Of every request that got a final answer.
  std::map<std::string, std::int64_t> codes;  // The words of these answers.
  std::int64_t busy = 0;                      // Answers that said: later.
  std::int64_t unknown = 0;                   // Answers that said: perhaps.
  std::int64_t lost = 0;                      // Connections that broke with a request on them.
  std::int64_t unanswered = 0;                // Sent, and without a final answer when the rung was given up.
  std::int64_t unsent = 0;                    // For want of a connection that took it.
};

// What is sent, and what hears of the answers. Called on the loop's thread.
class Traffic {
 public:
  virtual ~Traffic() = default;
  virtual HttpRequest next() = 0;
  // `code` is the word in the answer: reserved, sold_out.
  virtual void hear(const HttpRequest& request, const HttpAnswer& answer, const std::string& code) = 0;
};

// The word behind "code" without reading the whole body: the load has to be cheaper than what it measures.
// Without such a word, the status.
std::string code_of(const HttpAnswer& answer);

enum class Bearing : std::uint8_t {
  final,    // The end of its request.
  busy,     // Nothing was done: later, with the same key.
  unknown,  // Perhaps it was done: again, with the same key.
};
Bearing bearing_of(const HttpAnswer& answer, const std::string& code);

// How long to wait before what is busy or unknown is sent again: Retry-After, where it is said.
FineTime pause_of(const HttpAnswer& answer);

}  // namespace gavel::app
