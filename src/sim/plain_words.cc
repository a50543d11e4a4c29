#include "sim/plain_words.h"

#include <utility>
#include <vector>

#include "base/check.h"

namespace gavel::sim {

rules::Command reserve_of(const oracle::Request& request, std::chrono::seconds hold) {
  std::vector<rules::Line> lines;
  for (const oracle::Line& line : request.lines) {
    lines.push_back({rules::SkuCode(line.sku), rules::Quantity{line.quantity}});
  }
  rules::Reserve act{.user = rules::UserId(request.user),
                     .lines = rules::Lines(std::move(lines)),
                     .activity = {},
                     .hold = hold};
  if (!request.activity.empty()) act.activity = rules::ActivityCode(request.activity);
  return rules::Command{rules::Caller(request.caller), rules::RequestKey(request.key), {}, std::move(act)};
}

void read_rows(judge::TablesReader& reader, oracle::Ledger& ledger) {
  CHECK(plain::read_rows(reader, ledger).has_value());
}

}  // namespace gavel::sim
