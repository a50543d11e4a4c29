#include "sim/disk_database.h"

#include <array>
#include <cstdlib>
#include <utility>

#include <unistd.h>

#include "base/check.h"
#include "judge/sqlite/order_index.h"
#include "sim/slow_index.h"
#include "sim/slow_reader.h"

namespace gavel::sim {
namespace {

using judge::BatchId;
using judge::FaultVfs;
using judge::Store;
using rules::OrderId;
using rules::State;

// Small, so that a run meets checkpoints.
constexpr std::int64_t checkpoint_pages = 60;

struct FileFault {
  Fault fault;
  FaultVfs::Fault layer;
};
constexpr std::array file_faults{FileFault{Fault::file_full, FaultVfs::Fault::full},
                                 FileFault{Fault::file_short_write, FaultVfs::Fault::short_write},
                                 FileFault{Fault::file_sync_failed, FaultVfs::Fault::sync_error}};

std::filesystem::path make_folder() {
  const std::filesystem::path memory = "/dev/shm";
  const bool is_there = std::filesystem::is_directory(memory) && access(memory.c_str(), W_OK) == 0;
  const auto parent = is_there ? memory : std::filesystem::temp_directory_path();
  std::string name = (parent / "gavel-sim-XXXXXX").string();
  CHECK(mkdtemp(name.data()) != nullptr);
  return name;
}

// Each call takes its time on the fiber, and none has an effect once the power is cut.
class DiskStore final : public Store {
 public:
  DiskStore(const Client& client, DiskDatabase& database, std::unique_ptr<Store> file)
      : c_(client), database_(database), file_(std::move(file)) {}

  Result<rules::LaneId> open_lane() override {
    return call([&] { return file_->open_lane(); });
  }
  Result<void> begin() override {
    return call([&] { return file_->begin(); });
  }
  Result<void> load_skus(const std::set<rules::SkuCode>& codes, State& state) override {
    return call([&] { return file_->load_skus(codes, state); });
  }
  Result<void> load_skus(const std::set<rules::SkuId>& ids, State& state) override {
    return call([&] { return file_->load_skus(ids, state); });
  }
  Result<void> load_activities(const std::set<rules::ActivityCode>& codes, State& state) override {
    return call([&] { return file_->load_activities(codes, state); });
  }
  Result<void> load_activities(const std::set<rules::ActivityId>& ids, State& state) override {
    return call([&] { return file_->load_activities(ids, state); });
  }
  Result<void> load_items(const std::set<rules::ItemId>& ids, State& state) override {
    return call([&] { return file_->load_items(ids, state); });
  }
  Result<void> load_orders(const std::set<OrderId>& ids, State& state) override {
    return call([&] { return file_->load_orders(ids, state); });
  }
  Result<void> load_requests(const std::set<rules::RequestId>& ids, const std::set<OrderId>& keys_as_orders,
                             State& state) override {
    return call([&] { return file_->load_requests(ids, keys_as_orders, state); });
  }
  Result<void> load_quotas(const std::set<rules::QuotaKey>& keys, State& state) override {
    return call([&] { return file_->load_quotas(keys, state); });
  }
  Result<void> load_counters(State& state) override {
    return call([&] { return file_->load_counters(state); });
  }
  Result<Time> now() override {
    return call([&] { return file_->now(); });
  }
  Result<std::vector<OrderId>> find_due(rules::ItemId item, Time now, std::size_t count) override {
    return call([&] { return file_->find_due(item, now, count); });
  }
  Result<std::vector<OrderId>> find_due_of(rules::ItemId item, const rules::UserId& user, Time now,
                                           std::size_t count) override {
    return call([&] { return file_->find_due_of(item, user, now, count); });
  }
  Result<void> write(const State& state, BatchId batch, Time now) override {
    return call([&] {
      database_.about_to_commit(state, batch, now);
      return file_->write(state, batch, now);
    });
  }
  Result<void> commit() override {
    const auto committed = call([&] { return database_.commit(*file_); });
    c_.spend_time();
    return committed;
  }
  void rollback() override {
    if (c_.power.on()) file_->rollback();
  }
  Result<void> idle() override {
    return call([&] { return file_->idle(); });
  }
  Result<judge::Settlement> settle(BatchId batch) override {
    return call([&] { return file_->settle(batch); });
  }

