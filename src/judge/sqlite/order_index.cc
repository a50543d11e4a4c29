#include "judge/sqlite/order_index.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/yield.h"
#include "judge/sqlite/connection.h"
#include "judge/sqlite/statement.h"

namespace gavel::judge {
namespace {

using sqlite::Connection;
using sqlite::Role;
using sqlite::Row;
using sqlite::Statement;

constexpr int application_id = 0x4776'6f75;  // "Gvou": told apart from the judge's file, and from others'.
// It rises too where a step of the schema changed the states of orders without entries that name them.
constexpr int version = 4;

constexpr const char* schema = R"sql(
CREATE TABLE order_of_user (
  user TEXT NOT NULL,
  at INTEGER NOT NULL,
  lane INTEGER NOT NULL CHECK (lane >= 1),
  n INTEGER NOT NULL CHECK (n >= 1),
  i INTEGER NOT NULL CHECK (i >= 0),
  id BLOB NOT NULL CHECK (length(id) = 16),
  state TEXT NOT NULL,
  account TEXT NOT NULL,
  PRIMARY KEY (user, at, lane, n, i)
) STRICT, WITHOUT ROWID;
CREATE TABLE made (boot TEXT NOT NULL) STRICT;
CREATE TABLE cursor (
  lane INTEGER PRIMARY KEY CHECK (lane >= 1),
  n INTEGER NOT NULL CHECK (n >= 1),
  at INTEGER NOT NULL
) STRICT;
)sql";

constexpr const char* select_offsets = "SELECT lane, n, at FROM cursor ORDER BY lane";

// What one connection prepares. The job's writes, and does the checkpoints; the questions' reads.
struct Writing {
  std::unique_ptr<Connection> connection;
  Statement offsets, put_order, put_offset;
};
struct Reading {
  std::unique_ptr<Connection> connection;
  Statement begin, end, offsets, page;
};

Result<Offsets> read_offsets(Statement& statement) {
  Offsets offsets;
  const auto read =
      statement.for_each([&](Row& row) { offsets[{row.integer(0)}] = Offset{row.integer(1), row.time(2)}; });
  if (!read) return std::unexpected(read.error());
  return offsets;
}

class SqliteOrderIndex final : public OrderIndex {
 public:
  SqliteOrderIndex(Writing writing, Reading reading)
      : writing_(std::move(writing)), reading_(std::move(reading)) {}

  Result<Offsets> offsets() override { return read_offsets(writing_.offsets); }
  Result<void> put(const std::vector<IndexedOrder>& orders, const Offsets& reached) override;
  Result<void> clear() override;
  Result<Page> page(const OrdersQuery& wanted) override;

 private:
  template <class Work>
  Result<void> in_transaction(Work work);
  Result<void> read_rows(const OrdersQuery& wanted, Page& page);

