#include "app/cli/copy_report.h"

#include <utility>

#include <boost/json.hpp>

#include "app/load/figure_text.h"
#include "base/check.h"

namespace gavel::app {
namespace {

boost::json::value as_json(const std::optional<judge::LedgerPosition>& position) {
  if (!position) return nullptr;
  return boost::json::object{{"lane", position->batch.lane.value},
                             {"batch", position->batch.n},
                             {"at", gavel::to_text(position->at)}};
}

}  // namespace

CopyProgress::CopyProgress(std::string what, OutputFormat format)
    : what_(std::move(what)),
      form_(format == OutputFormat::json || Progress::form_of_stderr() != Progress::Form::bar
                ? Progress::Form::silent
                : Progress::Form::bar) {}

std::function<void(std::int64_t done, std::int64_t total)> CopyProgress::function() {
  return [this](std::int64_t done, std::int64_t total) {
    if (!progress_) progress_.emplace(what_, total, form_);
    progress_->at(done);
  };
}

void print_copy(const std::string& headline, boost::json::object fields, const CopiedDatabase& copied,
                OutputFormat format) {
  CHECK(copied.clean());
  if (format == OutputFormat::json) {
    fields["as_of"] = as_json(copied.as_of);
    fields["bytes"] = copied.bytes;
    fields["flows"] = copied.flows;
    fields["orders"] = copied.orders;
    return print_line(boost::json::serialize(fields));
  }
  print_line(headline);
  print_line("  as of     " + to_text(copied.as_of));
  print_line("  holds     " + with_commas(copied.flows) + " ledger entries, " + with_commas(copied.orders) +
             " orders, in " + with_commas(copied.bytes) + " bytes");
  print_line("verified: every number is as the ledger says");
}

Exit fail_copy(const Error& error, const Interrupt& interrupt) {
  if (interrupt.raised() && error.code == ErrorCode::unavailable) return fail_with(Exit::interrupted, error);
  return fail_with(error.code == ErrorCode::invalid ? Exit::usage : Exit::unreachable, error);
}

Exit fail_unclean(const CopiedDatabase& copied, const std::string& consequence) {
  CHECK(!copied.clean());
  return fail_with(Exit::check_failed, {ErrorCode::constraint,
                                        "NOT CLEAN, so " + consequence + ": " + with_commas(copied.findings) +
                                            (copied.findings == 1 ? " finding" : " findings") +
                                            ", the first: " + copied.first_finding + "; run gavel verify"});
}

}  // namespace gavel::app
