#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <boost/json.hpp>
#include <unistd.h>

#include "app/cli/progress.h"
#include "app/cli/signals.h"
#include "app/cli/subcommand.h"
#include "app/client/operator_client.h"
#include "app/demo/sale_plan.h"
#include "app/demo/sale_reading.h"
#include "app/demo/sale_run.h"
#include "app/demo/sale_verdict.h"
#include "app/in_process_server.h"
#include "app/interrupt.h"
#include "app/open_files.h"
#include "app/scratch_folder.h"
#include "base/clock.h"
#include "base/random.h"

namespace gavel::app {
namespace {

const std::string sku = "demo-shirt";
const std::string activity = "demo-sale";
const std::string free_sku = "demo-mug";  // To try by hand after the sale, with --stay.
constexpr std::int64_t free_units = 10;

// Both ends of each connection are ours, and database, log and listeners come on top.
constexpr std::size_t files_per_connection = 2;
constexpr std::size_t other_files = 200;

ColourMode colour_of_stdout() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing in Gavel changes the environment.
  return ::isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr ? ColourMode::colour
                                                                            : ColourMode::plain;
}

class Demo final : public Subcommand {
 public:
  About about() const override {
    return {.name = "demo",
            .summary = "Run a flash sale over HTTP and check that every unit was sold once",
            .description =
                "Starts the service on free ports with a temporary database, lets users compete for too few\n"
                "units, then reads everything back and recomputes it. Exit code 4: something is wrong.",
            .examples =
                "  gavel demo\n"
                "  gavel demo --mode direct   without a gate\n"
                "  gavel demo --users 5000 --units 500 --requests 50000 --connections 200\n"
                "  gavel demo --stay          keep serving afterwards, to try the API by hand\n"
                "  gavel demo --json --seed 7",
            .takes_settings = false};
  }

  std::vector<Flag> flags() override {
    return {IntegerFlag{"users", &users_, 1, 1'000'000, "users that compete"},
            IntegerFlag{"units", &units_, 1, 1'000'000, "units on sale, at most one per user"},
            IntegerFlag{"requests", &requests_, 1, 10'000'000, "requests, each with its own key"},
            IntegerFlag{"connections", &connections_, 1, 5'000, "connections that the users share"},
            IntegerFlag{"seed", &seed_, 0, INT64_MAX, "the same seed makes the same plan; 0 draws one"},
            ChoiceFlag{"mode", &mode_, {"gated", "direct"}, "with or without a gate before the judge"},
            SwitchFlag{"stay", &stay_, "keep serving afterwards, to try the API by hand"}};
  }

  Exit run(const ParsedArguments& arguments) override {
    format_ = arguments.format;
    const Signals signals;
    Interrupt interrupt;
    const auto folder = ScratchFolder::make();
    if (!folder) return fail_with(Exit::usage, folder.error());
    const Signals::Watch watch(signals, [&] { interrupt.raise(); }, [&] { folder->remove(); });
    allow_open_files(static_cast<std::size_t>(connections_) * files_per_connection + other_files);
    const auto server = InProcessServer::start(*folder, "direct", interrupt);
    if (!server) return fail_with(Exit::unreachable, server.error());
    const Exit exit = sell(**server, interrupt);
    if (exit == Exit::done && stay_) stay(**server, interrupt);
    const Instance::Ended ended = (*server)->stop();
    if (ended.broken.empty()) return exit;
    print_error("the store cannot be trusted any longer: " + ended.broken);
    return Exit::unreachable;
  }

 private:
  Exit sell(const InProcessServer& service, Interrupt& interrupt) {
    if (seed_ == 0) seed_ = static_cast<std::int64_t>(Random::from_system().below(1'000'000'000)) + 1;
    introduce(service);
    const auto sale = carry_out(service, interrupt);
    if (interrupt.raised()) return Exit::interrupted;
    if (!sale) {
      print_error("the sale could not be completed: " + sale.error().message);
      return Exit::check_failed;
    }
    const std::vector<std::string> deviations = deviations_of(*sale);
    print_line(format_ == OutputFormat::json ? verdict_json(*sale, deviations)
                                             : verdict_text(*sale, deviations, colour_of_stdout()));
    return deviations.empty() ? Exit::done : Exit::check_failed;
  }

  void introduce(const InProcessServer& service) const {
    if (format_ == OutputFormat::json) return;
    print_line("Gavel " GAVEL_VERSION " demonstration, seed " + std::to_string(seed_));
    print_line(
        "  mode " + mode_ +
        (mode_ == "gated" ? ": a gate in memory, then the judge" : ": the judge alone, without a gate"));
    print_line("  serving " + service.shop() + ", SQLite with full durability in " + service.folder().path());
    if (service.folder().in_memory())
      print_line("  this folder is in memory, so it is faster than a disk; set TMPDIR to use another");
    print_line("");
  }

  Result<Sale> carry_out(const InProcessServer& service, Interrupt& interrupt) const {
    auto operators = OperatorClient::create(service.addresses());
    if (!operators) return std::unexpected(operators.error());
    if (auto stocked = operators->stock_up(sku, units_); !stocked) return std::unexpected(stocked.error());
    if (auto opened = operators->open_sale(activity, sku, units_, mode_); !opened)
      return std::unexpected(opened.error());
    Sale sale;
    sale.size = SaleSize{users_, units_, requests_, static_cast<std::uint64_t>(seed_)};
    sale.connections = static_cast<std::size_t>(connections_);
    sale.mode = mode_;
    sale.plan = plan_sale(sale.size, RealClock().now());
    const SaleTarget target{service.shop(), sku, activity, sale.connections};
    auto run = run_plan(sale.plan, target, interrupt);
    if (!run) return std::unexpected(run.error());
    sale.run = *std::move(run);
    auto reading = read_sale(*operators, target, sale.run);
    if (!reading) return std::unexpected(reading.error());
    sale.reading = *std::move(reading);
    return sale;
  }

  Result<SaleRun> run_plan(const SalePlan& plan, const SaleTarget& target, Interrupt& interrupt) const {
    const auto form = format_ == OutputFormat::json ? Progress::Form::silent : Progress::form_of_stderr();
    Progress progress("sending", exchanges_of(plan), form);
    return run_sale(plan, target, [&progress, &interrupt](std::int64_t done) {
      progress.at(done);
      return !interrupt.raised();
    });
  }

  void stay(const InProcessServer& service, Interrupt& interrupt) const {
    auto operators = OperatorClient::create(service.addresses());
    const auto stocked = operators ? operators->stock_up(free_sku, free_units)
                                   : Result<void>(std::unexpected(operators.error()));
    // The commands below then show a refusal.
    if (!stocked) print_error(stocked.error().message);
    if (format_ == OutputFormat::json) {
      print_line(boost::json::serialize(boost::json::object{{"event", "staying"},
                                                            {"shop", service.shop()},
                                                            {"operators", service.operators()},
                                                            {"key_file", service.key_file()}}));
    } else {
      print_line("\n  Still serving; Ctrl-C stops it and removes its data.\n\n  shop       " +
                 service.shop() + "\n  operators  " + service.operators() + "\n  key file   " +
                 service.key_file() + "\n\n  Try:\n\n  curl -i " + service.shop() +
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
  OutputFormat format_ = OutputFormat::text;
};

}  // namespace

std::unique_ptr<Subcommand> make_demo() { return std::make_unique<Demo>(); }

}  // namespace gavel::app
