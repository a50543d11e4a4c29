#include "app/database.h"

#include <filesystem>
#include <utility>

#include "base/check.h"
#include "judge/memory/store.h"
#include "judge/sqlite/log_owner.h"
#include "judge/sqlite/order_index.h"
#include "judge/sqlite/storage.h"
#include "judge/sqlite/store.h"

namespace gavel::app {
namespace {

judge::SqliteOptions sqlite_of(const Options& options) {
  judge::SqliteOptions sqlite;
  sqlite.path = options.judge.path;
  sqlite.checkpoint_pages = options.checkpoint_pages;
  return sqlite;
}

// The path is to be a file's, in a folder that is there. SQLite calls a folder a "disk I/O error" and a
// folder that is missing "unable to open database file", which helps nobody, and waits for ever for a pipe's
// writer.
Result<void> need_place(const std::string& path) {
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown))
    return fail(ErrorCode::invalid,
                "judge.url sqlite:" + path + ": this is a folder; name the database's file in it");
  if (std::filesystem::exists(path, unknown) && !std::filesystem::is_regular_file(path, unknown))
    return fail(ErrorCode::invalid, "judge.url sqlite:" + path + ": this is no regular file; name another");
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (folder.empty() || std::filesystem::is_directory(folder, unknown)) return {};
  return fail(ErrorCode::invalid, "judge.url sqlite:" + path + ": there is no folder " + folder.string());
}

Result<void> need_file(const std::string& path) {
  std::error_code unknown;
  if (std::filesystem::exists(path, unknown)) return {};
  return fail(ErrorCode::invalid, "judge.url sqlite:" + path + ": there is no such file");
}

// Order ids carry the wall time, and a database that is new begins with it.
Result<void> need_wall_time(Time wall) {
  if (wall > earliest_wall_time && wall < latest_wall_time) return {};
  return fail(ErrorCode::invalid, "the machine's clock shows " + gavel::to_text(wall) +
                                      ", which is not a time from 1970 to 2261; set the clock");
}

Database open_memory(std::size_t lanes, const Clock& clock) {
  auto database = judge::make_memory_database();
  Database opened;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    opened.stores.push_back(judge::open_memory_store(database, clock));
  }
  opened.open_reader = [database, &clock]() -> Result<std::unique_ptr<judge::Reader>> {
    return judge::open_memory_reader(database, clock);
  };
  opened.check_storage = [] { return Result<void>(); };
  opened.order_index = judge::make_memory_order_index();
  return opened;
}

Result<void> check(judge::StorageWatch& storage) {
  const auto difference = storage.difference();
  if (!difference) return {};
  return fail(ErrorCode::broken, *difference + "; " + std::string(judge::StorageWatch::remedy));
}

}  // namespace

Result<Database> open_database(const Options& options, const Clock& clock) {
  if (auto good = need_wall_time(clock.now()); !good) return std::unexpected(good.error());
  if (options.judge.kind == JudgeUrl::Kind::memory) return open_memory(options.lanes, clock);
  const judge::SqliteOptions sqlite = sqlite_of(options);
  if (auto good = need_place(sqlite.path); !good) return std::unexpected(good.error());
  const auto version = judge::sqlite_schema_version_of(sqlite);
  if (!version) return std::unexpected(version.error());
  if (*version == 0) {
    if (auto done = judge::migrate_sqlite(sqlite); !done) return std::unexpected(done.error());
  }
  CHECK(options.lanes == 1);  // One connection writes.
  auto store = judge::open_watched_sqlite_store(sqlite, clock);
  if (!store) return std::unexpected(store.error());
  auto order_index = judge::open_sqlite_order_index(sqlite.path + ".orders", judge::boot_of_machine());
  if (!order_index) return std::unexpected(order_index.error());
  Database opened;
  opened.stores.push_back(std::move(store->store));
  opened.after_boot = store->after_boot;
  opened.check_storage = [storage = store->storage] { return check(*storage); };
  opened.open_reader = [sqlite, &clock] { return judge::open_sqlite_reader(sqlite, clock); };
  opened.order_index = *std::move(order_index);
  return opened;
}

Result<std::unique_ptr<judge::Reader>> open_reader_alone(const Options& options, const Clock& clock) {
  if (auto good = need_database(options); !good) return std::unexpected(good.error());
  return judge::open_sqlite_reader(sqlite_of(options), clock);
}

Result<void> need_place_of_database(const Options& options) {
  if (options.judge.kind == JudgeUrl::Kind::memory)
    return fail(ErrorCode::invalid,
                "judge.url memory: lives in the process that serves it; there is no file");
  return need_place(options.judge.path);
}

Result<void> need_database(const Options& options) {
  if (auto good = need_place_of_database(options); !good) return good;
  return need_file(options.judge.path);
}

Result<Migration> migrate_database(const Options& options) {
  if (options.judge.kind == JudgeUrl::Kind::memory)
    return fail(ErrorCode::invalid, "judge.url memory: has no schema to migrate");
  const judge::SqliteOptions sqlite = sqlite_of(options);
  if (auto good = need_place(sqlite.path); !good) return std::unexpected(good.error());
  const bool made = !need_file(sqlite.path);
  const auto from = judge::sqlite_schema_version_of(sqlite);
  if (!from) return std::unexpected(from.error());
  const auto steps = judge::migrate_sqlite(sqlite);
  if (!steps) return std::unexpected(steps.error());
  return Migration{*from, *from + *steps, *steps, made};
}

}  // namespace gavel::app
