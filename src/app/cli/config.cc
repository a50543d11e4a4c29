#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <boost/json.hpp>

#include "app/cli/subcommand.h"
#include "app/options.h"

namespace gavel::app {
namespace {

using Effective = Settings::Effective;

std::string as_json(const std::vector<Effective>& all) {
  boost::json::array settings;
  for (const Effective& one : all) {
    settings.push_back(boost::json::object{
        {"name", one.name}, {"value", one.value}, {"origin", one.origin}, {"meaning", one.meaning}});
  }
  return boost::json::serialize(boost::json::object{{"settings", std::move(settings)}});
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
        .description =
            "A flag takes precedence over the environment, the environment over the file, the file over the\n"
            "default.",
        .examples = "  gavel config\n  GAVEL_JUDGE__URL=memory: gavel config --json"};
  }

  Exit run(const ParsedArguments& arguments) override {
    const std::vector<Effective>& all = arguments.settings.effective();
    print_line(arguments.format == OutputFormat::json ? as_json(all) : as_table(all));
    // The table comes first, since it helps to find the contradiction.
    if (const auto options = options_of(arguments.settings); !options)
      return fail_with(Exit::usage, options.error());
    return Exit::done;
  }
};

}  // namespace

std::unique_ptr<Subcommand> make_config() { return std::make_unique<Config>(); }

}  // namespace gavel::app
