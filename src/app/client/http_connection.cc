#include "app/client/http_connection.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/socket.h>

#include "base/check.h"

namespace gavel::app {
namespace {

namespace asio = boost::asio;
namespace ssl = boost::asio::ssl;
using boost::asio::ip::tcp;
using boost::system::error_code;

constexpr std::size_t tls_record_bytes = 16 * 1024;

bool is_plain(std::string_view text) {
  return std::ranges::none_of(text,
                              [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
}

void append_request(std::string& to, const HttpRequest& request, const std::string& authority) {
  CHECK(!request.method.empty() && request.target.starts_with('/'));
  CHECK(is_plain(request.method) && is_plain(request.target));
  CHECK(is_plain(request.key) && is_plain(request.bearer));
  to.append(request.method).append(" ").append(request.target);
  to.append(" HTTP/1.1\r\nHost: ").append(authority).append("\r\n");
  if (!request.bearer.empty()) to.append("Authorization: Bearer ").append(request.bearer).append("\r\n");
  if (!request.key.empty()) to.append("Idempotency-Key: ").append(request.key).append("\r\n");
  if (!request.body.empty()) to.append("Content-Type: application/json\r\n");
  if (request.method != "GET") {
    to.append("Content-Length: ").append(std::to_string(request.body.size())).append("\r\n");
  }
  to.append("\r\n").append(request.body);
}

// A certificate is taken from the file that was named, else from those that the system trusts.
Result<ssl::context> tls_context(const std::string& ca_file) {
  ssl::context context(ssl::context::tls_client);
  CHECK(SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_2_VERSION) == 1);
  error_code error;
  if (ca_file.empty()) {
    context.set_default_verify_paths(error);
  } else {
    context.load_verify_file(ca_file, error);
  }
  if (error) {
    const std::string what = ca_file.empty() ? "the system's certificates" : "the certificates in " + ca_file;
    return fail(ErrorCode::invalid, what + " cannot be read: " + error.message());
  }
  context.set_verify_mode(ssl::verify_peer);
  return context;
}

}  // namespace

Result<std::unique_ptr<Origin>> Origin::create(const std::string& url, const std::string& ca_file) {
  auto parsed = parse_server_url(url);
  if (!parsed) return std::unexpected(parsed.error());
  std::unique_ptr<Origin> origin(new Origin(*std::move(parsed)));
  if (origin->url_.scheme == ServerUrl::Scheme::https) {
    auto context = tls_context(ca_file);
    if (!context) return std::unexpected(context.error());
    origin->tls_ = *std::move(context);
  }
  return origin;
}

Result<void> Origin::resolve() {
  error_code error;
  const auto found = tcp::resolver(io_).resolve(url_.host, std::to_string(url_.port), error);
  addresses_.assign(found.begin(), found.end());
  if (!addresses_.empty()) return {};
  return fail(ErrorCode::unavailable, "the host " + url_.host + " is not known: " + error.message());
}

std::unique_ptr<ResponseParser> Origin::take_parser() {
  if (parsers_.empty()) return std::make_unique<ResponseParser>();
  auto parser = std::move(parsers_.back());
  parsers_.pop_back();
  return parser;
}

// The operations under way share the state; those that end after the connection went find no listener.
class HttpConnection::State : public std::enable_shared_from_this<State> {
 public:
  State(Origin& origin, Listener& listener, std::size_t number)
      : origin_(origin), listener_(&listener), number_(number), socket_(origin.io_) {}

  void connect(std::string source);
  void send(const HttpRequest& request);
  void drop();

 private:
  void attempt(std::size_t address, const error_code& before);
  Result<void> open(const tcp::endpoint& address);
  void stand(std::size_t address);
  void shake_hands();
  void connected();

  void write();
  void read();
  void read_plain();
  void take(const error_code& error, std::string_view bytes);
  void take_response(std::string_view& bytes);
  void end(const Error& error);

  // Calls `work` unless the connection has gone; the state lives as long as the operation.
  template <class Work>
  auto alive(Work work) {
    return [self = shared_from_this(), work](const error_code& error, std::size_t bytes = 0) {
      if (self->listener_ != nullptr) work(*self, error, bytes);
    };
  }

