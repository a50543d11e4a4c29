// Mode: the path of a request to the judge (D1). Commands, rules and records are the same in every mode.
//
// Operators set it for a SKU or an activity and change it while selling. An activity's mode goes before its
// SKU's, and both go before the service's own. It is stored as its word. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gavel::rules {

enum class Mode : std::uint8_t {
  service,  // The service's own mode: none is set here.
  direct,   // The judge alone.
  gated,    // The gate first, which turns away requests that cannot succeed.
};

std::string_view word(Mode mode);
std::optional<Mode> parse_mode(std::string_view word);

// The mode in effect for an activity's mode and its SKU's; `service` is the service's own mode.
Mode effective(Mode of_activity, Mode of_sku, Mode of_service);

}  // namespace gavel::rules
