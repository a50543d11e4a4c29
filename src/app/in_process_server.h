// InProcessServer: a whole service in this process, for a demonstration or a measurement, in a temporary
// folder.
//
// It listens on free ports of the loopback, stores with SQLite's full durability, and runs on a thread of its
// own until the object is destroyed.
#pragma once

#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "app/instance.h"
#include "app/interrupt.h"
#include "app/scratch_folder.h"
#include "app/server_addresses.h"
#include "base/clock.h"
#include "base/result.h"
#include "http/accounts.h"
#include "ops/log.h"

namespace gavel::app {

class InProcessServer {
 public:
  // `mode` is a value of pipeline.mode. `ended` is raised when the service ends, by itself or not. Folder and
  // `ended` outlive the object. `invalid` or `unavailable` in one line.
  static Result<std::unique_ptr<InProcessServer>> start(const ScratchFolder& folder, const std::string& mode,
                                                        Interrupt& ended);

  ~InProcessServer() { stop(); }
  InProcessServer(const InProcessServer&) = delete;
  InProcessServer& operator=(const InProcessServer&) = delete;

  const std::string& shop() const { return instance_->shop(); }
  const std::string& operators() const { return instance_->operators(); }
  const std::string& key() const { return key_; }
  ServerAddresses addresses() const {
    return {.shop = instance_->shop(), .operators = instance_->operators(), .key = key_};
  }
  std::string key_file() const { return folder_.file("gavel.key"); }
  const ScratchFolder& folder() const { return folder_; }

  // Drains and ends it. Idempotent.
  Instance::Ended stop();

 private:
  InProcessServer(const ScratchFolder& folder, std::string key) : folder_(folder), key_(std::move(key)) {}

  const ScratchFolder& folder_;
  const RealClock clock_;
  const std::string key_;
  // Nobody else reaches it, so that its shop takes everybody.
  http::Accounts accounts_{key_, {}, http::Keyless::as_shop};
  std::unique_ptr<Log> log_;
  std::unique_ptr<Instance> instance_;
  Instance::Ended end_;
  std::thread thread_;
};

}  // namespace gavel::app
