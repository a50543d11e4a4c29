// LaneThreads: a thread for each lane of a process, and one for the look-up where there are several lanes.
//
// One owner. The threads begin with it; drain() and destruction end them.
#pragma once

#include <cstddef>
#include <thread>
#include <vector>

#include "pipeline/lanes.h"

namespace gavel::pipeline {

class LaneThreads {
 public:
  // `lanes` outlives the threads.
  explicit LaneThreads(Lanes& lanes) : lanes_(lanes) {
    if (lanes_.has_look_up()) look_up_ = std::thread([this] { lanes_.run_look_up(); });
    for (std::size_t place = 0; place < lanes_.size(); ++place) {
      threads_.emplace_back([&lane = lanes_.at(place)] { lane.run(); });
    }
  }
  ~LaneThreads() { drain(); }
  LaneThreads(const LaneThreads&) = delete;
  LaneThreads& operator=(const LaneThreads&) = delete;

  // Refuses new commands, works off what was accepted, and ends the threads: the look-up first, since it
  // offers to the lanes. Blocks; idempotent.
  void drain() {
    lanes_.close_look_up();
    if (look_up_.joinable()) look_up_.join();
    for (std::size_t place = 0; place < lanes_.size(); ++place) lanes_.at(place).close();
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }

 private:
  Lanes& lanes_;
  std::thread look_up_;
  std::vector<std::thread> threads_;
};

}  // namespace gavel::pipeline
