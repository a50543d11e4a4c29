#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "app/cli/finding_names.h"
#include "app/cli/subcommand.h"
#include "app/client/remote_audit.h"
#include "app/database.h"
#include "app/operator_key.h"
#include "app/options.h"
#include "app/serving_file.h"
#include "base/json_text.h"
#include "judge/audit.h"

namespace gavel::app {
namespace {

struct Audited {
  judge::AuditReport report;
  std::string by;  // "the server at http://127.0.0.1:8081", or "reading the file".
};

Result<Audited> audit_file(const Options& options) {
  const auto reader = open_reader_alone(options);
  if (!reader) return std::unexpected(reader.error());
  auto report = judge::audit(**reader);
  if (!report) return std::unexpected(report.error());
  return Audited{*std::move(report), "reading the file"};
}

Result<Audited> audit_served(const Serving& serving) {
  const auto key = read_operator_key(serving.key_file);
  if (!key) return std::unexpected(key.error());
  auto report = audit_over_http(serving.operators, *key);
  if (!report) return std::unexpected(report.error());
  return Audited{*std::move(report), "asking the server at " + serving.operators};
}

// A server that has the file open is asked, since it answers of what it told its callers; a serving file that
// a crash left behind leads to an address where nobody listens.
Result<Audited> audit_of(const Options& options) {
  if (options.judge.kind == JudgeUrl::Kind::sqlite) {
    const auto serving = read_serving_file(options.judge.path);
    if (!serving) return std::unexpected(serving.error());
    if (*serving) {
      auto served = audit_served(**serving);
      if (served || served.error().code != ErrorCode::unavailable) return served;
    }
  }
  return audit_file(options);
}

std::string as_json(const Audited& audited) {
  const judge::AuditReport& report = audited.report;
  std::string text = std::string(R"({"clean":)") + (report.clean() ? "true" : "false") + R"(,"by":)";
  append_json_text(text, audited.by);
  text += ",\"items\":" + std::to_string(report.items) + ",\"flows\":" + std::to_string(report.flows) +
          ",\"orders\":" + std::to_string(report.orders) + ",\"batches\":" + std::to_string(report.batches) +
          ",\"findings_total\":" + std::to_string(report.findings_total) + ",\"findings\":[";
  for (const judge::Finding& finding : report.findings) {
    text += &finding == &report.findings.front() ? R"({"invariant":)" : R"(,{"invariant":)";
    append_json_text(text, finding.invariant);
    text += R"(,"what":)";
    append_json_text(text, finding.what);
    text += '}';
  }
  return text + "]}";
}

// Read beside a server too, which does not tell numbers. Names are a courtesy: without them the findings
// stand as they are.
ItemNames names_for(const Audited& audited, const Options& options) {
  if (audited.report.clean()) return {};
  const auto reader = open_reader_alone(options);
  if (!reader) return {};
  return item_names_of(**reader).value_or(ItemNames{});
}

void say_report(const Audited& audited, const Options& options) {
  const std::string url = to_text(options.judge);
  const ItemNames names = names_for(audited, options);
  const judge::AuditReport& report = audited.report;
  say("verify " + url + ", by " + audited.by);
  say("  checked   " + with_commas(report.flows) + " ledger entries, " + with_commas(report.orders) +
      " orders, " + with_commas(report.items) + " stock items, " + with_commas(report.batches) + " batches");
  for (const judge::Finding& finding : report.findings) {
    const std::string items = named_items_of(finding.what, names);
    say("  finding   " + finding.invariant + ": " + finding.what + (items.empty() ? "" : " (" + items + ")"));
  }
  const auto shown = static_cast<std::int64_t>(report.findings.size());
  if (report.findings_total > shown)
    say("  ... and " + with_commas(report.findings_total - shown) + " findings more");
  say(report.clean()
          ? "clean: every number is as the ledger says"
          : "NOT CLEAN, findings: " + with_commas(report.findings_total) +
                "; stop selling what they name, keep a copy of the file, and look at the first one");
}

class Verify final : public Subcommand {
 public:
  About about() const override {
    return {.name = "verify",
            .summary = "Recompute every number from the ledger and compare",
            .description =
                "Reads the database, or asks the server that has it open (found by the file\n"
                "<database>.serving, which holds its address and where its key is). Changes nothing.\n"
                "Exit code 0: clean; 4: something is not as the ledger says; 3: not reachable.",
            .examples = "  gavel verify\n  gavel verify --judge.url sqlite:/var/lib/gavel/gavel.db --json"};
  }

  Exit run(const Given& given) override {
    const auto options = options_of(given.settings);
    if (!options) return give_up(Exit::usage, options.error());
    const auto audited = audit_of(*options);
    if (!audited) return give_up(Exit::unreachable, audited.error());
    if (given.speech == Speech::json) {
      say(as_json(*audited));
    } else {
      say_report(*audited, *options);
    }
    return audited->report.clean() ? Exit::done : Exit::check_failed;
  }
};

}  // namespace

std::unique_ptr<Subcommand> make_verify() { return std::make_unique<Verify>(); }

}  // namespace gavel::app
