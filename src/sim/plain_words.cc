#include "sim/plain_words.h"

#include <utility>

#include "base/check.h"

namespace gavel::sim {

rules::Command reserve_of(const oracle::Request& request, std::chrono::seconds hold) {
  rules::Reserve act{.user = rules::UserId(request.user), .lines = {}, .activity = {}, .hold = hold};
  for (const oracle::Line& line : request.lines) {
    act.lines.push_back({rules::SkuCode(line.sku), rules::Quantity{line.quantity}});
  }
  if (!request.activity.empty()) act.activity = rules::ActivityCode(request.activity);
  return rules::Command{rules::Caller(request.caller), rules::RequestKey(request.key), {}, std::move(act)};
}

void read_rows(judge::TablesReader& reader, oracle::Ledger& ledger) {
  CHECK(plain::read_rows(reader, ledger).has_value());
}

}  // namespace gavel::sim
