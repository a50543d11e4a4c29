// LogWatch: writes an instance's log into the trace log, and marks the rare states that it shows. One thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "ops/log.h"
#include "sim/rare.h"
#include "sim/trace_log.h"

namespace gavel::sim {

class LogWatch {
 public:
  // Both references outlive the log that open() makes, and so does this.
  LogWatch(std::string name, TraceLog& tale, CoverageMarks& sightings)
      : name_(std::move(name)), tale_(tale), sightings_(sightings) {}

  std::unique_ptr<Log> open(const Clock& clock);

 private:
  void take(std::string_view line);

  const std::string name_;
  TraceLog& tale_;
  CoverageMarks& sightings_;
};

}  // namespace gavel::sim
