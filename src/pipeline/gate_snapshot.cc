#include "pipeline/gate_snapshot.h"

#include <utility>

#include "gate/bucket_calls.h"
#include "gate/when_all.h"

namespace gavel::pipeline {
namespace {

using Buckets = std::vector<Result<std::optional<gate::Bucket>>>;

Result<void> fill(GateSnapshot& snapshot, const Buckets& buckets) {
  snapshot.buckets.clear();
  for (const Result<std::optional<gate::Bucket>>& bucket : buckets) {
    if (!bucket) return std::unexpected(bucket.error());
    snapshot.buckets.push_back(*bucket);
  }
  return {};
}

}  // namespace

void GateSnapshotReader::read(const rules::SkuCode& sku, Callback done) {
  std::move_only_function<void(Rows)> read = [this, sku, done = std::move(done)](const Rows& rows) mutable {
    read_gate(sku, rows, std::move(done));
  };
  reads_.ask<std::optional<std::vector<judge::StockRow>>>(
      [sku](judge::Reader& reader) { return reader.stock(sku); }, on(executor_, std::move(read)));
}

// The buckets of what is gated; the gate has none of anything else.
void GateSnapshotReader::read_gate(const rules::SkuCode& sku, const Rows& rows, Callback done) {
  if (!rows) return done(std::unexpected(rows.error()));
  if (!*rows) return done(std::nullopt);
  const auto snapshots = std::make_shared<std::vector<GateSnapshot>>();
  std::vector<std::size_t> gated;
  for (const judge::StockRow& row : **rows) {
    const rules::Mode mode = modes_.mode_of(pool_of(sku, row));
    if (mode == rules::Mode::gated) gated.push_back(snapshots->size());
    snapshots->push_back({row, mode, std::vector<std::optional<gate::Bucket>>(row.item.buckets.size())});
  }
  if (gated.empty()) return done(std::move(*snapshots));
  const auto all = std::make_shared<gate::WhenAll<Buckets>>(
      gated.size(), [snapshots, gated, done = std::move(done)](const std::vector<Buckets>& shown) mutable {
        for (std::size_t i = 0; i < gated.size(); ++i) {
          const Result<void> filled = fill((*snapshots)[gated[i]], shown[i]);
          if (!filled) return done(std::unexpected(filled.error()));
        }
        done(std::move(*snapshots));
      });
  for (std::size_t i = 0; i < gated.size(); ++i) {
    const rules::Item& item = (*snapshots)[gated[i]].row.item;
    gate::read_buckets(gate_, incarnation_, item.id, item.buckets.size(),
                       [all, i](Buckets buckets) { all->add(i, std::move(buckets)); });
  }
}

}  // namespace gavel::pipeline
