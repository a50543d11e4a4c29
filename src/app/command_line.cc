#include "app/command_line.h"

#include <algorithm>
#include <map>
#include <optional>
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
  void operator()(const SwitchFlag& flag) const {
    app.add_flag("--" + std::string(flag.name), *flag.value, std::string(flag.meaning));
  }
};

void add_settings(CLI::App& app, Told& told) {
  app.add_option("--config", told.config, "settings file [gavel.toml, if there is one]")->type_name("FILE");
  for (const Setting& setting : all_settings()) {
    const std::string name(setting.name);
    app.add_option_function<std::string>(
           "--" + name, [&told, name](const std::string& value) { told.settings[name] = value; },
           std::string(setting.meaning))
        ->type_name(setting.kind == SettingKind::integer ? "N" : "TEXT")
        ->default_str(std::string(setting.fallback))
        ->group("Settings (in gavel.toml: url in [judge]; in the environment: GAVEL_JUDGE__URL)");
  }
}

void add_subcommand(CLI::App& program, Subcommand& subcommand, Told& told) {
  const Subcommand::About about = subcommand.about();
  CLI::App& app = *program.add_subcommand(std::string(about.name), std::string(about.summary));
  // In the footer, since the description stands in the list of all subcommands as well.
  app.footer(std::string(about.description) + "\n\nExamples:\n" + std::string(about.examples) + "\n");
  for (const Flag& flag : subcommand.flags()) std::visit(AddFlag{app}, flag);
  app.add_flag("--json", told.json, "print JSON");
  if (about.takes_settings) add_settings(app, told);
}

std::string names_of(const std::vector<std::unique_ptr<Subcommand>>& subcommands) {
  std::string names;
  for (const auto& one : subcommands) names.append(names.empty() ? "" : ", ").append(one->about().name);
  return names;
}

// CLI11 takes an unknown first word for a superfluous argument and says so; this names what there is.
std::optional<std::string> wrong_word(int count, const char* const* arguments,
                                      const std::vector<std::unique_ptr<Subcommand>>& subcommands) {
  if (count < 2) return "a command is needed: " + names_of(subcommands) + "; see gavel --help";
  const std::string_view word = arguments[1];
  if (word == "--help" || word == "-h" || word == "--version") return std::nullopt;
  if (word.starts_with('-'))
    return "a command comes first, then its flags, and here it is '" + std::string(word) +
           "'; see gavel --help";
  const bool known =
      std::ranges::any_of(subcommands, [word](const auto& one) { return one->about().name == word; });
  if (known) return std::nullopt;
  return "there is no command '" + std::string(word) + "'; there are " + names_of(subcommands) +
         "; see gavel --help";
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

}  // namespace

int run_command_line(int count, const char* const* arguments,
                     const std::vector<std::unique_ptr<Subcommand>>& subcommands) {
  if (const auto wrong = wrong_word(count, arguments, subcommands)) {
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
  std::map<std::string, Told, std::less<>> told;
  for (const auto& one : subcommands) add_subcommand(program, *one, told[std::string(one->about().name)]);
  try {
    program.parse(count, arguments);
  } catch (const CLI::Success& asked) {  // --help and --version
    return program.exit(asked);
  } catch (const CLI::ParseError& error) {
    say_error(one_line(error.what()) + "; see gavel " + arguments[1] + " --help");
    return static_cast<int>(Exit::usage);
  }
  for (const auto& one : subcommands) {
    const std::string name(one->about().name);
    if (program.got_subcommand(name)) return static_cast<int>(run_subcommand(*one, told[name]));
  }
  return static_cast<int>(Exit::usage);
}

}  // namespace gavel::app
