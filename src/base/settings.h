// Settings: named values with defaults, one TOML file, environment variables and flags, in that order of precedence.
//
// A setting's name is dotted ("judge.url"): the TOML key url in table [judge], the environment variable
// GAVEL_JUDGE__URL, the flag --judge.url. Every value knows where it came from. This is the mechanism only: which
// settings exist is the program's table (app/options.h). Not thread-safe while loading; immutable afterwards.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gavel {

enum class SettingKind : std::uint8_t { text, integer };

struct Setting {
  std::string_view name;           // "judge.batch_commands_max": unit and qualifier last.
  SettingKind kind;
  std::string_view fallback;       // The default, as text.
  std::int64_t least = 0;          // Bounds of an integer, both inclusive.
  std::int64_t most = INT64_MAX;
  std::string_view meaning;        // One line for `gavel config` and --help.
};

class Settings {
 public:
  using Environment = std::function<std::optional<std::string>(const std::string& variable)>;

  // Reads `file` (empty: none), then the environment, then `flags` (name to text). An unknown name, a wrong type or a
  // value out of bounds is ErrorCode::invalid with one line that names the value, its origin and what is allowed.
  static Result<Settings> load(std::span<const Setting> table, const std::string& file, const Environment& environment,
                               const std::map<std::string, std::string>& flags);

  // `name` is in the table and of that kind (CHECKed).
  const std::string& text(std::string_view name) const;
  std::int64_t integer(std::string_view name) const;

  struct Effective {
    std::string name;
    std::string value;
    std::string origin;  // "default", "file gavel.toml", "environment GAVEL_JUDGE__URL", "flag --judge.url".
    std::string meaning;
  };
  // All settings in the table's order.
  const std::vector<Effective>& effective() const { return effective_; }

 private:
  std::vector<Effective> effective_;
  std::map<std::string, std::pair<SettingKind, std::size_t>, std::less<>> index_;
};

}  // namespace gavel
