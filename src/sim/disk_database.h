// DiskDatabase: the product's SQLite store in a simulated world, above a file layer with faults.
//
// One instance at a time uses it, like the product's one process. Its files are in a folder of their own, in
// memory if the machine offers that. A write may find the disk full or be cut short, and a sync may fail.
// When the instance dies, changes that were not synced may be lost, write by write. Whether a batch whose
// commit failed is stored is found out in the same way as by the next process: from the file. One thread, one
// database at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "judge/sqlite/store.h"
#include "judge/testing/fault_vfs.h"
#include "judge/testing/store_wrapper.h"
#include "sim/database.h"
#include "sim/skewed_clock.h"

namespace gavel::sim {

class DiskDatabase final : public SimDatabase {
 public:
  DiskDatabase(Faults& faults, TraceLog& tale, Random& random, SkewedClock& clock, OnCommit on_commit);
  ~DiskDatabase() override;
  DiskDatabase(const DiskDatabase&) = delete;
  DiskDatabase& operator=(const DiskDatabase&) = delete;

  judge::Identity open_instance() override;
  std::unique_ptr<judge::Store> open_store(const Client& client) override;
  std::unique_ptr<judge::Reader> open_reader(const Client& client) override;
  // In a file beside the database's, which survives the instance unless the power fails.
  std::unique_ptr<judge::OrderIndex> open_order_index(const Client& client) override;
  std::unique_ptr<judge::Reader> look() override;
  void instance_dies() override;
  void instance_is_dead() override;
  std::vector<std::string> complaints() const override { return {}; }
  std::size_t open_transactions() const override { return 0; }

  // What its store reports: a batch that is about to be committed, and how that ended.
  void about_to_commit(const rules::State& state, judge::BatchId batch, Time now);
  Result<void> commit(judge::Store& store);

 private:
  struct Pending {
    rules::State state;
    judge::BatchId batch;
    Time now;
  };

  bool holds(judge::BatchId batch);

  Faults& faults_;
  TraceLog& tale_;
  Random& random_;
  SkewedClock& clock_;
  const OnCommit on_commit_;
  const std::filesystem::path folder_;
  judge::FaultVfs vfs_{"gavel-sim"};
  judge::SqliteOptions options_;
  std::optional<Pending> pending_;  // Written, and not known to be committed.
};

}  // namespace gavel::sim
