#include "app/client/response_parser.h"

#include <optional>
#include <string>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>

#include "base/check.h"

namespace gavel::app {
namespace {

namespace http = boost::beast::http;
using boost::system::error_code;

// They bound what a server that is not ours can make us keep.
constexpr std::uint32_t header_bytes_max = 64 * 1024;
constexpr std::uint64_t body_bytes_max = 64 * 1024 * 1024;

// Fills a response that belongs to somebody else, whose strings keep their memory.
class Parser final : public http::basic_parser<false> {
 public:
  explicit Parser(HttpResponse& response) : response_(response) {
    eager(true);
    header_limit(header_bytes_max);
    body_limit(body_bytes_max);
    response_.status = 0;
    response_.body.clear();
  }

 private:
  using View = boost::beast::string_view;
  using Length = boost::optional<std::uint64_t>;

  void on_request_impl(http::verb, View, View, int, error_code&) override {}
  void on_response_impl(int code, View, int, error_code&) override {
    response_.status = static_cast<unsigned>(code);
  }
  void on_field_impl(http::field, View name, View value, error_code&) override {
    if (fields_ == response_.headers.size()) response_.headers.emplace_back();
    auto& [to_name, to_value] = response_.headers[fields_++];
    to_name.assign(name.data(), name.size());
    to_value.assign(value.data(), value.size());
  }
  void on_header_impl(error_code&) override { response_.headers.resize(fields_); }
  void on_body_init_impl(const Length& length, error_code&) override {
    if (length) response_.body.reserve(std::min(*length, body_bytes_max));
  }
  std::size_t on_body_impl(View body, error_code&) override {
    response_.body.append(body.data(), body.size());
    return body.size();
  }
  void on_chunk_header_impl(std::uint64_t, View, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, View body, error_code&) override {
    response_.body.append(body.data(), body.size());
    return body.size();
  }
  void on_finish_impl(error_code&) override {}

  HttpResponse& response_;
  std::size_t fields_ = 0;
};

}  // namespace

class ResponseParser::Parts {
 public:
  void expect_no_body() {
    CHECK(!in_between());
    parser_.emplace(response_).skip(true);
  }

  Result<bool> feed(std::string_view& bytes) {
    if (!parser_ || parser_->is_done()) parser_.emplace(response_);
    const std::string_view given = bytes;
    if (!rest_.empty()) bytes = rest_.append(bytes);
    error_code error;
    while (!bytes.empty() && !error && !parser_->is_done()) {
      bytes.remove_prefix(parser_->put(boost::asio::buffer(bytes.data(), bytes.size()), error));
    }
    if (error && error != http::error::need_more) {
      return fail(ErrorCode::invalid, "the response is not HTTP/1.1 (" + error.message() + ")");
    }
    if (!parser_->is_done()) {
      rest_ = std::string(bytes);
      bytes = {};
      return false;
    }
    // The last byte of a response came with this call, so what follows it did too.
    CHECK(bytes.size() < given.size());
    bytes = given.substr(given.size() - bytes.size());
    rest_.clear();
    return true;
  }

  Result<bool> finish() {
    if (!in_between()) return false;
    error_code error;
    parser_->put_eof(error);
    if (error) return fail(ErrorCode::unknown, "the connection ended within a response");
    return true;
  }

  bool in_between() const { return parser_ && parser_->got_some() && !parser_->is_done(); }
  const HttpResponse& response() const { return response_; }
  bool keeps_alive() const { return parser_ && parser_->is_done() && parser_->keep_alive(); }

 private:
  HttpResponse response_;
  std::optional<Parser> parser_;
  std::string rest_;  // Bytes that the parser wants to see again, together with those that follow.
};

ResponseParser::ResponseParser() : parts_(std::make_unique<Parts>()) {}
ResponseParser::~ResponseParser() = default;
ResponseParser::ResponseParser(ResponseParser&&) noexcept = default;
ResponseParser& ResponseParser::operator=(ResponseParser&&) noexcept = default;

void ResponseParser::expect_no_body() { parts_->expect_no_body(); }
Result<bool> ResponseParser::feed(std::string_view& bytes) { return parts_->feed(bytes); }
Result<bool> ResponseParser::finish() { return parts_->finish(); }
bool ResponseParser::in_between() const { return parts_->in_between(); }
const HttpResponse& ResponseParser::response() const { return parts_->response(); }
bool ResponseParser::keeps_alive() const { return parts_->keeps_alive(); }

}  // namespace gavel::app
