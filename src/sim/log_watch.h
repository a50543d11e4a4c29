// LogWatch: an instance's log, told to the tale, and what it shows of rare states. One thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/log.h"
#include "sim/rare.h"
#include "sim/tale.h"

namespace gavel::sim {

class LogWatch {
 public:
  // Both references outlive the log that open() makes, and so does this.
  LogWatch(std::string name, Tale& tale, Sightings& sightings)
      : name_(std::move(name)), tale_(tale), sightings_(sightings) {}

  std::unique_ptr<Log> open(const Clock& clock);

 private:
  void take(std::string_view line);

  const std::string name_;
  Tale& tale_;
  Sightings& sightings_;
};

}  // namespace gavel::sim
