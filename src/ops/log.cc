#include "ops/log.h"

#include <array>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <utility>

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include "base/check.h"
#include "base/json_text.h"
#include "base/mutex.h"

namespace gavel {
namespace {

// A text beyond this is cut, so that one hostile value cannot fill a file.
constexpr std::size_t value_bytes_max = 4096;

// Below this a file could not hold a few lines of the longest kind, and the bound on all files would not
// hold.
constexpr std::uint64_t file_bytes_least = 64 * 1024;
constexpr std::uint64_t files_most = 1000;

// How long a log that failed to write waits before it opens its file again: opening may block for 50 ms.
constexpr Duration reopen_pause{1000};

constexpr std::string_view word(Level level) {
  constexpr std::array<std::string_view, 4> words = {"debug", "info", "warn", "error"};
  return words[static_cast<std::size_t>(level)];
}

void append_text(std::string& line, std::string_view text) {
  if (text.size() <= value_bytes_max) return append_json_text(line, text);
  // A character that the cut splits becomes U+FFFD, as any other invalid byte does.
  append_json_text(line, text.substr(0, value_bytes_max));
  line.insert(line.size() - 1, "…");
}

std::string render(Time at, Level level, std::string_view event, std::initializer_list<Field> fields) {
  std::string line = R"({"at":")" + to_text(at) + R"(","level":")";
  line.append(word(level)).append(R"(","event":)");
  append_text(line, event);
  for (const Field& field : fields) {
    line += ',';
    append_text(line, field.name);
    line += ':';
    if (const auto* text = std::get_if<std::string_view>(&field.value)) append_text(line, *text);
    if (const auto* number = std::get_if<std::int64_t>(&field.value)) line += std::to_string(*number);
  }
  line += '}';
  return line;
}

// Passes lines on to the function that takes them.
class FunctionSink final : public spdlog::sinks::sink {
 public:
  explicit FunctionSink(std::function<void(std::string_view)> into) : into_(std::move(into)) {}
  void log(const spdlog::details::log_msg& line) override {
    into_({line.payload.data(), line.payload.size()});
  }
  void flush() override {}
  void set_pattern(const std::string&) override {}
  void set_formatter(std::unique_ptr<spdlog::formatter>) override {}

 private:
  const std::function<void(std::string_view)> into_;
};

// A process that was killed, or a full disk, leaves half a line at the end of the file. It is ended here, so
// that it spoils no other line.
void end_torn_line(const std::string& file) {
  std::error_code absent;
  const auto size = std::filesystem::file_size(file, absent);
  if (absent || size == 0) return;
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary | std::ios::ate);
  stream.seekg(-1, std::ios::end);
  if (stream.get() == '\n') return;
  stream.seekp(0, std::ios::end);
  stream.put('\n');
}

}  // namespace

// The sinks are spdlog's, its logger is not: that one hides failures, and a rotating sink whose file could
// not be opened again writes through a null pointer. A sink that threw is therefore thrown away.
struct Log::Sink {
  Sink(const Options& chosen, const Clock& time) : options(chosen), clock(time) {}

  // Throws what spdlog throws.
  void reopen() GAVEL_REQUIRES(mutex);
  void put(const std::string& line) GAVEL_REQUIRES(mutex);
  void fail(const char* reason) GAVEL_REQUIRES(mutex);

  const Options options;
  const Clock& clock;
  Mutex mutex;
  std::unique_ptr<spdlog::sinks::sink> out GAVEL_GUARDED_BY(mutex);
  Duration reopen_at GAVEL_GUARDED_BY(mutex){0};
  std::atomic<std::uint64_t> lost_ever{0};
  std::int64_t lost GAVEL_GUARDED_BY(mutex) = 0;  // Lines since the first failure that is not over.
};

void Log::Sink::reopen() {
  if (options.into) {
    out = std::make_unique<FunctionSink>(options.into);
  } else if (options.file.empty()) {
    out = std::make_unique<spdlog::sinks::stderr_sink_st>();
  } else {
    end_torn_line(options.file);
    out = std::make_unique<spdlog::sinks::rotating_file_sink_st>(options.file, options.file_bytes_max,
                                                                 options.files_max);
  }
  out->set_formatter(std::make_unique<spdlog::pattern_formatter>("%v", spdlog::pattern_time_type::utc, "\n"));
}

void Log::Sink::put(const std::string& line) {
  // The level was weighed already and the name is not in the pattern.
  out->log(spdlog::details::log_msg(spdlog::string_view_t(), spdlog::level::info, line));
  out->flush();
}

void Log::Sink::fail(const char* reason) {
  // Once per failure, since a full disk fails at every line, and to the only other place there is.
  if (lost == 0) std::fprintf(stderr, "gavel: the log cannot be written and loses lines: %s\n", reason);
  ++lost;
  ++lost_ever;
  out.reset();
  reopen_at = clock.steady() + reopen_pause;
}

Log::Log(std::unique_ptr<Sink> sink) : sink_(std::move(sink)) {}
Log::~Log() = default;

Result<std::unique_ptr<Log>> Log::open(const Options& options, const Clock& clock) {
  const std::string not_opened = "the log cannot be opened: ";
  if (options.file_bytes_max < file_bytes_least || options.files_max > files_most) {
    return gavel::fail(ErrorCode::invalid,
                       not_opened + "files of at least " + std::to_string(file_bytes_least) +
                           " bytes are needed, and at most " + std::to_string(files_most) + " of them");
  }
  auto sink = std::make_unique<Sink>(options, clock);
  try {
    const MutexLock lock(sink->mutex);
    sink->reopen();
  } catch (const std::exception& error) {
    return gavel::fail(ErrorCode::invalid, not_opened + error.what());
  }
  return std::unique_ptr<Log>(new Log(std::move(sink)));
}

std::unique_ptr<Log> Log::silent() { return std::unique_ptr<Log>(new Log(nullptr)); }

std::uint64_t Log::lines_lost() const noexcept { return sink_ == nullptr ? 0 : sink_->lost_ever.load(); }

void Log::reopen() noexcept {
  if (sink_ == nullptr) return;
  const MutexLock lock(sink_->mutex);
  sink_->out.reset();
  sink_->reopen_at = Duration(0);
}

void Log::write(Level level, std::string_view event, std::initializer_list<Field> fields) noexcept {
  if (sink_ == nullptr || level < sink_->options.level) return;
  const std::string line = render(sink_->clock.now(), level, event, fields);
  const MutexLock lock(sink_->mutex);
  if (sink_->out == nullptr && sink_->clock.steady() < sink_->reopen_at) {
    ++sink_->lost;
    ++sink_->lost_ever;
    return;
  }
  try {
    if (sink_->out == nullptr) sink_->reopen();
    if (sink_->lost > 0) {
      sink_->put(render(sink_->clock.now(), Level::warn, "log_lines_lost", {{"lines", sink_->lost}}));
      sink_->lost = 0;
    }
    sink_->put(line);
  } catch (const std::exception& error) {
    sink_->fail(error.what());
  }
}

}  // namespace gavel
