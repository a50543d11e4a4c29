#include <algorithm>
#include <tuple>

#include "judge/reader.h"

namespace gavel::judge {

void put_in_order(Trace& trace) {
  // Lanes are dealt anew at every start, so between two of them the time of the batch decides.
  std::ranges::sort(trace.steps, {}, [](const Trace::Step& step) {
    return std::tuple(step.row.flow.at, step.row.batch, step.row.i);
  });
  const auto by_key = [](const rules::IdempotencyRecord& one) {
    return std::tuple(one.verdict.at, one.caller, one.key);
  };
  std::ranges::sort(trace.requests, {}, by_key);
  const auto again = std::ranges::unique(trace.requests, {}, by_key);
  trace.requests.erase(again.begin(), again.end());
}

}  // namespace gavel::judge
