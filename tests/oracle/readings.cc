// Stock readings (I14): what was shown was so at a position inside the reading's window, or says that it is
// approximate.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "oracle/checks.h"
#include "oracle/undersell.h"

namespace gavel::oracle {
namespace {

struct Step {
  std::int64_t position = 0;
  Bucket sums;
};

std::string text_of(const Bucket& sums) {
  return std::to_string(sums.available) + " available, " + std::to_string(sums.reserved) + " reserved, " +
         std::to_string(sums.sold) + " sold, " + std::to_string(sums.shipped) + " shipped, short of " +
         std::to_string(sums.shortage);
}

// (SKU, activity) -> the sums over the buckets after each change.
std::map<std::pair<std::string, std::string>, std::vector<Step>> sums_of(const Ledger& ledger) {
  std::map<std::pair<std::string, std::string>, std::vector<Step>> all;
  for (const auto& [id, item] : ledger.items) all.try_emplace({item.sku, item.activity}, 1);
  for (std::size_t k = 0; k < ledger.flows.size(); ++k) {
    const Flow& flow = ledger.flows[k];
    const auto item = ledger.items.find(flow.place.item);
    if (item == ledger.items.end()) continue;
    std::vector<Step>& steps = all.at({item->second.sku, item->second.activity});
    const Effect effect = effect_of(flow.action);
    Bucket sums = steps.back().sums;
    sums.available += effect.available * flow.quantity;
    sums.reserved += effect.reserved * flow.quantity;
    sums.sold += effect.sold * flow.quantity;
    sums.shortage += effect.shortage * flow.quantity;
    sums.shipped += effect.shipped * flow.quantity;
    steps.push_back({static_cast<std::int64_t>(k) + 1, sums});
  }
  return all;
}

}  // namespace

void check_readings(const World& world, Findings& findings) {
  if (world.history.readings().empty()) return;
  const Windows windows(world);
  const auto all = sums_of(world.ledger);
  for (const Reading& reading : world.history.readings()) {
    if (reading.approximate) continue;
    const Window window = windows.of(reading.call, reading.answered);
    const Bucket shown{reading.available, reading.reserved, reading.sold, 0,
                       reading.shortage,  reading.shipped};
    bool found = false;
    const auto steps = all.find({reading.sku, reading.activity});
    if (steps != all.end()) {
      const auto position = [](const Step& step) { return step.position; };
      auto step = std::prev(std::ranges::upper_bound(steps->second, window.low, {}, position));
      for (; step != steps->second.end() && step->position <= window.high && !found; ++step) {
        found = step->sums == shown;
      }
    }
    if (found) continue;
    findings.add("stock of " + reading.sku + (reading.activity.empty() ? "" : " in " + reading.activity) +
                 " read as " + text_of(shown) + ", which was not so at positions " +
                 std::to_string(window.low) + " to " + std::to_string(window.high));
  }
}

}  // namespace gavel::oracle
