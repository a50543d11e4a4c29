#include "bench/server.h"

#include <utility>

#include "base/check.h"
#include "judge/sqlite/store.h"

namespace gavel::bench {

Server::Server(const std::string& mode) {
  auto folder = app::ScratchFolder::make();
  CHECK(folder.has_value());
  folder_.emplace(*std::move(folder));
  auto server = app::InProcessServer::start(*folder_, mode, ended_);
  CHECK(server.has_value());
  server_ = *std::move(server);
  auto operators = app::OperatorClient::create(server_->addresses());
  CHECK(operators.has_value());
  operators_.emplace(*std::move(operators));
  stock("tee", 20'000'000);
  stock("gone", 0);
}

void Server::stock(const std::string& sku, std::int64_t units) {
  CHECK(operators_->stock_up(sku, units).has_value());
}

std::unique_ptr<judge::Reader> Server::open_reader() const {
  auto reader =
      judge::open_sqlite_reader(judge::SqliteOptions{.path = folder_->file("gavel.db"), .vfs = ""}, clock_);
  CHECK(reader.has_value());
  return *std::move(reader);
}

Audited Server::verify() {
  stop();
  return audited(*open_reader());
}

void Server::stop() { CHECK(server_->stop().broken.empty()); }

}  // namespace gavel::bench
