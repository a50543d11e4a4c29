#include "app/cli/call_report.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include <boost/json.hpp>

#include "app/cli/terminal_text.h"
#include "base/check.h"

namespace gavel::app {
namespace {

std::string member(const boost::json::value& problem, const char* name) {
  const auto* object = problem.if_object();
  const auto* found = object == nullptr ? nullptr : object->if_contains(name);
  return found != nullptr && found->is_string() ? terminal_text(found->as_string()) : "";
}

// What a refusal holds beside its words: "sku tee, available 2".
std::string facts_of(const boost::json::value& problem) {
  std::string facts;
  for (const auto& [name, value] : problem.as_object()) {
    constexpr std::string_view words[] = {"type",  "title",    "status", "detail",      "code",
                                          "final", "recorded", "retry",  "retry_after", "instance"};
    if (std::ranges::find(words, std::string_view(name)) != std::end(words)) continue;
    facts += (facts.empty() ? "" : ", ") + std::string(name) + " " +
             (value.is_string() ? terminal_text(value.as_string()) : boost::json::serialize(value));
  }
  return facts;
}

Exit exit_of(const HttpResponse& response, const std::string& code) {
  if (response.status < 300) return Exit::done;
  if (response.status >= 500 || response.status == 429) return Exit::unreachable;
  const bool is_fault_of_form = code.empty() || code == "malformed" || code == "key_missing";
  return is_fault_of_form || response.status == 401 || response.status == 403 ? Exit::usage : Exit::refused;
}

// "wait 5 s and ", where the refusal says for how long.
std::string wait_of(const boost::json::value& problem) {
  const auto* seconds = problem.as_object().if_contains("retry_after");
  return seconds != nullptr && seconds->is_int64() ? "wait " + boost::json::serialize(*seconds) + " s and "
                                                   : "";
}

// What to do after a refusal, by its code, else by what it says of another try.
std::string advice_of(const boost::json::value& problem, const std::string& code,
                      const HttpRequest& request) {
  const std::string retry = member(problem, "retry");
  if (request.key.empty()) return "";
  if (code == "version_conflict")
    return "; run gavel stock show again and pass the version it shows with --version";
  if (code == "key_reused") return "; use another --key, or repeat the first command of this key unchanged";
  if (retry == "same_key") return "; to try again, rerun with --key " + shell_word(request.key);
  if (retry == "later")
    return "; to try again, " + wait_of(problem) + "rerun with --key " + shell_word(request.key);
  if (retry == "new_key") return "; to try again later, rerun without --key";
  return "";
}

// With the facts in brackets, and without the full stop of the sentence.
std::string refusal_line(const boost::json::value& problem, const HttpRequest& request) {
  const std::string code = member(problem, "code");
  std::string line = code + ": " + member(problem, "detail");
  if (line.ends_with('.')) line.pop_back();
  const std::string facts = facts_of(problem);
  if (!facts.empty()) line += " (" + facts + ")";
  return line + advice_of(problem, code, request);
}

// Unknown is not failed: the request may have been applied, and its key makes a second run harmless.
std::string perhaps_applied(const HttpRequest& request) {
  if (request.key.empty()) return "";
  return "; the request may have been applied; rerun with --key " + shell_word(request.key) +
         " (safe: same key, same effect)";
}

CallReport report_of_error(const Error& error, const HttpRequest& request) {
  switch (error.code) {
    case ErrorCode::unknown:
      return {Exit::unreachable, error.message + perhaps_applied(request)};
    case ErrorCode::unavailable:
      return {Exit::unreachable,
              error.message + "; start gavel serve, or give the operators' address with --server"};
    case ErrorCode::invalid:
      return {Exit::usage, error.message};
    default:
      return {Exit::unreachable, error.message};
  }
}

}  // namespace

CallReport call_report(const Result<HttpResponse>& response, const HttpRequest& request,
                       const ServerAddress& server) {
  CHECK(request.method == "GET" || !request.key.empty());
  if (!response) return report_of_error(response.error(), request);
  if (response->status < 300) return {};
  boost::system::error_code fault;
  const boost::json::value problem = boost::json::parse(response->body, fault);
  const std::string code = fault ? "" : member(problem, "code");
  const Exit exit = exit_of(*response, code);
  if (code.empty()) {
    return {Exit::unreachable, server.url + " answered with status " + std::to_string(response->status) +
                                   " and not in Gavel's format; is it the operators' address?"};
  }
  // Every path that is asked for is one of the operators' listener.
  if (response->status == 404 && code == "malformed") {
    return {exit, refusal_line(problem, {}) + " at " + server.url +
                      "; is this the shop's address? --server must be the operators' address"};
  }
  if (response->status == 401) {
    return {exit, "the server at " + server.url + " does not accept the key in " + server.key_file +
                      "; give its key file with --admin.key_file"};
  }
  if (response->status == 504) return {exit, refusal_line(problem, {}) + perhaps_applied(request)};
  // What is wrong with the form is wrong at every try.
  return {exit, refusal_line(problem, exit == Exit::usage ? HttpRequest{} : request)};
}

}  // namespace gavel::app
