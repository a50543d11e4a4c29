// Server: a whole service in this process, with stock, on a SQLite database of its own with full durability.
//
// For the programs of bench/ alone: whatever fails is a CHECK. It runs on a thread of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "app/instance.h"
#include "app/temporary_data_folder.h"
#include "base/clock.h"
#include "bench/shop.h"
#include "ops/log.h"

namespace gavel::bench {

class Server {
 public:
  // `mode` is a value of pipeline.mode. SKU tee has twenty million units, gone has none.
  explicit Server(const std::string& mode);
  ~Server() { stop(); }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const;  // Of the shop's listener.

  // One request to the operators' listener; its answer's body. Not 200 or 201 is a CHECK.
  std::string operate(std::string method, std::string target, std::string body, std::string key);

  // So many units of a SKU in free stock.
  void stock(const std::string& sku, std::int64_t units);

  // Of the database, while it is served.
  std::unique_ptr<judge::Reader> open_reader() const;

  // Ends the service and audits its database.
  Audited verify();

 private:
  std::string database() const { return folder_->file("gavel.db"); }
  void stop();

  const RealClock clock_;
  const std::unique_ptr<Log> log_ = Log::silent();
  std::optional<app::TemporaryDataFolder> folder_;
  std::unique_ptr<app::Instance> instance_;
  std::thread thread_;
};

}  // namespace gavel::bench
