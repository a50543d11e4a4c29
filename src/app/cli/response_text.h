// Answer text: what the server answered, put for people.
//
// Takes the JSON of docs/openapi.json; `invalid` if it is none. Pure; thread-safe.
#pragma once

#include <string>

#include "app/cli/admin_commands.h"
#include "base/result.h"

namespace gavel::app {

// Lines without the last line's end. Text from the server that a terminal would obey is escaped.
Result<std::string> text_of_answer(Shows shows, const std::string& body);

}  // namespace gavel::app
