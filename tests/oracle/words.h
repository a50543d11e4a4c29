// The words in which findings name what they speak of, and small questions that several checks ask.
//
// Private to the sources of the oracles. Pure.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "oracle/history.h"
#include "oracle/ledger.h"

namespace gavel::oracle {

inline std::string name_of(const RequestId& id) { return "key " + id.first + "/" + id.second; }

inline std::string name_of(const Place& place) {
  return "bucket " + std::to_string(place.item) + "/" + std::to_string(place.bucket);
}

inline std::string name_of(const Flow& flow) {
  return "seq " + std::to_string(flow.seq) + " of " + name_of(flow.place) + " (batch " +
         std::to_string(flow.lane) + "." + std::to_string(flow.n) + ")";
}

// What a row claims of its user's limit: units taken, or given back. Refunds keep the claim (B3).
inline std::int64_t claim_of(const Flow& flow) {
  if (flow.action == "reserve" || flow.action == "sell") return flow.quantity;
  if (flow.action == "cancel" || flow.action == "expire") return -flow.quantity;
  return 0;
}

// "tee*2,mug*1"
std::string text_of(const std::vector<Line>& lines);

// Orders that somebody asked to change while they were held (E5): what they took is not what was first asked.
std::set<std::string> changed_orders(const History& history);

// Parts by SKU.
std::vector<Line> units_of(const Ledger& ledger, const std::vector<Part>& parts);

// True of an order that is paid and has units left, here or with its buyer.
bool is_paid(const std::string& state);

}  // namespace gavel::oracle
