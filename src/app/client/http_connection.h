// HttpConnection: one kept-alive connection to a Gavel server, as the commands that talk to one use it.
//
// Plain sockets: our own servers listen on addresses, speak HTTP/1.1 without TLS, and no proxy stands
// between. One request at a time; one thread. Errors: `unavailable` nobody listens there, certainly nothing
// was done; `unknown` the connection was lost with a request on it, perhaps it was done; `invalid` the
// address or the answer makes no sense.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "app/client/http_answer.h"
#include "app/descriptor.h"
#include "base/result.h"
#include "base/time.h"

namespace gavel::app {

struct HttpRequest {
  std::string method;
  std::string target;
  std::string body = {};    // JSON; empty: none.
  std::string key = {};     // Idempotency-Key; empty: none.
  std::string bearer = {};  // The operators' key; empty: none.
};

class HttpConnection {
 public:
  // `url` is "http://127.0.0.1:8080" or "http://[::1]:8080". Blocks; a loopback address answers at once.
  static Result<HttpConnection> open(const std::string& url);

  // The same without blocking, for who opens thousands: poll descriptor() for POLLOUT, then ask
  // established(). It comes from the IPv4 address `source`, which has to be one of this machine and gives its
  // connections ports of its own; empty: the system chooses.
  static Result<HttpConnection> begin(const std::string& url, const std::string& source);
  // Once, after POLLOUT: whether somebody answered.
  Result<void> established() const;

  // Sends and waits for the answer, at most `within` between two of its bytes.
  Result<HttpAnswer> ask(const HttpRequest& request, Duration within);

  // The same in halves, for who waits for several connections at once: send, poll descriptor() for POLLIN,
  // receive until there is an answer. receive() does not block.
  Result<void> send(const HttpRequest& request);
  Result<std::optional<HttpAnswer>> receive();
  int descriptor() const { return socket_.number(); }

 private:
  HttpConnection(Descriptor socket, std::string host) : socket_(std::move(socket)), host_(std::move(host)) {}

  Descriptor socket_;
  std::string host_;
  AnswerReader reader_;
};

}  // namespace gavel::app