 private:
  template <class Use>
  auto call(Use use) -> decltype(use()) {
    if (c_.faults.strikes(Fault::instance_crashed_in_call)) c_.crash();
    c_.spend_time();
    if (!c_.power.on()) return fail(ErrorCode::broken, "the instance is dead");
    return use();
  }

  const Client c_;
  DiskDatabase& database_;
  const std::unique_ptr<Store> file_;
};

}  // namespace

DiskDatabase::DiskDatabase(Faults& faults, TraceLog& tale, Random& random, const Clock& clock,
                           OnCommit on_commit)
    : faults_(faults),
      tale_(tale),
      random_(random),
      clock_(clock),
      on_commit_(std::move(on_commit)),
      folder_(make_folder()),
      options_{(folder_ / "gavel.db").string(), vfs_.name(), checkpoint_pages} {
  tale_.hide(folder_.string());
  CHECK(judge::migrate_sqlite(options_).has_value());
}

DiskDatabase::~DiskDatabase() { std::filesystem::remove_all(folder_); }

std::unique_ptr<Store> DiskDatabase::open_store(const Client& client) {
  auto file = judge::open_sqlite_store(options_, clock_);
  CHECK(file.has_value());
  return std::make_unique<DiskStore>(client, *this, *std::move(file));
}

std::unique_ptr<judge::Reader> DiskDatabase::open_reader(const Client& client) {
  return open_slow_reader(client, look());
}

std::unique_ptr<judge::OrderIndex> DiskDatabase::open_order_index(const Client& client) {
  auto index = judge::open_sqlite_order_index((folder_ / "gavel.db.orders").string(), std::to_string(boots_));
  CHECK(index.has_value());
  return open_slow_index(client, *std::move(index));
}

std::unique_ptr<judge::Reader> DiskDatabase::look() {
  auto reader = judge::open_sqlite_reader(options_, clock_);
  CHECK(reader.has_value());
  return *std::move(reader);
}

void DiskDatabase::about_to_commit(const State& state, BatchId batch, Time now) {
  pending_ = Pending{state, batch, now};
}

// One of the next calls of the file layer may fail.
Result<void> DiskDatabase::commit(Store& store) {
  std::optional<Fault> armed;
  for (const FileFault& each : file_faults) {
    if (armed || !faults_.draws(each.fault)) continue;
    armed = each.fault;
    // One that is planned must strike, and a commit writes to the log and syncs it.
    const bool log = faults_.planned() || random_.chance(2, 3);
    const auto nth = faults_.planned() ? 1 : 1 + static_cast<std::int64_t>(random_.below(3));
    vfs_.arm(each.layer, log ? FaultVfs::File::log : FaultVfs::File::database, nth);
  }
  auto committed = store.commit();
  if (armed && vfs_.fired()) {
    faults_.count(*armed);
    tale_.tell("disk", std::string(word(*armed)) + (committed ? "" : ": " + committed.error().message));
  }
  vfs_.disarm();
  if (committed) {
    const Pending pending = *std::exchange(pending_, std::nullopt);
    on_commit_(pending.state, pending.batch, pending.now);
  } else if (committed.error().code != ErrorCode::unknown && committed.error().code != ErrorCode::broken) {
    pending_.reset();
  }
  return committed;
}

void DiskDatabase::instance_dies() { vfs_.power_off(); }

void DiskDatabase::instance_is_dead() {
  if (faults_.strikes(Fault::file_unsynced_lost)) {
    tale_.tell("disk", "loses some of " + std::to_string(vfs_.unsynced()) + " changes that were not synced");
    vfs_.power_on([this] { return random_.chance(1, 2); });
    ++boots_;
  } else {
    vfs_.power_on();
  }
  const auto pending = std::exchange(pending_, std::nullopt);
  if (pending && holds(pending->batch)) on_commit_(pending->state, pending->batch, pending->now);
}

bool DiskDatabase::holds(BatchId batch) {
  bool found = false;
  judge::Reader::Visitor visitor;
  visitor.batch = [&](const judge::BatchRow& row) { found = found || (row.batch == batch && !row.buried); };
  CHECK(look()->visit(visitor).has_value());
  return found;
}

}  // namespace gavel::sim
