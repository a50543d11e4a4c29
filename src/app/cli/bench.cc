#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "app/cli/find_server.h"
#include "app/cli/progress.h"
#include "app/cli/signals.h"
#include "app/cli/subcommand.h"
#include "app/client/http_client.h"
#include "app/in_process_server.h"
#include "app/interrupt.h"
#include "app/load/figure_text.h"
#include "app/load/load_ramp.h"
#include "app/load/outstanding_figure.h"
#include "app/load/rate_figure.h"
#include "app/load/scenario_traffic.h"
#include "app/open_files.h"
#include "app/operator_key.h"
#include "app/options.h"
#include "app/scratch_folder.h"
#include "base/check.h"
#include "base/random.h"

namespace gavel::app {
namespace {

constexpr auto bench_settings = std::to_array<std::string_view>(
    {"http.address", "http.port", "judge.url", "admin.address", "admin.port", "admin.key_file"});

// Both ends of each connection may be ours, and database, log and listeners come on top.
constexpr std::size_t files_per_connection = 2;
constexpr std::size_t other_files = 200;

constexpr std::int64_t connections_usual = 64;

constexpr Duration connect_within{10'000};

// The integers of a flag that takes several.
Result<std::vector<std::int64_t>> integers_of(const std::string& flag, const std::vector<std::string>& values,
                                              std::int64_t most) {
  std::vector<std::int64_t> numbers;
  for (const std::string& text : values) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 1 || number > most)
      return fail(ErrorCode::invalid, flag + ": must be integers from 1 to " + std::to_string(most) +
                                          ", but one is '" + text + "'");
    numbers.push_back(number);
  }
  return numbers;
}

class Bench final : public Subcommand, private RampObserver {
 public:
  About about() const override {
    return {.name = "bench",
            .summary = "Measure throughput and latency over HTTP with increasing load",
            .description =
                "With --rate, requests are sent on a fixed schedule, whatever the server does, and each\n"
                "latency counts from the scheduled time. With --outstanding, each connection has one\n"
                "request outstanding and sends the next as soon as it has the response. Each number is\n"
                "a step of the load, which sells a SKU of its own and ends with gavel verify. Requests\n"
                "that are refused as busy are sent again with the same key after Retry-After; a latency\n"
                "then counts from the first sending.\n"
                "\n"
                "ONE P99 is the 99th percentile of one request and its response, without the wait\n"
                "before a retry. BACKLOG is the queue of the judge and CONNECTED the number of\n"
                "connections, each the highest value that the server's metrics showed. The knee is the\n"
                "first step after which the throughput grows by less than a tenth. BUSY counts\n"
                "responses that ask to come back later; UNSENT, requests that no connection could take\n"
                "in time; UNSERVED, requests without a final response.\n"
                "\n"
                "Without --server, it measures a server in this process, with default limits and a\n"
                "temporary folder. On a server that you name, the SKUs bench-* remain: one for each\n"
                "step and one for the warm-up, which lasts one second. Exit code 4: a check failed;\n"
                "discard the results.",
            .examples =
                "  gavel bench\n"
                "  gavel bench --scenario burst --rate 5000 --seconds 10 --mode gated\n"
                "  gavel bench --rate 1000 2000 4000 8000 --svg ramp.svg --json\n"
                "  gavel bench --outstanding 1000 5000 20000 50000 100000\n"
                "  gavel bench --server http://127.0.0.1:8081 --shop http://127.0.0.1:8080",
            .settings = bench_settings};
  }

