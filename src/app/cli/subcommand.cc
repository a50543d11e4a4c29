#include "app/cli/subcommand.h"

#include <cstdio>

namespace gavel::app {

void say_error(std::string_view line) {
  std::fprintf(stderr, "gavel: %.*s\n", static_cast<int>(line.size()), line.data());
}

Exit give_up(Exit code, const Error& error) {
  say_error(error.message);
  return code;
}

void say(std::string_view line) {
  std::printf("%.*s\n", static_cast<int>(line.size()), line.data());
  // Whoever reads through a pipe waits for this very line.
  std::fflush(stdout);
}

std::string with_commas(std::int64_t number) {
  std::string text = std::to_string(number);
  const std::size_t first_digit = number < 0 ? 1 : 0;
  for (std::size_t at = text.size(); at > first_digit + 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

}  // namespace gavel::app
