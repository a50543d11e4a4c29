// The audit of a running server, asked over its operators' listener (GET /v1/admin/verify).
#pragma once

#include <string>

#include "app/client/http_client.h"
#include "base/result.h"
#include "judge/audit/audit.h"

namespace gavel::app {

// What the server's response says; `invalid` if it is no report. Pure.
Result<judge::AuditReport> parse_audit(const std::string& body);

// Blocks until the server has looked at everything. `key` is the operators' key. Errors as of
// HttpClient::ask; `invalid` too where the server refuses, in one line that says how.
Result<judge::AuditReport> audit_over_http(HttpClient& operators, const std::string& key);

}  // namespace gavel::app
