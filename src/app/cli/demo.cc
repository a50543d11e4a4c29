#include <cstdlib>
#include <memory>
#include <string>

#include <unistd.h>

#include "app/cli/progress.h"
#include "app/cli/signals.h"
#include "app/cli/subcommand.h"
#include "app/client/operator_client.h"
#include "app/demo/sale_plan.h"
#include "app/demo/sale_run.h"
#include "app/demo/sale_verdict.h"
#include "app/in_process_server.h"
#include "app/interrupt.h"
#include "app/open_files.h"
#include "app/temporary_data_folder.h"
#include "base/clock.h"
#include "base/json_text.h"
#include "base/random.h"

namespace gavel::app {
namespace {

const std::string sku = "demo-shirt";
const std::string activity = "demo-sale";
const std::string free_sku = "demo-mug";  // For whoever stays and tries.
constexpr std::int64_t free_units = 10;

// Both ends of each connection are ours, and database, log and listeners come on top.
constexpr std::size_t files_per_connection = 2;
constexpr std::size_t other_files = 200;

Ink ink_of_stdout() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing in Gavel changes the environment.
  return ::isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr ? Ink::colour : Ink::plain;
}

class Demo final : public Subcommand {
 public:
  About about() const override {
    return {.name = "demo",
            .summary = "Run a flash sale over HTTP and check that every unit was sold once",
            .description =
                "Starts the service on free ports with a temporary database, lets users compete for too "
                "few units,\nthen reads everything back and recomputes it. Exit code 4 if anything "
                "deviates.",
            .examples =
                "  gavel demo\n"
                "  gavel demo --mode direct   the judge alone\n"
                "  gavel demo --users 5000 --units 500 --requests 50000 --connections 200\n"
                "  gavel demo --stay          then try the API by hand\n"
                "  gavel demo --json --seed 7",
            .takes_settings = false};
  }

