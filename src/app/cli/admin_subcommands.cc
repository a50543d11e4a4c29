#include "app/cli/admin_subcommands.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "app/cli/admin_commands.h"
#include "app/cli/call_report.h"
#include "app/cli/find_server.h"
#include "app/cli/response_text.h"
#include "app/client/call.h"
#include "app/options.h"
#include "app/sleep.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/uuid.h"

namespace gavel::app {
namespace {

// The settings that say where the server is.
constexpr auto place_settings =
    std::to_array<std::string_view>({"judge.url", "admin.address", "admin.port", "admin.key_file"});

constexpr std::string_view read_description =
    "Sends a request to the operators' listener of the server that has judge.url open, or of the one\n"
    "at --server. Exit code 0: done; 1: refused by a business rule; 2: usage error; 3: no final answer.";
constexpr std::string_view write_description =
    "Sends a request to the operators' listener of the server that has judge.url open, or of the one\n"
    "at --server. Commands are idempotent: if a response is lost, the request is sent again with the\n"
    "same key, and so it is when you rerun the command with --key, for as long as the server remembers\n"
    "keys: a week, or what its rules.requests_kept_hours says.\n"
    "Exit code 0: done; 1: refused by a business rule; 2: usage error; 3: no final answer.";

class AdminSubcommand final : public Subcommand {
 public:
  explicit AdminSubcommand(const AdminCommand& command) : command_(command) {}

  About about() const override {
    return {.name = command_.word.empty() ? command_.group : command_.word,
            .summary = command_.summary,
            .description = command_.writes() ? write_description : read_description,
            .examples = command_.examples,
            .settings = place_settings};
  }

  std::vector<Flag> flags() override {
    std::vector<Flag> flags;
    for (const AdminArgument& argument : command_.arguments) flags.push_back(flag_of(argument));
    flags.push_back(
        named("server", server_, "URL", "operators' address of the server, such as http://127.0.0.1:8081"));
    flags.push_back(
        named("ca-file", ca_file_, "FILE", "trusted certificates in PEM, for https [those of the system]"));
    if (command_.writes()) {
      flags.push_back(
          named("key", key_, "TEXT", "idempotency key, to rerun a command within a week [a new UUIDv7]"));
    }
    return flags;
  }

  Exit run(const ParsedArguments& arguments) override {
    const auto options = options_of(arguments.settings);
    if (!options) return fail_with(Exit::usage, options.error());
    auto request = request_of(command_, values_);
    if (!request) return fail_with(Exit::usage, request.error());
    const RealClock clock;
    if (command_.writes()) request->key = key_.empty() ? new_key(clock) : key_.front();
    if (!is_header_text(request->key) || (command_.writes() && request->key.empty())) {
      return fail_with(Exit::usage,
                       {ErrorCode::invalid, "--key: must not be empty or contain control characters"});
    }
    const auto server = find_server(*options, first_of(server_), first_of(ca_file_));
    if (!server) {
      return fail_with(server.error().code == ErrorCode::unavailable ? Exit::unreachable : Exit::usage,
                       server.error());
    }
    const auto response = call(*server, *request, clock, sleep_for);
    return print_response(response, call_report(response, *request, *server), arguments.format);
  }

 private:
  Flag flag_of(const AdminArgument& argument) {
    const bool is_many = argument.kind == ArgumentKind::texts || argument.kind == ArgumentKind::lines ||
                         argument.kind == ArgumentKind::allotments;
    return WordFlag{
        .name = argument.flag(),
        .values = &values_[argument.field],
        .placeholder = argument.placeholder(),
        .meaning = std::string(argument.meaning),
        .place = argument.place == ArgumentPlace::flag ? WordFlag::Place::named : WordFlag::Place::bare,
        .need = argument.need == ArgumentNeed::required ? WordFlag::Need::required : WordFlag::Need::optional,
        .times = is_many ? WordFlag::Times::many : WordFlag::Times::once};
  }

  static Flag named(std::string name, std::vector<std::string>& values, std::string placeholder,
                    std::string meaning) {
    return WordFlag{.name = std::move(name),
                    .values = &values,
                    .placeholder = std::move(placeholder),
                    .meaning = std::move(meaning),
                    .place = WordFlag::Place::named,
                    .need = WordFlag::Need::optional,
                    .times = WordFlag::Times::once};
  }

  static std::string first_of(const std::vector<std::string>& values) {
    return values.empty() ? "" : values.front();
  }

  static bool is_header_text(std::string_view text) {
    return std::ranges::none_of(text,
                                [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
  }

  static std::string new_key(const Clock& clock) {
    Random random = Random::from_system();
    return to_text(make_uuid7(clock.now(), random));
  }

  Exit print_response(const Result<HttpResponse>& response, const CallReport& report,
                      OutputFormat format) const {
    // Programs get whatever the server said, a refusal too.
    if (response && format == OutputFormat::json) print_line(response->body);
    if (report.exit != Exit::done) return fail_with(report.exit, {ErrorCode::invalid, report.line});
    if (format == OutputFormat::json) return Exit::done;
    const auto text = text_of_response(command_.layout, response->body);
    if (!text) return fail_with(Exit::unreachable, text.error());
    const bool replayed = response->header("idempotency-replayed") != nullptr;
    print_line(replayed ? *text + "\n(already done under this key; this is the first response)" : *text);
    return Exit::done;
  }

  const AdminCommand& command_;
  ArgumentValues values_;
  std::vector<std::string> server_;
  std::vector<std::string> ca_file_;
  std::vector<std::string> key_;
};

struct GroupText {
  std::string_view group;
  std::string_view summary;
};

constexpr auto groups = std::to_array<GroupText>({
    {"stock", "Show and change the stock of a running server"},
    {"order", "Show orders of a running server, pay, change, cancel, ship and refund them"},
    {"activity", "List, create, open and close the sales of a running server"},
    {"gate", "Show what the gate of a running server holds"},
    {"clock", "Show by which time a running server decides"},
});

class AdminGroup final : public Subcommand {
 public:
  explicit AdminGroup(const GroupText& text) : text_(text) {
    for (const AdminCommand& command : admin_commands()) {
      if (command.group != text.group) continue;
      below_.push_back(std::make_unique<AdminSubcommand>(command));
      examples_ += (examples_.empty() ? "" : "\n") +
                   std::string(command.examples.substr(0, command.examples.find('\n')));
    }
  }

  About about() const override {
    return {.name = text_.group,
            .summary = text_.summary,
            .description = read_description,
            .examples = examples_};
  }

  std::span<const std::unique_ptr<Subcommand>> below() const override { return below_; }

  // One of those below runs.
  Exit run(const ParsedArguments&) override {
    CHECK(false);
    return Exit::usage;
  }

 private:
  const GroupText& text_;
  std::vector<std::unique_ptr<Subcommand>> below_;
  std::string examples_;
};

}  // namespace

std::vector<std::unique_ptr<Subcommand>> make_admin_subcommands() {
  std::vector<std::unique_ptr<Subcommand>> all;
  for (const GroupText& group : groups) all.push_back(std::make_unique<AdminGroup>(group));
  for (const AdminCommand& command : admin_commands()) {
    if (command.word.empty()) all.push_back(std::make_unique<AdminSubcommand>(command));
  }
  return all;
}

}  // namespace gavel::app
