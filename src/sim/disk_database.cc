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
class DiskStore final : public judge::StoreWrapper {
 public:
  DiskStore(const Client& client, DiskDatabase& database, std::unique_ptr<Store> file)
      : StoreWrapper(*file), c_(client), database_(database), file_(std::move(file)) {}

  Result<void> write(const State& state, BatchId batch, Time now) override {
    return around(judge::Call::write, [&] {
      database_.about_to_commit(state, batch, now);
      return file_->write(state, batch, now);
    });
  }
  Result<void> commit() override {
    const auto committed = around(judge::Call::commit, [&] { return database_.commit(*file_); });
    c_.spend_time();
    return committed;
  }
  void rollback() override {
    if (c_.power.on()) file_->rollback();
  }

 private:
  Result<void> around(judge::Call, const Answer& pass_on) override {
    if (c_.faults.strikes(Fault::instance_crashed_in_call)) c_.crash();
    c_.spend_time();
    if (!c_.power.on()) return fail(ErrorCode::broken, "the instance is dead");
    return pass_on();
  }

  const Client c_;
  DiskDatabase& database_;
  const std::unique_ptr<Store> file_;
};

}  // namespace

DiskDatabase::DiskDatabase(Faults& faults, TraceLog& tale, Random& random, SkewedClock& clock,
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

judge::Identity DiskDatabase::open_instance() {
  auto file = judge::open_sqlite_store(options_, clock_);
  CHECK(file.has_value());
  const auto identity = (*file)->open_instance();
  CHECK(identity.has_value());
  // The file draws its incarnation by itself, but a world has to go the same way each time. There is one
  // file.
  return {rules::Incarnation{}, identity->instance};
}

std::unique_ptr<Store> DiskDatabase::open_store(const Client& client) {
  auto file = judge::open_sqlite_store(options_, clock_);
  CHECK(file.has_value());
  return std::make_unique<DiskStore>(client, *this, *std::move(file));
}

std::unique_ptr<judge::Reader> DiskDatabase::open_reader(const Client& client) {
  return open_slow_reader(client, look());
}

std::unique_ptr<judge::OrderIndex> DiskDatabase::open_order_index(const Client& client) {
  auto index = judge::open_sqlite_order_index((folder_ / "gavel.db.orders").string(), clock_.boot());
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
  const bool loses = faults_.strikes(Fault::file_unsynced_lost);
  if (loses) {
    tale_.tell("disk", "loses some of " + std::to_string(vfs_.unsynced()) + " changes that were not synced");
    vfs_.power_on([this] { return random_.chance(1, 2); });
  } else {
    vfs_.power_on();
  }
  const auto pending = std::exchange(pending_, std::nullopt);
  if (pending && holds(pending->batch)) on_commit_(pending->state, pending->batch, pending->now);
  if (loses) clock_.reboot();
}

bool DiskDatabase::holds(BatchId batch) {
  bool found = false;
  judge::Reader::Visitor visitor;
  visitor.batch = [&](const judge::BatchRow& row) { found = found || (row.batch == batch && !row.aborted); };
  CHECK(look()->visit(visitor).has_value());
  return found;
}

}  // namespace gavel::sim
