#include "app/backup.h"

#include <memory>
#include <string>
#include <vector>

#include <boost/json.hpp>
#include <unistd.h>

#include "app/cli/copy_report.h"
#include "app/cli/progress.h"
#include "app/cli/signals.h"
#include "app/cli/subcommand.h"
#include "app/options.h"
#include "base/check.h"
#include "base/clock.h"

namespace gavel::app {
namespace {

constexpr std::int64_t mebibyte = 1 << 20;
constexpr std::int64_t kept_by_default = 24;
// A backup takes what processor time the service leaves.
constexpr int niceness = 10;

class Backup final : public Subcommand {
 public:
  About about() const override {
    return {
        .name = "backup",
        .summary = "Copy the database into a file while it is served, and verify the copy",
        .description =
            "Copies one state of the database into FILE.draft, recomputes every number of the copy from its\n"
            "ledger, and names it FILE once it is on the disk. Works with and without a running service, "
            "which\n"
            "it leaves alone. What the copy holds is told as the ledger's latest batch and its time. Only\n"
            "`gavel restore` makes a database of a backup; `gavel verify` reads it as it is.\n"
            "With --every it goes on until it gets SIGINT or SIGTERM: FILE gets the time of each backup, "
            "and\n"
            "the oldest are removed. A backup that fails is told, and the next one is made in its turn.\n"
            "Exit code 0: done; 2: FILE cannot be used; 3: it could not be written; 4: a number disagrees\n"
            "with the ledger, and no backup was kept.",
        .examples =
            "  gavel backup /backup/gavel.backup\n"
            "  gavel backup /backup/gavel.backup --replace --rate 20\n"
            "  gavel backup /backup/gavel.backup --every 3600 --keep 48\n"
            "  gavel verify --judge.url sqlite:/backup/gavel.backup"};
  }

  std::vector<Flag> flags() override {
    using enum WordFlag::Place;
    return {
        WordFlag{"", &file_, "FILE", "the backup's file", bare, WordFlag::Need::required,
                 WordFlag::Times::once},
        IntegerFlag{"every", &every_seconds_, 0, 604'800,
                    "seconds from one backup to the next; 0: one backup"},
        IntegerFlag{"keep", &keep_, 0, 100'000, "how many backups stay with --every; 0: 24"},
        IntegerFlag{"rate", &rate_, 0, 100'000, "mebibytes a second that are copied at most; 0: no limit"},
        SwitchFlag{"replace", &replace_, "replace a backup that is there"}};
  }

  Exit run(const ParsedArguments& arguments) override {
    const auto options = options_of(arguments.settings);
    if (!options) return fail_with(Exit::usage, options.error());
    if (every_seconds_ == 0 && keep_ != 0)
      return fail_with(Exit::usage, {ErrorCode::invalid, "--keep needs --every"});
    if (every_seconds_ != 0 && replace_)
      return fail_with(Exit::usage,
                       {ErrorCode::invalid, "--every names each backup by its time; leave out --replace"});
    const Signals signals;
    Interrupt interrupt;
    const Signals::Watch watch(signals, [&interrupt] { interrupt.raise(); }, [] {});
    static_cast<void>(::nice(niceness) == -1);  // Where it may not, it takes its share.
    if (every_seconds_ != 0) return run_again_and_again(*options, arguments.format, interrupt);
    return run_once(*options, file_.front(), arguments.format, interrupt);
  }

 private:
  Exit run_once(const Options& options, const std::string& file, OutputFormat format, Interrupt& interrupt) {
    const Existing existing = replace_ ? Existing::replace : Existing::refuse;
    CopyProgress progress("copying", format);
    const auto copied =
        back_up(options, file, existing, {rate_ * mebibyte, progress.function()}, clock_, interrupt);
    progress.end();
    if (!copied) return fail_copy(copied.error(), interrupt);
    if (!copied->clean()) return fail_unclean(*copied, "no backup was kept");
    print_copy("backup of " + to_text(options.judge) + " in " + file, {{"file", file}}, *copied, format);
    return Exit::done;
  }

  Exit run_again_and_again(const Options& options, OutputFormat format, Interrupt& interrupt) {
    const auto kept = static_cast<std::size_t>(keep_ == 0 ? kept_by_default : keep_);
    for (Duration next = clock_.steady();; next += std::chrono::seconds(every_seconds_)) {
      while (clock_.steady() < next) {
        if (interrupt.wait_for(next - clock_.steady())) return Exit::done;
      }
      const Exit made = run_once(options, backup_name(file_.front(), clock_.now()), format, interrupt);
      if (interrupt.raised()) return Exit::done;
      if (made == Exit::usage) return made;  // The next one would fare no better.
      if (made != Exit::done) continue;
      const auto removed = remove_old_backups(file_.front(), kept);
      if (!removed) print_error(removed.error().message);
    }
  }

  const RealClock clock_;
  std::vector<std::string> file_;
  std::int64_t every_seconds_ = 0;
  std::int64_t keep_ = 0;
  std::int64_t rate_ = 64;
  bool replace_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_backup() { return std::make_unique<Backup>(); }

}  // namespace gavel::app
