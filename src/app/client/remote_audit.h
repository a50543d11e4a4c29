// The audit of a running server, asked over its operators' listener (GET /v1/admin/verify).
#pragma once

#include <string>

#include "base/result.h"
#include "judge/audit.h"

namespace gavel::app {

// What the server's answer says; `invalid` if it is no report.
Result<judge::AuditReport> parse_audit(const std::string& body);

// Blocks until the server has looked at everything. `unavailable` if nobody listens at `operators`; else
// `invalid` or `unknown` in one line that says what was answered.
Result<judge::AuditReport> audit_over_http(const std::string& operators, const std::string& key);

}  // namespace gavel::app
