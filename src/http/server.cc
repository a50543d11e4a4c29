// One noun: the HTTP server.
#include "http/server.h"

#include <algorithm>
#include <array>
#include <exception>
#include <set>
#include <string_view>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http.hpp>

#include "base/check.h"
#include "http/batch.h"
#include "http/problem.h"
#include "http/routes.h"
#include "http/session.h"

namespace gavel::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::awaitable;
using asio::ip::tcp;
using beast::http::field;
using boost::system::error_code;

// Errors are values here: most of them are a client that left.
constexpr auto as_values = asio::as_tuple(asio::use_awaitable);

// What a session's buffer begins with, once for all its requests: an order of a few lines fits.
constexpr std::size_t buffer_bytes = 4 * 1024;
// What it has while a large body is read.
constexpr std::size_t large_buffer_bytes = 64 * 1024;
// Bytes that a session still takes, and throws away, from a client that was refused: closing at once would
// reset the connection and take the answer with it.
constexpr std::size_t drained_bytes_max = 2 * batch_bytes_max;
constexpr Duration drain_within{1'000};
// The pause after a failed accept: what failed (no file descriptors) does not pass any sooner by asking
// again.
constexpr Duration accept_pause{100};
constexpr std::uint64_t accept_failures_logged_one_in = 100;

std::string text_of(beast::string_view text) { return {text.data(), text.size()}; }

bool is_of_http(const error_code& error) {
  return error.category() == beast::http::make_error_code(beast::http::error::bad_method).category();
}

// The headers that mean something here, and where a request keeps them.
struct HeaderPlace {
  std::string_view name;
  std::optional<std::string> Request::* value;
};
constexpr std::array header_places{
    HeaderPlace{"Idempotency-Key", &Request::idempotency_key},
    HeaderPlace{"Content-Type", &Request::content_type},
    HeaderPlace{"Authorization", &Request::authorization},
    HeaderPlace{"Gavel-Attempt", &Request::attempt},
    HeaderPlace{"traceparent", &Request::traceparent},
};

// A header that was sent several times counts as one with its values joined (RFC 9110, 5.3), so that two
// request keys are no request key.
void add_header(Request& request, beast::string_view name, beast::string_view value) {
  for (const HeaderPlace& place : header_places) {
    if (!beast::iequals(name, beast::string_view(place.name.data(), place.name.size()))) continue;
    std::optional<std::string>& to = request.*place.value;
    to = to ? *to + ", " + text_of(value) : text_of(value);
    return;
  }
}

Response too_large(std::size_t bytes_max) {
  return malformed_http(413, "body: at most " + std::to_string(bytes_max) + " bytes");
}

// What stands before the body, as one text; Beast's serializer would gather it from seven buffers. Headers
// hold words of ours, ids and what is percent-encoded, so that no line of a request becomes one.
std::string head_of(const Response& response, unsigned version, bool keep_alive) {
  constexpr std::size_t usual_bytes = 256;
  std::string text;
  text.reserve(usual_bytes);
  text += version == 11 ? "HTTP/1.1 " : "HTTP/1.0 ";
  const auto add = [&text](std::string_view name, std::string_view value) {
    text.append(name).append(": ").append(value).append("\r\n");
  };
  const auto reason = beast::http::obsolete_reason(static_cast<beast::http::status>(response.status));
  text.append(std::to_string(response.status))
      .append(" ")
      .append(reason.data(), reason.size())
      .append("\r\n");
  add("Content-Type", response.content_type);
  add("Cache-Control", "no-store");  // Every answer is of its moment.
  for (const auto& [name, value] : response.headers) add(name, value);
  if (keep_alive != (version == 11)) add("Connection", keep_alive ? "keep-alive" : "close");
  add("Content-Length", std::to_string(response.body.size()));
  return text.append("\r\n");
}

}  // namespace

Session::Session(tcp::socket socket, Service& service, Audience audience, const HttpLimits& limits,
                 const Ticks& ticks, Allowance& large_bodies)
    : socket_(std::move(socket)),
      service_(service),
      audience_(audience),
      limits_(limits),
      ticks_(ticks),
      large_bodies_(large_bodies),
      // The parser consumes as it goes: a request line, then the fields, each bounded by the header's limit.
      // What else lies in the buffer is at most one read ahead.
      buffer_bytes_max_(limits.header_bytes_max + buffer_bytes),
      buffer_(buffer_bytes_max_) {}

