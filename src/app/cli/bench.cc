#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "app/cli/progress.h"
#include "app/cli/signals.h"
#include "app/cli/subcommand.h"
#include "app/client/call.h"
#include "app/client/http_connection.h"
#include "app/in_process_server.h"
#include "app/interrupt.h"
#include "app/load/load_ramp.h"
#include "app/load/open_loop.h"
#include "app/load/ramp_figure.h"
#include "app/load/rate_figure.h"
#include "app/load/scenario_traffic.h"
#include "app/load/step_stock.h"
#include "app/open_files.h"
#include "app/options.h"
#include "app/temporary_data_folder.h"
#include "base/clock.h"
#include "base/random.h"

namespace gavel::app {
namespace {

constexpr auto place_settings = std::to_array<std::string_view>(
    {"http.address", "http.port", "judge.url", "admin.address", "admin.port", "admin.key_file"});

// Both ends of each connection may be ours, and database, log and listeners come on top.
constexpr std::size_t files_per_connection = 2;
constexpr std::size_t other_files = 200;

constexpr FineTime warm_up = std::chrono::seconds(1);

constexpr std::int64_t connections_usual = 64;

struct Plan {
  Scenario scenario = Scenario::sale;
  std::vector<std::int64_t> rates;        // Either these
  std::vector<std::int64_t> outstanding;  // or these.
};

// The integers of a flag that takes several.
Result<std::vector<std::int64_t>> integers_of(const std::string& flag, const std::vector<std::string>& words,
                                              std::int64_t most) {
  std::vector<std::int64_t> numbers;
  for (const std::string& text : words) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 1 || number > most)
      return fail(ErrorCode::invalid, flag + ": must be integers from 1 to " + std::to_string(most) +
                                          ", and one is '" + text + "'");
    numbers.push_back(number);
  }
  return numbers;
}

class Bench final : public Subcommand {
 public:
  About about() const override {
    return {
        .name = "bench",
        .summary = "Measure throughput and latency over HTTP, rung by rung",
        .description =
            "Sends requests by a schedule, whatever the server does, and measures each from its scheduled\n"
            "time. Each rate is a rung, with a SKU of its own, and each figure is followed by verify.\n"
            "With --outstanding a rung is a crowd instead: so many connections with a request on each, and\n"
            "the next as soon as the answer is there. What is busy is asked again with its key after\n"
            "Retry-After, and a latency counts from the first sending; ONE P99 is of one sending and its\n"
            "answer. BACKLOG is the queue before the judge and CONNECTED the server's connections, the most\n"
            "that its metrics showed. The knee is the first rung after which the answers a second grow by\n"
            "less than a tenth. BUSY counts answers that said: later; UNSENT, requests that no connection\n"
            "took; UNSERVED, those without a final answer.\n"
            "The server is one of its own with the limits that are usual, in a temporary folder, unless\n"
            "--server names one that runs; SKUs called bench-* stay there, one for each rung and one for\n"
            "the second of warming up. Exit code 4: a check failed, so the figure is none.",
        .examples =
            "  gavel bench\n"
            "  gavel bench --scenario burst --rate 5000 --seconds 10 --mode gated\n"
            "  gavel bench --rate 1000 2000 4000 8000 --svg ladder.svg --json\n"
            "  gavel bench --outstanding 1000 5000 20000 50000 100000\n"
            "  gavel bench --server http://127.0.0.1:8081 --shop http://127.0.0.1:8080",
        .settings = place_settings};
  }

