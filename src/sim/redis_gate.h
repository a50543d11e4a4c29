// RedisGate: one instance's connection to the gate's server, over a network that loses, delays and repeats.
//
// It follows the contract of gate/gate.h: `done` is called once, with a reply or, after the time limit, with
// `unavailable`, which says nothing about the effect. A call may take effect after its caller got
// `unavailable`, or twice. After the instance has crashed, nothing is called any more. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "gate/gate.h"
#include "sim/process_state.h"
#include "sim/rare.h"
#include "sim/redis_server.h"

namespace gavel::sim {

struct RedisClient {
  Scheduler& scheduler;
  Faults& faults;
  TraceLog& tale;
  CoverageMarks& sightings;
  Random& random;
  RedisServer& server;
  const ProcessState& power;
  std::string name;       // "i2"
  Micros reply_within{};  // After this the caller gets `unavailable`.
  bool says_yes = false;  // Every want is granted, whatever the bucket has (I18).
  // Ends the instance once the present event is over.
  std::function<void()> crash;
  // Makes the instance's executor run the work that a callback has posted.
  std::function<void()> stir;
};

std::unique_ptr<gate::Gate> open_redis_gate(RedisClient client);

}  // namespace gavel::sim
