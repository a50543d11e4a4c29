// Admission: refuses what is too much before it costs anything (A20, B11).
//
// Counts the requests between entrance and verdict; beyond the limit the next is refused as overloaded, with
// the seconds after which another try makes sense. Pure bookkeeping; one thread (the pipeline's).
#pragma once

#include <cstddef>

#include "base/check.h"

namespace gavel::pipeline {

class Admission {
 public:
  explicit Admission(std::size_t in_flight_max) : in_flight_max_(in_flight_max) { CHECK(in_flight_max >= 1); }

  // False: full, and nothing was counted.
  [[nodiscard]] bool enter() {
    if (in_flight_ >= in_flight_max_) return false;
    ++in_flight_;
    return true;
  }

  void leave() {
    CHECK(in_flight_ > 0);
    --in_flight_;
  }

  std::size_t in_flight() const { return in_flight_; }

 private:
  const std::size_t in_flight_max_;
  std::size_t in_flight_ = 0;
};

}  // namespace gavel::pipeline
