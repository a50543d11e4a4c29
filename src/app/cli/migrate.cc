#include <memory>
#include <string>

#include <boost/json.hpp>

#include "app/cli/subcommand.h"
#include "app/database.h"
#include "app/options.h"
#include "base/check.h"

namespace gavel::app {
namespace {

class Migrate final : public Subcommand {
 public:
  About about() const override {
    return {
        .name = "migrate",
        .summary = "Migrate the database's schema to this program's version",
        .description =
            "Migrates forward only, one version per transaction, so it can be interrupted and rerun at any\n"
            "time. Creates the database if it does not exist. Stop the server first.",
        .examples = "  gavel migrate\n  gavel migrate --judge.url sqlite:/var/lib/gavel/gavel.db --json"};
  }

  Exit run(const ParsedArguments& arguments) override {
    const auto options = options_of(arguments.settings);
    if (!options) return fail_with(Exit::usage, options.error());
    const auto done = migrate_database(*options);
    if (!done) return fail_with(Exit::unreachable, done.error());
    CHECK(done->steps == done->to - done->from);
    const std::string url = to_text(options->judge);
    if (arguments.format == OutputFormat::json) {
      print_line(boost::json::serialize(boost::json::object{{"judge", url},
                                                            {"from", done->from},
                                                            {"to", done->to},
                                                            {"steps", done->steps},
                                                            {"made", done->made}}));
    } else if (done->made) {
      print_line("created " + options->judge.path + ", an empty database with schema version " +
                 std::to_string(done->to) + "; the file did not exist");
    } else if (done->steps == 0) {
      print_line(url + " already has schema version " + std::to_string(done->to) + "; nothing to do");
    } else {
      print_line(url + " was migrated from schema version " + std::to_string(done->from) + " to " +
                 std::to_string(done->to) + " in " + std::to_string(done->steps) +
                 (done->steps == 1 ? " step" : " steps"));
    }
    return Exit::done;
  }
};

}  // namespace

std::unique_ptr<Subcommand> make_migrate() { return std::make_unique<Migrate>(); }

}  // namespace gavel::app