  std::vector<Flag> flags() override {
    return {word_flag("scenario", scenario_, "sale|burst|mixed", "what the day is like [sale]", false),
            word_flag("rate", rates_, "N", "requests a second, a rung each [1000 2000 4000 8000]", true),
            word_flag("outstanding", outstanding_, "N", "requests that wait at a time, a rung each", true),
            IntegerFlag{"seconds", &seconds_, 1, 3600, "of each rung"},
            IntegerFlag{"connections", &connections_, 1, 5'000, "over which the requests of --rate go"},
            IntegerFlag{"seed", &seed_, 0, INT64_MAX, "repeats the same users and choices; 0 draws one"},
            word_flag("mode", mode_, "direct|gated", "of its own server [direct]", false),
            word_flag("svg", svg_, "FILE", "also draw latency over rate into this file", false),
            word_flag("server", server_, "URL", "the operators' address of a server that runs", false),
            word_flag("shop", shop_, "URL", "its shop's address", false)};
  }

  Exit run(const Given& given) override {
    speech_ = given.speech;
    const auto plan = this->plan();
    if (!plan) return give_up(Exit::usage, plan.error());
    if (auto allowed = allow_files_for(*plan); !allowed) return give_up(Exit::usage, allowed.error());
    if (seed_ == 0) seed_ = static_cast<std::int64_t>(Random::from_system().below(1'000'000'000)) + 1;
    const Signals signals;
    Interrupt interrupt;
    return server_.empty() ? measure_own(*plan, signals, interrupt)
                           : measure_running(*plan, given, signals, interrupt);
  }

 private:
  Exit measure_own(const Plan& plan, const Signals& signals, Interrupt& interrupt) {
    const auto folder = DemoFolder::make();
    if (!folder) return give_up(Exit::usage, folder.error());
    const Signals::Watch watch(
        signals, [&] { interrupt.raise(); }, [&] { folder->remove(); });
    const auto embedded = Embedded::start(*folder, first_of(mode_, "direct"), interrupt);
    if (!embedded) {
      const bool wrong = embedded.error().code == ErrorCode::invalid;
      return give_up(wrong ? Exit::usage : Exit::unreachable, embedded.error());
    }
    introduce(**embedded);
    return measure(plan, {(*embedded)->shop(), (*embedded)->operators(), (*embedded)->key()}, interrupt);
  }

  static WordFlag word_flag(std::string name, std::vector<std::string>& values, std::string placeholder,
                            std::string meaning, bool many) {
    return {.name = std::move(name),
            .values = &values,
            .placeholder = std::move(placeholder),
            .meaning = std::move(meaning),
            .place = WordFlag::Place::named,
            .need = WordFlag::Need::optional,
            .times = many ? WordFlag::Times::many : WordFlag::Times::once};
  }

  static std::string first_of(const std::vector<std::string>& said, const char* otherwise) {
    return said.empty() ? otherwise : said.front();
  }

  Result<Plan> plan() const {
    Plan plan;
    const std::string name = first_of(scenario_, "sale");
    const auto scenario = parse_scenario(name);
    if (!scenario)
      return fail(ErrorCode::invalid, "--scenario: must be sale, burst or mixed, and is '" + name + "'");
    plan.scenario = *scenario;
    auto rates = integers_of("--rate", rates_, 1'000'000);
    if (!rates) return std::unexpected(rates.error());
    auto outstanding = integers_of("--outstanding", outstanding_, callers_max);
    if (!outstanding) return std::unexpected(outstanding.error());
    plan.rates = *std::move(rates);
    plan.outstanding = *std::move(outstanding);
    if (!plan.outstanding.empty() && !plan.rates.empty())
      return fail(ErrorCode::invalid, "--rate and --outstanding: a rung is one or the other");
    if (!plan.outstanding.empty() && connections_ != connections_usual)
      return fail(ErrorCode::invalid, "--connections: goes with --rate; --outstanding has one to a request");
    if (plan.outstanding.empty() && plan.rates.empty()) plan.rates = {1000, 2000, 4000, 8000};
    if (!server_.empty() && !mode_.empty())
      return fail(ErrorCode::invalid, "--mode: is of a server of its own, and --server names one that runs");
    if (server_.empty() && !shop_.empty())
      return fail(ErrorCode::invalid, "--shop: goes with --server, which names the operators' address");
    if (!server_.empty() && shop_.empty())
      return fail(ErrorCode::invalid, "--server: goes with --shop, which names the same server's shop");
    if (!svg_.empty() && !can_be_written(svg_.front()))
      return fail(ErrorCode::invalid, "--svg: " + svg_.front() + " cannot be written");
    return plan;
  }

  // A rung that the system has no files for would fail in its middle, so it is refused before the first one.
  Result<void> allow_files_for(const Plan& plan) const {
    if (plan.outstanding.empty()) {
      allow_open_files(static_cast<std::size_t>(connections_) * files_per_connection + other_files);
      return {};
    }
    const std::size_t each = server_.empty() ? files_per_connection : 1;
    const auto most = static_cast<std::size_t>(std::ranges::max(plan.outstanding));
    const std::size_t wanted = most * each + other_files;
    const std::size_t allowed = allow_open_files(wanted);
    if (allowed >= wanted) return {};
    const std::size_t possible = allowed > other_files ? (allowed - other_files) / each : 0;
    return fail(ErrorCode::invalid,
                "--outstanding: " + std::to_string(most) +
                    (server_.empty() ? " with a server in the same process take " : " take ") +
                    std::to_string(wanted) + " open files, and the system allows " + std::to_string(allowed) +
                    "; raise it with ulimit -n " + std::to_string(wanted) + ", or ask for at most " +
                    std::to_string(possible));
  }

  // Asked before the run, which may take an hour; nothing is made yet.
  static bool can_be_written(const std::filesystem::path& file) {
    std::error_code unknown;
    if (std::filesystem::exists(file, unknown))
      return !std::filesystem::is_directory(file, unknown) && ::access(file.c_str(), W_OK) == 0;
    const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
    return std::filesystem::is_directory(folder, unknown) && ::access(folder.c_str(), W_OK) == 0;
  }

  // Which flag names an address where nobody answers.
  static Result<void> reach(const std::string& url, const std::string& named_by) {
    const auto connection = HttpConnection::open(url);
    if (connection) return {};
    return fail(connection.error().code, connection.error().message + "; " + named_by);
  }

  Exit measure_running(const Plan& plan, const Given& given, const Signals& signals, Interrupt& interrupt) {
    const Signals::Watch watch(
        signals, [&] { interrupt.raise(); }, [] {});
    const auto options = options_of(given.settings);
    if (!options) return give_up(Exit::usage, options.error());
    const auto place = find_server(*options, server_.front());
    if (!place) return give_up(Exit::usage, place.error());
    const BenchTarget target{shop_.front(), place->url, place->key};
    auto there = reach(target.operators, "--server is to name the operators' address");
    if (there) there = reach(target.shop, "--shop is to name the shop's address");
    if (!there)
      return give_up(there.error().code == ErrorCode::invalid ? Exit::usage : Exit::unreachable,
                     there.error());
    return measure(plan, target, interrupt);
  }

  void introduce(const Embedded& service) const {
    if (speech_ == Speech::json) return;
    say("serving " + service.shop() + ", SQLite with full durability in " + service.folder().path() +
        (service.folder().in_memory() ? ", which is in memory, so the speed is not that of a disk" : ""));
  }

  Exit measure(const Plan& plan, const BenchTarget& target, Interrupt& interrupt) {
    return plan.outstanding.empty() ? measure_rates(plan, target, interrupt)
                                    : measure_ladder(plan, target, interrupt);
  }

  Exit measure_ladder(const Plan& plan, const BenchTarget& target, Interrupt& interrupt) {
    if (speech_ == Speech::people) {
      say("scenario " + std::string(word(plan.scenario)) + ", seed " + std::to_string(seed_) + ", " +
          std::to_string(seconds_) + " s a rung, a connection to each request");
      say(ladder_head());
    }
    const LadderPlan ladder{.scenario = plan.scenario,
                            .outstanding = {plan.outstanding.begin(), plan.outstanding.end()},
                            .during = std::chrono::seconds(seconds_),
                            .seed = static_cast<std::uint64_t>(seed_)};
    const auto figures = climb(ladder, target, speech_, interrupt);
    if (!figures) return end_of(figures.error(), interrupt);
    const auto knee = knee_of(*figures);
    if (speech_ == Speech::json) say(json_of(plan.scenario, knee));
    if (speech_ == Speech::people && figures->size() > 1) say(sentence_of(knee));
    return conclude<LadderFigure>(*figures);
  }

  Exit measure_rates(const Plan& plan, const BenchTarget& target, Interrupt& interrupt) {
    if (speech_ == Speech::people) {
      say("scenario " + std::string(word(plan.scenario)) + ", seed " + std::to_string(seed_) + ", " +
          std::to_string(seconds_) + " s a rung, " + std::to_string(connections_) + " connections");
      say(bench_head());
    }
    Random random(static_cast<std::uint64_t>(seed_));
    const Rung warming{plan.rates.front(), warm_up, static_cast<std::size_t>(connections_)};
    if (const auto warm = measure_rung(plan.scenario, warming, target, random, interrupt); !warm)
      return end_of(warm.error(), interrupt);
    std::vector<BenchFigure> figures;
    for (const std::int64_t rate : plan.rates) {
      const Rung rung{rate, std::chrono::seconds(seconds_), static_cast<std::size_t>(connections_)};
      auto figure = measure_rung(plan.scenario, rung, target, random, interrupt);
      if (!figure) return end_of(figure.error(), interrupt);
      say(speech_ == Speech::json ? json_of(*figure) : row_of(*figure));
      figures.push_back(*std::move(figure));
    }
    if (speech_ == Speech::people && figures.size() > 1) {
      const std::int64_t knee = knee_of(figures);
      say(knee > 0 ? "kept up with " + with_commas(knee) + " requests a second"
                   : "kept up with none of these rates");
    }
    return conclude<BenchFigure>(figures);
  }

  Exit end_of(const Error& error, const Interrupt& interrupt) const {
    if (interrupt.raised()) return Exit::interrupted;
    return give_up(Exit::unreachable, error);
  }

  // One rung, and whether what came of it is right.
  Result<BenchFigure> measure_rung(Scenario scenario, const Rung& rung, const BenchTarget& target,
                                   Random& random, const Interrupt& interrupt) const {
    const std::int64_t requests = rung.per_second * rung.during.count() / 1'000'000'000;
    const auto stock = stock_up(target, units_for(scenario, requests), random);
    if (!stock) return std::unexpected(stock.error());
    const RealClock clock;
    BenchTraffic traffic(scenario, stock->sku, clock, random);
    auto measured = send(rung, target, traffic, requests, interrupt);
    if (!measured) return std::unexpected(measured.error());
    BenchFigure figure{.scenario = scenario,
                       .rung = rung,
                       .seed = static_cast<std::uint64_t>(seed_),
                       .measured = *std::move(measured),
                       .orders = traffic.orders(),
                       .verify = ""};
    const auto units =
        scenario == Scenario::mixed ? BenchCount::Units::come_back : BenchCount::Units::stay_taken;
    auto verify =
        verify_of(target, *stock, {figure.orders, figure.measured.unanswered, units, traffic.unheard()});
    if (!verify) return std::unexpected(verify.error());
    figure.verify = *std::move(verify);
    return figure;
  }

  Result<Measured> send(const Rung& rung, const BenchTarget& target, BenchTraffic& traffic,
                        std::int64_t requests, const Interrupt& interrupt) const {
    // A line a quarter would stand between the rows.
    const bool terminal = speech_ == Speech::people && Progress::form_of_stderr() == Progress::Form::bar;
    Progress progress(with_commas(rung.per_second) + " a second", requests,
                      terminal ? Progress::Form::bar : Progress::Form::silent);
    return run_open_loop(target.shop, rung, traffic, [&](std::int64_t done) {
      progress.at(done);
      return !interrupt.raised();
    });
  }

  template <class Figure>
  Exit conclude(std::span<const Figure> figures) const {
    const bool clean = std::ranges::all_of(figures, [](const Figure& one) { return one.verify == "clean"; });
    if (!svg_.empty()) {
      std::ofstream file(svg_.front(), std::ios::binary);
      file << svg_of(figures);
      file.close();
      if (!file)
        return give_up(Exit::usage, {ErrorCode::invalid, "--svg: " + svg_.front() + " cannot be written"});
    }
    if (!clean)
      say_error("a check failed, so these are no figures; keep the database and run gavel verify on it");
    return clean ? Exit::done : Exit::check_failed;
  }

  std::vector<std::string> scenario_, rates_, outstanding_, mode_, svg_, server_, shop_;
  std::int64_t seconds_ = 5;
  std::int64_t connections_ = connections_usual;
  std::int64_t seed_ = 0;
  Speech speech_ = Speech::people;
};

}  // namespace

std::unique_ptr<Subcommand> make_bench() { return std::make_unique<Bench>(); }

}  // namespace gavel::app
