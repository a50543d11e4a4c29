#include "app/client/http_client.h"

#include <optional>
#include <utility>

#include "app/client/http_connection.h"
#include "base/check.h"
#include "base/clock_fine.h"

namespace gavel::app {
namespace {

std::string seconds_text(FineTime within) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(within).count();
  return ms % 1000 == 0 ? std::to_string(ms / 1000) + " s" : std::to_string(ms) + " ms";
}

}  // namespace

class HttpClient::Parts final : public HttpConnection::Listener {
 public:
  explicit Parts(std::unique_ptr<Origin> origin) : origin_(std::move(origin)) {}

  // `until` is of fine_now(), `within` what that was at first, for the words of an error.
  Result<void> connect(FineTime until, FineTime within);
  Result<HttpResponse> ask(const HttpRequest& request, FineTime within);

 private:
  void on_connected(std::size_t) override { is_connected_ = true; }
  void on_response(std::size_t, const HttpResponse& response, HttpConnection::After after) override {
    // One that nobody asked for makes the connection useless, and must not take the place of the first.
    if (response_ || after == HttpConnection::After::closed) is_connected_ = false;
    if (!response_) response_ = response;
  }
  void on_closed(std::size_t, const Error& error) override {
    error_ = error;
    is_connected_ = false;
  }

  void disconnect();
  // What the server did on the connection while nobody asked: it may have closed it.
  void look() {
    origin_->io().restart();
    origin_->io().poll();
  }
  // Runs the connection until something is known, at most until then.
  template <class Known>
  void run_until(FineTime until, Known known);

  std::unique_ptr<Origin> origin_;
  std::optional<HttpConnection> connection_;
  bool is_connected_ = false;
  // What came last, until it is taken.
  std::optional<HttpResponse> response_;
  std::optional<Error> error_;
};

void HttpClient::Parts::disconnect() {
  connection_.reset();
  is_connected_ = false;
  response_.reset();
  error_.reset();
}

template <class Known>
void HttpClient::Parts::run_until(FineTime until, Known known) {
  origin_->io().restart();
  while (!known()) {
    const FineTime left = until - fine_now();
    if (left <= FineTime(0) || origin_->io().run_one_for(left) == 0) return;
  }
}

Result<void> HttpClient::Parts::connect(FineTime until, FineTime within) {
  if (is_connected_) {
    look();
    // A response to no request is the server's farewell.
    if (is_connected_ && !response_) return {};
  }
  disconnect();
  if (!origin_->is_resolved()) {
    if (auto resolved = origin_->resolve(); !resolved) return resolved;
  }
  connection_.emplace(*origin_, *this, 0);
  connection_->connect();
  run_until(until, [this] { return is_connected_ || error_; });
  if (error_) return std::unexpected(*error_);
  if (is_connected_) return {};
  disconnect();
  return fail(ErrorCode::unavailable,
              "no connection to " + origin_->url().text() + " within " + seconds_text(within));
}

Result<HttpResponse> HttpClient::Parts::ask(const HttpRequest& request, FineTime within) {
  const FineTime until = fine_now() + within;
  if (auto connected = connect(until, within); !connected) return std::unexpected(connected.error());
  connection_->send(request);
  // A server that has too many connections turns this one away with a response of its own, which is then the
  // answer to the request.
  run_until(until, [this] { return response_ || error_; });
  if (response_) return *std::exchange(response_, std::nullopt);
  Error error = error_.value_or(Error{ErrorCode::unknown, "no response within " + seconds_text(within)});
  // A response that comes too late must not be taken for that to the next request.
  disconnect();
  return std::unexpected(std::move(error));
}

Result<HttpClient> HttpClient::create(const std::string& url, const std::string& ca_file) {
  auto origin = Origin::create(url, ca_file);
  if (!origin) return std::unexpected(origin.error());
  return HttpClient(std::make_unique<Parts>(*std::move(origin)));
}

HttpClient::HttpClient(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
HttpClient::~HttpClient() = default;
HttpClient::HttpClient(HttpClient&&) noexcept = default;
HttpClient& HttpClient::operator=(HttpClient&&) noexcept = default;

Result<void> HttpClient::connect(Duration within) {
  CHECK(parts_ && within > Duration(0));
  return parts_->connect(fine_now() + within, within);
}

Result<HttpResponse> HttpClient::ask(const HttpRequest& request, Duration within) {
  CHECK(parts_ && within > Duration(0));
  return parts_->ask(request, within);
}

}  // namespace gavel::app
