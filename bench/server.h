// Server: a whole service in this process, with stock, on a SQLite database of its own with full durability.
//
// For the programs of bench/ alone: whatever fails is a CHECK. It runs on a thread of its own.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/client/operator_client.h"
#include "app/in_process_server.h"
#include "app/interrupt.h"
#include "app/scratch_folder.h"
#include "base/clock.h"
#include "bench/shop.h"

namespace gavel::bench {

class Server {
 public:
  // `mode` is a value of pipeline.mode. SKU tee has twenty million units, gone has none.
  explicit Server(const std::string& mode);
  ~Server() { stop(); }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  const std::string& shop() const { return server_->shop(); }
  app::ServerAddresses addresses() const { return server_->addresses(); }

  // So many units of a SKU in free stock.
  void stock(const std::string& sku, std::int64_t units);

  // Of the database, while it is served.
  std::unique_ptr<judge::Reader> open_reader() const;

  // Ends the service and audits its database.
  Audited verify();

 private:
  void stop();

  const RealClock clock_;  // Of its readers.
  app::Interrupt ended_;
  std::optional<app::ScratchFolder> folder_;
  std::unique_ptr<app::InProcessServer> server_;
  std::optional<app::OperatorClient> operators_;
};

}  // namespace gavel::bench
