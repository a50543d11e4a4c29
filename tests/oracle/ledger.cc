#include "oracle/ledger.h"

#include <algorithm>
#include <tuple>

namespace gavel::oracle {
namespace {

// The flows of one batch, and how many batches must stand in front of it that do not yet.
struct Knot {
  std::vector<Flow> flows;
  std::vector<std::size_t> after;  // Batches that must come later.
  std::size_t waits_for = 0;
};

std::vector<Knot> knots_of(const std::vector<Flow>& flows) {
  std::map<std::pair<std::int64_t, std::int64_t>, Knot> by_batch;
  for (const Flow& flow : flows) by_batch[{flow.lane, flow.n}].flows.push_back(flow);
  std::vector<Knot> knots;
  for (auto& [batch, knot] : by_batch) {
    std::ranges::sort(knot.flows, {}, &Flow::i);
    knots.push_back(std::move(knot));
  }
  return knots;
}

// Each batch behind the one before it in its lane, and behind those whose rows stand before its own in a
// bucket.
void tie(std::vector<Knot>& knots) {
  std::map<std::int64_t, std::size_t> latest_of_lane;
  std::map<Place, std::vector<std::pair<std::int64_t, std::size_t>>> chains;  // seq, which batch
  const auto put_after = [&](std::size_t first, std::size_t second) {
    if (first == second) return;
    knots[first].after.push_back(second);
    ++knots[second].waits_for;
  };
  for (std::size_t knot = 0; knot < knots.size(); ++knot) {
    const std::int64_t lane = knots[knot].flows.front().lane;
    if (const auto before = latest_of_lane.find(lane); before != latest_of_lane.end())
      put_after(before->second, knot);
    latest_of_lane[lane] = knot;
    for (const Flow& flow : knots[knot].flows) chains[flow.place].emplace_back(flow.seq, knot);
  }
  for (auto& [place, chain] : chains) {
    std::ranges::sort(chain);
    for (std::size_t link = 1; link < chain.size(); ++link)
      put_after(chain[link - 1].second, chain[link].second);
  }
}

}  // namespace

// table: an effect for every action.
Effect effect_of(const std::string& action) {
  static const std::map<std::string, Effect> effects{
      {"receive", {1, 0, 0, 1, true}},
      {"reserve", {-1, 1, 0, 0, true}},
      {"sell", {-1, 0, 1, 0, true}},
      {"confirm", {0, -1, 1, 0, true}},
      {"cancel", {1, -1, 0, 0, true}},
      {"expire", {1, -1, 0, 0, true}},
      {"move_out", {-1, 0, 0, -1, true}},
      {"move_in", {1, 0, 0, 1, true}},
      {"refund", {1, 0, -1, 0, true}},
      {"write_off", {0, 0, -1, -1, true}},
      {"adjust_in", {1, 0, 0, 1, true}},
      {"adjust_out", {-1, 0, 0, -1, true}},
      {"fall_short", {0, 0, 0, -1, true, 1}},
      {"make_good", {-1, 0, 0, 0, true, -1}},
      {"ship", {0, 0, -1, 0, true, 0, 1}},
      {"take_back", {1, 0, 0, 0, true, 0, -1}},
      {"write_off_shipped", {0, 0, 0, -1, true, 0, -1}},
  };
  const auto found = effects.find(action);
  return found == effects.end() ? Effect{} : found->second;
}

bool put_in_order(std::vector<Flow>& flows) {
  std::vector<Knot> knots = knots_of(flows);
  tie(knots);
  // Of those that may come next, the one that is earliest by time.
  using Next = std::tuple<std::int64_t, std::size_t>;
  std::vector<Next> heap;
  const auto may_come = [&](std::size_t knot) {
    heap.emplace_back(knots[knot].flows.front().at, knot);
    std::ranges::push_heap(heap, std::greater<>{});
  };
  for (std::size_t knot = 0; knot < knots.size(); ++knot) {
    if (knots[knot].waits_for == 0) may_come(knot);
  }
  std::vector<Flow> ordered;
  while (!heap.empty()) {
    std::ranges::pop_heap(heap, std::greater<>{});
    const std::size_t knot = std::get<1>(heap.back());
    heap.pop_back();
    ordered.insert(ordered.end(), knots[knot].flows.begin(), knots[knot].flows.end());
    for (const std::size_t later : knots[knot].after) {
      if (--knots[later].waits_for == 0) may_come(later);
    }
  }
  if (ordered.size() != flows.size()) {
    std::ranges::sort(flows, {}, [](const Flow& flow) { return std::tuple(flow.lane, flow.n, flow.i); });
    return false;
  }
  flows = std::move(ordered);
  return true;
}

}  // namespace gavel::oracle