  Writing writing_;
  Reading reading_;
};

template <class Work>
Result<void> SqliteOrderIndex::in_transaction(Work work) {
  Result<void> done = writing_.connection->execute("BEGIN IMMEDIATE");
  if (done) done = work();
  if (done) done = writing_.connection->execute("COMMIT");
  if (!done) writing_.connection->roll_back();
  return done;
}

Result<void> SqliteOrderIndex::put(const std::vector<IndexedOrder>& orders, const Offsets& reached) {
  // Rows that stand together in the tree are written together: a page of it is touched once.
  std::vector<const IndexedOrder*> sorted;
  for (const IndexedOrder& order : orders) sorted.push_back(&order);
  std::ranges::sort(sorted, {}, [](const IndexedOrder* one) { return std::tie(one->user, one->position); });
  return in_transaction([&]() -> Result<void> {
    for (const IndexedOrder* order : sorted) {
      yield_thread();
      const auto& [at, lane, n, i] = order->position;
      const auto put = writing_.put_order.run(order->user, at, lane, n, i, order->id,
                                              rules::word(order->state), order->account);
      if (!put) return std::unexpected(put.error());
    }
    for (const auto& [lane, offset] : reached) {
      const auto put = writing_.put_offset.run(lane, offset.n, offset.at);
      if (!put) return std::unexpected(put.error());
    }
    return {};
  });
}

Result<void> SqliteOrderIndex::clear() {
  return in_transaction(
      [&] { return writing_.connection->execute("DELETE FROM order_of_user; DELETE FROM cursor"); });
}

Result<OrderIndex::Page> SqliteOrderIndex::page(const OrdersQuery& wanted) {
  if (const auto begun = reading_.begin.run(); !begun) return std::unexpected(begun.error());
  Page page;
  const auto read = read_rows(wanted, page);
  // Nothing was written, so there is nothing that could fail to be kept; a failed end shows at the next
  // beginning.
  static_cast<void>(reading_.end.run());
  if (!read) return std::unexpected(read.error());
  return page;
}

Result<void> SqliteOrderIndex::read_rows(const OrdersQuery& wanted, Page& page) {
  auto offsets = read_offsets(reading_.offsets);
  if (!offsets) return std::unexpected(offsets.error());
  page.offsets = *std::move(offsets);
  const auto add = [&](Row& row) {
    page.orders.push_back({row.code<rules::Caller>(6),
                           wanted.user,
                           {row.time(0), {row.integer(1)}, row.integer(2), row.integer(3)},
                           row.order_id(4),
                           row.word(5, rules::parse_order_state)});
  };
  std::optional<std::string_view> state;
  if (wanted.state) state = rules::word(*wanted.state);
  std::optional<std::string_view> account;
  if (wanted.account) account = wanted.account->text();
  const auto [at, lane, n, i] = wanted.before.value_or(after_all_orders);
  return reading_.page.for_each(add, wanted.user, at, lane, n, i, state,
                                static_cast<std::int64_t>(wanted.count), account);
}

Error environment(const std::string& path, const std::string& why) {
  return {ErrorCode::invalid, "the index of orders by user, " + path + ", cannot be used: " + why};
}

// It is our own copy of what the judge keeps, so it need not wait for the disk: what a machine that stopped
// has left of it is not used. A sync of this file would hold up those of the judge's. Its checkpoints are
// small ones, for each keeps its processor to the end.
Result<void> apply_settings(Connection& connection) {
  for (const char* setting :
       {"PRAGMA journal_mode = WAL", "PRAGMA synchronous = OFF", "PRAGMA wal_autocheckpoint = 100",
        "PRAGMA cache_size = -16384", "PRAGMA temp_store = MEMORY"}) {
    if (auto set = connection.execute(setting); !set) return set;
  }
  return {};
}

// Whether the file holds this version's tables, made since the machine last started; an error if it is
// another program's. The settings are applied to it once it is known to be ours.
Result<bool> is_current(Connection& connection, const std::string& boot) {
  const auto id = connection.ask("PRAGMA application_id");
  if (!id) return std::unexpected(id.error());
  const auto found = connection.ask("PRAGMA user_version");
  if (!found) return std::unexpected(found.error());
  if (*id != "0" && *id != std::to_string(application_id)) {
    return fail(ErrorCode::invalid,
                "it is another program's database; move it away, or name another "
                "judge.url");
  }
  if (*id == "0" || *found != std::to_string(version) || boot.empty()) return false;
  if (const auto set = apply_settings(connection); !set) return std::unexpected(set.error());
  const auto made = connection.ask("SELECT boot FROM made");
  if (!made) return std::unexpected(made.error());
  return *made == boot;
}

Result<std::unique_ptr<Connection>> open_writer(const std::string& path, const std::string& vfs) {
  auto connection = Connection::open(path, vfs, Role::creator);
  if (!connection) return connection;
  (*connection)
      ->set_remedy("sales go on without it; to rebuild the index, stop the service, remove " + path +
                   " and start");
  return connection;
}

Result<void> note_boot(Connection& connection, const std::string& boot) {
  auto statement = Statement::prepare(connection, "INSERT INTO made (boot) VALUES (?)");
  CHECK(statement);  // Its table was made in this very transaction.
  return statement->for_each([](Row&) {}, boot);
}

Result<void> make_tables(Connection& connection, const std::string& boot) {
  Result<void> made = apply_settings(connection);
  if (made) made = connection.execute("BEGIN IMMEDIATE");
  if (made) made = connection.execute(schema);
  if (made) made = note_boot(connection, boot);
  if (made) made = connection.execute("PRAGMA application_id = " + std::to_string(application_id));
  if (made) made = connection.execute("PRAGMA user_version = " + std::to_string(version));
  if (made) made = connection.execute("COMMIT");
  return made;
}

void remove_files(const std::string& path) {
  std::error_code unknown;  // What cannot be removed shows when it is made again.
  for (const char* ending : {"", "-wal", "-shm"}) std::filesystem::remove(path + ending, unknown);
}

// A connection to a file with the tables of this version, made anew where there was none.
Result<std::unique_ptr<Connection>> open_current(const std::string& path, const std::string& boot,
                                                 const std::string& vfs) {
  {
    auto connection = open_writer(path, vfs);
    const auto current = connection ? is_current(**connection, boot) : std::unexpected(connection.error());
    if (!current && current.error().code == ErrorCode::invalid) return std::unexpected(current.error());
    if (current && *current) return connection;
  }
  remove_files(path);
  auto fresh = open_writer(path, vfs);
  if (!fresh) return fresh;
  if (const auto made = make_tables(**fresh, boot); !made) return std::unexpected(made.error());
  return fresh;
}

Result<Writing> open_writing(const std::string& path, const std::string& boot, const std::string& vfs) {
  auto connection = open_current(path, boot, vfs);
  if (!connection) return std::unexpected(connection.error());
  auto offsets = Statement::prepare(**connection, select_offsets);
  auto put_order = Statement::prepare(**connection, order_index_statements[0]);
  auto put_offset = Statement::prepare(**connection, order_index_statements[1]);
  for (const auto* statement : {&offsets, &put_order, &put_offset}) {
    if (!*statement) return std::unexpected(statement->error());
  }
  return Writing{*std::move(connection), *std::move(offsets), *std::move(put_order), *std::move(put_offset)};
}

Result<Reading> open_reading(const std::string& path, const std::string& vfs) {
  auto connection = Connection::open(path, vfs, Role::reader);
  if (!connection) return std::unexpected(connection.error());
  auto begin = Statement::prepare(**connection, "BEGIN");
  auto end = Statement::prepare(**connection, "COMMIT");
  auto offsets = Statement::prepare(**connection, select_offsets);
  auto page = Statement::prepare(**connection, order_index_statements[2]);
  for (const auto* statement : {&begin, &end, &offsets, &page}) {
    if (!*statement) return std::unexpected(statement->error());
  }
  return Reading{*std::move(connection), *std::move(begin), *std::move(end), *std::move(offsets),
                 *std::move(page)};
}

}  // namespace

Result<std::unique_ptr<OrderIndex>> open_sqlite_order_index(const std::string& path, const std::string& boot,
                                                            const std::string& vfs) {
  auto writing = open_writing(path, boot, vfs);
  if (!writing) return std::unexpected(environment(path, writing.error().message));
  auto reading = open_reading(path, vfs);
  if (!reading) return std::unexpected(environment(path, reading.error().message));
  return std::make_unique<SqliteOrderIndex>(*std::move(writing), *std::move(reading));
}

}  // namespace gavel::judge
