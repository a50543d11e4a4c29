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

namespace gavel::app {
namespace {

constexpr std::string_view usual_file = "gavel.toml";
constexpr std::size_t help_column = 40;

// What the flags of one subcommand said.
struct Told {
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
      option = app.add_option(name, *flag.values, flag.meaning);
    } else {
      option = app.add_option_function<std::string>(
          name, [values = flag.values](const std::string& word) { *values = {word}; }, flag.meaning);
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

void add_settings(CLI::App& app, std::span<const std::string_view> chosen, Told& told) {
  app.add_option("--config", told.config, "settings file [gavel.toml, if there is one]")->type_name("FILE");
  for (const Setting& setting : all_settings()) {
    if (!chosen.empty() && std::ranges::find(chosen, setting.name) == chosen.end()) continue;
    const std::string name(setting.name);
    app.add_option_function<std::string>(
           "--" + name, [&told, name](const std::string& value) { told.settings[name] = value; },
           std::string(setting.meaning))
        ->type_name(setting.kind == SettingKind::integer ? "N" : "TEXT")
        ->default_str(std::string(setting.fallback))
        ->group("Settings (in gavel.toml: url in [judge]; in the environment: GAVEL_JUDGE__URL)");
  }
}

// By the subcommand, those below others among them.
using AllTold = std::map<const Subcommand*, Told>;

void add_subcommand(CLI::App& above, Subcommand& subcommand, AllTold& all_told) {
  const Subcommand::About about = subcommand.about();
  CLI::App& app = *above.add_subcommand(std::string(about.name), std::string(about.summary));
  // In the footer, since the description stands in the list of all subcommands as well.
  app.footer(std::string(about.description) + "\n\nExamples:\n" + std::string(about.examples) + "\n");
  for (const auto& one : subcommand.below()) add_subcommand(app, *one, all_told);
  if (!subcommand.below().empty()) return;
  Told& told = all_told[&subcommand];
  for (const Flag& flag : subcommand.flags()) std::visit(AddFlag{app}, flag);
  app.add_flag("--json", told.json, "print JSON");
  if (about.takes_settings) add_settings(app, about.settings, told);
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

// CLI11 takes an unknown first word for a superfluous argument and says so; this names what there is. `path`
// is the words that led here: "gavel", "gavel stock".
std::optional<std::string> wrong_word(std::span<const char* const> words, Subcommands subcommands,
                                      const std::string& path) {
  const std::string see = "; see " + path + " --help";
  if (words.empty()) return "a command is needed: " + names_of(subcommands) + see;
  const std::string_view word = words.front();
  if (word == "--help" || word == "-h" || word == "--version") return std::nullopt;
  if (word.starts_with('-'))
    return "a command comes first, then its flags, and here it is '" + std::string(word) + "'" + see;
  const Subcommand* known = find_named(subcommands, word);
  if (known == nullptr)
    return "there is no command '" + std::string(word) + "'; there are " + names_of(subcommands) + see;
  if (known->below().empty()) return std::nullopt;
  return wrong_word(words.subspan(1), known->below(), path + " " + std::string(word));
}

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

Result<Settings> settings_of(const Subcommand::About& about, const Told& told) {
  const auto nothing = [](const std::string&) -> std::optional<std::string> { return std::nullopt; };
  if (!about.takes_settings) return Settings::load(all_settings(), "", nothing, {});
  std::string file = told.config;
  if (file.empty() && ::access(std::string(usual_file).c_str(), F_OK) == 0) file = usual_file;
  return Settings::load(all_settings(), file, variable_of_process, told.settings, variables_of_process());
}

Exit run_subcommand(Subcommand& subcommand, const Told& told) {
  const auto settings = settings_of(subcommand.about(), told);
  if (!settings) return give_up(Exit::usage, settings.error());
  return subcommand.run(Given{*settings, told.json ? Speech::json : Speech::people});
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
  const std::span<const char* const> words(arguments, static_cast<std::size_t>(count));
  if (const auto wrong = wrong_word(words.subspan(1), subcommands, "gavel")) {
    say_error(*wrong);
    return static_cast<int>(Exit::usage);
  }
  CLI::App program("Gavel: an inventory service that sells every unit once.", "gavel");
  program.set_version_flag("--version", "gavel " GAVEL_VERSION);
  program.get_formatter()->column_width(help_column);
  program.require_subcommand(1);
  program.footer(
      "Examples:\n  gavel demo              a flash sale over HTTP, and whether it was right\n"
      "  gavel serve             serve gavel.db in this folder\n"
      "  gavel serve --help      its flags and settings\n"
      "Exit codes: 0 done, 1 refused by the business, 2 usage, 3 unreachable, 4 a check failed");
  AllTold told;
  for (const auto& one : subcommands) add_subcommand(program, *one, told);
  const Chosen chosen = chosen_by(words, subcommands);
  try {
    program.parse(count, arguments);
  } catch (const CLI::Success& asked) {  // --help and --version
    return program.exit(asked);
  } catch (const CLI::ParseError& error) {
    say_error(one_line(error.what()) + "; see " + chosen.path + " --help");
    return static_cast<int>(Exit::usage);
  }
  return static_cast<int>(run_subcommand(*chosen.subcommand, told[chosen.subcommand]));
}

}  // namespace gavel::app
