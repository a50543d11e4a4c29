#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/subcommand.h"
#include "app/options.h"
#include "base/json_text.h"

namespace gavel::app {
namespace {

using Effective = Settings::Effective;

std::string as_json(const std::vector<Effective>& all) {
  std::string text = R"({"settings":[)";
  for (const Effective& one : all) {
    text += &one == &all.front() ? "" : ",";
    text += R"({"name":)";
    append_json_text(text, one.name);
    text += R"(,"value":)";
    append_json_text(text, one.value);
    text += R"(,"origin":)";
    append_json_text(text, one.origin);
    text += R"(,"meaning":)";
    append_json_text(text, one.meaning);
    text += '}';
  }
  return text + "]}";
}

std::string as_table(const std::vector<Effective>& all) {
  std::size_t name = 0;
  std::size_t value = 0;
  std::size_t origin = 0;
  for (const Effective& one : all) {
    name = std::max(name, one.name.size());
    value = std::max(value, one.value.size());
    origin = std::max(origin, one.origin.size());
  }
  std::string text;
  const auto cell = [&text](const std::string& content, std::size_t width) {
    text += content + std::string(width - content.size() + 2, ' ');
  };
  for (const Effective& one : all) {
    text += text.empty() ? "" : "\n";
    cell(one.name, name);
    cell(one.value, value);
    cell(one.origin, origin);
    text += one.meaning;
  }
  return text;
}

class Config final : public Subcommand {
 public:
  About about() const override {
    return {
        .name = "config",
        .summary = "Show every setting, its value, and where the value comes from",
        .description = "A flag goes before the environment, that before the file, that before the default.",
        .examples = "  gavel config\n  GAVEL_JUDGE__URL=memory: gavel config --json"};
  }

  Exit run(const Given& given) override {
    const std::vector<Effective>& all = given.settings.effective();
    say(given.speech == Speech::json ? as_json(all) : as_table(all));
    // Shown first, since the table is what helps to find the contradiction.
    if (const auto options = options_of(given.settings); !options)
      return give_up(Exit::usage, options.error());
    return Exit::done;
  }
};

}  // namespace

std::unique_ptr<Subcommand> make_config() { return std::make_unique<Config>(); }

}  // namespace gavel::app
