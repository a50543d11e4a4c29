// The contract for callers, docs/openapi.json, as the service serves it: to programs at /openapi.json, to
// people at /docs. The file is written by hand and built into the binary; a test compares it with the routes,
// the shapes and real answers (tests/http/openapi_test.cc). Pure; thread-safe.
#pragma once

#include <string_view>

#include "http/message.h"

namespace gavel::http {

// The text of docs/openapi.json.
std::string_view openapi_text();

Response openapi_document();

// The same for people: a page that loads nothing else.
Response docs_page();

}  // namespace gavel::http
