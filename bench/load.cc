#include "bench/load.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/check.h"

namespace gavel::bench {
namespace {

// How long the last answers are waited for once no more is sent.
constexpr Span last_answers_within = std::chrono::seconds(5);

int connect_to(std::uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  CHECK(socket >= 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  CHECK(::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  const int on = 1;
  CHECK(::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0);
  return socket;
}

// The number that follows `name` in the head of an answer.
std::size_t number_after(std::string_view head, std::string_view name) {
  const std::size_t at = head.find(name);
  CHECK(at != std::string_view::npos);
  std::size_t number = 0;
  std::from_chars(head.data() + at + name.size(), head.data() + head.size(), number);
  return number;
}

}  // namespace

Load::Load(std::uint16_t port, std::size_t connections)
    : epoll_(::epoll_create1(EPOLL_CLOEXEC)), connections_(connections) {
  CHECK(epoll_ >= 0);
  for (Connection& connection : connections_) {
    connection.socket = connect_to(port);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = &connection;
    CHECK(::epoll_ctl(epoll_, EPOLL_CTL_ADD, connection.socket, &event) == 0);
  }
}

Load::~Load() {
  for (const Connection& connection : connections_) ::close(connection.socket);
  ::close(epoll_);
}

LoadResult Load::closed_loop(Span during, const Request& request) {
  LoadResult result;
  const Span cpu = cpu_of_process();
  const Span begun = steady_now();
  const Span end = begun + during;
  for (Connection& connection : connections_) send(connection, steady_now(), request);
  while (busy_ > 0) {
    receive(end + last_answers_within, result, [&](Connection& connection) {
      const Span now = steady_now();
      if (now < end) send(connection, now, request);
    });
    CHECK(steady_now() < end + last_answers_within);
  }
  result.took = steady_now() - begun;
  result.cpu = cpu_of_process() - cpu;
  return result;
}

LoadResult Load::open_loop(Span during, double per_second, const Request& request, std::stop_token over) {
  LoadResult result;
  const Span cpu = cpu_of_process();
  const Span begun = steady_now();
  const Span end = begun + during;
  const Span every(static_cast<Span::rep>(1e9 / per_second));
  Span next = begun;
  std::deque<Connection*> idle;
  for (Connection& connection : connections_) idle.push_back(&connection);
  const auto is_more = [&] { return next < end && !over.stop_requested(); };
  while (is_more() || busy_ > 0) {
    for (; is_more() && next <= steady_now() && !idle.empty(); next += every) {
      send(*idle.front(), next, request);
      idle.pop_front();
    }
    const bool waits_for_time = is_more() && !idle.empty();
    receive(waits_for_time ? next : end + last_answers_within, result,
            [&](Connection& connection) { idle.push_back(&connection); });
    CHECK(steady_now() < end + last_answers_within);
  }
  result.took = steady_now() - begun;
  result.cpu = cpu_of_process() - cpu;
  return result;
}

void Load::send(Connection& connection, Span since, const Request& request) {
  CHECK(!connection.busy);
  text_.clear();
  request(text_);
  // The socket blocks until it has taken all; the server reads on another thread meanwhile.
  CHECK(::send(connection.socket, text_.data(), text_.size(), MSG_NOSIGNAL) ==
        static_cast<ssize_t>(text_.size()));
  connection.busy = true;
  connection.since = since;
  ++busy_;
}

void Load::receive(Span until, LoadResult& result, const std::function<void(Connection&)>& idle) {
  const Span left = std::max(Span(0), until - steady_now());
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
  const timespec timeout{.tv_sec = seconds.count(), .tv_nsec = (left - seconds).count()};
  std::array<epoll_event, 64> events{};
  const int count = ::epoll_pwait2(epoll_, events.data(), static_cast<int>(events.size()), &timeout, nullptr);
  CHECK(count >= 0 || errno == EINTR);
  for (int i = 0; i < count; ++i) {
    auto& connection = *static_cast<Connection*>(events[static_cast<std::size_t>(i)].data.ptr);
    if (take_answer(connection, result)) idle(connection);
  }
}

// True once the answer is whole; a connection carries one request at a time.
bool Load::take_answer(Connection& connection, LoadResult& result) {
  const ssize_t count = ::recv(connection.socket, space_.data(), space_.size(), 0);
  CHECK(count > 0 && connection.busy);
  connection.received.append(space_.data(), static_cast<std::size_t>(count));
  const std::string_view received = connection.received;
  const std::size_t head = received.find("\r\n\r\n");
  if (head == std::string_view::npos) return false;
  const std::size_t whole = head + 4 + number_after(received.substr(0, head), "Content-Length: ");
  if (received.size() < whole) return false;
  CHECK(received.size() == whole);
  ++result.statuses[static_cast<unsigned>(number_after(received, "HTTP/1.1 "))];
  result.latencies.add(steady_now() - connection.since);
  connection.received.clear();
  connection.busy = false;
  --busy_;
  return true;
}

}  // namespace gavel::bench
