#include "base/clock_fine.h"

namespace gavel {

FineTime fine_now() {
  return std::chrono::duration_cast<FineTime>(std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace gavel
