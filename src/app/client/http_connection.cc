#include "app/client/http_connection.h"

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <memory>
#include <system_error>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

namespace gavel::app {
namespace {

constexpr std::size_t receive_bytes = 64 * 1024;

std::string reason() { return std::generic_category().message(errno); }

struct Place {
  sockaddr_storage address{};
  socklen_t size = 0;
  std::string host;  // "127.0.0.1:8080", for the Host header.
};

std::optional<Place> parse_place(std::string_view url) {
  constexpr std::string_view scheme = "http://";
  if (!url.starts_with(scheme)) return std::nullopt;
  url.remove_prefix(scheme.size());
  const std::size_t colon = url.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view digits = url.substr(colon + 1);
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  Place place;
  place.host = url;
  std::string name(url.substr(0, colon));
  if (name.starts_with('[') && name.ends_with(']')) {
    auto* six = reinterpret_cast<sockaddr_in6*>(&place.address);
    six->sin6_family = AF_INET6;
    six->sin6_port = htons(port);
    place.size = sizeof *six;
    if (::inet_pton(AF_INET6, name.substr(1, name.size() - 2).c_str(), &six->sin6_addr) == 1) return place;
    return std::nullopt;
  }
  auto* four = reinterpret_cast<sockaddr_in*>(&place.address);
  four->sin_family = AF_INET;
  four->sin_port = htons(port);
  place.size = sizeof *four;
  if (::inet_pton(AF_INET, name.c_str(), &four->sin_addr) == 1) return place;
  return std::nullopt;
}

std::string text_of(const HttpRequest& request, const std::string& host) {
  std::string text = request.method + " " + request.target + " HTTP/1.1\r\nHost: " + host + "\r\n";
  if (!request.bearer.empty()) text += "Authorization: Bearer " + request.bearer + "\r\n";
  if (!request.key.empty()) text += "Idempotency-Key: " + request.key + "\r\n";
  if (!request.body.empty()) text += "Content-Type: application/json\r\n";
  if (request.method != "GET") text += "Content-Length: " + std::to_string(request.body.size()) + "\r\n";
  return text + "\r\n" + request.body;
}

std::unexpected<Error> lost(const std::string& why) {
  return fail(ErrorCode::unknown, "the connection was lost before the answer: " + why);
}

Result<Place> place_of(const std::string& url) {
  auto place = parse_place(url);
  if (!place) return fail(ErrorCode::invalid, url + " is not an address such as http://127.0.0.1:8080");
  return *std::move(place);
}

Result<Descriptor> open_socket(const Place& place, int flags) {
  Descriptor socket(::socket(place.address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
  if (!socket) return fail(ErrorCode::unavailable, "no socket can be opened: " + reason());
  // A request is one small write; it must not wait for the acknowledgement of the one before.
  const int one = 1;
  ::setsockopt(socket.number(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return socket;
}

std::unexpected<Error> nobody(const std::string& where) {
  return fail(ErrorCode::unavailable, "nobody answers at " + where + ": " + reason());
}

Result<void> bind_to(const Descriptor& socket, const std::string& source) {
  sockaddr_in from{};
  from.sin_family = AF_INET;
  if (::inet_pton(AF_INET, source.c_str(), &from.sin_addr) != 1)
    return fail(ErrorCode::invalid, source + " is not an IPv4 address");
  // The port is chosen with the connection, so that one that serves another server is not spent.
  const int one = 1;
  ::setsockopt(socket.number(), IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof one);
  if (::bind(socket.number(), reinterpret_cast<const sockaddr*>(&from), sizeof from) != 0)
    return fail(ErrorCode::unavailable, "nothing can be sent from " + source + ": " + reason());
  return {};
}

}  // namespace

Result<HttpConnection> HttpConnection::open(const std::string& url) {
  const auto place = place_of(url);
  if (!place) return std::unexpected(place.error());
  auto socket = open_socket(*place, 0);
  if (!socket) return std::unexpected(socket.error());
  if (::connect(socket->number(), reinterpret_cast<const sockaddr*>(&place->address), place->size) != 0)
    return nobody(url);
  return HttpConnection(*std::move(socket), place->host);
}

Result<HttpConnection> HttpConnection::begin(const std::string& url, const std::string& source) {
  const auto place = place_of(url);
  if (!place) return std::unexpected(place.error());
  auto socket = open_socket(*place, SOCK_NONBLOCK);
  if (!socket) return std::unexpected(socket.error());
  if (!source.empty()) {
    if (auto bound = bind_to(*socket, source); !bound) return std::unexpected(bound.error());
  }
  const auto* address = reinterpret_cast<const sockaddr*>(&place->address);
  if (::connect(socket->number(), address, place->size) != 0 && errno != EINPROGRESS) {
    const std::string what = errno == EADDRNOTAVAIL ? "no port is left for a connection to " : "no way to ";
    return fail(ErrorCode::unavailable, what + url + ": " + reason());
  }
  return HttpConnection(*std::move(socket), place->host);
}

Result<void> HttpConnection::established() const {
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(socket_.number(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  if (error == 0) return {};
  errno = error;
  return nobody(host_);
}

Result<void> HttpConnection::send(const HttpRequest& request) {
  const std::string text = text_of(request, host_);
  std::string_view left = text;
  while (!left.empty()) {
    const ssize_t sent = ::send(socket_.number(), left.data(), left.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return lost(reason());
    left.remove_prefix(static_cast<std::size_t>(sent));
  }
  return {};
}

Result<std::optional<HttpAnswer>> HttpConnection::receive() {
  const auto bytes = std::make_unique_for_overwrite<char[]>(receive_bytes);
  const ssize_t got = ::recv(socket_.number(), bytes.get(), receive_bytes, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return std::nullopt;
  if (got < 0) return lost(reason());
  if (got == 0) return lost("the server closed it");
  return reader_.feed(std::string_view(bytes.get(), static_cast<std::size_t>(got)));
}

Result<HttpAnswer> HttpConnection::ask(const HttpRequest& request, Duration within) {
  if (auto sent = send(request); !sent) return std::unexpected(sent.error());
  while (true) {
    pollfd readable{socket_.number(), POLLIN, 0};
    const int ready = ::poll(&readable, 1, static_cast<int>(within.count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return lost("no answer within " + std::to_string(within.count() / 1000) + " s");
    auto answer = receive();
    if (!answer) return std::unexpected(answer.error());
    if (*answer) return **std::move(answer);
  }
}

}  // namespace gavel::app
