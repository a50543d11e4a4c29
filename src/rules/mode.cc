#include "rules/mode.h"

#include "base/check.h"

namespace gavel::rules {

std::string_view word(Mode mode) {
  switch (mode) {
    case Mode::service:
      return "service";
    case Mode::direct:
      return "direct";
    case Mode::gated:
      return "gated";
  }
  CHECK(false);
}

std::optional<Mode> parse_mode(std::string_view word) {
  for (const Mode mode : {Mode::service, Mode::direct, Mode::gated}) {
    if (rules::word(mode) == word) return mode;
  }
  return std::nullopt;
}

Mode effective(Mode of_activity, Mode of_sku, Mode of_service) {
  CHECK(of_service != Mode::service);  // Somebody has to say.
  if (of_activity != Mode::service) return of_activity;
  return of_sku != Mode::service ? of_sku : of_service;
}

}  // namespace gavel::rules
