// The ledger with itself: I1 to I4 and I15.
#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "oracle/checks.h"
#include "oracle/words.h"

namespace gavel::oracle {
namespace {

std::string numbers(const Bucket& bucket) {
  return "available " + std::to_string(bucket.available) + ", reserved " + std::to_string(bucket.reserved) +
         ", sold " + std::to_string(bucket.sold) +
         (bucket.shortage == 0 ? "" : ", shortage " + std::to_string(bucket.shortage)) +
         (bucket.shipped == 0 ? "" : ", shipped " + std::to_string(bucket.shipped));
}

void add(Bucket& bucket, const Flow& flow) {
  const Effect effect = effect_of(flow.action);
  bucket.available += effect.available * flow.quantity;
  bucket.reserved += effect.reserved * flow.quantity;
  bucket.sold += effect.sold * flow.quantity;
  bucket.shortage += effect.shortage * flow.quantity;
  bucket.shipped += effect.shipped * flow.quantity;
  bucket.seq = std::max(bucket.seq, flow.seq);
}

bool is_sound(const Bucket& bucket) {
  return bucket.available >= 0 && bucket.reserved >= 0 && bucket.sold >= 0 && bucket.shortage >= 0 &&
         bucket.shipped >= 0;
}

// After each transaction: whoever is owed a unit has it in an order, and nobody is offered one meanwhile
// (E7).
void check_shortages(const Ledger& ledger, Findings& findings) {
  std::map<std::int64_t, Bucket> items;
  for (std::size_t k = 0; k < ledger.flows.size(); ++k) {
    const Flow& flow = ledger.flows[k];
    Bucket& sums = items[flow.place.item];
    add(sums, flow);
    const bool ends = k + 1 == ledger.flows.size() || ledger.flows[k + 1].lane != flow.lane ||
                      ledger.flows[k + 1].n != flow.n;
    if (!ends || sums.shortage <= 0) continue;
    const std::string name =
        "item " + std::to_string(flow.place.item) + " at position " + std::to_string(k + 1);
    if (sums.available > 0) findings.add(name + " is short and has units left: " + numbers(sums));
    if (sums.shortage > sums.reserved + sums.sold)
      findings.add(name + " is short of more than orders have: " + numbers(sums));
  }
}

// What is with an order: what it took, less what has returned.
std::map<Place, std::int64_t> kept(const Order& order) {
  std::map<Place, std::int64_t> units;
  for (const Part& part : order.taken) units[part.place] += part.quantity;
  for (const Part& part : order.returned) units[part.place] -= part.quantity;
  return units;
}

// Held, paid and shipped units by bucket, as the orders say.
std::map<Place, Bucket> explained(const Ledger& ledger) {
  std::map<Place, Bucket> places;
  for (const auto& [id, order] : ledger.orders) {
    const bool held = order.state == "held";
    const bool paid = is_paid(order.state);
    if (!held && !paid) continue;
    for (const auto& [place, units] : kept(order))
      (held ? places[place].reserved : places[place].sold) += units;
    for (const Part& part : order.shipped) {
      places[part.place].sold -= part.quantity;
      places[part.place].shipped += part.quantity;
    }
  }
  return places;
}

}  // namespace

// available + reserved + sold + shipped - shortage = what came in less what went out, per bucket, and so per
// item and SKU: the rows are what the flows replayed give, and what is reserved and sold is explained to the
// unit by orders (C3).
void check_conservation(const World& world, Findings& findings) {
  std::map<Place, Bucket> replayed;
  std::map<Place, std::int64_t> came_in;
  for (const Flow& flow : world.ledger.flows) {
    add(replayed[flow.place], flow);
    came_in[flow.place] += effect_of(flow.action).inward * flow.quantity;
    if (!world.ledger.buckets.contains(flow.place)) findings.add(name_of(flow) + " belongs to no bucket");
  }
  std::map<Place, Bucket> by_orders = explained(world.ledger);
  for (const auto& [place, row] : world.ledger.buckets) {
    if (row != replayed[place]) {
      findings.add(name_of(place) + " has " + numbers(row) + " at seq " + std::to_string(row.seq) +
                   ", its flows give " + numbers(replayed[place]) + " at seq " +
                   std::to_string(replayed[place].seq));
    }
    const std::int64_t units = row.available + row.reserved + row.sold + row.shipped - row.shortage;
    if (units != came_in[place]) {
      findings.add(name_of(place) + " has " + std::to_string(units) + " units, " +
                   std::to_string(came_in[place]) + " came in");
    }
    const Bucket& theirs = by_orders[place];
    if (row.reserved != theirs.reserved || row.sold != theirs.sold || row.shipped != theirs.shipped) {
      findings.add(name_of(place) + " has " + numbers(row) + ", its orders hold " +
                   std::to_string(theirs.reserved) + " and have paid " + std::to_string(theirs.sold) +
                   (theirs.shipped == 0 ? "" : ", " + std::to_string(theirs.shipped) + " with buyers"));
    }
    by_orders.erase(place);
  }
  for (const auto& [place, sums] : by_orders) {
    if (sums.reserved != 0 || sums.sold != 0 || sums.shipped != 0)
      findings.add("orders have units of " + name_of(place) + ", which is not");
  }
}

void check_never_negative(const World& world, Findings& findings) {
  std::map<Place, Bucket> places;
  for (std::size_t k = 0; k < world.ledger.flows.size(); ++k) {
    const Flow& flow = world.ledger.flows[k];
    Bucket& bucket = places[flow.place];
    const bool was_sound = is_sound(bucket);
    add(bucket, flow);
    if (was_sound && !is_sound(bucket)) {
      findings.add(name_of(flow) + " leaves " + numbers(bucket) + " at position " + std::to_string(k + 1));
    }
  }
  for (const auto& [place, row] : world.ledger.buckets) {
    if (!is_sound(row)) findings.add(name_of(place) + " has " + numbers(row));
  }
  check_shortages(world.ledger, findings);
}

void check_moves(const World& world, Findings& findings) {
  std::map<std::tuple<std::int64_t, std::int64_t, std::string>, std::int64_t> sums;  // lane, n, SKU
  for (const Flow& flow : world.ledger.flows) {
    const auto item = world.ledger.items.find(flow.place.item);
    if (item == world.ledger.items.end()) continue;
    if (flow.action == "move_in") sums[{flow.lane, flow.n, item->second.sku}] += flow.quantity;
    if (flow.action == "move_out") sums[{flow.lane, flow.n, item->second.sku}] -= flow.quantity;
  }
  for (const auto& [name, units] : sums) {
    const auto& [lane, n, sku] = name;
    if (units == 0) continue;
    findings.add("batch " + std::to_string(lane) + "." + std::to_string(n) + " moves " + sku + " and is " +
                 std::to_string(units) + " units out");
  }
}

// Per bucket, in the order of the commits: seq from 1 without a gap, each `before` the `after` in front of
// it, and each `after` where the action leads.
void check_chains(const World& world, Findings& findings) {
  struct End {
    std::int64_t seq = 0;
    std::int64_t after = 0;
  };
  std::map<Place, End> ends;
  for (const Flow& flow : world.ledger.flows) {
    End& end = ends[flow.place];
    const Effect effect = effect_of(flow.action);
    if (!effect.known || flow.quantity < 1) {
      findings.add(name_of(flow) + " is " + flow.action + " of " + std::to_string(flow.quantity));
    }
    if (flow.seq != end.seq + 1) findings.add(name_of(flow) + " follows seq " + std::to_string(end.seq));
    if (flow.before != end.after) {
      findings.add(name_of(flow) + " says before " + std::to_string(flow.before) +
                   ", in front of it is after " + std::to_string(end.after));
    }
    if (flow.after != flow.before + effect.available * flow.quantity) {
      findings.add(name_of(flow) + " says after " + std::to_string(flow.after) + ": " + flow.action + " of " +
                   std::to_string(flow.quantity) + " on " + std::to_string(flow.before) +
                   " does not lead there");
    }
    end = {flow.seq, flow.after};
  }
}

// A batch has its rows from 0 on and as many as it says; n has no gap within its lane. A flow without its
// batch is a change without its event.
void check_batches(const World& world, Findings& findings) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> rows;
  for (const Flow& flow : world.ledger.flows) {
    const auto name = std::pair(flow.lane, flow.n);
    if (flow.i != rows[name]) {
      findings.add(name_of(flow) + " is row " + std::to_string(flow.i) + " of its batch, row " +
                   std::to_string(rows[name]) + " is due");
    }
    rows[name] = flow.i + 1;
  }
  std::map<std::int64_t, std::int64_t> latest;
  for (const Batch& batch : world.ledger.batches) {
    const std::string who = "batch " + std::to_string(batch.lane) + "." + std::to_string(batch.n);
    const std::int64_t there = rows[{batch.lane, batch.n}];
    if (there != batch.flows) {
      findings.add(who + " says that it wrote " + std::to_string(batch.flows) + " rows, " +
                   std::to_string(there) + " are there");
    }
    if (batch.aborted && there != 0) findings.add(who + " is aborted and has rows");
    if (batch.n != latest[batch.lane] + 1)
      findings.add(who + " follows " + std::to_string(latest[batch.lane]));
    latest[batch.lane] = batch.n;
    rows.erase({batch.lane, batch.n});
  }
  for (const auto& [name, count] : rows) {
    findings.add("batch " + std::to_string(name.first) + "." + std::to_string(name.second) + " has " +
                 std::to_string(count) + " rows and no row of its own");
  }
}

}  // namespace gavel::oracle
