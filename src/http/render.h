// Rendering: what succeeded and what was asked for, as responses.
//
// The answer to a write is made from its command and its verdict alone, so that a retry has the same status
// and body again, byte for byte (A9). Pure; thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"
#include "queries/views.h"
#include "rules/command.h"
#include "rules/state.h"
#include "rules/verdict.h"

namespace gavel::http {

// The answer to a write that acted (traits(verdict.outcome).act, CHECKed).
Response success(const rules::Command& command, const rules::Verdict& verdict);

// Of what was asked for. Where more of a list follows, the answer says with which cursor.
Response show(const queries::OrderView& order);
Response show(const queries::OrdersPage& page);
Response show(const std::vector<queries::StockView>& items);
Response show(const queries::ShortagesPage& page);
Response show(const std::vector<queries::GateView>& items);
Response show(const rules::Activity& activity);
Response show(const queries::ActivitiesPage& page);
Response show(const queries::TraceView& trace);
Response show(const queries::TracesPage& page);
// Always 200: to have looked is the success, and `clean` says what was seen.
Response show(const queries::AuditView& audit);

// What is recorded under a key, which answers it until `kept_until` at least; or that it is being judged.
Response show(const rules::IdempotencyRecord& recorded, Time kept_until);
Response show_processing(const rules::RequestKey& key);

Response show(const queries::ClocksView& clocks);

// {"status":"alive"} and the like.
Response show_status(std::string_view status);
// {"status":"ready"} with what somebody has to set right.
Response show_ready(const std::vector<std::string>& warnings);

}  // namespace gavel::http
