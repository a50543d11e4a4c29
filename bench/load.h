// Load: HTTP requests over connections that are kept alive, as they come back or by a schedule.
//
// A closed loop sends the next request of a connection when its answer came, so it slows down with the
// server. An open loop sends by a schedule whatever the server does, and measures from the scheduled time: a
// request that had to wait for a free connection has waited. One thread and one epoll; blocks.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "bench/figure.h"

namespace gavel::bench {

struct LoadResult {
  Spans latencies;
  std::map<unsigned, std::int64_t> statuses;  // How many answers of each.
  Span took{0};
  Span cpu{0};  // Of the whole process: where the server is part of it, of both.
  double cpu_us() const {
    return std::chrono::duration<double, std::micro>(cpu).count() / static_cast<double>(latencies.size());
  }
  double rate() const {
    return static_cast<double>(latencies.size()) / std::chrono::duration<double>(took).count();
  }
};

class Load {
 public:
  // Opens the connections to 127.0.0.1. Whatever fails here or later is a CHECK: a benchmark with a broken
  // connection has no result.
  Load(std::uint16_t port, std::size_t connections);
  ~Load();
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

  // Appends one whole request.
  using Request = std::function<void(std::string& to)>;

  LoadResult closed_loop(Span during, const Request& request);
  // Nothing more is sent once `over` is stopped.
  LoadResult open_loop(Span during, double per_second, const Request& request, std::stop_token over = {});

 private:
  struct Connection {
    int socket = -1;
    bool busy = false;
    Span since{0};  // When the request on it was sent, or was to be sent.
    std::string received;
  };

  void send(Connection& connection, Span since, const Request& request);
  // Waits until something arrived or `until`; takes all whole answers, and calls `idle` for each connection
  // that has become free.
  void receive(Span until, LoadResult& result, const std::function<void(Connection&)>& idle);
  bool take_answer(Connection& connection, LoadResult& result);

  int epoll_;
  std::vector<Connection> connections_;
  std::size_t busy_ = 0;
  std::string text_;
  std::array<char, 64 * 1024> space_{};  // For what one read brings.
};

}  // namespace gavel::bench
