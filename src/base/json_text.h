// The text of a JSON string. For lines that are written without a JSON library (the log). JSON that is read
// goes through the strict reader in http/. Pure; thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace gavel {

// Appends `text` in quotes. The result is valid JSON and valid UTF-8 whatever the bytes are: a byte that is
// not part of a UTF-8 character becomes U+FFFD, and control characters are escaped, those beyond ASCII too,
// because terminals execute them, and so are U+2028 and U+2029, at which some readers end a line.
void append_json_text(std::string& to, std::string_view text);

}  // namespace gavel
