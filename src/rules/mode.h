// Mode: which way a request takes to the judge (D1). The same commands, rules and records in every mode.
//
// Operators set it for a SKU or an activity and change it while selling. What is set for an activity goes
// before what is set for the SKU, and both before the service's own. Stored as its word. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gavel::rules {

enum class Mode : std::uint8_t {
  service,  // As the service does it: nothing is set here.
  direct,   // The judge alone.
  gated,    // The gate first, which turns the hopeless away.
};

std::string_view word(Mode mode);
std::optional<Mode> parse_mode(std::string_view word);

// The mode that holds where an activity has one and the SKU another; `service` is what the service is set to.
Mode effective(Mode of_activity, Mode of_sku, Mode of_service);

}  // namespace gavel::rules
