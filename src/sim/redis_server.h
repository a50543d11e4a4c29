// RedisServer: the gate's server, which behaves like Redis under Sentinel.
//
// The buckets are in memory, under the one script (gate/bucket.h). A replica follows with a lag and takes
// over without the last writes; a restart leaves nothing; a key is evicted; somebody writes nonsense; the
// server stands still for a while and then works off the waiting calls. None of this harms a service that
// does not trust the gate. One thread.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/random.h"
#include "gate/gate.h"
#include "sim/faults.h"
#include "sim/gate_watch.h"
#include "sim/rare.h"
#include "sim/scheduler.h"
#include "sim/trace_log.h"

namespace gavel::sim {

class RedisServer {
 public:
  using Buckets = std::map<gate::BucketKey, std::optional<gate::Bucket>>;

  // All references outlive the server.
  RedisServer(Scheduler& scheduler, Faults& faults, TraceLog& tale, CoverageMarks& sightings, Random& random)
      : scheduler_(scheduler),
        faults_(faults),
        tale_(tale),
        sightings_(sightings),
        random_(random),
        watch_(faults) {}

  // Runs `command` on the bucket as soon as the server does: at once, or after it has stood still.
  void arrive(const gate::BucketKey& key, std::function<void(std::optional<gate::Bucket>&)> command);

  // Lets the server's own faults strike; called every few milliseconds.
  void look();

  const Buckets& buckets() const { return buckets_; }

  // Sees every call.
  GateWatch& watch() { return watch_; }

 private:
  // A bucket after a write: what the replica will have once it has caught up.
  struct Replicated {
    Micros at;
    gate::BucketKey key;
    std::optional<gate::Bucket> bucket;
  };

  void catch_up(Micros until);
  void fail_over();
  void corrupt();
  std::optional<gate::BucketKey> draw_key();

  Scheduler& scheduler_;
  Faults& faults_;
  TraceLog& tale_;
  CoverageMarks& sightings_;
  Random& random_;
  GateWatch watch_;
  Micros hangs_until_{0};
  Buckets buckets_;
  Buckets replica_;
  std::deque<Replicated> lag_;  // Writes that the replica may not have yet.
};

}  // namespace gavel::sim
