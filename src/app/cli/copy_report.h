// What `gavel backup` and `gavel restore` print in the same words.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <boost/json/object.hpp>

#include "app/cli/progress.h"
#include "app/cli/subcommand.h"
#include "app/interrupt.h"
#include "app/verified_copy.h"

namespace gavel::app {

// How far the copying has come: on standard error, where a terminal is there and people read.
class CopyProgress {
 public:
  CopyProgress(std::string what, OutputFormat format);

  std::function<void(std::int64_t done, std::int64_t total)> function();
  void end() { progress_.reset(); }

 private:
  const std::string what_;
  const Progress::Form form_;
  std::optional<Progress> progress_;
};

// `headline` for people, `fields` first for programs.
void print_copy(const std::string& headline, boost::json::object fields, const CopiedDatabase& copied,
                OutputFormat format);

// Prints why there is no copy, and returns the exit code.
Exit fail_copy(const Error& error, const Interrupt& interrupt);
Exit fail_unclean(const CopiedDatabase& copied, const std::string& consequence);

}  // namespace gavel::app
