// Database: the stores and readers of one judge.url.
//
// The one place that knows which form stands behind which URL. Opening blocks; one thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "app/options.h"
#include "base/clock.h"
#include "base/result.h"
#include "judge/order_index.h"
#include "judge/reader.h"
#include "judge/store.h"
#include "judge/time.h"

namespace gavel::app {

struct Database {
  std::vector<std::unique_ptr<judge::Store>> stores;  // One for each of the lanes that the options ask for.
  // One reader per thread that asks; all are closed before the stores.
  std::function<Result<std::unique_ptr<judge::Reader>>()> open_reader;
  // Whether the files are still those that were opened; `broken` with the reason if not. Any thread.
  std::function<Result<void>()> check_storage;
  // Where the last time in the database is of an earlier start of the machine (judge/time.h).
  std::optional<judge::TimeAfterBoot> after_boot;
  // Of orders by user, beside the database: it may be removed while nobody serves, and is made again.
  std::unique_ptr<judge::OrderIndex> order_index;
};

// For serving: locks the database against other processes. An empty file gets its schema, since there is
// nothing to lose; one with an older schema is refused with what to do, for a migration is an operator's
// decision. `clock` is the database's, and outlives the stores and
// the readers; one that shows no time from 1970 to 2261 is refused as `invalid`.
Result<Database> open_database(const Options& options, const Clock& clock);

// A reader of committed rows of a file that nobody serves. `invalid` for memory:, which no other process can
// read. `clock` outlives the reader.
Result<std::unique_ptr<judge::Reader>> open_reader_alone(const Options& options, const Clock& clock);

// `invalid` where judge.url names no file, or where the file cannot be in its place: a folder, a pipe, no
// folder. need_database: also where it is not there.
Result<void> need_place_of_database(const Options& options);
Result<void> need_database(const Options& options);

struct Migration {
  int from = 0;  // 0: an empty file.
  int to = 0;
  int steps = 0;
  bool made = false;  // There was no file.
};
Result<Migration> migrate_database(const Options& options);

}  // namespace gavel::app
