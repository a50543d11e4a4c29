#include "sim/database.h"

namespace gavel::sim {

Micros Client::draw_time() const {
  const auto mean = static_cast<std::uint64_t>(manners.call_takes.count());
  Micros time(1 + static_cast<std::int64_t>(random.below(2 * mean)));
  if (faults.strikes(Fault::sql_slow)) time *= 100;
  return time;
}

}  // namespace gavel::sim
