// TraceLog: what happened in a run, as a hash of everything and, if somebody listens, as a story in lines.
//
//   0.012345 i2 lane    commit 2.5: 3 flows
//
// Two runs of one seed tell the same tale, so equal hashes mean that the seed repeats the run. What is told
// holds no address, no real time and nothing of an unordered container. One thread.
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

  // Where this text occurs, "…" is told instead: the name of a folder that is another one each time.
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
