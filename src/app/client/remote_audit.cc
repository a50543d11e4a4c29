#include "app/client/remote_audit.h"

#include <chrono>
#include <utility>

#include <boost/json.hpp>

#include "base/check.h"

namespace gavel::app {
namespace {

// An audit reads the whole database; a million orders take some seconds.
constexpr Duration audit_within = std::chrono::minutes(10);

judge::AuditReport report_of(const boost::json::object& body) {
  judge::AuditReport report;
  report.items = body.at("items").as_int64();
  report.flows = body.at("flows").as_int64();
  report.orders = body.at("orders").as_int64();
  report.batches = body.at("batches").as_int64();
  report.findings_total = body.at("findings_total").as_int64();
  for (const boost::json::value& one : body.at("findings").as_array()) {
    const boost::json::object& finding = one.as_object();
    report.findings.push_back(judge::Finding{std::string(finding.at("invariant").as_string()),
                                             std::string(finding.at("what").as_string())});
  }
  return report;
}

}  // namespace

Result<judge::AuditReport> parse_audit(const std::string& body) {
  try {
    auto report = report_of(boost::json::parse(body).as_object());
    if (report.findings_total >= static_cast<std::int64_t>(report.findings.size())) return report;
    return fail(ErrorCode::invalid,
                "the server's response has more findings than it says: " + body.substr(0, 200));
  } catch (const std::exception&) {
    return fail(ErrorCode::invalid, "the server's response is no report: " + body.substr(0, 200));
  }
}

Result<judge::AuditReport> audit_over_http(HttpClient& operators, const std::string& key) {
  CHECK(!key.empty());
  const HttpRequest request{.method = "GET", .target = "/v1/admin/verify", .bearer = key};
  auto response = operators.ask(request, audit_within);
  if (!response) return std::unexpected(response.error());
  if (response->status != 200) {
    return fail(ErrorCode::invalid, "the server answered the request to verify with " +
                                        std::to_string(response->status) + ": " +
                                        response->body.substr(0, 200));
  }
  return parse_audit(response->body);
}

}  // namespace gavel::app
