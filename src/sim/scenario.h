// Scenario: the rows of the matrix of concurrent requests (C17) as small worlds, each with a name.
//
// The requests of a scenario are data: a first group of callers, all at one moment, and a second group that
// comes when the first has its answers. A caller without an answer asks again with the same key, so the stock
// that must be left in the end is known. A scenario runs on a server with two instances or on disk with one,
// with whatever faults are planned for it (sweep.h). Value types; one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sim/crowd.h"
#include "sim/faults.h"
#include "sim/options.h"
#include "sim/scheduler.h"

namespace gavel::sim {

enum class Form : std::uint8_t { server, disk };
std::string_view word(Form form);

// Some callers of a group, all with the same request.
struct Wish {
  enum class Act : std::uint8_t {
    buy,   // Sold at once.
    hold,  // To be paid; the order has the same id in every run.
    pay,   // Pays for what was held.
    cancel,
  };
  Act act = Act::buy;
  std::uint64_t callers = 1;
  std::int64_t units = 1;  // Of one order.
};

struct Scenario {
  std::string_view name;
  std::string_view row;  // Of C17, in its words.
  std::int64_t stock = 0;
  std::vector<Wish> crowd;
  std::vector<Wish> then = {};
  bool one_key = false;                    // All of them use the same key.
  std::optional<std::int64_t> left = {};   // Units that are left in the end; none: it depends on the run.
  std::vector<PlannedFault> always = {};   // On a server, in every run.
  std::vector<PlannedFault> on_disk = {};  // The same on disk.
  std::uint64_t calls_max = 0;             // For each kind of fault, a sweep tries this many calls; 0: all.

  std::uint64_t callers() const;
  const std::vector<PlannedFault>& always_on(Form form) const;
};

// In the order of C17. "Consumed but acknowledgement lost" comes with the queue.
std::span<const Scenario> scenarios();
const Scenario* find_scenario(std::string_view name);

WorldOptions options_of(const Scenario& scenario, Form form);

// The one SKU and its stock, before faults strike.
void set_up(const Scenario& scenario, Scheduler& scheduler, Crowd& crowd);
// Begins to send the requests; the last one is sent after last_asked_after().
void play(const Scenario& scenario, Scheduler& scheduler, Random& random, Crowd& crowd);
Micros last_asked_after(const Scenario& scenario);

}  // namespace gavel::sim
