// Meters of the judge: what one counts about its batches. Made from nothing they count nowhere.
#pragma once

#include "base/clock.h"
#include "base/metrics.h"

namespace gavel::judge {

struct Meters {
  Meters() = default;
  // Both outlive the meters.
  Meters(Metrics& metrics, const Clock& clock)
      : retried(metrics.counter("gavel_judge_batches_retried_total",
                                "Tries of a batch that met a conflict and were made again.")),
        halved(metrics.counter("gavel_judge_batches_halved_total",
                               "Batches that the store refused as a whole, and that were halved.")),
        in_doubt(metrics.counter("gavel_judge_batches_in_doubt_total",
                                 "Batches whose commit had no known end for a while.")),
        commit(metrics.timer("gavel_judge_commit_seconds", "Time from commit to durable.", clock)) {}

  Counter retried;
  Counter halved;
  Counter in_doubt;
  Timer commit;
};

}  // namespace gavel::judge
