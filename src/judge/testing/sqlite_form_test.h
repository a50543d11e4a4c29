// A fresh SQLite database in a folder of its own, for the suites that run on every form of a store.
#pragma once

#include <memory>

#include "base/check.h"
#include "base/temporary_folder_test.h"
#include "judge/sqlite/store.h"
#include "judge/testing/store_contract.h"

namespace gavel::judge {

class SqliteWorld final : public StoreWorld {
 public:
  SqliteWorld() : options_{.path = folder_.file("gavel.db"), .vfs = "", .checkpoint_pages = 1000} {
    CHECK(migrate_sqlite(options_) == sqlite_schema_version);
  }

  std::unique_ptr<Store> open_store() override {
    auto store = open_sqlite_store(options_, clock_);
    CHECK(store);
    return *std::move(store);
  }

  std::unique_ptr<Reader> open_reader() override {
    auto reader = open_sqlite_reader(options_, clock_);
    CHECK(reader);
    return *std::move(reader);
  }

  VirtualStoreClock& clock() override { return clock_; }
  Isolation isolation() const override { return Isolation::one_store; }

  const SqliteOptions& options() const { return options_; }

 private:
  VirtualStoreClock clock_;
  TemporaryFolder folder_;
  SqliteOptions options_;
};

inline StoreForm sqlite_form() {
  return {"Sqlite", [] { return std::make_unique<SqliteWorld>(); }};
}

}  // namespace gavel::judge
