// Options: the properties of one simulated world, drawn from its seed.
//
// Limits are tiny, because a queue of 8 is often full, a batch of 4 is often halved, and a stock of 5 sells
// out within the first requests. Value type.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "sim/instance.h"

namespace gavel::sim {

struct WorldOptions {
  bool on_disk = false;     // SQLite in the process of the only instance; otherwise a server.
  std::vector<bool> gated;  // Of each instance.
  InstanceOptions instance;

  std::uint64_t skus = 1;
  std::uint64_t stock_max = 5;  // Units of a SKU at the beginning, 0 to this.
  std::uint64_t buckets_max = 4;
  std::uint64_t activities = 0;
  std::uint64_t users = 8;
  std::uint64_t lines_max = 1;  // Of an order.
  std::uint64_t units_max = 2;  // Of a line.
  bool renews_keys = true;      // Some callers try again with another key.
  // Sometimes everything stands still for this long (days), after which earlier requests are old; 0: never.
  Micros leap{0};

  Micros gap{5'000};       // Between two operations, at the mean.
  Micros caller_waits{0};  // For a reply, at the most.
  Micros skew_max{0};      // Of the clock of an instance.
};

WorldOptions draw_options(Random& random);

// "instances 2 (gated, direct), skus 1, stock 3, …": for the story.
std::string to_text(const WorldOptions& options);

}  // namespace gavel::sim
