#include "oracle/words.h"

namespace gavel::oracle {

std::string text_of(const std::vector<Line>& lines) {
  std::string text;
  for (const Line& line : lines) {
    text += (text.empty() ? "" : ",") + line.sku + "*" + std::to_string(line.quantity);
  }
  return text.empty() ? "nothing" : text;
}

std::set<std::string> changed_orders(const History& history) {
  std::set<std::string> orders;
  for (const auto& [id, asked] : history.asked()) {
    for (const Request& request : asked.requests) {
      if (request.act == "change") orders.insert(request.order);
    }
  }
  return orders;
}

std::vector<Line> units_of(const Ledger& ledger, const std::vector<Part>& parts) {
  std::vector<Line> lines;
  for (const Part& part : parts) {
    const auto item = ledger.items.find(part.place.item);
    lines.push_back({item == ledger.items.end() ? "?" : item->second.sku, part.quantity});
  }
  return merged(lines);
}

bool is_paid(const std::string& state) {
  return state == "paid" || state == "partly_refunded" || state == "partly_shipped" || state == "shipped";
}

}  // namespace gavel::oracle
