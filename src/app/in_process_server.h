// Embedded: a whole service of its own for a demonstration or a measurement, in a temporary folder.
//
// It listens on free ports of the loopback, with SQLite's full durability, and runs on a thread of its own
// until the object goes.
#pragma once

#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "app/instance.h"
#include "app/interrupt.h"
#include "app/temporary_data_folder.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"

namespace gavel::app {

class Embedded {
 public:
  // `mode` is a value of pipeline.mode. `ended` is raised when the service ends, by itself or not. Folder and
  // `ended` outlive the object. `invalid` or `unavailable` in one line.
  static Result<std::unique_ptr<Embedded>> start(const DemoFolder& folder, const std::string& mode,
                                                 Interrupt& ended);

  ~Embedded() { stop(); }
  Embedded(const Embedded&) = delete;
  Embedded& operator=(const Embedded&) = delete;

  const std::string& shop() const { return instance_->shop(); }
  const std::string& operators() const { return instance_->operators(); }
  const std::string& key() const { return key_; }
  std::string key_file() const { return folder_.file("gavel.key"); }
  const DemoFolder& folder() const { return folder_; }

  // Drains and ends it. Idempotent.
  Instance::Ended stop();

 private:
  Embedded(const DemoFolder& folder, std::string key) : folder_(folder), key_(std::move(key)) {}

  const DemoFolder& folder_;
  const RealClock clock_;
  const std::string key_;
  std::unique_ptr<Log> log_;
  std::unique_ptr<Instance> instance_;
  Instance::Ended end_;
  std::thread thread_;
};

}  // namespace gavel::app
