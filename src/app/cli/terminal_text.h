// terminal_text: names and other free text, which strangers choose, as a terminal and a shell shall have it.
//
// Pure but for the C library's table of widths; thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gavel::app {

// What a terminal would execute, reorder or not show at all is escaped as in JSON, and so is the backslash.
// Bytes that are not UTF-8 become U+FFFD.
std::string terminal_text(std::string_view text);

// How many columns a terminal takes for such a text: two for a wide character, none for one that stands upon
// another.
std::size_t columns_of(std::string_view text);

// The text as one word of a shell's command line, quoted where it has to be.
std::string shell_word(std::string_view text);

}  // namespace gavel::app
