#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace gavel {

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "gavel: CHECK failed: %s at %s:%d\n", condition, file, line);
  std::abort();
}

}  // namespace gavel
