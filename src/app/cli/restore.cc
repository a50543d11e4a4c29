#include "app/restore.h"

#include <memory>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include "app/cli/copy_report.h"
#include "app/cli/signals.h"
#include "app/cli/subcommand.h"
#include "app/options.h"
#include "base/clock.h"

namespace gavel::app {
namespace {

class Restore final : public Subcommand {
 public:
  About about() const override {
    return {
        .name = "restore",
        .summary = "Put a backup in the database's place, verified, and keep the old database",
        .description =
            "Copies FILE, which is a backup or a database that nobody serves, recomputes every number of "
            "the\n"
            "copy from its ledger, gives it a new incarnation, and exchanges it for the database of "
            "judge.url\n"
            "at one moment: until then the old database is in its place, whatever happens. The old "
            "database,\n"
            "with its log, stays beside it under the name that is told; the index of orders is made anew.\n"
            "Stop the server first. What was acknowledged after the backup's position is not in it: a "
            "client\n"
            "that repeats such a request, even under its key, has it executed once more.\n"
            "Exit code 0: done; 2: FILE cannot be used, or a server has the database open; 3: the copy "
            "could\n"
            "not be written; 4: a number disagrees with the ledger, and nothing was changed.",
        .examples =
            "  gavel restore /backup/gavel.backup\n"
            "  gavel restore /backup/gavel.backup --judge.url sqlite:/var/lib/gavel/gavel.db --json"};
  }

  std::vector<Flag> flags() override {
    return {WordFlag{"", &file_, "FILE", "the backup's file", WordFlag::Place::bare, WordFlag::Need::required,
                     WordFlag::Times::once}};
  }

  Exit run(const ParsedArguments& arguments) override {
    const auto options = options_of(arguments.settings);
    if (!options) return fail_with(Exit::usage, options.error());
    const Signals signals;
    Interrupt interrupt;
    const Signals::Watch watch(signals, [&interrupt] { interrupt.raise(); }, [] {});
    const RealClock clock;
    CopyProgress progress("copying", arguments.format);
    const auto restored = restore(*options, file_.front(), {0, progress.function()}, clock, interrupt);
    progress.end();
    if (!restored) return fail_copy(restored.error(), interrupt);
    if (!restored->copy.clean()) return fail_unclean(restored->copy, "nothing was changed");
    print(*restored, to_text(options->judge), arguments.format);
    return Exit::done;
  }

 private:
  void print(const RestoredDatabase& restored, const std::string& url, OutputFormat format) const {
    const std::string& file = file_.front();
    const std::string headline = "restored " + url + " from " + file;
    print_copy(headline, {{"judge", url}, {"file", file}, {"kept", restored.kept}}, restored.copy, format);
    if (format == OutputFormat::text && !restored.kept.empty())
      print_line("the old database is kept in " + restored.kept);
  }

  std::vector<std::string> file_;
};

}  // namespace

std::unique_ptr<Subcommand> make_restore() { return std::make_unique<Restore>(); }

}  // namespace gavel::app
