#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "app/cli/signals.h"
#include "app/cli/subcommand.h"
#include "app/instance.h"
#include "app/open_files.h"
#include "app/operator_key.h"
#include "app/options.h"
#include "app/serving_file.h"
#include "base/clock.h"
#include "base/json_text.h"
#include "base/log.h"

namespace gavel::app {
namespace {

// Files that are open beside the shop's connections: database, readers, log, listeners, operators'
// connections.
constexpr std::size_t other_files = operators_connections_max + 60;

// More connections than files would end in accepts that fail; fewer are refused in good order.
void fit_to_open_files(Options& options) {
  const std::size_t allowed = allow_open_files(options.connections_max + other_files);
  const std::size_t most = allowed > other_files ? allowed - other_files : 1;
  if (options.connections_max <= most) return;
  say_error("the system allows " + std::to_string(allowed) + " open files, so at most " +
            std::to_string(most) + " of http.connections_max = " + std::to_string(options.connections_max) +
            " connections are taken; raise it with ulimit -n " +
            std::to_string(options.connections_max + other_files));
  options.connections_max = most;
}

std::string serving_line(const Instance& instance, const Options& options, Speech speech) {
  const std::string judge = to_text(options.judge);
  if (speech == Speech::people)
    return "gavel: serving " + instance.shop() + " (shop) and " + instance.operators() +
           " (operators), judge " + judge;
  std::string line = R"({"event":"serving","shop":)";
  append_json_text(line, instance.shop());
  line += R"(,"operators":)";
  append_json_text(line, instance.operators());
  line += R"(,"judge":)";
  append_json_text(line, judge);
  line += R"(,"key_file":)";
  append_json_text(line, options.key_file);
  return line + "}";
}

// The serving file of an instance, for as long as it serves.
class Sign {
 public:
  Sign(const Options& options, const Instance& instance) {
    if (options.judge.kind != JudgeUrl::Kind::sqlite) return;
    std::error_code unknown;
    const auto key_file = std::filesystem::absolute(options.key_file, unknown);
    const auto written =
        write_serving_file(options.judge.path, Serving{instance.operators(), key_file.string()});
    // It only spares `gavel verify` the question where to ask.
    if (!written) say_error(written.error().message);
    if (written) database_ = options.judge.path;
  }
  ~Sign() {
    if (!database_.empty()) remove_serving_file(database_);
  }
  Sign(const Sign&) = delete;
  Sign& operator=(const Sign&) = delete;

 private:
  std::string database_;
};

Exit say_end(const Instance::Ended& ended, Speech speech) {
  if (!ended.broken.empty()) {
    // The store's own line says what to mend.
    say_error("stopped, since the store cannot be trusted: " + ended.broken + "; then run gavel verify");
    return Exit::unreachable;
  }
  if (speech == Speech::json) {
    say(std::string(R"({"event":"stopped","all_answered":)") + (ended.all_answered ? "true}" : "false}"));
  } else {
    say(ended.all_answered
            ? "gavel: stopped; everything that was accepted is answered"
            : "gavel: stopped; some requests were not sent whole or their answers not taken in time, "
              "what was decided is recorded under their keys");
  }
  return Exit::done;
}

class Serve final : public Subcommand {
 public:
  About about() const override {
    return {.name = "serve",
            .summary = "Serve the shop's and the operators' HTTP API",
            .description =
                "Prints one line once it accepts. SIGINT and SIGTERM finish what was accepted and end\n"
                "within 10 s; a second one ends at once. One that was ignored when it started stays so, as\n"
                "after nohup, or SIGINT after & in a script. The operators' key is made at the first start.",
            .examples =
                "  gavel serve\n"
                "  gavel serve --http.address 0.0.0.0 --http.port 80\n"
                "  gavel serve --judge.url sqlite:/var/lib/gavel/gavel.db --log.file /var/log/gavel.log\n"
                "  gavel serve --judge.url memory: --json"};
  }

  Exit run(const Given& given) override {
    auto options = options_of(given.settings);
    if (!options) return give_up(Exit::usage, options.error());
    const Signals signals;
    const RealClock clock;
    const auto log = Log::open(options->log, clock);
    if (!log) return give_up(Exit::usage, log.error());
    fit_to_open_files(*options);
    const auto key = take_operator_key(options->key_file);
    if (!key) return give_up(Exit::usage, key.error());
    if (key->fresh) say_error("made a fresh operators' key in " + options->key_file);
    if (options->judge.kind == JudgeUrl::Kind::memory)
      say_error("NOTHING IS KEPT: judge.url is memory:, so every order is gone when this process ends");
    const auto instance = Instance::start(*options, key->secret, clock, **log);
    if (!instance) return give_up(Exit::unreachable, instance.error());
    return serve(**instance, *options, signals, **log, given.speech);
  }

 private:
  static Exit serve(Instance& instance, const Options& options, const Signals& signals, Log& log,
                    Speech speech) {
    log.write(Level::info, "serving",
              {{"shop", instance.shop()},
               {"operators", instance.operators()},
               {"judge", to_text(options.judge)},
               {"version", GAVEL_VERSION}});
    const Sign sign(options, instance);
    say(serving_line(instance, options, speech));
    const Signals::Watch watch(
        signals,
        [&instance, speech] {
          if (speech == Speech::people)
            say_error("stopping: what was accepted is finished first; the same again ends at once");
          instance.stop();
        },
        [] { say_error("ended at once; what was decided is recorded under its keys"); });
    const Instance::Ended ended = instance.run();
    log.write(Level::info, "stopped", {{"all_answered", ended.all_answered ? 1 : 0}});
    return say_end(ended, speech);
  }
};

}  // namespace

std::unique_ptr<Subcommand> make_serve() { return std::make_unique<Serve>(); }

}  // namespace gavel::app
