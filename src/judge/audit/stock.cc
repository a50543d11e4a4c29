#include "judge/audit/stock.h"

#include <algorithm>

namespace gavel::judge {
namespace {

using rules::Action;
using rules::Bucket;
using rules::Flow;

// What one unit does, told a second time: an audit that asked the rules would repeat their mistakes.
Bucket unit_effect(Action action) {
  switch (action) {
    case Action::receive:
    case Action::move_in:
    case Action::adjust_in:
      return {{1}, {0}, {0}};
    case Action::move_out:
    case Action::adjust_out:
      return {{-1}, {0}, {0}};
    case Action::reserve:
      return {{-1}, {1}, {0}};
    case Action::sell:
      return {{-1}, {0}, {1}};
    case Action::confirm:
      return {{0}, {-1}, {1}};
    case Action::cancel:
    case Action::expire:
      return {{1}, {-1}, {0}};
    case Action::refund:
      return {{1}, {0}, {-1}};
    case Action::write_off:
      return {{0}, {0}, {-1}};
    case Action::fall_short:
      return {{0}, {0}, {0}, 0, {1}};
    case Action::make_good:
      return {{-1}, {0}, {0}, 0, {-1}};
    case Action::ship:
      return {{0}, {0}, {-1}, 0, {0}, {1}};
    case Action::take_back:
      return {{1}, {0}, {0}, 0, {0}, {-1}};
    case Action::write_off_shipped:
      return {{0}, {0}, {0}, 0, {0}, {-1}};
  }
  return {};
}

// Units that an entry brings into its stock item, or takes out of it.
std::int64_t inward(const Flow& flow) {
  switch (flow.action) {
    case Action::receive:
    case Action::move_in:
    case Action::adjust_in:
      return flow.quantity.units;
    case Action::move_out:
    case Action::adjust_out:
    case Action::fall_short:
    case Action::write_off:
    case Action::write_off_shipped:
      return -flow.quantity.units;
    default:
      return 0;
  }
}

void replay(const Flow& flow, Bucket& bucket) {
  const Bucket effect = unit_effect(flow.action);
  bucket.available.units += effect.available.units * flow.quantity.units;
  bucket.reserved.units += effect.reserved.units * flow.quantity.units;
  bucket.sold.units += effect.sold.units * flow.quantity.units;
  bucket.shortage.units += effect.shortage.units * flow.quantity.units;
  bucket.shipped.units += effect.shipped.units * flow.quantity.units;
}

std::string numbers(const Bucket& bucket) {
  const std::string shortage =
      bucket.shortage.units == 0 ? "" : ", shortage " + std::to_string(bucket.shortage.units);
  const std::string shipped =
      bucket.shipped.units == 0 ? "" : ", shipped " + std::to_string(bucket.shipped.units);
  return "available " + std::to_string(bucket.available.units) + ", reserved " +
         std::to_string(bucket.reserved.units) + ", sold " + std::to_string(bucket.sold.units) + shipped +
         shortage + " at seq " + std::to_string(bucket.seq);
}

}  // namespace

void StockAudit::item(const rules::Item& row) {
  Stock& stock = stocks_[row.id];
  stock.sku = row.sku;
  stock.generation = row.generation;
  for (const Bucket& bucket : row.buckets) stock.chains.push_back(Chain{bucket, Bucket{}});
}

void StockAudit::flow_by_bucket(const FlowRow& row) {
  ++flows_by_bucket_;
  const Flow& flow = row.flow;
  const auto stock = stocks_.find(flow.item);
  const auto no = static_cast<std::size_t>(flow.bucket);
  if (stock == stocks_.end() || no >= stock->second.chains.size()) {
    findings_.add(
        Subject::chain, "chain",
        name_of(flow.item, flow.bucket) + ": seq " + std::to_string(flow.seq) + " belongs to no bucket");
    return;
  }
  Chain& chain = stock->second.chains[no];
  check_link(flow, chain);
  replay(flow, chain.replayed);
  chain.replayed.seq = flow.seq;
  chain.last_after = flow.after.units;
  stock->second.came_in += inward(flow);
  migration_.entry(flow);
}

void StockAudit::check_link(const Flow& flow, Chain& chain) {
  if (chain.broken) return;
  const auto breaks = [&](const std::string& what) {
    chain.broken = true;
    findings_.add(Subject::chain, "chain",
                  name_of(flow.item, flow.bucket) + ": seq " + std::to_string(flow.seq) + " " + what);
  };
  const std::string before = std::to_string(flow.before.units);
  const std::string after = std::to_string(flow.after.units);
  const std::int64_t step = unit_effect(flow.action).available.units * flow.quantity.units;
  Bucket next = chain.replayed;
  replay(flow, next);
  if (flow.seq != chain.replayed.seq + 1) return breaks("follows seq " + std::to_string(chain.replayed.seq));
  if (flow.before.units != chain.last_after) {
    return breaks("says before " + before + ", the previous entry says after " +
                  std::to_string(chain.last_after));
  }
  if (flow.quantity.units < 1 || flow.after.units != flow.before.units + step) {
    return breaks("says after " + after + ", but " + std::string(word(flow.action)) + " of " +
                  std::to_string(flow.quantity.units) + " on " + before + " does not lead there");
  }
  if (std::min({flow.after.units, next.reserved.units, next.sold.units, next.shortage.units,
                next.shipped.units}) < 0) {
    return breaks("leaves less than zero");
  }
}

void StockAudit::flow_by_batch(const FlowRow& row) {
  ++flows_by_batch_;
  if (current_ != row.batch) {
    end_batch();
    current_ = row.batch;
  }
  if (row.i != next_i_) {
    findings_.add(Subject::entry_of_batch, "batches",
                  name_of(row.batch) + ": entry " + std::to_string(row.i) + " comes where entry " +
                      std::to_string(next_i_) + " is expected");
  }
  next_i_ = row.i + 1;
  ++flows_of_batch_;
  const Flow& flow = row.flow;
  const auto found = stocks_.find(flow.item);
  if (found == stocks_.end()) return;
  Stock& stock = found->second;
  stock.returns.add(row.batch, flow, unit_effect(flow.action).available.units * flow.quantity.units,
                    steps_held_);
  if (flow.action == Action::move_out) moved_[stock.sku].first += flow.quantity.units;
  if (flow.action == Action::move_in) moved_[stock.sku].second += flow.quantity.units;
}

// Of a batch whose row has not come.
void StockAudit::end_batch() {
  if (!current_) return;
  check_moves();
  findings_.add(Subject::batch_without_row, "batches",
                name_of(*current_) + " has " + std::to_string(flows_of_batch_) + " entries, but no row");
  forget_batch();
}

void StockAudit::check_moves() {
  for (const auto& [sku, moved] : moved_) {
    const auto [out, in] = moved;
    if (out == in) continue;
    findings_.add(Subject::entry_of_batch, "moves",
                  name_of(*current_) + ": of SKU number " + std::to_string(sku.value) + ", " +
                      std::to_string(out) + " moved out and " + std::to_string(in) + " moved in");
  }
}

void StockAudit::forget_batch() {
  moved_.clear();
  next_i_ = 0;
  flows_of_batch_ = 0;
  current_.reset();
}

void StockAudit::batch(const BatchRow& row) {
  if (current_ != row.batch) end_batch();
  const BatchId due = row.batch.lane == previous_.lane ? BatchId{previous_.lane, previous_.n + 1}
                                                       : BatchId{row.batch.lane, 1};
  if (row.batch != due) {
    findings_.add(Subject::batch, "batches",
                  name_of(row.batch) + " comes where " + name_of(due) + " is expected");
  }
  previous_ = row.batch;
  const std::int64_t flows = flows_of_batch_;
  if (row.aborted && flows != 0) {
    findings_.add(Subject::batch, "batches",
                  name_of(row.batch) + " is aborted, but " + std::to_string(flows) + " entries are its own");
  } else if (row.flows != flows) {
    findings_.add(Subject::batch, "batches",
                  name_of(row.batch) + " says " + std::to_string(row.flows) + " entries, " +
                      std::to_string(flows) + " are there");
  }
  check_moves();
  forget_batch();
}

void StockAudit::finish() {
  end_batch();
  if (flows_by_batch_ != flows_by_bucket_) {
    findings_.add(Subject::ledger, "batches",
                  "the ledger has " + std::to_string(flows_by_bucket_) + " entries by bucket and " +
                      std::to_string(flows_by_batch_) + " by batch");
  }
  for (auto& [id, stock] : stocks_) check_stock(id, stock);
}

void StockAudit::check_stock(rules::ItemId id, Stock& stock) {
  std::int64_t there = 0;    // Less what is short, which came in for nobody.
  std::int64_t shipped = 0;  // What came in, and left for buyers.
  std::int64_t available = 0;
  std::int64_t shortage = 0;
  for (std::size_t no = 0; no < stock.chains.size(); ++no) {
    const Chain& chain = stock.chains[no];
    available += chain.row.available.units;
    shortage += chain.row.shortage.units;
    shipped += chain.row.shipped.units;
    there += chain.row.available.units + chain.row.reserved.units + chain.row.sold.units -
             chain.row.shortage.units;
    if (chain.row == chain.replayed) continue;
    findings_.add(Subject::item, "buckets",
                  name_of(id, static_cast<rules::BucketNo>(no)) + ": the row says " + numbers(chain.row) +
                      "; the flows say " + numbers(chain.replayed));
  }
  if (there + shipped != stock.came_in) {
    findings_.add(Subject::item, "conservation",
                  "item " + std::to_string(id.value) + ": " + std::to_string(there) + " units are there, " +
                      (shipped == 0 ? "" : std::to_string(shipped) + " were shipped, ") +
                      std::to_string(stock.came_in) + " came in");
  }
  if (shortage != 0 && (available != 0 || there < 0)) {
    findings_.add(Subject::item, "shortage",
                  "item " + std::to_string(id.value) + " is short of " + std::to_string(shortage) +
                      " units, and " +
                      (available != 0 ? std::to_string(available) + " are available"
                                      : "its orders have only " + std::to_string(there + shortage)));
  }
  const Returns::Count returns = stock.returns.count();
  if (stock.generation < 1 + returns.least || stock.generation > 1 + returns.most) {
    const std::string last = returns.last ? ", the last one in " + name_of(*returns.last) : "";
    findings_.add(Subject::item, "generation",
                  "item " + std::to_string(id.value) + ": the row says generation " +
                      std::to_string(stock.generation) + ", but stock returned to the empty item " +
                      std::to_string(returns.least) + " times" + last);
  }
}

}  // namespace gavel::judge
