// TraceLog: what happened in a run, as a hash of everything and, if there is a listener, as lines of text.
//
//   0.012345 i2 lane    commit 2.5: 3 flows
//
// Two runs of one seed write the same trace, so equal hashes mean that the seed repeats the run. A trace
// contains no address, no real time and nothing that depends on the order of an unordered container. One
// thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "sim/scheduler.h"

namespace gavel::sim {

class TraceLog {
 public:
  using Listener = std::function<void(std::string_view line)>;

  // Without a listener only the hash is kept.
  explicit TraceLog(const Scheduler& scheduler, Listener listener = nullptr)
      : scheduler_(scheduler), listener_(std::move(listener)) {}

  // Where this text occurs, "…" is written instead: the name of a folder that differs from run to run.
  void hide(std::string text) { hidden_ = std::move(text); }

  // `who` did or met `what`: one line, without an end of line.
  void tell(std::string_view who, std::string_view what);

  std::uint64_t hash() const { return hash_; }
  std::uint64_t lines() const { return lines_; }

 private:
  void add(std::string_view bytes);

  const Scheduler& scheduler_;
  const Listener listener_;
  std::string hidden_;
  std::uint64_t hash_ = 14695981039346656037ULL;  // FNV-1a of 64 bits.
  std::uint64_t lines_ = 0;
};

}  // namespace gavel::sim
