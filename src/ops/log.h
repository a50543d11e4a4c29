// Log: one JSON object per line, for operators and their tools (B18).
//
//   {"at":"2026-11-29T20:48:46.123Z","level":"warn","event":"batch_halved","lane":3,"why":"deadlock"}
//
// State changes and faults are always written; ordinary requests are sampled by the caller through Sampler.
// Files rotate by size (gavel.log, gavel.1.log, …) and their number is bounded, so a log never fills a disk.
// A file belongs to one process.
//
// A log that cannot be written (disk full, folder removed) does not stop the service. It says so once on
// standard error, loses lines, tries again once a second, and reports the number of lost lines in an event
// "log_lines_lost". Thread-safe; a call blocks no longer than the write itself, and up to 150 ms once a
// second while the log cannot be written.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "base/clock.h"
#include "base/result.h"

namespace gavel {

enum class Level : std::uint8_t { debug, info, warn, error };

struct Field {
  std::string_view name;
  std::variant<std::string_view, std::int64_t> value;  // An unsigned number is cast by the caller.
};

class Log {
 public:
  struct Options {
    std::string file;                                 // Empty: standard error.
    std::uint64_t file_bytes_max = 64 * 1024 * 1024;  // Rotated beyond this size.
    std::uint64_t files_max = 5;                      // Rotated files kept beside the one written to.
    Level level = Level::info;                        // Lines below it are not written.
    // If set, it receives every line, and neither file nor standard error gets any; for tests and the
    // simulator. It must not throw, and must not log.
    std::function<void(std::string_view line)> into = nullptr;
  };

  // Opens the file, creates its folder if necessary, and appends to it; `clock` outlives the log.
  // ErrorCode::invalid when that fails, and on a file_bytes_max below 64 KiB or a files_max above 1000.
  static Result<std::unique_ptr<Log>> open(const Options& options, const Clock& clock);

  // A log that writes nothing, for tests that do not look at it.
  static std::unique_ptr<Log> silent();

  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // Opens the file again with the next line, so that one that was renamed or removed is left alone. Any
  // thread.
  void reopen() noexcept;

  // Lines lost since it was opened. Any thread.
  std::uint64_t lines_lost() const noexcept;

  // `event` is a stable word in snake_case ("batch_halved"); fields follow it in the order given, and none is
  // named at, level or event. Texts may contain any bytes (json_text.h) and are cut after 4096 bytes. Never
  // log a secret.
  void write(Level level, std::string_view event, std::initializer_list<Field> fields = {}) noexcept;

 private:
  struct Sink;
  explicit Log(std::unique_ptr<Sink> sink);

  std::unique_ptr<Sink> sink_;
};

// Returns true for one of `one_in` calls, the first included. Thread-safe.
class Sampler {
 public:
  explicit Sampler(std::uint64_t one_in) : one_in_(one_in == 0 ? 1 : one_in) {}
  bool take() { return count_.fetch_add(1, std::memory_order_relaxed) % one_in_ == 0; }

 private:
  const std::uint64_t one_in_;
  std::atomic<std::uint64_t> count_{0};
};

}  // namespace gavel
