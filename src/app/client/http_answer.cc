#include "app/client/http_answer.h"

#include <charconv>
#include <utility>

namespace gavel::app {
namespace {

constexpr std::string_view line_end = "\r\n";
constexpr std::string_view head_end = "\r\n\r\n";

// Bounds what a server that is not ours can make us keep.
constexpr std::size_t answer_bytes_max = 64 * 1024 * 1024;

std::unexpected<Error> no_answer(const std::string& why) {
  return fail(ErrorCode::invalid, "the answer is not of HTTP/1.1 as Gavel speaks it: " + why);
}

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// `head` is what stands before the empty line.
Result<HttpAnswer> parse_head(std::string_view head) {
  HttpAnswer answer;
  std::size_t end = head.find(line_end);
  const std::string_view first = head.substr(0, end);
  constexpr std::string_view version = "HTTP/1.1 ";
  const auto status = parse_number<unsigned>(
      first.substr(0, version.size() + 3).substr(std::min(version.size(), first.size())));
  if (!first.starts_with(version) || !status)
    return no_answer("its first line is " + std::string(first.substr(0, 80)));
  answer.status = *status;
  while (end != std::string_view::npos) {
    head.remove_prefix(end + line_end.size());
    end = head.find(line_end);
    const std::string_view line = head.substr(0, end);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return no_answer("a header without a colon");
    answer.headers[lower(line.substr(0, colon))] = trimmed(line.substr(colon + 1));
  }
  return answer;
}

}  // namespace

const std::string* HttpAnswer::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? nullptr : &found->second;
}

Result<std::optional<HttpAnswer>> AnswerReader::feed(std::string_view bytes) {
  text_ += bytes;
  if (!head_) {
    const std::size_t end = text_.find(head_end);
    if (end == std::string::npos && text_.size() <= answer_bytes_max) return std::nullopt;
    if (end == std::string::npos) return no_answer("its head has no end");
    auto head = parse_head(std::string_view(text_).substr(0, end));
    if (!head) return std::unexpected(head.error());
    const std::string* length = head->header("content-length");
    const auto body = length == nullptr ? std::nullopt : parse_number<std::size_t>(*length);
    if (!body || *body > answer_bytes_max)
      return no_answer("it has no Content-Length, or one that is too long");
    whole_ = end + head_end.size() + *body;
    head_ = *std::move(head);
  }
  if (text_.size() < whole_) return std::nullopt;
  if (text_.size() > whole_) return no_answer("it is longer than its Content-Length");
  std::optional<HttpAnswer> answer = std::exchange(head_, std::nullopt);
  const std::string* length = answer->header("content-length");
  answer->body = text_.substr(text_.size() - *parse_number<std::size_t>(*length));
  text_.clear();
  return answer;
}

}  // namespace gavel::app
