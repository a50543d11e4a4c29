// Progress: how far a long piece of work has come, on standard error: a bar on a terminal, else a line at
// each quarter.
//
// One thread.
#pragma once

#include <cstdint>
#include <string>

namespace gavel::app {

// "██████████░░░░░░░░░░" with `width` cells.
std::string bar_of(std::int64_t done, std::int64_t total, int width);

class Progress {
 public:
  enum class Form : std::uint8_t { silent, lines, bar };

  // A bar on a terminal, lines elsewhere.
  static Form form_of_stderr();

  Progress(std::string what, std::int64_t total, Form form);
  ~Progress();  // Takes the bar away, so that what comes next stands on a clean line.
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Writes only when there is something to see.
  void at(std::int64_t done);

 private:
  const std::string what_;
  const std::int64_t total_;
  const Form form_;
  std::int64_t shown_percent_ = 0;
};

}  // namespace gavel::app
