#include "ops/settings.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <system_error>
#include <utility>

#include <unistd.h>

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include "base/check.h"
#include "base/json_text.h"

namespace gavel {
namespace {

constexpr std::string_view prefix = "GAVEL_";

// Longer values are cut in messages, which are one line each.
constexpr std::size_t shown_bytes_max = 80;

// No settings file comes near it; a device or a database named by mistake goes beyond.
constexpr std::size_t file_bytes_max = 1024 * 1024;

constexpr bool is_name_char(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

// Words of [a-z0-9] with single '_' or '.' between them, one '.' at least: so no two names share a variable.
bool is_setting_name(std::string_view name) {
  if (name.empty() || !name.contains('.') || !is_name_char(name.back())) return false;
  bool word = false;
  for (const char c : name) {
    const bool separator = c == '.' || c == '_';
    if (separator ? !word : !is_name_char(c)) return false;
    word = !separator;
  }
  return true;
}

std::string variable_of(std::string_view name) {
  std::string variable(prefix);
  for (const char c : name) {
    if (c == '.') {
      variable += "__";
    } else {
      variable += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
  }
  return variable;
}

std::string in_quotes(std::string_view value) {
  std::string text;
  append_json_text(text, value.substr(0, shown_bytes_max));
  if (value.size() > shown_bytes_max) text += "...";
  return text;
}

// The fewest insertions, removals and replacements of one character that turn `a` into `b`; neighbours that
// changed places count as one too, being the commonest slip of all.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last;
  std::vector<std::size_t> last(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::vector<std::size_t> row(b.size() + 1, i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = std::exchange(last, std::move(row));
  }
  return last.back();
}

// What to write instead of an unknown name: the nearest if one is near, else all there are.
std::string advice(std::string_view unknown, const std::vector<std::string>& known) {
  const std::string* nearest = nullptr;
  std::size_t least = std::max<std::size_t>(2, unknown.size() / 4) + 1;
  for (const std::string& name : known) {
    const std::size_t steps = distance(unknown, name);
    if (steps < least) {
      least = steps;
      nearest = &name;
    }
  }
  if (nearest != nullptr) return "did you mean " + *nearest + "?";
  std::string all = "there are ";
  for (std::size_t i = 0; i < known.size(); ++i) all += (i == 0 ? "" : ", ") + known[i];
  return all;
}

std::vector<std::string> names_of(std::span<const Setting> table) {
  std::vector<std::string> names;
  for (const Setting& setting : table) names.emplace_back(setting.name);
  return names;
}

std::vector<std::string> variables_of(std::span<const Setting> table) {
  std::vector<std::string> variables;
  for (const Setting& setting : table) variables.push_back(variable_of(setting.name));
  return variables;
}

const Setting* find(std::span<const Setting> table, std::string_view name) {
  const auto found = std::ranges::find(table, name, &Setting::name);
  return found == table.end() ? nullptr : &*found;
}

std::unexpected<Error> unknown_name(std::string_view where, std::string_view name,
                                    std::span<const Setting> table) {
  return fail(ErrorCode::invalid, std::string(where) + ": there is no setting " + in_quotes(name) + "; " +
                                      advice(name, names_of(table)));
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string allowed(const Setting& setting) {
  if (setting.kind == SettingKind::text) return "a text in quotes";
  if (setting.kind == SettingKind::boolean) return "true or false";
  if (setting.most == INT64_MAX) return "an integer of at least " + std::to_string(setting.least);
  return "an integer from " + std::to_string(setting.least) + " to " + std::to_string(setting.most);
}

std::unexpected<Error> not_allowed(const Setting& setting, std::string_view shown, std::string_view origin) {
  return fail(ErrorCode::invalid, std::string(setting.name) + " = " + std::string(shown) + " (" +
                                      std::string(origin) + "): " + allowed(setting) + " is needed");
}

// One value of the file, as it was found.
struct Found {
  std::string name;
  const toml::node* node;
};

// All values of the file with their dotted names. A key that holds a dot itself ("judge.url" in quotes) keeps
// its quotes here, so that it is unknown and never a second way to name a setting.
void flatten(const toml::table& table, const std::string& path, std::vector<Found>& found) {
  for (const auto& [key, node] : table) {
    const std::string_view word = key.str();
    const std::string name = path + (word.contains('.') ? in_quotes(word) : std::string(word));
    const toml::table* inner = node.as_table();
    const bool empty_value = inner != nullptr && inner->is_inline() && inner->empty();
    if (inner != nullptr && !empty_value) {
      flatten(*inner, name + ".", found);
    } else {
      found.push_back(Found{name, &node});
    }
  }
}

Result<std::string> read_file(const std::string& file) {
  // Not std::ifstream: it throws when the file is a directory.
  const auto refused = [&file](const std::string& reason) {
    return fail(ErrorCode::invalid, "file " + file + " cannot be read: " + reason);
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(file.c_str(), "rb"), std::fclose);
  if (stream == nullptr) return refused(std::generic_category().message(errno));
  std::string text(file_bytes_max + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), stream.get()));
  if (std::ferror(stream.get()) != 0) return refused(std::generic_category().message(errno));
  if (text.size() > file_bytes_max)
    return refused("it has more than " + std::to_string(file_bytes_max) + " bytes");
  return text;
}

std::string at_line(const std::string& file, const toml::source_region& source) {
  return "file " + file + " line " + std::to_string(source.begin.line);
}

// A value of the file as the text of its setting; nothing when it is of another kind.
std::optional<std::string> text_of(const toml::node& node, SettingKind kind) {
  if (kind == SettingKind::integer) {
    if (const auto* integer = node.as_integer()) return std::to_string(integer->get());
    return std::nullopt;
  }
  if (kind == SettingKind::boolean) {
    if (const auto* boolean = node.as_boolean()) return boolean->get() ? "true" : "false";
    return std::nullopt;
  }
  if (const auto* text = node.as_string()) return text->get();
  return std::nullopt;
}

// A value of the wrong kind, in few words.
std::string shown(const toml::node& node) {
  if (const auto* text = node.as_string()) return in_quotes(text->get());
  if (const auto* integer = node.as_integer()) return std::to_string(integer->get());
  if (const auto* boolean = node.as_boolean()) return boolean->get() ? "true" : "false";
  if (node.is_array()) return "[...]";
  if (node.is_table()) return "{}";
  return node.is_floating_point() ? "a number with a fraction" : "a date or time";
}

std::string without_repeated_underscores(std::string text) {
  const auto both = [](char a, char b) { return a == '_' && b == '_'; };
  text.erase(std::ranges::unique(text, both).begin(), text.end());
  return text;
}

// Refuses a variable that was surely meant for us and sets nothing.
Result<void> refuse_misspelt(const std::vector<std::string>& variables, std::span<const Setting> table) {
  const std::vector<std::string> known = variables_of(table);
  for (const std::string& variable : variables) {
    if (!variable.starts_with(prefix) || std::ranges::find(known, variable) != known.end()) continue;
    const bool ours = std::string_view(variable).substr(prefix.size()).contains("__");
    const bool nearly = std::ranges::any_of(known, [&](const std::string& name) {
      return without_repeated_underscores(name) == without_repeated_underscores(variable);
    });
    if (!ours && !nearly) continue;
    return fail(ErrorCode::invalid,
                "environment: " + variable + " is not a setting; " + advice(variable, known));
  }
  return {};
}

}  // namespace

Settings::Settings(std::span<const Setting> table) {
  for (const Setting& setting : table) {
    CHECK(is_setting_name(setting.name));
    const auto [at, is_new] = index_.emplace(setting.name, std::pair(setting.kind, effective_.size()));
    CHECK(is_new);
    effective_.push_back(Effective{std::string(setting.name), "", "", std::string(setting.meaning)});
    CHECK(set(setting, std::string(setting.fallback), "default").has_value());
  }
}

Result<Settings> Settings::load(std::span<const Setting> table, const std::string& file,
                                const Environment& environment,
                                const std::map<std::string, std::string>& flags,
                                const std::vector<std::string>& variables) {
  Settings settings(table);
  if (!file.empty()) {
    if (auto done = settings.take_file(table, file); !done) return std::unexpected(done.error());
  }
  if (auto done = refuse_misspelt(variables, table); !done) return std::unexpected(done.error());
  for (const Setting& setting : table) {
    const std::string variable = variable_of(setting.name);
    const auto value = environment(variable);
    if (!value) continue;
    if (auto done = settings.set(setting, *value, "environment " + variable); !done)
      return std::unexpected(done.error());
  }
  for (const auto& [name, value] : flags) {
    const Setting* setting = find(table, name);
    if (setting == nullptr) return unknown_name("flag --" + name, name, table);
    if (auto done = settings.set(*setting, value, "flag --" + name); !done)
      return std::unexpected(done.error());
  }
  return settings;
}

Result<void> Settings::take_file(std::span<const Setting> table, const std::string& file) {
  const auto text = read_file(file);
  if (!text) return std::unexpected(text.error());
  const toml::parse_result parsed = toml::parse(*text);
  if (parsed.failed()) {
    const toml::parse_error& error = parsed.error();
    return fail(ErrorCode::invalid, at_line(file, error.source()) + ": " + std::string(error.description()));
  }
  std::vector<Found> found;
  flatten(parsed.table(), "", found);
  for (const Found& one : found) {
    const Setting* setting = find(table, one.name);
    if (setting == nullptr) return unknown_name(at_line(file, one.node->source()), one.name, table);
    auto value = text_of(*one.node, setting->kind);
    if (!value) return not_allowed(*setting, shown(*one.node), at_line(file, one.node->source()));
    if (auto done = set(*setting, std::move(*value), "file " + file); !done) return done;
  }
  return {};
}

Result<void> Settings::set(const Setting& setting, std::string value, std::string origin) {
  if (setting.kind == SettingKind::integer) {
    const auto number = parse_integer(value);
    const bool good = number && *number >= setting.least && *number <= setting.most;
    if (!good) return not_allowed(setting, number ? value : in_quotes(value), origin);
  }
  if (setting.kind == SettingKind::boolean && value != "true" && value != "false")
    return not_allowed(setting, in_quotes(value), origin);
  Effective& effective = effective_[index_.find(setting.name)->second.second];
  effective.value = std::move(value);
  effective.origin = std::move(origin);
  return {};
}

const std::string& Settings::text(std::string_view name) const {
  const auto found = index_.find(name);
  CHECK(found != index_.end() && found->second.first == SettingKind::text);
  return effective_[found->second.second].value;
}

std::int64_t Settings::integer(std::string_view name) const {
  const auto found = index_.find(name);
  CHECK(found != index_.end() && found->second.first == SettingKind::integer);
  const auto number = parse_integer(effective_[found->second.second].value);
  CHECK(number.has_value());
  return *number;
}

bool Settings::boolean(std::string_view name) const {
  const auto found = index_.find(name);
  CHECK(found != index_.end() && found->second.first == SettingKind::boolean);
  return effective_[found->second.second].value == "true";
}

std::optional<std::string> variable_of_process(const std::string& variable) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing in Gavel changes the environment.
  const char* value = std::getenv(variable.c_str());
  if (value == nullptr) return std::nullopt;
  return value;
}

std::vector<std::string> variables_of_process() {
  std::vector<std::string> names;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    names.emplace_back(text.substr(0, text.find('=')));
  }
  return names;
}

}  // namespace gavel