awaitable<void> Session::run() {
  error_code ignored;
  socket_.set_option(tcp::no_delay(true), ignored);
  socket_.non_blocking(true, ignored);  // So that write() can try.
  buffer_.reserve(buffer_bytes);
  bool more = true;
  while (more) more = co_await serve_one();
  if (answered_) co_await drain();
  socket_.close(ignored);
}

void Session::set_deadline(Duration within) {
  CHECK(within > Duration(0));
  deadline_ = ticks_.after(within);
  overdue_ = false;
}

void Session::sweep() {
  if (!deadline_ || *deadline_ > ticks_.now) return;
  deadline_.reset();
  overdue_ = true;
  error_code ignored;
  socket_.cancel(ignored);
}

void Session::end() {
  ending_ = true;
  error_code ignored;
  if (idle_) socket_.cancel(ignored);
}

awaitable<bool> Session::serve_one() {
  if (ending_ || (buffer_.size() == 0 && !co_await wait_for_request())) co_return false;
  refusal_.reset();
  header_bytes_ = 0;
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(limits_.header_bytes_max));
  parser_->body_limit(batch_bytes_max);  // Until the header has said what it is (wrong_in_length).
  // Most requests lie in the buffer as a whole: no deadline, no other coroutine.
  Arrival arrival = parse();
  if (arrival == Arrival::partial) arrival = co_await read_rest();
  if (arrival != Arrival::whole) {
    if (!refusal_) co_return false;
    service_.count_unread(*refusal_);
    co_await write(*refusal_, false, false);
    co_return false;
  }
  const bool head = request_.method == "HEAD";
  const bool wants_more = parser_->keep_alive();
  Response response = co_await service_.answer(std::move(request_));
  const bool written = co_await write(std::move(response), head, wants_more && !ending_);
  if (share_) give_back();
  co_return written&& wants_more && !ending_;
}

awaitable<bool> Session::wait_for_request() {
  CHECK(buffer_.size() == 0);
  const bool first = std::exchange(fresh_, false);
  idle_ = true;
  set_deadline(first ? limits_.header_within : limits_.idle_within);
  const auto space = buffer_.prepare(buffer_bytes);
  const auto [failure, bytes] = co_await socket_.async_read_some(space, as_values);
  clear_deadline();
  idle_ = false;
  buffer_.commit(bytes);
  co_return !failure;
}

// Beast's own composed reads would go once more through the executor for what is there already.
Session::Arrival Session::parse() {
  if (!parser_->is_header_done()) {
    const Arrival header = parse_header();
    if (header != Arrival::whole) return header;
  }
  while (!parser_->is_done()) {
    if (buffer_.size() == 0) return Arrival::partial;
    const error_code failure = feed_parser();
    if (failure == beast::http::error::need_more) return Arrival::partial;
    if (failure) return fail(failure);
  }
  request_.body = std::move(parser_->get().body());
  return Arrival::whole;
}

Session::Arrival Session::parse_header() {
  if (buffer_.size() == 0) return Arrival::partial;
  const std::size_t before = buffer_.size();
  const error_code failure = feed_parser();
  header_bytes_ += before - buffer_.size();
  if (failure == beast::http::error::need_more) return Arrival::partial;
  if (failure) return fail(failure);
  CHECK(parser_->is_header_done());
  refusal_ = wrong_in_header(header_bytes_);
  if (!refusal_) refusal_ = wrong_in_length();
  if (refusal_) return Arrival::failed;
  request_ = request_of_header();
  parser_->eager(true);
  return Arrival::whole;
}

// Consumes what the parser takes. Before the end of the header it takes no byte of the body.
error_code Session::feed_parser() {
  CHECK(buffer_.size() > 0 && !parser_->is_done());
  error_code failure;
  buffer_.consume(parser_->put(buffer_.data(), failure));
  return failure;
}

Session::Arrival Session::fail(const error_code& failure) {
  refusal_ = refusal_of(failure);
  return Arrival::failed;
}

