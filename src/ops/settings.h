// Settings: named values from defaults, one TOML file, environment variables and flags; a later one of these
// sources wins.
//
// A setting's name is dotted ("judge.url"): the TOML key url in table [judge], the environment variable
// GAVEL_JUDGE__URL, the flag --judge.url. Every value knows where it came from. This is only the mechanism:
// the program's table says which settings exist (app/options.h). A secret is never a setting, because values
// are printed; a setting names the file that contains it. Not thread-safe while loading; immutable
// afterwards.
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

enum class SettingKind : std::uint8_t { text, integer, boolean };

struct Setting {
  std::string_view name;  // "judge.batch_commands_max": lower case, at least one dot, no "__" (CHECKed).
  SettingKind kind;
  std::string_view fallback;  // The default, as text.
  std::int64_t least = 0;     // Bounds of an integer, both inclusive.
  std::int64_t most = INT64_MAX;
  std::string_view meaning;  // One line for `gavel config` and --help.
};

class Settings {
 public:
  using Environment = std::function<std::optional<std::string>(const std::string& variable)>;

  // Reads `file` (empty: none), then the environment, then `flags` (name to text). An unknown name, a wrong
  // type or a value out of bounds is ErrorCode::invalid with one line that names the value, its origin and
  // what is allowed.
  //
  // `variables` are the names of all variables that are set (variables_of_process()), for finding misspelt
  // ones, which `environment` is never asked for. A variable that begins with GAVEL_ must belong to a setting
  // if it contains "__", as every setting's variable does, or if it differs from one only in the number of
  // underscores. Other variables are ignored: Kubernetes sets GAVEL_PORT and GAVEL_SERVICE_HOST beside a
  // service called gavel.
  static Result<Settings> load(std::span<const Setting> table, const std::string& file,
                               const Environment& environment,
                               const std::map<std::string, std::string>& flags,
                               const std::vector<std::string>& variables = {});

  // `name` is in the table and of that kind (CHECKed).
  const std::string& text(std::string_view name) const;
  std::int64_t integer(std::string_view name) const;
  bool boolean(std::string_view name) const;

  struct Effective {
    std::string name;
    std::string value;
    std::string origin;  // "default", "file gavel.toml", "environment GAVEL_JUDGE__URL", "flag --judge.url".
    std::string meaning;
  };
  // All settings in the table's order.
  const std::vector<Effective>& effective() const { return effective_; }

 private:
  explicit Settings(std::span<const Setting> table);

  Result<void> take_file(std::span<const Setting> table, const std::string& file);

  // Sets a value from text; the error says what is allowed.
  Result<void> set(const Setting& setting, std::string value, std::string origin);

  std::vector<Effective> effective_;
  std::map<std::string, std::pair<SettingKind, std::size_t>, std::less<>> index_;
};

// The environment of this process: the value of a variable, and the names of all that are set. Not to be
// called while another thread changes the environment.
std::optional<std::string> variable_of_process(const std::string& variable);
std::vector<std::string> variables_of_process();

}  // namespace gavel
