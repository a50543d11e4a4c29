// Server: one listening socket and its connections, on Boost.Beast and C++20 coroutines (docs/adr/0001).
//
// A session is a loop of read, answer, write. Sizes, times and the number of connections are bounded
// (HttpLimits); what breaks a bound or the protocol is answered with problem details where that is possible,
// and closed. Everything runs on the one thread of the io_context; stop() ends every coroutine, and
// connections() says when the last one has gone.
//
// Deadlines are swept, not timed: one timer per server ticks every sweep_every, and a session whose time is
// past has its reads and writes cancelled. A timer per operation would cost each request more than its
// parsing, and Beast's own closes the socket, so that nobody could be told 408. A deadline is thus kept
// within one tick, never early.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>

#include "base/result.h"
#include "base/time.h"
#include "http/message.h"
#include "http/service.h"
#include "ops/log.h"
#include "ops/metrics.h"

namespace gavel::http {

struct HttpLimits {
  std::size_t header_bytes_max = 8 * 1024;
  // Bodies beyond single_bytes_max (routes.h) that are in hand at one time; the next is told 503. With it the
  // connections bound the memory: a batch on each of them could not be held.
  std::size_t large_bodies_bytes_max = 64 * 1024 * 1024;
  std::size_t connections_max = 10'000;  // Beyond it a connection is told 503 and closed.
  Duration header_within{5'000};  // From the first byte of a request; on a fresh connection from its start.
  Duration body_within{10'000};
  Duration idle_within{30'000};  // Between an answer and the next request.
  Duration write_within{10'000};
  Duration sweep_every{100};
};

class Server {
 public:
  // `io` and `service` outlive the server.
  Server(boost::asio::io_context& io, Service& service, Audience audience, HttpLimits limits, Log& log);
  // Stops. What its sessions still do goes on until the io_context ends.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Binds and begins to accept. `port` 0 takes a free one. Returns the port; `invalid` names address and
  // reason. Called once.
  Result<std::uint16_t> listen(const std::string& address, std::uint16_t port);

  // Accepts nothing more, lets requests in progress finish and closes idle connections. On the io_context's
  // thread; idempotent.
  void stop();

  // Connections that are open. On the io_context's thread.
  std::size_t connections() const;

  // Connections that were told 503, since there were enough. On the io_context's thread.
  std::uint64_t turned_away() const;

 private:
  class Sessions;
  std::shared_ptr<Sessions> sessions_;
};

// Has `metrics` read how many connections the server has; `listener` is the label. Both outlive the readings.
void watch(MetricsRegistry& metrics, const Server& server, const std::string& listener);

}  // namespace gavel::http
