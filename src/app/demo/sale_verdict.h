// The verdict on a sale: whether what was answered, what is in the database and what verify says agree (B14).
//
// Everything is recomputed from the answers and from what was read independently afterwards; nothing of the
// service's rules is used. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/demo/sale_plan.h"
#include "app/demo/sale_run.h"
#include "base/time.h"
#include "judge/audit.h"

namespace gavel::app {

// What was read from the service after the sale.
struct SaleSeen {
  struct Stock {
    std::int64_t available = 0;
    std::int64_t reserved = 0;
    std::int64_t sold = 0;
  };
  std::optional<Stock> stock;  // Of the activity's stock item; nothing if it was not listed.
  struct Order {
    std::string id;
    std::string user;
    std::string state;
  };
  std::optional<std::int64_t> left_at_gate;  // Of the same; nothing where the gate does not show it.
  std::vector<Order> orders;                 // Each order that was answered 201, asked for again.
  judge::AuditReport audit;
};

struct Sale {
  SaleSize size;
  std::size_t connections = 0;
  std::string mode = "direct";
  SalePlan plan;
  SaleRun run;
  SaleSeen seen;
};

// Whatever is not as it must be, one line each; none if the sale was right.
std::vector<std::string> deviations_of(const Sale& sale);

// The value below which `percent` of the values lie (nearest rank); 0 of none.
Duration percentile(std::vector<Duration> values, int percent);

enum class Ink : std::uint8_t { plain, colour };

// The same for people, a dozen lines, and for programs, one object.
std::string verdict_text(const Sale& sale, const std::vector<std::string>& deviations, Ink ink);
std::string verdict_json(const Sale& sale, const std::vector<std::string>& deviations);

}  // namespace gavel::app
