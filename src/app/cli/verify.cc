#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include <boost/json.hpp>

#include "app/cli/finding_names.h"
#include "app/cli/subcommand.h"
#include "app/cli/terminal_text.h"
#include "app/client/http_client.h"
#include "app/client/remote_audit.h"
#include "app/database.h"
#include "app/load/figure_text.h"
#include "app/operator_key.h"
#include "app/options.h"
#include "app/serving_file.h"
#include "base/check.h"
#include "base/clock.h"
#include "judge/audit/audit.h"

namespace gavel::app {
namespace {

struct Audited {
  judge::AuditReport report;
  std::string by;  // "the server at http://127.0.0.1:8081", or "reading the file".
};

Result<Audited> audit_file(const Options& options) {
  const RealClock clock;
  const auto reader = open_reader_alone(options, clock);
  if (!reader) return std::unexpected(reader.error());
  auto report = judge::audit(**reader);
  if (!report) return std::unexpected(report.error());
  return Audited{*std::move(report), "reading the file"};
}

Result<Audited> audit_served(const Serving& serving) {
  const auto key = read_operator_key(serving.key_file);
  if (!key) return std::unexpected(key.error());
  auto client = HttpClient::create(serving.operators);
  if (!client) return std::unexpected(client.error());
  auto report = audit_over_http(*client, *key);
  if (!report) return std::unexpected(report.error());
  return Audited{*std::move(report), "asking the server at " + serving.operators};
}

// A server that has the file open is asked, since it answers for what it acknowledged; a serving file that a
// crash left behind leads to an address where nobody listens.
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
  boost::json::array findings;
  for (const judge::Finding& finding : report.findings) {
    findings.push_back(boost::json::object{{"invariant", finding.invariant}, {"what", finding.what}});
  }
  return boost::json::serialize(boost::json::object{{"clean", report.clean()},
                                                    {"by", audited.by},
                                                    {"items", report.items},
                                                    {"flows", report.flows},
                                                    {"orders", report.orders},
                                                    {"batches", report.batches},
                                                    {"findings_total", report.findings_total},
                                                    {"findings", std::move(findings)}});
}

// Read from the file even where a server made the audit, since its report has numbers alone. Names are a
// courtesy: without them the findings are printed as they are.
ItemNames names_for(const Audited& audited, const Options& options) {
  if (audited.report.clean()) return {};
  const RealClock clock;
  const auto reader = open_reader_alone(options, clock);
  if (!reader) return {};
  return item_names_of(**reader).value_or(ItemNames{});
}

void say_report(const Audited& audited, const Options& options) {
  const std::string url = to_text(options.judge);
  const ItemNames names = names_for(audited, options);
  const judge::AuditReport& report = audited.report;
  print_line("verify " + url + ", by " + audited.by);
  print_line("  checked   " + with_commas(report.flows) + " ledger entries, " + with_commas(report.orders) +
             " orders, " + with_commas(report.items) + " stock items, " + with_commas(report.batches) +
             " batches");
  for (const judge::Finding& finding : report.findings) {
    const std::string items = named_items_of(finding.what, names);
    print_line("  finding   " + finding.invariant + ": " +
               terminal_text(finding.what + (items.empty() ? "" : " (" + items + ")")));
  }
  const auto shown = static_cast<std::int64_t>(report.findings.size());
  CHECK(shown <= report.findings_total);
  if (report.findings_total > shown)
    print_line("  ... and " + with_commas(report.findings_total - shown) + " more findings");
  print_line(report.clean() ? "clean: every number is as the ledger says"
                            : "NOT CLEAN: " + with_commas(report.findings_total) +
                                  (report.findings_total == 1 ? " finding" : " findings") +
                                  "; stop selling the items named, keep a copy of the database, and start "
                                  "with the first finding");
}

class Verify final : public Subcommand {
 public:
  About about() const override {
    return {
        .name = "verify",
        .summary = "Recompute every number from the ledger and compare",
        .description =
            "Reads the database, or asks the server that has it open (the file <database>.serving holds its\n"
            "address and the path of its key). Changes nothing.\n"
            "Exit code 0: clean; 4: a number disagrees with the ledger; 3: no final answer.",
        .examples = "  gavel verify\n  gavel verify --judge.url sqlite:/var/lib/gavel/gavel.db --json"};
  }

  Exit run(const ParsedArguments& arguments) override {
    const auto options = options_of(arguments.settings);
    if (!options) return fail_with(Exit::usage, options.error());
    const auto audited = audit_of(*options);
    if (!audited) return fail_with(Exit::unreachable, audited.error());
    if (arguments.format == OutputFormat::json) {
      print_line(as_json(*audited));
    } else {
      say_report(*audited, *options);
    }
    return audited->report.clean() ? Exit::done : Exit::check_failed;
  }
};

}  // namespace

std::unique_ptr<Subcommand> make_verify() { return std::make_unique<Verify>(); }

}  // namespace gavel::app
