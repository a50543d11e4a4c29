// SaleVerdict: whether the responses to a sale, what is in the database and what verify says agree (B14).
//
// Everything is recomputed from the responses and from what was read independently afterwards; nothing of the
// service's rules is used. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/demo/sale_plan.h"
#include "app/demo/sale_reading.h"
#include "app/demo/sale_run.h"

namespace gavel::app {

struct Sale {
  SaleSize size;
  std::size_t connections = 0;
  std::string mode = "direct";
  SalePlan plan;
  SaleRun run;
  SaleReading reading;
};

// Whatever is not as it must be, one line each; none if the sale was right.
std::vector<std::string> deviations_of(const Sale& sale);

enum class ColourMode : std::uint8_t { plain, colour };

// The same for people, a dozen lines, and for programs, one object.
std::string verdict_text(const Sale& sale, const std::vector<std::string>& deviations, ColourMode colour);
std::string verdict_json(const Sale& sale, const std::vector<std::string>& deviations);

}  // namespace gavel::app
