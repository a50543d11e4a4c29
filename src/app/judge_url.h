// JudgeUrl: which database the judge stands on, as the setting judge.url says it. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gavel::app {

struct JudgeUrl {
  enum class Kind : std::uint8_t {
    sqlite,  // sqlite:PATH, one file.
    memory,  // memory:, nothing is kept; for trials.
  };
  Kind kind;
  std::string path;  // Of the file; empty for memory.
};

// `invalid` on anything else.
Result<JudgeUrl> parse_judge_url(std::string_view text);

// "sqlite:gavel.db", "memory:"
std::string to_text(const JudgeUrl& url);

}  // namespace gavel::app
