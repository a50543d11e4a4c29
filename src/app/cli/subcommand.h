// Subcommand: one word after `gavel`, with its flags and its work; and what all of them share.
//
// A subcommand gets its settings and the format of its output; it prints its result on standard output, an
// error as one line on standard error, and returns the exit code. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "ops/settings.h"

namespace gavel::app {

enum class Exit : std::uint8_t {
  done = 0,
  refused = 1,       // By the business.
  usage = 2,         // A flag, a setting or a file named by one is wrong.
  unreachable = 3,   // The database or the server does not answer, or cannot be trusted.
  check_failed = 4,  // A check was made and found something wrong.
  interrupted = 130,
};

struct IntegerFlag {
  std::string_view name;  // Without its dashes.
  std::int64_t* value;    // Holds the default.
  std::int64_t least;
  std::int64_t most;
  std::string_view meaning;
};

struct SwitchFlag {
  std::string_view name;
  bool* value;
  std::string_view meaning;
};

// Text, with a name or without: `--key K`, or the SKU of `stock show SKU`.
struct WordFlag {
  enum class Place : std::uint8_t { named, bare };
  enum class Need : std::uint8_t { required, optional };
  enum class Times : std::uint8_t { once, many };

  std::string name;
  std::vector<std::string>* values;  // Empty if it was not given.
  std::string placeholder;
  std::string meaning;
  Place place;
  Need need;
  Times times;
};

// One word out of several.
struct ChoiceFlag {
  std::string_view name;
  std::string* value;              // Holds the default.
  std::vector<std::string> words;  // Those that it takes.
  std::string_view meaning;
};

using Flag = std::variant<IntegerFlag, SwitchFlag, WordFlag, ChoiceFlag>;

enum class OutputFormat : std::uint8_t { text, json };

// What a subcommand is run with, beside its own flags.
struct ParsedArguments {
  const Settings& settings;
  OutputFormat format;
};

class Subcommand {
 public:
  struct About {
    std::string_view name;
    std::string_view summary;
    std::string_view description;  // Above the examples in --help.
    std::string_view examples;     // Lines, indented by two.
    bool takes_settings = true;    // Reads gavel.toml, the environment and the flags of settings.
    std::span<const std::string_view> settings = {};  // Those that have flags; empty: all.
  };

  virtual ~Subcommand() = default;
  virtual About about() const = 0;
  // The words that may follow it; where there are some, one of them runs in its place. They are its own.
  virtual std::span<const std::unique_ptr<Subcommand>> below() const { return {}; }
  // Its own flags; those of the settings and --json come by themselves.
  virtual std::vector<Flag> flags() { return {}; }
  virtual Exit run(const ParsedArguments& arguments) = 0;
};

std::unique_ptr<Subcommand> make_serve();
std::unique_ptr<Subcommand> make_demo();
std::unique_ptr<Subcommand> make_bench();
std::unique_ptr<Subcommand> make_verify();
std::unique_ptr<Subcommand> make_migrate();
std::unique_ptr<Subcommand> make_backup();
std::unique_ptr<Subcommand> make_restore();
std::unique_ptr<Subcommand> make_config();
std::unique_ptr<Subcommand> make_account();
std::unique_ptr<Subcommand> make_key();

// A line on standard output, at once.
void print_line(std::string_view line);

// "gavel: <line>" on standard error.
void print_error(std::string_view line);

// Prints the error and returns `code`: `return fail_with(Exit::usage, error)`.
Exit fail_with(Exit code, const Error& error);

}  // namespace gavel::app
