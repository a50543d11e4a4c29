#include "pipeline/gate_snapshot.h"

#include <functional>
#include <utility>

#include "gate/bucket_calls.h"
#include "stage/await.h"

namespace gavel::pipeline {

using boost::asio::awaitable;

awaitable<Result<std::optional<std::vector<GateSnapshot>>>> GateSnapshotReader::read(rules::SkuCode sku) {
  using Rows = std::optional<std::vector<StockRow>>;
  std::function<Result<Rows>(Reader&)> question = [&sku](Reader& reader) { return reader.stock(sku); };
  const Result<Rows> rows = co_await reads_.ask<Rows>(question);
  if (!rows) co_return std::unexpected(rows.error());
  if (!*rows) co_return std::nullopt;
  std::vector<GateSnapshot> snapshots;
  for (const StockRow& row : **rows) {
    GateSnapshot snapshot{row, modes_.mode_of(pool_of(sku, row)), {}};
    snapshot.buckets.resize(row.item.buckets.size());
    if (snapshot.mode == rules::Mode::gated) {
      using Buckets = std::vector<Result<std::optional<gate::Bucket>>>;
      const Buckets buckets =
          co_await stage::await_result<Buckets>([&](std::move_only_function<void(Buckets)> done) {
            gate::read_buckets(gate_, incarnation_, row.item.id, row.item.buckets.size(), std::move(done));
          });
      for (std::size_t i = 0; i < buckets.size(); ++i) {
        if (!buckets[i]) co_return std::unexpected(buckets[i].error());
        snapshot.buckets[i] = *buckets[i];
      }
    }
    snapshots.push_back(std::move(snapshot));
  }
  co_return snapshots;
}

}  // namespace gavel::pipeline