  std::vector<Flag> flags() override {
    return {
        IntegerFlag{"users", &users_, 1, 1'000'000, "shoppers that compete"},
        IntegerFlag{"units", &units_, 1, 1'000'000, "units on sale, one per user"},
        IntegerFlag{"requests", &requests_, 1, 10'000'000, "requests, each with a key of its own"},
        IntegerFlag{"connections", &connections_, 1, 5'000, "connections they share"},
        IntegerFlag{"seed", &seed_, 0, INT64_MAX, "repeats the same plan; 0 draws one"},
        ChoiceFlag{"mode", &mode_, {"gated", "direct"}, "with a gate in memory before the judge, or without"},
        SwitchFlag{"stay", &stay_, "go on serving afterwards, to try by hand"}};
  }

  Exit run(const Given& given) override {
    speech_ = given.speech;
    const Signals signals;
    Interrupt interrupt;
    const auto folder = DemoFolder::make();
    if (!folder) return give_up(Exit::usage, folder.error());
    const Signals::Watch watch(
        signals, [&] { interrupt.raise(); }, [&] { folder->remove(); });
    allow_open_files(static_cast<std::size_t>(connections_) * files_per_connection + other_files);
    const auto embedded = Embedded::start(*folder, "direct", interrupt);
    if (!embedded) return give_up(Exit::unreachable, embedded.error());
    const Exit exit = sell(**embedded, interrupt);
    if (exit == Exit::done && stay_) stay(**embedded, interrupt);
    const Instance::Ended ended = (*embedded)->stop();
    if (ended.broken.empty()) return exit;
    say_error("the store cannot be trusted any longer: " + ended.broken);
    return Exit::unreachable;
  }

 private:
  Exit sell(const Embedded& service, Interrupt& interrupt) {
    if (seed_ == 0) seed_ = static_cast<std::int64_t>(Random::from_system().below(1'000'000'000)) + 1;
    introduce(service);
    const auto sale = carry_out(service, interrupt);
    if (interrupt.raised()) return Exit::interrupted;
    if (!sale) {
      say_error("the sale could not be carried through: " + sale.error().message);
      return Exit::check_failed;
    }
    const std::vector<std::string> deviations = deviations_of(*sale);
    say(speech_ == Speech::json ? verdict_json(*sale, deviations)
                                : verdict_text(*sale, deviations, ink_of_stdout()));
    return deviations.empty() ? Exit::done : Exit::check_failed;
  }

  void introduce(const Embedded& service) const {
    if (speech_ == Speech::json) return;
    say("Gavel " GAVEL_VERSION " demonstration, seed " + std::to_string(seed_));
    say("  mode " + mode_ + (mode_ == "gated" ? ": a gate in memory, then the judge" : ": the judge alone"));
    say("  serving " + service.shop() + ", SQLite with full durability in " + service.folder().path());
    if (service.folder().in_memory())
      say("  this folder is in memory, so the speed is not that of a disk; set TMPDIR to change it");
    say("");
  }

  Result<Sale> carry_out(const Embedded& service, Interrupt& interrupt) const {
    if (auto opened = open_sale(service); !opened) return std::unexpected(opened.error());
    Sale sale;
    sale.size = SaleSize{users_, units_, requests_, static_cast<std::uint64_t>(seed_)};
    sale.connections = static_cast<std::size_t>(connections_);
    const RealClock clock;
    sale.mode = mode_;
    sale.plan = plan_sale(sale.size, clock.now());
    auto run = run_plan(sale, service, clock, interrupt);
    if (!run) return std::unexpected(run.error());
    sale.run = *std::move(run);
    // A desk of its own: the one that opened the sale may have been idle for too long meanwhile.
    auto desk = SaleDesk::open(service.shop(), service.operators(), service.key());
    if (!desk) return std::unexpected(desk.error());
    auto seen = desk->look(activity, sku, sale.run);
    if (!seen) return std::unexpected(seen.error());
    sale.seen = *std::move(seen);
    return sale;
  }

  Result<void> open_sale(const Embedded& service) const {
    auto desk = SaleDesk::open(service.shop(), service.operators(), service.key());
    if (!desk) return std::unexpected(desk.error());
    if (auto stocked = desk->stock_up(sku, units_); !stocked) return stocked;
    return desk->open_sale(activity, sku, units_, mode_);
  }

  Result<SaleRun> run_plan(const Sale& sale, const Embedded& service, const Clock& clock,
                           Interrupt& interrupt) const {
    const SaleTarget target{service.shop(), sku, activity, sale.connections};
    const auto form = speech_ == Speech::json ? Progress::Form::silent : Progress::form_of_stderr();
    Progress progress("sending", exchanges_of(sale.plan), form);
    return run_sale(sale.plan, target, clock, [&progress, &interrupt](std::int64_t done) {
      progress.at(done);
      return !interrupt.raised();
    });
  }

  void stay(const Embedded& service, Interrupt& interrupt) const {
    auto desk = SaleDesk::open(service.shop(), service.operators(), service.key());
    if (!desk) {
      say_error(desk.error().message);
    } else if (const auto stocked = desk->stock_up(free_sku, free_units); !stocked) {
      // The two lines below still show a refusal then.
      say_error(stocked.error().message);
    }
    if (speech_ == Speech::json) {
      std::string line = R"({"event":"staying","shop":)";
      append_json_text(line, service.shop());
      line += R"(,"operators":)";
      append_json_text(line, service.operators());
      line += R"(,"key_file":)";
      append_json_text(line, service.key_file());
      say(line + "}");
    } else {
      say("\n  Still serving; Ctrl-C ends it and removes its data.\n\n  shop       " + service.shop() +
          "\n  operators  " + service.operators() + "\n  key file   " + service.key_file() +
          "\n\n  Try:\n\n  curl -i " + service.shop() +
          "/v1/orders -H 'Idempotency-Key: try-1' -H 'Content-Type: application/json' \\\n" +
          "    -d '{\"user\":\"you\",\"lines\":[{\"sku\":\"" + free_sku +
          "\",\"quantity\":1}]}'\n\n  curl '" + service.operators() + "/v1/stock?sku=" + free_sku +
          "' -H \"Authorization: Bearer $(cat " + service.key_file() + ")\"\n");
    }
    interrupt.wait();
  }

  std::int64_t users_ = 1000;
  std::int64_t units_ = 100;
  std::int64_t requests_ = 5000;
  std::int64_t connections_ = 64;
  std::int64_t seed_ = 0;
  std::string mode_ = "gated";
  bool stay_ = false;
  Speech speech_ = Speech::people;
};

}  // namespace

std::unique_ptr<Subcommand> make_demo() { return std::make_unique<Demo>(); }

}  // namespace gavel::app