  Origin& origin_;
  Listener* listener_;
  const std::size_t number_;
  tcp::socket socket_;
  std::unique_ptr<ssl::stream<tcp::socket&>> tls_;
  std::unique_ptr<std::array<char, tls_record_bytes>> decrypted_;  // Of TLS alone.
  std::unique_ptr<ResponseParser> parser_;                         // While a response is under way.
  std::string source_;
  std::string writing_;  // What the socket did not take at once; of TLS every request.
  std::string queued_;   // What was sent meanwhile.
};

void HttpConnection::State::connect(std::string source) {
  CHECK(origin_.is_resolved() && !socket_.is_open());
  source_ = std::move(source);
  // Not from here, since a callback must not come from within the call.
  asio::post(origin_.io_, [self = shared_from_this()] {
    if (self->listener_ != nullptr) self->attempt(0, {});
  });
}

void HttpConnection::State::drop() {
  listener_ = nullptr;
  error_code ignored;  // Whatever it says, the socket is closed.
  socket_.close(ignored);
}

void HttpConnection::State::attempt(std::size_t address, const error_code& before) {
  if (address == origin_.addresses_.size()) {
    const bool is_port = before == boost::system::errc::address_not_available;
    return end(
        {ErrorCode::unavailable, (is_port ? "no port is left for a connection to " : "nobody answers at ") +
                                     origin_.url_.text() + ": " + before.message()});
  }
  if (auto opened = open(origin_.addresses_[address]); !opened) return end(opened.error());
  socket_.async_connect(origin_.addresses_[address],
                        alive([address](State& self, const error_code& error, std::size_t) {
                          if (error) return self.attempt(address + 1, error);
                          self.stand(address);
                        }));
}

Result<void> HttpConnection::State::open(const tcp::endpoint& address) {
  error_code error;
  if (socket_.is_open()) socket_.close(error);
  socket_.open(address.protocol(), error);
  if (error) return fail(ErrorCode::unavailable, "no socket can be opened: " + error.message());
  if (source_.empty()) return {};
  const auto source = asio::ip::make_address_v4(source_, error);
  if (error) return fail(ErrorCode::invalid, source_ + " is not an IPv4 address");
  // The port is chosen with the connection, so that one that serves another server is not spent.
  const int one = 1;
  ::setsockopt(socket_.native_handle(), IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof one);
  socket_.bind(tcp::endpoint(source, 0), error);
  if (error) {
    return fail(ErrorCode::unavailable, "nothing can be sent from " + source_ + ": " + error.message());
  }
  return {};
}

void HttpConnection::State::stand(std::size_t address) {
  // The next connection need not try those that did not answer.
  std::swap(origin_.addresses_.front(), origin_.addresses_[address]);
  error_code error;
  // A request is one small write; it must not wait for the acknowledgement of the one before.
  socket_.set_option(tcp::no_delay(true), error);
  socket_.non_blocking(true, error);
  if (error) return end({ErrorCode::unavailable, "a socket cannot be prepared: " + error.message()});
  if (origin_.tls_) return shake_hands();
  connected();
}

void HttpConnection::State::shake_hands() {
  const std::string& host = origin_.url_.host;
  tls_ = std::make_unique<ssl::stream<tcp::socket&>>(socket_, *origin_.tls_);
  decrypted_ = std::make_unique<std::array<char, tls_record_bytes>>();
  tls_->set_verify_callback(
      [verify = ssl::host_name_verification(host)](bool trusted, ssl::verify_context& context) {
        const bool verified = verify(trusted, context);
        // Asio leaves the reason open.
        if (trusted && !verified)
          X509_STORE_CTX_set_error(context.native_handle(), X509_V_ERR_HOSTNAME_MISMATCH);
        return verified;
      });
  // Servers with several certificates choose by the name.
  std::string name = host;
  CHECK(SSL_ctrl(tls_->native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                 name.data()) == 1);
  tls_->async_handshake(
      ssl::stream_base::client, alive([](State& self, const error_code& error, std::size_t) {
        if (!error) return self.connected();
        const std::string where = self.origin_.url_.text();
        const long verified = SSL_get_verify_result(self.tls_->native_handle());
        if (verified != X509_V_OK) {
          return self.end({ErrorCode::invalid, "the certificate of " + where + " is not trusted: " +
                                                   X509_verify_cert_error_string(verified)});
        }
        self.end({ErrorCode::unavailable, "no TLS with " + where + ": " + error.message()});
      }));
}

void HttpConnection::State::connected() {
  listener_->on_connected(number_);
  if (listener_ != nullptr) read();
}

void HttpConnection::State::send(const HttpRequest& request) {
  CHECK(socket_.is_open() && listener_ != nullptr);
  CHECK(queued_.empty() || !writing_.empty());
  std::string& text = origin_.text_;
  text.clear();
  append_request(text, request, origin_.authority_);
  if (!writing_.empty()) {
    queued_ += text;
    return;
  }
  if (tls_) {
    writing_ = text;
    return write();
  }
  error_code error;
  const std::size_t taken = socket_.write_some(asio::buffer(text), error);
  // Other errors are those of the connection, and reading meets them, after what the server said before.
  if (error && error != asio::error::would_block) return;
  if (taken == text.size()) return;
  writing_ = text.substr(taken);
  write();
}

void HttpConnection::State::write() {
  auto done = alive([](State& self, const error_code& error, std::size_t) {
    self.writing_.clear();
    if (error || self.queued_.empty()) return;
    self.writing_.swap(self.queued_);
    self.write();
  });
  if (tls_) {
    asio::async_write(*tls_, asio::buffer(writing_), std::move(done));
  } else {
    asio::async_write(socket_, asio::buffer(writing_), std::move(done));
  }
}

void HttpConnection::State::read() {
  if (tls_) {
    tls_->async_read_some(asio::buffer(*decrypted_),
                          alive([](State& self, const error_code& error, std::size_t bytes) {
                            self.take(error, std::string_view(self.decrypted_->data(), bytes));
                          }));
    return;
  }
  // Waiting for bytes and reading them into memory that all share costs no more system calls than a read
  // that is tried first and fails.
  socket_.async_wait(tcp::socket::wait_read, alive([](State& self, const error_code& error, std::size_t) {
                       if (error) return self.take(error, {});
                       self.read_plain();
                     }));
}

void HttpConnection::State::read_plain() {
  error_code error;
  const std::size_t bytes = socket_.read_some(asio::buffer(origin_.received_), error);
  if (error == asio::error::would_block) return read();
  take(error, std::string_view(origin_.received_.data(), bytes));
}

void HttpConnection::State::take(const error_code& error, std::string_view bytes) {
  while (!bytes.empty() && listener_ != nullptr) take_response(bytes);
  if (listener_ == nullptr) return;
  if (!error) return read();
  if (parser_) {
    const auto whole = parser_->finish();
    if (whole && *whole) {
      const auto parser = std::move(parser_);
      error_code ignored;
      socket_.close(ignored);
      return std::exchange(listener_, nullptr)->on_response(number_, parser->response(), After::closed);
    }
  }
  const bool ended = error == asio::error::eof || error == ssl::error::stream_truncated;
  end({ErrorCode::unknown,
       "the connection was lost before the response: " + (ended ? "the server closed it" : error.message())});
}

// One response at most; leaves what follows it in `bytes`.
void HttpConnection::State::take_response(std::string_view& bytes) {
  if (!parser_) parser_ = origin_.take_parser();
  const auto whole = parser_->feed(bytes);
  if (!whole) return end(whole.error());
  if (!*whole) return;
  auto parser = std::move(parser_);
  // 100 Continue and its like announce the response.
  if (parser->response().status >= 200) {
    if (parser->keeps_alive()) {
      listener_->on_response(number_, parser->response(), After::open);
    } else {
      error_code ignored;
      socket_.close(ignored);
      std::exchange(listener_, nullptr)->on_response(number_, parser->response(), After::closed);
    }
  }
  origin_.return_parser(std::move(parser));
}

void HttpConnection::State::end(const Error& error) {
  error_code ignored;
  CHECK(listener_ != nullptr && !error.message.empty());
  socket_.close(ignored);
  std::exchange(listener_, nullptr)->on_closed(number_, error);
}

HttpConnection::HttpConnection(Origin& origin, Listener& listener, std::size_t number)
    : state_(std::make_shared<State>(origin, listener, number)) {}

HttpConnection::~HttpConnection() {
  if (state_) state_->drop();
}

void HttpConnection::connect(const std::string& source) { state_->connect(source); }
void HttpConnection::send(const HttpRequest& request) { state_->send(request); }

}  // namespace gavel::app
