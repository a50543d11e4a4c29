#include "app/client/call.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include <boost/json.hpp>

#include "app/operator_key.h"
#include "app/serving_file.h"

namespace gavel::app {
namespace {

constexpr Duration answer_within{10'000};  // Of one try.
constexpr Duration pause_first{100};
constexpr Duration pause_max{2'000};

bool asks_for_another_try(unsigned status) { return status == 429 || status == 503 || status == 504; }

// What the server asked for, if it did.
std::optional<Duration> retry_after(const HttpAnswer& answer) {
  const std::string* header = answer.header("retry-after");
  if (header == nullptr) return std::nullopt;
  int seconds = 0;
  const auto [end, error] = std::from_chars(header->data(), header->data() + header->size(), seconds);
  if (error != std::errc() || end != header->data() + header->size()) return std::nullopt;
  return std::chrono::seconds(seconds);
}

Result<HttpAnswer> try_once(const ServerPlace& place, const HttpRequest& request) {
  auto connection = HttpConnection::open(place.url);
  if (!connection) return std::unexpected(connection.error());
  return connection->ask(request, answer_within);
}

std::string member(const boost::json::value& problem, const char* name) {
  const auto* object = problem.if_object();
  const auto* found = object == nullptr ? nullptr : object->if_contains(name);
  return found != nullptr && found->is_string() ? std::string(found->as_string()) : "";
}

// What a refusal tells beside its words: "sku tee, available 2".
std::string facts_of(const boost::json::value& problem) {
  std::string facts;
  for (const auto& [name, value] : problem.as_object()) {
    constexpr std::string_view told_apart[] = {"type",  "title",    "status", "detail",  "code",
                                               "final", "recorded", "retry",  "instance"};
    if (std::ranges::find(told_apart, std::string_view(name)) != std::end(told_apart)) continue;
    facts += (facts.empty() ? "" : ", ") + std::string(name) + " " +
             (value.is_string() ? std::string(value.as_string()) : boost::json::serialize(value));
  }
  return facts;
}

Exit exit_of(const HttpAnswer& answer, const std::string& code) {
  if (answer.status < 300) return Exit::done;
  if (answer.status >= 500 || answer.status == 429) return Exit::unreachable;
  const bool is_fault_of_form = code.empty() || code == "malformed" || code == "key_missing";
  return is_fault_of_form || answer.status == 401 || answer.status == 403 ? Exit::usage : Exit::refused;
}

// What to do after a refusal, by its code, else by what it says of another try.
std::string advice_of(const std::string& code, const std::string& retry, const HttpRequest& request) {
  if (request.key.empty()) return "";
  if (code == "version_conflict")
    return "; look again with gavel stock show, and use its version with --version";
  if (code == "key_reused") return "; use another --key, or say with this one what was said first";
  if (retry == "same_key") return "; to try again: the same command with --key " + request.key;
  if (retry == "new_key") return "; to try again later: the same command without --key";
  return "";
}

// With the facts in brackets, and without the full stop of the sentence.
std::string refusal_line(const boost::json::value& problem, const HttpRequest& request) {
  const std::string code = member(problem, "code");
  std::string line = code + ": " + member(problem, "detail");
  if (line.ends_with('.')) line.pop_back();
  const std::string facts = facts_of(problem);
  if (!facts.empty()) line += " (" + facts + ")";
  return line + advice_of(code, member(problem, "retry"), request);
}

}  // namespace

Result<ServerPlace> find_server(const Options& options, const std::string& address) {
  ServerPlace place{.url = address, .key = "", .key_file = options.key_file};
  if (address.empty() && options.judge.kind == JudgeUrl::Kind::sqlite) {
    const auto serving = read_serving_file(options.judge.path);
    if (!serving) return std::unexpected(serving.error());
    // The server that happens to listen at the usual address may serve another database.
    if (!*serving)
      return fail(ErrorCode::unavailable,
                  "nobody serves " + options.judge.path + ": " + serving_file_of(options.judge.path) +
                      " is not there; start gavel serve, or name the operators' address with --server");
    place = {(*serving)->operators, "", (*serving)->key_file};
  }
  if (place.url.empty()) {
    const bool is_six = options.operators.address.contains(':');
    const std::string host = is_six ? "[" + options.operators.address + "]" : options.operators.address;
    place.url = "http://" + host + ":" + std::to_string(options.operators.port);
  }
  auto key = read_operator_key(place.key_file);
  if (!key) return std::unexpected(key.error());
  place.key = *std::move(key);
  return place;
}

Result<HttpAnswer> call(const ServerPlace& place, HttpRequest request, const Clock& clock,
                        const std::function<void(Duration)>& pause) {
  request.bearer = place.key;
  const Duration until = clock.steady() + call_within;
  Duration wait = pause_first;
  bool perhaps_done = false;
  for (;;) {
    auto answer = try_once(place, request);
    if (answer && !asks_for_another_try(answer->status)) return answer;
    // Nobody is there: certainly not done, unless an earlier try may have been.
    const bool nobody = !answer && answer.error().code != ErrorCode::unknown;
    if (nobody && !perhaps_done) return answer;
    perhaps_done = perhaps_done || (!answer && !nobody) || (answer && answer->status == 504);
    if (answer) wait = std::max(wait, retry_after(*answer).value_or(Duration(0)));
    if (clock.steady() + wait >= until) {
      if (!answer && perhaps_done) return fail(ErrorCode::unknown, answer.error().message);
      return answer;
    }
    pause(wait);
    wait = std::min(2 * wait, pause_max);
  }
}

CallEnd end_of_call(const Result<HttpAnswer>& answer, const HttpRequest& request, const ServerPlace& place) {
  const std::string again = request.key.empty() ? "" : " with --key " + request.key;
  if (!answer) {
    if (answer.error().code == ErrorCode::unknown && request.method != "GET") {
      return {Exit::unreachable, answer.error().message +
                                     "; perhaps it was done: run the same command again" + again +
                                     ", which does nothing twice"};
    }
    if (answer.error().code == ErrorCode::unavailable) {
      return {Exit::unreachable,
              answer.error().message + "; start gavel serve, or name the operators' address with --server"};
    }
    const bool is_ours = answer.error().code == ErrorCode::invalid;
    return {is_ours ? Exit::usage : Exit::unreachable, answer.error().message};
  }
  if (answer->status < 300) return {};
  boost::system::error_code fault;
  const boost::json::value problem = boost::json::parse(answer->body, fault);
  const std::string code = fault ? "" : member(problem, "code");
  const Exit exit = exit_of(*answer, code);
  if (code.empty()) {
    return {Exit::unreachable, place.url + " answered " + std::to_string(answer->status) +
                                   " and no problem of gavel's; is it the operators' address?"};
  }
  // Every path that is asked for is one of the operators' listener.
  if (answer->status == 404 && code == "malformed") {
    return {exit, refusal_line(problem, {}) + " at " + place.url +
                      "; is it the shop's address? --server is to be the operators' address"};
  }
  if (answer->status == 401) {
    return {exit, "the server at " + place.url + " does not take the key in " + place.key_file +
                      "; name its key file with --admin.key_file"};
  }
  if (answer->status == 504) {
    return {exit, refusal_line(problem, {}) + "; perhaps it was done: run the same command again" + again +
                      ", which does nothing twice"};
  }
  // What is wrong with the form is wrong at every try.
  return {exit, refusal_line(problem, exit == Exit::usage ? HttpRequest{} : request)};
}

}  // namespace gavel::app
