// Result<T>: a value, or an Error that says what failed in the world around us.
//
// An Error is about infrastructure only: a refusal by the business is an Outcome (rules/outcome.h), and a
// broken invariant is a CHECK. There are few codes: each exists because some caller reacts to it in a way of
// its own.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <utility>

namespace gavel {

enum class ErrorCode : std::uint8_t {
  invalid,      // An argument, option or file is wrong: say so and change nothing.
  conflict,     // Deadlock victim, serialisation failure, busy: certainly not written; try again.
  duplicate,    // Somebody else wrote the same key first: certainly not written; load and decide again.
  constraint,   // The store's last line of defence refused a row: certainly not written; never retried as it
                // was.
  unavailable,  // Not reachable or too slow: certainly not written; try later.
  unknown,      // Perhaps written: find out before anything is answered.
  broken,  // The storage cannot be trusted (disk full, I/O error, corruption): stop acknowledging and exit.
};

struct Error {
  ErrorCode code;
  std::string message;  // One line for an operator: what failed, and what to do next where that is known.
};

template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(ErrorCode code, std::string message) {
  return std::unexpected(Error{code, std::move(message)});
}

}  // namespace gavel
