// response_text: a server's response as text for people.
//
// Takes the JSON of docs/openapi.json; `invalid` if it is something else. Pure; thread-safe.
#pragma once

#include <string>

#include "app/cli/admin_commands.h"
#include "base/result.h"

namespace gavel::app {

// Lines, without a line break at the end. Characters that a terminal would interpret are escaped.
Result<std::string> text_of_response(ResponseLayout layout, const std::string& body);

}  // namespace gavel::app
