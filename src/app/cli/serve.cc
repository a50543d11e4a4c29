#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include <boost/json.hpp>

#include "app/account_source.h"
#include "app/cli/signals.h"
#include "app/cli/subcommand.h"
#include "app/instance.h"
#include "app/open_files.h"
#include "app/operator_key.h"
#include "app/options.h"
#include "app/serving_file.h"
#include "app/ticker.h"
#include "base/clock.h"
#include "ops/log.h"

namespace gavel::app {
namespace {

// Files that are open beside the shop's connections: database, readers, log, listeners, operators'
// connections.
constexpr std::size_t other_files = operators_connections_max + 60;

// With more connections than files accept() would fail; a lower limit makes the listener refuse them in
// order.
void fit_to_open_files(Options& options) {
  const std::size_t allowed = allow_open_files(options.connections_max + other_files);
  const std::size_t most = allowed > other_files ? allowed - other_files : 1;
  if (options.connections_max <= most) return;
  print_error("the system allows " + std::to_string(allowed) + " open files, so only " +
              std::to_string(most) + " of http.connections_max = " + std::to_string(options.connections_max) +
              " connections are accepted; raise the limit with ulimit -n " +
              std::to_string(options.connections_max + other_files));
  options.connections_max = most;
}

std::string serving_line(const Instance& instance, const Options& options, OutputFormat format) {
  const std::string judge = to_text(options.judge);
  if (format == OutputFormat::text)
    return "gavel: serving " + instance.shop() + " (shop) and " + instance.operators() +
           " (operators), judge " + judge;
  return boost::json::serialize(boost::json::object{{"event", "serving"},
                                                    {"shop", instance.shop()},
                                                    {"operators", instance.operators()},
                                                    {"judge", judge},
                                                    {"key_file", options.key_file}});
}

// At each start, for whoever runs it elsewhere than he meant to.
void warn_of_open_shop(const Options& options, const AccountSource& source, Log& log) {
  if (options.shop_on_loopback || source.counts().accounts > 0) return;
  print_error("EVERYBODY MAY ORDER, CANCEL AND REFUND who reaches " + options.shop.address +
              ": http.open is true and no account is configured; gavel key create shop makes a key");
  log.write(Level::warn, "shop_open", {{"address", options.shop.address}});
}

// On the thread of the signals.
void reread(AccountSource& source, Log& log) {
  log.reopen();
  const auto counts = source.reread();
  if (!counts) {
    log.write(Level::error, "accounts_refused", {{"why", counts.error().message}});
    return print_error("the accounts stay as they were: " + counts.error().message);
  }
  log.write(Level::info, "accounts_read",
            {{"accounts", static_cast<std::int64_t>(counts->accounts)},
             {"keys", static_cast<std::int64_t>(counts->keys)}});
  print_error("read " + std::to_string(counts->accounts) + " accounts with " + std::to_string(counts->keys) +
              " keys");
}

constexpr Duration uses_saved_every{60'000};

// What the disk does not take is told, and tried again: it says of keys when they were used, nothing else.
Duration save_uses(AccountSource& source, Log& log) {
  if (const auto saved = source.save_uses(); !saved)
    log.write(Level::warn, "key_uses_not_written", {{"why", saved.error().message}});
  return uses_saved_every;
}

// The serving file of an instance, for as long as it serves.
class ServingFileGuard {
 public:
  ServingFileGuard(const Options& options, const Instance& instance) {
    if (options.judge.kind != JudgeUrl::Kind::sqlite) return;
    std::error_code unknown;
    const auto key_file = std::filesystem::absolute(options.key_file, unknown);
    const auto written =
        write_serving_file(options.judge.path, Serving{instance.operators(), key_file.string()});
    // Without it other commands need --server.
    if (!written) print_error(written.error().message);
    if (written) database_ = options.judge.path;
  }
  ~ServingFileGuard() {
    if (!database_.empty()) remove_serving_file(database_);
  }
  ServingFileGuard(const ServingFileGuard&) = delete;
  ServingFileGuard& operator=(const ServingFileGuard&) = delete;

 private:
  std::string database_;
};

Exit print_end(const Instance::Ended& ended, OutputFormat format) {
  if (!ended.broken.empty()) {
    // The store's own line says what to repair.
    print_error("stopped, because the store cannot be trusted: " + ended.broken + "; then run gavel verify");
    return Exit::unreachable;
  }
  if (format == OutputFormat::json) {
    print_line(boost::json::serialize(
        boost::json::object{{"event", "stopped"}, {"all_answered", ended.all_answered}}));
  } else {
    print_line(
        ended.all_answered
            ? "gavel: stopped; every accepted request was answered"
            : "gavel: stopped; some requests or responses were not transferred in time; what was decided is "
              "recorded under their keys");
  }
  return Exit::done;
}

class Serve final : public Subcommand {
 public:
  About about() const override {
    return {
        .name = "serve",
        .summary = "Serve the shop's and the operators' HTTP API",
        .description =
            "Prints one line once it accepts connections. SIGINT and SIGTERM stop it: accepted requests are\n"
            "finished, within 10 s. A second one ends it at once. SIGHUP has it read the accounts again and\n"
            "open its log anew. A signal that was ignored at the start stays ignored, as with nohup. The\n"
            "operators' key is created at the first start. Without accounts (see gavel key create) the\n"
            "shop's listener takes everybody, so it listens on loopback alone unless http.open is true.",
        .examples =
            "  gavel serve\n"
            "  gavel key create shop && gavel serve --http.address 0.0.0.0 --http.port 80\n"
            "  gavel serve --judge.url sqlite:/var/lib/gavel/gavel.db --log.file /var/log/gavel.log\n"
            "  gavel serve --judge.url memory: --json"};
  }

  Exit run(const ParsedArguments& arguments) override {
    auto options = options_of(arguments.settings);
    if (!options) return fail_with(Exit::usage, options.error());
    const Signals signals;
    const RealClock clock;
    const auto log = Log::open(options->log, clock);
    if (!log) return fail_with(Exit::usage, log.error());
    fit_to_open_files(*options);
    const auto key = take_operator_key(options->key_file);
    if (!key) return fail_with(Exit::usage, key.error());
    if (key->fresh) print_error("created a new operators' key in " + options->key_file);
    const auto source = AccountSource::start(*options, key->secret);
    if (!source) return fail_with(Exit::usage, source.error());
    warn_of_open_shop(*options, **source, **log);
    if (options->judge.kind == JudgeUrl::Kind::memory)
      print_error("NOTHING IS KEPT: judge.url is memory:, so all orders are lost when this process ends");
    const auto instance = Instance::start(*options, (*source)->accounts(), clock, **log);
    if (!instance) return fail_with(Exit::unreachable, instance.error());
    return serve(**instance, *options, **source, signals, **log, arguments.format);
  }

 private:
  static Exit serve(Instance& instance, const Options& options, AccountSource& source, const Signals& signals,
                    Log& log, OutputFormat format) {
    log.write(Level::info, "serving",
              {{"shop", instance.shop()},
               {"operators", instance.operators()},
               {"judge", to_text(options.judge)},
               {"version", GAVEL_VERSION}});
    const ServingFileGuard serving_file(options, instance);
    print_line(serving_line(instance, options, format));
    const Signals::Watch watch(
        signals,
        [&instance, format] {
          if (format == OutputFormat::text)
            print_error("stopping: accepted requests are finished first; a second signal ends at once");
          instance.stop();
        },
        [] { print_error("ended at once; what was decided is recorded under its keys"); },
        [&source, &log] { reread(source, log); });
    Ticker uses([&source, &log] { return save_uses(source, log); });
    const Instance::Ended ended = instance.run();
    uses.stop();
    save_uses(source, log);
    log.write(Level::info, "stopped", {{"all_answered", ended.all_answered ? 1 : 0}});
    return print_end(ended, format);
  }
};

}  // namespace

std::unique_ptr<Subcommand> make_serve() { return std::make_unique<Serve>(); }

}  // namespace gavel::app
