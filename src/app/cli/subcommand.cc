#include "app/cli/subcommand.h"

#include <cstdio>

#include "base/check.h"

namespace gavel::app {

void print_error(std::string_view line) {
  std::fprintf(stderr, "gavel: %.*s\n", static_cast<int>(line.size()), line.data());
}

Exit fail_with(Exit code, const Error& error) {
  CHECK(code != Exit::done);
  print_error(error.message);
  return code;
}

void print_line(std::string_view line) {
  std::printf("%.*s\n", static_cast<int>(line.size()), line.data());
  // Whoever reads through a pipe waits for this very line.
  std::fflush(stdout);
}

}  // namespace gavel::app
