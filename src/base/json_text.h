// The text of a JSON string. For lines that are written without a JSON library (the log); what is read goes
// through a strict reader elsewhere. Pure; thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace gavel {

// Appends `text` in quotes. The result is valid JSON and valid UTF-8 whatever the bytes are: a byte that is
// no part of a UTF-8 character becomes U+FFFD, and control characters are escaped, those past ASCII too,
// since terminals obey them.
void append_json_text(std::string& to, std::string_view text);

}  // namespace gavel