  std::vector<Flag> flags() override {
    return {word_flag("scenario", scenario_, "sale|burst|mixed", "what the requests do [sale]", false),
            word_flag("rate", rates_, "N", "requests a second, a step each [1000 2000 4000 8000]", true),
            word_flag("outstanding", outstanding_, "N", "requests outstanding at a time, a step each", true),
            IntegerFlag{"seconds", &seconds_, 1, 3600, "duration of each step"},
            IntegerFlag{"connections", &connections_, 1, 5'000, "connections that --rate uses"},
            IntegerFlag{"seed", &seed_, 0, INT64_MAX, "the same seed makes the same requests; 0 draws one"},
            word_flag("mode", mode_, "direct|gated", "mode of the built-in server [direct]", false),
            word_flag("svg", svg_, "FILE", "also draw a chart of the latencies into this file", false),
            word_flag("server", server_, "URL", "operators' address of a running server", false),
            word_flag("shop", shop_, "URL", "shop's address of the same server", false),
            word_flag("shop-key-file", shop_key_file_, "FILE",
                      "key for the shop's listener, where it asks for one", false),
            word_flag("ca-file", ca_file_, "FILE", "trusted certificates in PEM, for https", false)};
  }

  Exit run(const ParsedArguments& arguments) override {
    format_ = arguments.format;
    const auto ramp = this->ramp();
    if (!ramp) return fail_with(Exit::usage, ramp.error());
    if (auto allowed = allow_files_for(*ramp); !allowed) return fail_with(Exit::usage, allowed.error());
    const Signals signals;
    return server_.empty() ? measure_built_in(*ramp, signals) : measure_running(*ramp, arguments, signals);
  }

 private:
  Exit measure_built_in(const LoadRamp& ramp, const Signals& signals) {
    const auto folder = ScratchFolder::make();
    if (!folder) return fail_with(Exit::usage, folder.error());
    const Signals::Watch watch(signals, [&] { interrupt_.raise(); }, [&] { folder->remove(); });
    const auto server = InProcessServer::start(*folder, first_of(mode_, "direct"), interrupt_);
    if (!server) {
      const bool is_usage = server.error().code == ErrorCode::invalid;
      return fail_with(is_usage ? Exit::usage : Exit::unreachable, server.error());
    }
    introduce(**server);
    return measure(ramp, (*server)->addresses());
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

  static std::string first_of(const std::vector<std::string>& values, const char* fallback) {
    return values.empty() ? fallback : values.front();
  }

  static Result<LoadScenario> scenario_named(const std::string& name) {
    const auto scenario = parse_scenario(name);
    if (scenario) return *scenario;
    return fail(ErrorCode::invalid, "--scenario: must be sale, burst or mixed, but is '" + name + "'");
  }

  // What two flags together make impossible.
  Result<void> check_flags() const {
    const auto refuse = [](const char* why) { return fail(ErrorCode::invalid, why); };
    if (!outstanding_.empty() && !rates_.empty())
      return refuse("--rate cannot be combined with --outstanding");
    if (!outstanding_.empty() && connections_ != connections_usual)
      return refuse("--connections applies to --rate; --outstanding uses one connection per request");
    if (!server_.empty() && !mode_.empty())
      return refuse("--mode applies to the built-in server and cannot be combined with --server");
    if (server_.empty() && !shop_.empty()) return refuse("--shop requires --server, the operators' address");
    if (!server_.empty() && shop_.empty())
      return refuse("--server requires --shop, the shop's address of the same server");
    if (server_.empty() && !ca_file_.empty()) return refuse("--ca-file requires --server");
    if (server_.empty() && !shop_key_file_.empty()) return refuse("--shop-key-file requires --server");
    if (!svg_.empty() && !can_be_written(svg_.front()))
      return fail(ErrorCode::invalid, "--svg: " + svg_.front() + " cannot be written");
    return {};
  }

  Result<LoadRamp> ramp() const {
    const auto scenario = scenario_named(first_of(scenario_, "sale"));
    if (!scenario) return std::unexpected(scenario.error());
    auto rates = integers_of("--rate", rates_, 1'000'000);
    if (!rates) return std::unexpected(rates.error());
    const auto outstanding = integers_of("--outstanding", outstanding_, connections_max);
    if (!outstanding) return std::unexpected(outstanding.error());
    if (auto good = check_flags(); !good) return std::unexpected(good.error());
    if (rates->empty() && outstanding->empty()) *rates = {1000, 2000, 4000, 8000};
    LoadRamp ramp{.scenario = *scenario, .steps = {}, .seed = static_cast<std::uint64_t>(seed_)};
    if (ramp.seed == 0) ramp.seed = Random::from_system().below(1'000'000'000) + 1;
    const FineTime during = std::chrono::seconds(seconds_);
    for (const std::int64_t rate : *rates)
      ramp.steps.push_back({RateSchedule{rate, during}, static_cast<std::size_t>(connections_)});
    for (const std::int64_t connections : *outstanding)
      ramp.steps.push_back({OutstandingSchedule{during}, static_cast<std::size_t>(connections)});
    return ramp;
  }

  // A step that the system has no files for would fail in its middle, so it is refused before the first one.
  Result<void> allow_files_for(const LoadRamp& ramp) const {
    std::size_t most = 0;
    for (const LoadStep& step : ramp.steps) most = std::max(most, step.connections);
    const std::size_t each = server_.empty() ? files_per_connection : 1;
    const std::size_t needed = most * each + other_files;
    const std::size_t allowed = allow_open_files(needed);
    if (allowed >= needed || outstanding_.empty()) return {};
    const std::size_t possible = allowed > other_files ? (allowed - other_files) / each : 0;
    return fail(ErrorCode::invalid, "--outstanding: " + std::to_string(most) +
                                        (server_.empty() ? " with the built-in server needs " : " needs ") +
                                        std::to_string(needed) + " open files, but the system allows " +
                                        std::to_string(allowed) + "; raise the limit with ulimit -n " +
                                        std::to_string(needed) + ", or use at most " +
                                        std::to_string(possible));
  }

  // Asked before the run, which may take an hour; nothing is created yet.
  static bool can_be_written(const std::filesystem::path& file) {
    std::error_code unknown;
    if (std::filesystem::exists(file, unknown))
      return !std::filesystem::is_directory(file, unknown) && ::access(file.c_str(), W_OK) == 0;
    const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
    return std::filesystem::is_directory(folder, unknown) && ::access(folder.c_str(), W_OK) == 0;
  }

  // Names the flag whose address nobody answers at.
  static Result<void> reach(const std::string& url, const std::string& ca_file, const std::string& flag) {
    auto client = HttpClient::create(url, ca_file);
    const auto reached =
        client ? client->connect(connect_within) : Result<void>(std::unexpected(client.error()));
    if (reached) return {};
    return fail(reached.error().code, reached.error().message + "; " + flag);
  }

  // Before anything is created: whether the shop's listener takes the key, or nobody's.
  static Result<void> check_shop_key(const ServerAddresses& server) {
    auto client = HttpClient::create(server.shop, server.ca_file);
    if (!client) return std::unexpected(client.error());
    const HttpRequest question{.method = "GET", .target = "/v1/orders?user=bench", .bearer = server.shop_key};
    const auto response = client->ask(question, connect_within);
    if (!response) return std::unexpected(response.error());
    if (response->status != 401 && response->status != 403) return {};
    return fail(ErrorCode::invalid,
                server.shop +
                    (server.shop_key.empty() ? " asks for a key; give its file with "
                                             : " does not accept the key; give another with ") +
                    "--shop-key-file (gavel key create shop makes one)");
  }

  Exit measure_running(const LoadRamp& ramp, const ParsedArguments& arguments, const Signals& signals) {
    const Signals::Watch watch(signals, [&] { interrupt_.raise(); }, [] {});
    const auto options = options_of(arguments.settings);
    if (!options) return fail_with(Exit::usage, options.error());
    const auto found = find_server(*options, server_.front(), first_of(ca_file_, ""));
    if (!found) return fail_with(Exit::usage, found.error());
    ServerAddresses server{shop_.front(), found->url, found->key, found->ca_file};
    if (!shop_key_file_.empty()) {
      auto key = read_account_key("--shop-key-file", shop_key_file_.front());
      if (!key) return fail_with(Exit::usage, key.error());
      server.shop_key = *std::move(key);
    }
    auto reached = reach(server.operators, server.ca_file, "--server must be the operators' address");
    if (reached) reached = reach(server.shop, server.ca_file, "--shop must be the shop's address");
    if (reached) reached = check_shop_key(server);
    if (!reached) {
      const bool is_usage = reached.error().code == ErrorCode::invalid;
      return fail_with(is_usage ? Exit::usage : Exit::unreachable, reached.error());
    }
    return measure(ramp, server);
  }

  void introduce(const InProcessServer& service) const {
    if (format_ == OutputFormat::json) return;
    print_line("serving " + service.shop() + ", SQLite with full durability in " + service.folder().path() +
               (service.folder().in_memory() ? ", which is in memory, so it is faster than a disk" : ""));
  }

  void print_head(const LoadRamp& ramp) const {
    const bool by_rate = ramp.steps.front().is_by_rate();
    print_line("scenario " + std::string(word(ramp.scenario)) + ", seed " + std::to_string(ramp.seed) + ", " +
               std::to_string(seconds_) + " s a step, " +
               (by_rate ? std::to_string(connections_) + " connections" : "one connection per request"));
    print_line(by_rate ? rate_head() : outstanding_head());
  }

  Exit measure(const LoadRamp& ramp, const ServerAddresses& server) {
    CHECK(!ramp.steps.empty() && ramp.seed != 0);
    if (format_ == OutputFormat::text) print_head(ramp);
    const auto figures = run_ramp(ramp, server, *this);
    progress_.reset();
    if (interrupt_.raised()) return Exit::interrupted;
    if (!figures) return fail_with(Exit::unreachable, figures.error());
    const bool by_rate = ramp.steps.front().is_by_rate();
    if (by_rate) {
      print_highest_rate(*figures);
    } else {
      print_knee(ramp.scenario, *figures);
    }
    return conclude(*figures, by_rate ? rate_chart(*figures) : outstanding_chart(*figures));
  }

  void print_highest_rate(std::span<const StepFigure> figures) const {
    if (format_ == OutputFormat::json || figures.size() < 2) return;
    const std::int64_t highest = highest_rate_kept_up(figures);
    print_line(highest > 0 ? "kept up with " + with_commas(highest) + " requests a second"
                           : "kept up with none of these rates");
  }

  void print_knee(LoadScenario scenario, std::span<const StepFigure> figures) const {
    const auto knee = knee_of(figures);
    if (format_ == OutputFormat::json) print_line(knee_json(scenario, knee));
    if (format_ == OutputFormat::text && figures.size() > 1) print_line(knee_sentence(knee));
  }

  bool on_progress(const LoadStep& step, const LoadProgress& progress) override {
    // A line at each quarter would stand between the rows of the table.
    const bool is_bar = format_ == OutputFormat::text && Progress::form_of_stderr() == Progress::Form::bar;
    if (is_bar && !progress_) start_progress(step);
    if (progress_)
      progress_->at(step.is_by_rate() ? progress.answered : progress.lasted / std::chrono::seconds(1));
    return !interrupt_.raised();
  }

  void start_progress(const LoadStep& step) {
    if (step.is_by_rate()) {
      progress_.emplace(with_commas(step.rate().per_second) + " a second", step.rate().requests(),
                        Progress::Form::bar);
    } else {
      progress_.emplace(with_commas(step.outstanding()) + " outstanding, seconds",
                        step.during() / std::chrono::seconds(1), Progress::Form::bar);
    }
  }

  void on_figure(const StepFigure& figure) override {
    progress_.reset();
    const bool json = format_ == OutputFormat::json;
    if (figure.step.is_by_rate()) {
      print_line(json ? rate_json(figure) : rate_row(figure));
    } else {
      print_line(json ? outstanding_json(figure) : outstanding_row(figure));
    }
  }

  Exit conclude(std::span<const StepFigure> figures, const std::string& chart) const {
    if (!svg_.empty()) {
      std::ofstream file(svg_.front(), std::ios::binary);
      file << chart;
      file.close();
      if (!file)
        return fail_with(Exit::usage, {ErrorCode::invalid, "--svg: " + svg_.front() + " cannot be written"});
    }
    const bool clean =
        std::ranges::all_of(figures, [](const StepFigure& one) { return one.verify == "clean"; });
    if (clean) return Exit::done;
    print_error(
        server_.empty()
            ? "a check failed: discard these results"
            : "a check failed: discard these results, and run gavel verify on that server's database");
    return Exit::check_failed;
  }

  std::vector<std::string> scenario_, rates_, outstanding_, mode_, svg_, server_, shop_, shop_key_file_,
      ca_file_;
  std::int64_t seconds_ = 5;
  std::int64_t connections_ = connections_usual;
  std::int64_t seed_ = 0;
  OutputFormat format_ = OutputFormat::text;
  Interrupt interrupt_;
  std::optional<Progress> progress_;  // Of the step that runs, on a terminal.
};

}  // namespace

std::unique_ptr<Subcommand> make_bench() { return std::make_unique<Bench>(); }

}  // namespace gavel::app