awaitable<Session::Arrival> Session::read_rest() {
  Arrival arrival = Arrival::partial;
  if (!parser_->is_header_done()) {
    set_deadline(limits_.header_within);
    while (arrival == Arrival::partial && !parser_->is_header_done()) arrival = co_await read_more();
  }
  if (arrival == Arrival::partial) {
    set_deadline(limits_.body_within);
    if (parser_->get().version() == 11 && parser_->get().count(field::expect) > 0) {
      constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
      const auto text = asio::buffer(go_on);
      const auto [failure, bytes] = co_await asio::async_write(socket_, text, as_values);
      if (failure) arrival = fail(failure);
    }
    while (arrival == Arrival::partial) arrival = co_await read_more();
  }
  clear_deadline();
  co_return arrival;
}

awaitable<Session::Arrival> Session::read_more() {
  const std::size_t room = beast::read_size(buffer_, large_buffer_bytes);
  if (room == 0) co_return fail(beast::http::error::buffer_overflow);
  const auto space = buffer_.prepare(room);
  const auto [failure, bytes] = co_await socket_.async_read_some(space, as_values);
  buffer_.commit(bytes);
  co_return failure ? fail(failure) : parse();
}

// What Beast lets pass and this server does not: requests whose end two readers could see differently.
std::optional<Response> Session::wrong_in_header(std::size_t header_bytes) const {
  const auto& header = parser_->get();
  if (header_bytes > limits_.header_bytes_max) return malformed_http(431, "the header is too large");
  if (header.version() == 11 && header.count(field::host) != 1) {
    return malformed_http(400, "Host: must be sent once");
  }
  const std::size_t encodings = header.count(field::transfer_encoding);
  if (encodings > 1 || (encodings == 1 && (header.version() != 11 ||
                                           !beast::iequals(header[field::transfer_encoding], "chunked")))) {
    return malformed_http(400, "Transfer-Encoding: only chunked, and only in HTTP/1.1");
  }
  if (header.count(field::expect) > 0 && !beast::iequals(header[field::expect], "100-continue")) {
    return malformed_http(417, "Expect: only 100-continue");
  }
  if (header.count(field::content_encoding) > 0) {
    return malformed_http(415, "Content-Encoding: is not supported; send the body unencoded");
  }
  return std::nullopt;
}

// The bound of the body is that of its route, and that of all large bodies together: it has to be known
// before the first byte of the body is read.
std::optional<Response> Session::wrong_in_length() {
  const auto length = parser_->content_length();
  if (!parser_->chunked() && length.value_or(0) <= single_bytes_max) return std::nullopt;
  const std::size_t bytes_max = body_bytes_allowed();
  if (length && *length > bytes_max) return too_large(bytes_max);
  parser_->body_limit(bytes_max);
  const std::size_t bytes = length ? static_cast<std::size_t>(*length) : bytes_max;
  if (bytes <= single_bytes_max) return std::nullopt;
  if (!large_bodies_.take(bytes, share_)) return service_.overloaded();
  buffer_.max_size(buffer_bytes_max_ + large_buffer_bytes);
  buffer_.reserve(large_buffer_bytes);
  return std::nullopt;
}

// What a large body took, others may have; what came after it already stays where it is.
void Session::give_back() {
  share_.reset();
  if (buffer_.size() > 0) return;
  buffer_.max_size(buffer_bytes_max_);
  buffer_.shrink_to_fit();
  buffer_.reserve(buffer_bytes);
}

std::size_t Session::body_bytes_allowed() const {
  const auto& header = parser_->get();
  return body_bytes_max(audience_, text_of(header.method_string()), text_of(header.target()));
}

// The answer to a request that could not be read; nothing if nobody waits for one.
std::optional<Response> Session::refusal_of(const error_code& failure) const {
  using beast::http::error;
  if (overdue_) return malformed_http(408, "the request took too long to arrive");
  if (!is_of_http(failure)) return std::nullopt;
  if (failure == error::body_limit) {
    return too_large(body_bytes_allowed());
  }
  if (failure == error::header_limit || failure == error::buffer_overflow) {
    // The parser looks for the header's end before it takes the line, so it does not know which of them is
    // too long.
    const beast::string_view seen(static_cast<const char*>(buffer_.data().data()), buffer_.size());
    const bool in_line = parser_->get().target().empty() && seen.find("\r\n") == beast::string_view::npos;
    if (in_line) return malformed_http(414, "the request line is too long");
    return malformed_http(431, "the header is too large");
  }
  return malformed_http(400, "not HTTP/1.1: " + failure.message());
}

