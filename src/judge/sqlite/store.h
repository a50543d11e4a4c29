// The SQLite form of a store: one file, fully durable, no other server.
//
// One connection writes and does every checkpoint; each reader has its own read-only connection that never
// checkpoints (docs/adr/0003). Every setting that a promise rests on is read back and asserted at open. One
// process at a time: the file `<path>.lock` is locked while a store is open. Time is the given clock's.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "judge/reader.h"
#include "judge/store.h"
#include "judge/time.h"

namespace gavel::judge {

struct SqliteOptions {
  std::string path;  // The database file; created if missing, its folder is not.
  std::string vfs;   // Empty: the system's. Tests and the simulator name a faulty file layer.
  std::int64_t checkpoint_pages = 1000;  // Checkpoint when the log has grown by so many pages of 4 KiB.
};

// Schema of this build, and of the file (0: empty). migrate() brings the file up to it, one version per
// transaction, forward only, resumable; a file that is newer is refused, and so is one that another process
// has open for writing or whose log is not its own.
inline constexpr int sqlite_schema_version = 8;
Result<int> sqlite_schema_version_of(const SqliteOptions& options);
Result<int> migrate_sqlite(const SqliteOptions& options);  // How many steps were taken.

// Spares SQLite the counting of its memory, which nobody reads and which takes a tenth of a sale's CPU time.
// Optional; once per process, before anything else of SQLite's is used and before there are threads, since it
// is the library's own.
void spare_sqlite_memory_counts();

class StorageWatch;

// Refuses (ErrorCode::invalid) a file whose schema is not this build's, and one that another process has open
// for writing; the message says what to do.
Result<std::unique_ptr<Store>> open_sqlite_store(const SqliteOptions& options, const Clock& clock);
// The same with the watch over its files, which the store itself asks at each commit and checkpoint: for a
// thread that asks it where nothing is written.
struct WatchedStore {
  std::unique_ptr<Store> store;
  std::shared_ptr<StorageWatch> storage;
  std::optional<TimeAfterBoot> after_boot;  // See JudgeTime.
};
Result<WatchedStore> open_watched_sqlite_store(const SqliteOptions& options, const Clock& clock);
// `clock` is the store's, and outlives the reader.
Result<std::unique_ptr<Reader>> open_sqlite_reader(const SqliteOptions& options, const Clock& clock);

}  // namespace gavel::judge
