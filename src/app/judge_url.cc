#include "app/judge_url.h"

namespace gavel::app {
namespace {

constexpr std::string_view sqlite_prefix = "sqlite:";
constexpr std::string_view memory_url = "memory:";

}  // namespace

Result<JudgeUrl> parse_judge_url(std::string_view text) {
  if (text == memory_url) return JudgeUrl{JudgeUrl::Kind::memory, ""};
  if (text.starts_with(sqlite_prefix) && text.size() > sqlite_prefix.size()) {
    const std::string_view path = text.substr(sqlite_prefix.size());
    // These mean something else to SQLite than a file of that name, and such a database would not be kept.
    if (!path.starts_with(':') && !path.starts_with("file:") && !path.contains('?'))
      return JudgeUrl{JudgeUrl::Kind::sqlite, std::string(path)};
  }
  return fail(ErrorCode::invalid, "judge.url = " + std::string(text) +
                                      ": must be sqlite:PATH, the path of a file, or memory: for trials");
}

std::string to_text(const JudgeUrl& url) {
  if (url.kind == JudgeUrl::Kind::memory) return std::string(memory_url);
  return std::string(sqlite_prefix) + url.path;
}

}  // namespace gavel::app
