#include <memory>
#include <string>

#include "app/cli/subcommand.h"
#include "app/database.h"
#include "app/options.h"
#include "base/json_text.h"

namespace gavel::app {
namespace {

class Migrate final : public Subcommand {
 public:
  About about() const override {
    return {.name = "migrate",
            .summary = "Bring the database's schema up to this program's version",
            .description =
                "Forward only, one version per transaction: it can be interrupted and repeated at will.\n"
                "Makes the database if there is none. Stop the server first.",
            .examples = "  gavel migrate\n  gavel migrate --judge.url sqlite:/var/lib/gavel/gavel.db --json"};
  }

  Exit run(const Given& given) override {
    const auto options = options_of(given.settings);
    if (!options) return give_up(Exit::usage, options.error());
    const auto done = migrate_database(*options);
    if (!done) return give_up(Exit::unreachable, done.error());
    const std::string url = to_text(options->judge);
    if (given.speech == Speech::json) {
      std::string line = R"({"judge":)";
      append_json_text(line, url);
      say(line + ",\"from\":" + std::to_string(done->from) + ",\"to\":" + std::to_string(done->to) +
          ",\"steps\":" + std::to_string(done->steps) + ",\"made\":" + (done->made ? "true" : "false") + "}");
    } else if (done->made) {
      say("made " + options->judge.path + " at schema version " + std::to_string(done->to) +
          ", an empty database; there was no such file");
    } else if (done->steps == 0) {
      say(url + " has schema version " + std::to_string(done->to) + " already; nothing to do");
    } else {
      say(url + " went from schema version " + std::to_string(done->from) + " to " +
          std::to_string(done->to) + ", steps: " + std::to_string(done->steps));
    }
    return Exit::done;
  }
};

}  // namespace

std::unique_ptr<Subcommand> make_migrate() { return std::make_unique<Migrate>(); }

}  // namespace gavel::app
