#include <algorithm>
#include <cctype>
#include <chrono>
#include <thread>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/check.h"
#include "world.h"

namespace gavel::http {

void wait_a_little() { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }

Client::Client(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
  CHECK(socket_ >= 0);
  const timeval wait{3, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
  ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  CHECK(::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
}

Client::~Client() {
  if (socket_ >= 0) ::close(socket_);
}

bool Client::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void Client::end_sending() { ::shutdown(socket_, SHUT_WR); }

void Client::reset() {
  const linger at_once{1, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  ::close(socket_);
  socket_ = -1;
}

bool Client::fill() {
  char bytes[16 * 1024];
  const ssize_t got = ::recv(socket_, bytes, sizeof bytes, 0);
  if (got <= 0) return false;
  buffer_.append(bytes, static_cast<std::size_t>(got));
  return true;
}

std::optional<Reply> Client::read(bool head) {
  if (head) parser_.expect_no_body();
  for (;;) {
    std::string_view bytes = buffer_;
    const auto whole = parser_.feed(bytes);
    CHECK(whole.has_value());
    buffer_ = std::string(bytes);
    if (*whole) break;
    if (!fill()) return std::nullopt;
  }
  const app::HttpResponse& response = parser_.response();
  Reply reply{.status = response.status, .headers = {}, .body = response.body};
  for (const auto& [sent, value] : response.headers) {
    std::string name = sent;
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    reply.headers[name] = value;
  }
  return reply;
}

bool Client::is_closed() {
  if (!buffer_.empty()) return false;
  char byte = 0;
  const ssize_t got = ::recv(socket_, &byte, 1, 0);
  return got == 0 || (got < 0 && errno == ECONNRESET);
}

Reply ask(const World& world, const Asked& asked) {
  std::string request = asked.method + " " + asked.path + " HTTP/1.1\r\nHost: localhost\r\n";
  if (asked.audience == Audience::operators) {
    request.append("Authorization: Bearer ").append(operator_key).append("\r\n");
  }
  if (!asked.key.empty()) request += "Idempotency-Key: " + asked.key + "\r\n";
  if (!asked.body.empty() || asked.path == "/v1/batch") {
    request +=
        "Content-Type: application/json\r\nContent-Length: " + std::to_string(asked.body.size()) + "\r\n";
  }
  request += asked.more_headers + "\r\n" + asked.body;
  Client client(world.port(asked.audience));
  CHECK(client.send(request));
  const auto reply = client.read(asked.method == "HEAD");
  CHECK(reply.has_value());
  return *reply;
}

}  // namespace gavel::http
