#include "app/cli/progress.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <unistd.h>

#include "app/load/figure_text.h"
#include "base/check.h"

namespace gavel::app {
namespace {

constexpr int bar_cells = 30;
constexpr std::int64_t line_every_percent = 25;

}  // namespace

std::string bar_of(std::int64_t done, std::int64_t total, int width) {
  CHECK(done >= 0 && width > 0);
  const std::int64_t full = total <= 0 ? width : std::clamp<std::int64_t>(done * width / total, 0, width);
  std::string bar;
  for (int i = 0; i < width; ++i) bar += i < full ? "█" : "░";
  return bar;
}

Progress::Form Progress::form_of_stderr() { return ::isatty(STDERR_FILENO) == 1 ? Form::bar : Form::lines; }

Progress::Progress(std::string what, std::int64_t total, Form form)
    : what_(std::move(what)), total_(total), form_(form) {
  if (form_ == Form::bar) std::fprintf(stderr, "  %s %s", what_.c_str(), bar_of(0, 1, bar_cells).c_str());
}

Progress::~Progress() {
  if (form_ == Form::bar) std::fputs("\r\033[K", stderr);
}

void Progress::at(std::int64_t done) {
  const std::int64_t percent = total_ <= 0 ? 100 : done * 100 / total_;
  const std::int64_t step = form_ == Form::bar ? 1 : line_every_percent;
  if (form_ == Form::silent || percent / step == shown_percent_ / step) return;
  shown_percent_ = percent;
  const std::string counts = with_commas(done) + " of " + with_commas(total_);
  if (form_ == Form::bar) {
    std::fprintf(stderr, "\r  %s %s %s\033[K", what_.c_str(), bar_of(done, total_, bar_cells).c_str(),
                 counts.c_str());
  } else {
    std::fprintf(stderr, "  %s %s\n", what_.c_str(), counts.c_str());
  }
}

}  // namespace gavel::app