Request Session::request_of_header() const {
  const auto& header = parser_->get();
  Request request;
  request.audience = audience_;
  request.method = text_of(header.method_string());
  request.target = text_of(header.target());
  for (const auto& one : header) add_header(request, one.name_string(), one.value());
  return request;
}

// Nearly always the socket takes an answer at once. Behind a pipelined request the write goes through the
// executor all the same: a client who sends without end must let others have their turn, and no answer may
// lead to the next one on the same stack.
awaitable<bool> Session::write(Response response, bool head, bool keep_alive) {
  const std::string text = head_of(response, parser_->get().version(), keep_alive);
  CHECK(response.status >= 200 && response.status < 600);
  answered_ = true;
  const std::string_view body = head ? std::string_view() : response.body;
  const std::array whole{asio::buffer(text), asio::buffer(body)};
  error_code failure;
  std::size_t sent = 0;
  if (buffer_.size() == 0) sent = socket_.write_some(whole, failure);
  if (sent == text.size() + body.size()) co_return true;
  if (failure && failure != asio::error::would_block) co_return false;
  set_deadline(limits_.write_within);
  const std::array rest{whole[0] + sent, whole[1] + (sent - std::min(sent, text.size()))};
  const auto [stopped, bytes] = co_await asio::async_write(socket_, rest, as_values);
  clear_deadline();
  co_return !stopped;
}

awaitable<void> Session::drain() {
  error_code failure;
  socket_.shutdown(tcp::socket::shutdown_send, failure);
  set_deadline(drain_within);
  std::size_t drained = 0;
  while (!failure && drained < drained_bytes_max) {
    buffer_.clear();
    const auto space = buffer_.prepare(buffer_bytes);
    const auto [stopped, bytes] = co_await socket_.async_read_some(space, as_values);
    failure = stopped;
    drained += bytes;
  }
  clear_deadline();
}

class Server::Sessions : public std::enable_shared_from_this<Sessions> {
 public:
  Sessions(asio::io_context& io, Service& service, Audience audience, HttpLimits limits, Log& log)
      : io_(io),
        service_(service),
        audience_(audience),
        limits_(limits),
        log_(log),
        ticks_{limits.sweep_every},
        large_bodies_(limits.large_bodies_bytes_max),
        acceptor_(io),
        sweeper_(io) {
    CHECK(limits.sweep_every > Duration(0));
  }

  Result<std::uint16_t> listen(const std::string& address, std::uint16_t port);
  void stop();
  std::size_t size() const { return sessions_.size(); }
  std::uint64_t turned_away() const { return turned_away_; }

 private:
  // What these coroutines work on stays as long as they run: each holds it.
  static awaitable<void> accept(std::shared_ptr<Sessions> self);
  static awaitable<void> sweep(std::shared_ptr<Sessions> self);

  error_code open(const tcp::endpoint& endpoint);
  void start(awaitable<void> work, std::string_view what);
  void begin(tcp::socket socket);
  void turn_away(tcp::socket socket);

  asio::io_context& io_;
  Service& service_;
  const Audience audience_;
  const HttpLimits limits_;
  Log& log_;
  Ticks ticks_;
  Allowance large_bodies_;
  tcp::acceptor acceptor_;
  asio::steady_timer sweeper_;
  std::set<std::shared_ptr<Session>> sessions_;
  bool stopping_ = false;
  std::uint64_t turned_away_ = 0;
  Sampler accept_failures_{accept_failures_logged_one_in};
};

Result<std::uint16_t> Server::Sessions::listen(const std::string& address, std::uint16_t port) {
  error_code failure;
  const asio::ip::address ip = asio::ip::make_address(address, failure);
  if (!failure) failure = open(tcp::endpoint(ip, port));
  if (failure) {
    error_code ignored;
    acceptor_.close(ignored);
    return fail(ErrorCode::invalid,
                "cannot listen on " + address + " port " + std::to_string(port) + ": " + failure.message());
  }
  start(accept(shared_from_this()), "accept");
  start(sweep(shared_from_this()), "sweep");
  return acceptor_.local_endpoint().port();
}

