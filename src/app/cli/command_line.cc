#include "app/cli/command_line.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include "app/options.h"
#include "base/check.h"

namespace gavel::app {
namespace {

constexpr std::string_view usual_file = "gavel.toml";
constexpr std::size_t help_column = 40;

// CLI11 takes a word in brackets for a list, also where a SKU is called "[a,b]". The mark at its end, which
// no name has, hides the brackets from it.
constexpr char bracket_mark = '\n';

std::string marked(std::string word) {
  if (word.starts_with('[') && word.ends_with(']')) word += bracket_mark;
  return word;
}

std::string unmarked(std::string word) {
  if (word.starts_with('[') && word.ends_with(bracket_mark)) word.pop_back();
  return word;
}

// The values of the flags that every subcommand takes.
struct ParsedFlags {
  std::string config;
  bool json = false;
  std::map<std::string, std::string> settings;
};

struct AddFlag {
  CLI::App& app;

  void operator()(const IntegerFlag& flag) const {
    app.add_option("--" + std::string(flag.name), *flag.value, std::string(flag.meaning))
        ->check(CLI::Range(flag.least, flag.most))
        ->type_name("N")
        ->capture_default_str();
  }
  void operator()(const WordFlag& flag) const {
    const bool named = flag.place == WordFlag::Place::named;
    const std::string name = named ? "--" + flag.name : flag.placeholder;
    CLI::Option* option = nullptr;
    if (flag.times == WordFlag::Times::many) {
      const auto put = [values = flag.values](const std::vector<std::string>& words) {
        for (const std::string& word : words) values->push_back(unmarked(word));
      };
      option = app.add_option_function<std::vector<std::string>>(name, put, flag.meaning);
    } else {
      option = app.add_option_function<std::string>(
          name, [values = flag.values](const std::string& word) { *values = {unmarked(word)}; },
          flag.meaning);
    }
    option->type_name(named ? flag.placeholder : "")->required(flag.need == WordFlag::Need::required);
  }
  void operator()(const SwitchFlag& flag) const {
    app.add_flag("--" + std::string(flag.name), *flag.value, std::string(flag.meaning));
  }
  void operator()(const ChoiceFlag& flag) const {
    app.add_option("--" + std::string(flag.name), *flag.value, std::string(flag.meaning))
        ->check(CLI::IsMember(flag.words))
        ->type_name("WORD")
        ->capture_default_str();
  }
};

std::string type_name_of(SettingKind kind) {
  if (kind == SettingKind::integer) return "N";
  return kind == SettingKind::boolean ? "true|false" : "TEXT";
}

void add_settings(CLI::App& app, std::span<const std::string_view> chosen, ParsedFlags& flags) {
  app.add_option_function<std::string>(
         "--config", [&flags](const std::string& file) { flags.config = unmarked(file); },
         "settings file [gavel.toml, if it exists]")
      ->type_name("FILE");
  for (const Setting& setting : all_settings()) {
    if (!chosen.empty() && std::ranges::find(chosen, setting.name) == chosen.end()) continue;
    const std::string name(setting.name);
    app.add_option_function<std::string>(
           "--" + name, [&flags, name](const std::string& value) { flags.settings[name] = unmarked(value); },
           std::string(setting.meaning))
        ->type_name(type_name_of(setting.kind))
        ->default_str(std::string(setting.fallback))
        ->group(
            "Settings (judge.url, for example, is also url under [judge] in gavel.toml, and "
            "GAVEL_JUDGE__URL)");
  }
}

// By subcommand, at every level.
using AllFlags = std::map<const Subcommand*, ParsedFlags>;

void add_subcommand(CLI::App& above, Subcommand& subcommand, AllFlags& all_flags) {
  const Subcommand::About about = subcommand.about();
  CHECK(!about.name.empty() && !about.summary.empty() && !about.examples.empty());
  CLI::App& app = *above.add_subcommand(std::string(about.name), std::string(about.summary));
  // In the footer, since CLI11 prints an app's description in the list of its parent too.
  app.footer(std::string(about.description) + "\n\nExamples:\n" + std::string(about.examples) + "\n");
  for (const auto& one : subcommand.below()) add_subcommand(app, *one, all_flags);
  if (!subcommand.below().empty()) return;
  ParsedFlags& flags = all_flags[&subcommand];
  for (const Flag& flag : subcommand.flags()) std::visit(AddFlag{app}, flag);
  app.add_flag("--json", flags.json, "print JSON");
  if (about.takes_settings) add_settings(app, about.settings, flags);
}

using Subcommands = std::span<const std::unique_ptr<Subcommand>>;

std::string names_of(Subcommands subcommands) {
  std::string names;
  for (const auto& one : subcommands) names.append(names.empty() ? "" : ", ").append(one->about().name);
  return names;
}

Subcommand* find_named(Subcommands subcommands, std::string_view word) {
  const auto found =
      std::ranges::find_if(subcommands, [&](const auto& one) { return one->about().name == word; });
  return found == subcommands.end() ? nullptr : found->get();
}

// CLI11 reports an unknown first word as a superfluous argument; this one names the commands. `path` is the
// words so far: "gavel", "gavel stock".
std::optional<std::string> wrong_word(std::span<const char* const> words, Subcommands subcommands,
                                      const std::string& path) {
  const std::string see = "; see " + path + " --help";
  if (words.empty()) return "a command is required: " + names_of(subcommands) + see;
  const std::string_view word = words.front();
  if (word == "--help" || word == "-h" || word == "--version") return std::nullopt;
  if (word.starts_with('-')) return "expected a command before '" + std::string(word) + "'" + see;
  const Subcommand* known = find_named(subcommands, word);
  if (known == nullptr)
    return "unknown command '" + std::string(word) + "'; the commands are " + names_of(subcommands) + see;
  if (known->below().empty()) return std::nullopt;
  return wrong_word(words.subspan(1), known->below(), path + " " + std::string(word));
}

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

Result<Settings> settings_of(const Subcommand::About& about, const ParsedFlags& flags) {
  const auto nothing = [](const std::string&) -> std::optional<std::string> { return std::nullopt; };
  if (!about.takes_settings) return Settings::load(all_settings(), "", nothing, {});
  std::string file = flags.config;
  if (file.empty() && ::access(std::string(usual_file).c_str(), F_OK) == 0) file = usual_file;
  return Settings::load(all_settings(), file, variable_of_process, flags.settings, variables_of_process());
}

Exit run_subcommand(Subcommand& subcommand, const ParsedFlags& flags) {
  const auto settings = settings_of(subcommand.about(), flags);
  if (!settings) return fail_with(Exit::usage, settings.error());
  return subcommand.run(ParsedArguments{*settings, flags.json ? OutputFormat::json : OutputFormat::text});
}

// The subcommand that the first words name, and those words: "gavel stock receive".
struct Chosen {
  Subcommand* subcommand = nullptr;
  std::string path = "gavel";
};

Chosen chosen_by(std::span<const char* const> words, Subcommands subcommands) {
  Chosen chosen;
  for (const char* word : words.subspan(1)) {
    Subcommand* named = find_named(subcommands, word);
    if (named == nullptr) break;
    chosen.subcommand = named;
    chosen.path += std::string(" ") + word;
    subcommands = named->below();
  }
  return chosen;
}

}  // namespace

int run_command_line(int count, const char* const* arguments,
                     const std::vector<std::unique_ptr<Subcommand>>& subcommands) {
  CHECK(count >= 1 && arguments != nullptr && !subcommands.empty());
  const std::span<const char* const> words(arguments, static_cast<std::size_t>(count));
  if (const auto wrong = wrong_word(words.subspan(1), subcommands, "gavel")) {
    print_error(*wrong);
    return static_cast<int>(Exit::usage);
  }
  CLI::App program("Gavel: an inventory service that sells every unit once.", "gavel");
  program.set_version_flag("--version", "gavel " GAVEL_VERSION);
  program.get_formatter()->column_width(help_column);
  program.require_subcommand(1);
  program.footer(
      "Examples:\n"
      "  gavel demo              run a flash sale over HTTP and check the result\n"
      "  gavel serve             serve the database gavel.db in this folder\n"
      "  gavel serve --help      show the flags and settings of a command\n"
      "Exit codes: 0 done, 1 refused by a business rule, 2 usage error, 3 no final answer,\n"
      "4 a check failed");
  AllFlags flags;
  for (const auto& one : subcommands) add_subcommand(program, *one, flags);
  const Chosen chosen = chosen_by(words, subcommands);
  std::vector<std::string> reversed;  // As CLI11 takes them: the last word first, without the program's.
  for (int i = count - 1; i > 0; --i) reversed.push_back(marked(arguments[i]));
  try {
    program.parse(std::move(reversed));
  } catch (const CLI::Success& asked) {  // --help and --version
    return program.exit(asked);
  } catch (const CLI::ParseError& error) {
    print_error(one_line(error.what()) + "; see " + chosen.path + " --help");
    return static_cast<int>(Exit::usage);
  }
  CHECK(chosen.subcommand != nullptr && chosen.subcommand->below().empty());
  return static_cast<int>(run_subcommand(*chosen.subcommand, flags[chosen.subcommand]));
}

}  // namespace gavel::app
