#include "app/options.h"

#include <array>
#include <optional>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>

#include "base/check.h"
#include "judge/rows_bound.h"
#include "pipeline/lanes.h"

namespace gavel::app {
namespace {

constexpr auto text = SettingKind::text;
constexpr auto integer = SettingKind::integer;
constexpr auto boolean = SettingKind::boolean;

constexpr std::int64_t port_max = 65'535;
constexpr std::int64_t million = 1'000'000;
constexpr std::int64_t hour_ms = 60 * 60 * 1000;
constexpr std::int64_t day_seconds = 24 * 60 * 60;

constexpr auto table = std::to_array<Setting>({
    {"http.address", text, "127.0.0.1", 0, 0, "IP address the shop's listener binds to"},
    {"http.port", integer, "8080", 0, port_max, "port of the shop's listener; 0 picks a free one"},
    {"http.connections_max", integer, "10000", 1, million,
     "maximum number of open connections of the shop's listener"},
    {"http.open", boolean, "false", 0, 0,
     "true: without accounts everybody may use the shop's listener, on any address"},
    {"admin.address", text, "127.0.0.1", 0, 0, "IP address the operators' listener binds to; loopback only"},
    {"admin.port", integer, "8081", 0, port_max, "port of the operators' listener; 0 picks a free one"},
    {"admin.key_file", text, "gavel.key", 0, 0, "file with the operators' key; created at the first start"},
    {"admin.accounts_file", text, "gavel.accounts", 0, 0,
     "file with the accounts and the hashes of their keys; read again on SIGHUP"},
    {"judge.url", text, "sqlite:gavel.db", 0, 0, "database: sqlite:PATH, or memory: for trials"},
    {"judge.lanes", integer, "1", 1, pipeline::lanes_max,
     "batches that are judged at the same time; 1 with SQLite"},
    {"judge.batch_commands_max", integer, "1000", 1, 8192,
     "maximum number of commands judged in one transaction"},
    {"judge.batch_rows_max", integer, "16384", judge::rows_of_order_max, million,
     "maximum number of rows written in one transaction, counted from above"},
    {"judge.queue_commands_max", integer, "10000", 1, million,
     "commands that wait for the judge, in each lane; an account has at most 7/8"},
    {"judge.checkpoint_pages", integer, "1000", 16, million,
     "SQLite's log is checkpointed at this many pages; idle: an eighth"},
    {"pipeline.mode", text, "direct", 0, 0,
     "default mode: direct (the judge alone) or gated (a gate before the judge)"},
    {"gate.url", text, "memory:", 0, 0, "the gate: memory:, within this process"},
    {"gate.refresh_seconds", integer, "300", 1, day_seconds,
     "seconds between two comparisons of the gate with the judge"},
    {"admission.in_flight_max", integer, "10000", 1, million,
     "requests between admission and verdict; an account has at most 7/8"},
    {"admission.judge_within_ms", integer, "2000", 1, hour_ms,
     "a request that waits longer for the judge is refused with 503"},
    {"admission.answer_within_ms", integer, "10000", 1, hour_ms,
     "a request that takes longer is answered 504, outcome unknown"},
    {"rules.hold_seconds", integer, "900", 1, day_seconds, "how long an unpaid order holds its units"},
    {"rules.extend_seconds", integer, "60", 1, day_seconds,
     "an extended hold lasts at least this long from the extension on"},
    {"rules.requests_kept_hours", integer, "168", 48, 24 * 366,
     "hours for which a request key is remembered; a later retry may act again"},
    {"log.file", text, "", 0, 0, "log file; empty: standard error"},
    {"log.level", text, "info", 0, 0, "debug, info, warn or error"},
    {"log.sample_one_in", integer, "1000", 1, INT64_MAX, "one in N ordinary requests is logged"},
    {"log.file_bytes_max", integer, "67108864", 65'536, INT64_MAX, "size at which the log file is rotated"},
    {"log.files_max", integer, "5", 0, 1000, "number of rotated files that are kept"},
});

std::unexpected<Error> refuse(std::string message) { return fail(ErrorCode::invalid, std::move(message)); }

// A service follows nobody, so that it has a mode of its own.
std::optional<rules::Mode> parse_service_mode(std::string_view word) {
  const auto mode = rules::parse_mode(word);
  return mode == rules::Mode::service ? std::nullopt : mode;
}

// "admission.judge_within_ms = 3000"
std::string shown(const Settings& settings, std::string_view name) {
  for (const Settings::Effective& one : settings.effective()) {
    if (one.name == name) return one.name + " = " + (one.value.empty() ? "\"\"" : one.value);
  }
  return std::string(name);
}

enum class Reach : std::uint8_t { loopback, beyond };

// Nothing if it is no IP address. Names are not taken: what they stand for can change under a running
// service.
std::optional<Reach> reach_of(const std::string& address) {
  in_addr four{};
  if (::inet_pton(AF_INET, address.c_str(), &four) == 1)
    return (ntohl(four.s_addr) >> 24) == 127 ? Reach::loopback : Reach::beyond;
  in6_addr six{};
  if (::inet_pton(AF_INET6, address.c_str(), &six) == 1)
    return IN6_IS_ADDR_LOOPBACK(&six) ? Reach::loopback : Reach::beyond;
  return std::nullopt;
}

std::optional<Level> parse_level(std::string_view word) {
  if (word == "debug") return Level::debug;
  if (word == "info") return Level::info;
  if (word == "warn") return Level::warn;
  if (word == "error") return Level::error;
  return std::nullopt;
}

// What is wrong with two settings taken together, or nothing.
std::optional<std::string> contradiction(const Settings& settings) {
  if (!reach_of(settings.text("http.address")))
    return shown(settings, "http.address") + ": an IP address is required, such as 127.0.0.1 or 0.0.0.0";
  if (reach_of(settings.text("admin.address")) != Reach::loopback)
    return shown(settings, "admin.address") +
           ": a loopback address is required, such as 127.0.0.1 or ::1; from elsewhere use a "
           "tunnel";
  if (settings.integer("http.port") != 0 && settings.integer("http.port") == settings.integer("admin.port"))
    return shown(settings, "http.port") + " and " + shown(settings, "admin.port") + ": the ports must differ";
  if (settings.integer("judge.batch_commands_max") > settings.integer("judge.queue_commands_max"))
    return shown(settings, "judge.batch_commands_max") + ": must be at most " +
           shown(settings, "judge.queue_commands_max") + ", since a batch is taken from the queue";
  if (settings.integer("admission.judge_within_ms") >= settings.integer("admission.answer_within_ms"))
    return shown(settings, "admission.judge_within_ms") + ": must be less than " +
           shown(settings, "admission.answer_within_ms") + ", else nothing is refused in time";
  if (!parse_service_mode(settings.text("pipeline.mode")))
    return shown(settings, "pipeline.mode") + ": must be direct or gated";
  if (settings.text("admin.key_file").empty()) return "admin.key_file = \"\": the path of a file is required";
  if (settings.text("admin.accounts_file").empty())
    return "admin.accounts_file = \"\": the path of a file is required";
  if (!parse_level(settings.text("log.level")))
    return shown(settings, "log.level") + ": must be debug, info, warn or error";
  return std::nullopt;
}

template <class Number>
Number number(const Settings& settings, std::string_view name) {
  // The table's bounds keep every value within the type.
  const std::int64_t value = settings.integer(name);
  CHECK(std::in_range<Number>(value));
  return static_cast<Number>(value);
}

Log::Options log_of(const Settings& settings) {
  Log::Options log;
  log.file = settings.text("log.file");
  log.file_bytes_max = number<std::uint64_t>(settings, "log.file_bytes_max");
  log.files_max = number<std::uint64_t>(settings, "log.files_max");
  log.level = *parse_level(settings.text("log.level"));
  return log;
}

}  // namespace

std::span<const Setting> all_settings() { return table; }

Result<Options> options_of(const Settings& settings) {
  if (auto wrong = contradiction(settings)) return refuse(*std::move(wrong));
  auto judge = parse_judge_url(settings.text("judge.url"));
  if (!judge) return std::unexpected(judge.error());
  if (judge->kind == JudgeUrl::Kind::sqlite && settings.integer("judge.lanes") > 1)
    return refuse(shown(settings, "judge.lanes") + ": must be 1 with " + shown(settings, "judge.url") +
                  ", since SQLite has one connection that writes");
  auto gate = gate::parse_gate_url(settings.text("gate.url"));
  if (!gate) return std::unexpected(gate.error());
  return Options{
      .shop = Listener{settings.text("http.address"), number<std::uint16_t>(settings, "http.port")},
      .shop_on_loopback = reach_of(settings.text("http.address")) == Reach::loopback,
      .open = settings.boolean("http.open"),
      .operators = Listener{settings.text("admin.address"), number<std::uint16_t>(settings, "admin.port")},
      .connections_max = number<std::size_t>(settings, "http.connections_max"),
      .key_file = settings.text("admin.key_file"),
      .accounts_file = settings.text("admin.accounts_file"),
      .judge = *std::move(judge),
      .lanes = number<std::size_t>(settings, "judge.lanes"),
      .batch_commands_max = number<std::size_t>(settings, "judge.batch_commands_max"),
      .batch_rows_max = number<std::size_t>(settings, "judge.batch_rows_max"),
      .queue_commands_max = number<std::size_t>(settings, "judge.queue_commands_max"),
      .checkpoint_pages = settings.integer("judge.checkpoint_pages"),
      .mode = *parse_service_mode(settings.text("pipeline.mode")),
      .gate = *gate,
      .refresh_every = std::chrono::seconds(settings.integer("gate.refresh_seconds")),
      .in_flight_max = number<std::size_t>(settings, "admission.in_flight_max"),
      .judge_within = Duration(settings.integer("admission.judge_within_ms")),
      .answer_within = Duration(settings.integer("admission.answer_within_ms")),
      .hold = std::chrono::seconds(settings.integer("rules.hold_seconds")),
      .extend = std::chrono::seconds(settings.integer("rules.extend_seconds")),
      .requests_kept = std::chrono::hours(settings.integer("rules.requests_kept_hours")),
      .log = log_of(settings),
      .log_one_in = number<std::uint64_t>(settings, "log.sample_one_in"),
  };
}

}  // namespace gavel::app
