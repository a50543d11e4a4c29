// StepStock: the SKU of one step of a load ramp, and whether what came of it is right.
//
// Over HTTP like any operator's tool; blocks; one thread. Every error is one line.
#pragma once

#include <cstdint>
#include <string>

#include "app/client/operator_client.h"
#include "base/random.h"
#include "base/result.h"

namespace gavel::app {

struct StepStock {
  std::string sku;  // Of this step alone.
  std::int64_t units = 0;
};

// What the load knows when its step is over.
struct StepCount {
  enum class Units : std::uint8_t { stay_taken, come_back };  // Mixed cancels, and lets holds expire.

  std::int64_t orders = 0;    // That were acknowledged.
  std::int64_t doubtful = 0;  // Requests without a final response, of which each may have been done.
  Units units = Units::stay_taken;
};

Result<StepStock> stock_up(OperatorClient& server, std::int64_t units, Random& random);

// "clean", or what is wrong: first the count of this SKU, then everything against the ledger.
Result<std::string> verify_of(OperatorClient& server, const StepStock& stock, const StepCount& count);

// What is wrong with `taken` units of stock; empty: nothing. Pure.
std::string wrong_in(const StepCount& count, std::int64_t taken);

}  // namespace gavel::app
