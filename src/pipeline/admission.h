// Admission: refuses what is too much before it costs anything (A20, B11).
//
// Counts the requests between entrance and verdict; beyond the limit the next is refused as overloaded, with
// the seconds after which another try makes sense. One party, that is one caller, gets at most its share, so
// that whoever asks too much leaves room for the others. Pure bookkeeping; one thread (the pipeline's).
#pragma once

#include <cstddef>
#include <unordered_map>

#include "base/check.h"
#include "stage/turn_queue.h"

namespace gavel::pipeline {

// What one party may have of `places`: seven eighths, at least one.
constexpr std::size_t share_of_party(std::size_t places) { return places - places / 8; }

class Admission {
 public:
  explicit Admission(std::size_t in_flight_max) : in_flight_max_(in_flight_max) { CHECK(in_flight_max >= 1); }

  // False: full, or the party has its share, and nothing was counted.
  [[nodiscard]] bool enter(stage::Party party) {
    if (in_flight_ >= in_flight_max_) return false;
    std::size_t& of_party = of_parties_[party];
    if (of_party >= share_of_party(in_flight_max_)) return false;
    ++of_party;
    ++in_flight_;
    return true;
  }

  void leave(stage::Party party) {
    CHECK(in_flight_ > 0);
    const auto of_party = of_parties_.find(party);
    CHECK(of_party != of_parties_.end());
    if (--of_party->second == 0) of_parties_.erase(of_party);
    --in_flight_;
  }

  std::size_t in_flight() const { return in_flight_; }

 private:
  const std::size_t in_flight_max_;
  std::size_t in_flight_ = 0;
  std::unordered_map<stage::Party, std::size_t> of_parties_;  // None is 0.
};

}  // namespace gavel::pipeline
