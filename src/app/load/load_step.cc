#include "app/load/load_step.h"

#include "base/check.h"

namespace gavel::app {

const RateSchedule& LoadStep::rate() const {
  CHECK(is_by_rate());
  return *std::get_if<RateSchedule>(&schedule);
}

FineTime LoadStep::during() const {
  if (is_by_rate()) return rate().during;
  const auto& during = std::get_if<OutstandingSchedule>(&schedule)->during;
  CHECK(during.has_value());
  return *during;
}

}  // namespace gavel::app
