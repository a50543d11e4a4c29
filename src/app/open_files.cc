#include "app/open_files.h"

#include <algorithm>

#include <sys/resource.h>

#include "base/check.h"

namespace gavel::app {

std::size_t allow_open_files(std::size_t wanted) {
  rlimit limit{};
  CHECK(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
  if (limit.rlim_cur >= wanted) return limit.rlim_cur;
  rlimit raised = limit;
  raised.rlim_cur = std::min<rlim_t>(wanted, limit.rlim_max);
  if (::setrlimit(RLIMIT_NOFILE, &raised) != 0) return limit.rlim_cur;
  return raised.rlim_cur;
}

}  // namespace gavel::app
