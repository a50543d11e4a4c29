// Traffic: what a load sends, and how a good client reads the answers, for both kinds of load: the schedule
// of open_loop.h and the crowd of closed_loop.h.
//
// The functions are pure and thread-safe.
#pragma once

#include <cstdint>
#include <string>

#include "app/http_answer.h"
#include "app/http_connection.h"
#include "base/clock_fine.h"

namespace gavel::app {

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