error_code Server::Sessions::open(const tcp::endpoint& endpoint) {
  error_code failure;
  acceptor_.open(endpoint.protocol(), failure);
  // A server that comes back at once finds its port held by connections that are still closing.
  if (!failure) acceptor_.set_option(tcp::acceptor::reuse_address(true), failure);
  if (!failure) acceptor_.bind(endpoint, failure);
  if (!failure) acceptor_.listen(tcp::acceptor::max_listen_connections, failure);
  return failure;
}

void Server::Sessions::stop() {
  if (stopping_) return;
  stopping_ = true;
  error_code ignored;
  acceptor_.close(ignored);
  for (const auto& session : sessions_) session->end();
  if (sessions_.empty()) sweeper_.cancel();
}

// A coroutine that ends by an exception ends alone, and is heard of.
void Server::Sessions::start(awaitable<void> work, std::string_view what) {
  asio::co_spawn(io_, std::move(work), [self = shared_from_this(), what](const std::exception_ptr& thrown) {
    if (thrown) self->log_.write(Level::error, "http_coroutine_failed", {{"which", what}});
  });
}

awaitable<void> Server::Sessions::accept(std::shared_ptr<Sessions> self) {
  asio::steady_timer pause(self->io_);
  while (!self->stopping_) {
    auto [failure, socket] = co_await self->acceptor_.async_accept(as_values);
    if (self->stopping_) break;
    if (!failure) {
      self->begin(std::move(socket));
      continue;
    }
    if (failure == asio::error::connection_aborted) continue;  // The client left the queue again.
    if (self->accept_failures_.take()) {
      self->log_.write(Level::error, "accept_failed", {{"why", failure.message()}});
    }
    pause.expires_after(accept_pause);
    co_await pause.async_wait(as_values);
  }
}

awaitable<void> Server::Sessions::sweep(std::shared_ptr<Sessions> self) {
  while (!self->stopping_ || !self->sessions_.empty()) {
    self->sweeper_.expires_after(self->ticks_.every);
    co_await self->sweeper_.async_wait(as_values);
    ++self->ticks_.now;
    for (const auto& session : self->sessions_) session->sweep();
  }
}

void Server::Sessions::begin(tcp::socket socket) {
  CHECK(!stopping_ && sessions_.size() <= limits_.connections_max);
  if (sessions_.size() >= limits_.connections_max) return turn_away(std::move(socket));
  auto session =
      std::make_shared<Session>(std::move(socket), service_, audience_, limits_, ticks_, large_bodies_);
  sessions_.insert(session);
  awaitable<void> work = session->run();
  asio::co_spawn(io_, std::move(work),
                 [self = shared_from_this(), session](const std::exception_ptr& thrown) {
                   if (thrown)
                     self->log_.write(Level::error, "http_coroutine_failed", {{"which", "session"}});
                   CHECK(self->sessions_.erase(session) == 1);
                   if (self->stopping_ && self->sessions_.empty()) self->sweeper_.cancel();
                 });
}

// Says why in one write that a fresh socket always takes, and closes: to wait for the client would be to have
// one more connection. Where its request is under way already it may see a reset instead.
void Server::Sessions::turn_away(tcp::socket socket) {
  // 1 to 3 seconds in turn, so that they do not come back together.
  const std::string text = turned_away_text(1 + turned_away_++ % 3);
  error_code ignored;
  socket.non_blocking(true, ignored);
  socket.send(asio::buffer(text), 0, ignored);
  socket.shutdown(tcp::socket::shutdown_send, ignored);
}

Server::Server(asio::io_context& io, Service& service, Audience audience, HttpLimits limits, Log& log)
    : sessions_(std::make_shared<Sessions>(io, service, audience, limits, log)) {}

Server::~Server() { sessions_->stop(); }

Result<std::uint16_t> Server::listen(const std::string& address, std::uint16_t port) {
  return sessions_->listen(address, port);
}

void Server::stop() { sessions_->stop(); }

std::size_t Server::connections() const { return sessions_->size(); }

std::uint64_t Server::turned_away() const { return sessions_->turned_away(); }

void watch(MetricsRegistry& metrics, const Server& server, const std::string& listener) {
  metrics.watch_gauge("gavel_http_connections", "Connections that are open.",
                      [&server] { return static_cast<double>(server.connections()); },
                      {{"listener", listener}});
  metrics.watch_counter("gavel_http_connections_turned_away_total",
                        "Connections refused because too many were open.",
                        [&server] { return server.turned_away(); }, {{"listener", listener}});
}

}  // namespace gavel::http
