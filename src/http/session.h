// Session: one connection, from its first byte to its last.
//
//   wait ─► read header ─► read body ─► answer ─► write ─┐
//    ▲                                                   │ keep-alive
//    └───────────────────────────────────────────────────┘
//   any fault of form ─► problem ─► write ─► drain ─► closed
//
// Internal to server.cc, the one unit that pays for Beast. One thread, that of the io_context; whoever starts
// run() keeps the session until it has ended.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "base/check.h"
#include "http/message.h"
#include "http/server.h"
#include "http/service.h"

namespace gavel::http {

// Time in ticks of the sweeper.
struct Ticks {
  Duration every;
  std::uint64_t now = 0;

  // The first tick that is at least `by` away, wherever within the present one we are.
  std::uint64_t after(Duration by) const {
    return now + 1 + static_cast<std::uint64_t>((by + every - Duration(1)) / every);
  }
};

// The bytes that large bodies may take together, and what is left of them.
class Allowance {
 public:
  // Gives back at its end. The allowance outlives it.
  class Share {
   public:
    Share(Allowance& allowance, std::size_t bytes) : allowance_(allowance), bytes_(bytes) {}
    ~Share() {
      allowance_.left_ += bytes_;
      CHECK(allowance_.left_ <= allowance_.bytes_);
    }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

   private:
    Allowance& allowance_;
    const std::size_t bytes_;
  };

  explicit Allowance(std::size_t bytes) : bytes_(bytes), left_(bytes) {}

  // Takes `bytes` into `share`, which is empty; false if fewer are left.
  bool take(std::size_t bytes, std::optional<Share>& share) {
    CHECK(!share);
    if (bytes > left_) return false;
    left_ -= bytes;
    share.emplace(*this, bytes);
    return true;
  }

 private:
  const std::size_t bytes_;
  std::size_t left_;
};

class Session {
 public:
  // All references outlive the session.
  Session(boost::asio::ip::tcp::socket socket, Service& service, Audience audience, const HttpLimits& limits,
          const Ticks& ticks, Allowance& large_bodies);

  boost::asio::awaitable<void> run();

  // Cancels what is read or written if its time is past.
  void sweep();

  // Lets the request in progress finish, and no other begin.
  void end();

 private:
  // What has come of a request.
  enum class Arrival : std::uint8_t {
    whole,    // All of it: request_ is complete.
    partial,  // What came is taken; more must follow.
    failed,   // No more will be read: refusal_ says why, or nobody is there to be told.
  };

  // One request and its answer; false: there will be no other.
  boost::asio::awaitable<bool> serve_one();
  // Until the first bytes of the next request. The buffer is empty (CHECKed): what follows a request in the
  // same packet is a request already (pipelining), and its turn comes in order.
  boost::asio::awaitable<bool> wait_for_request();
  // Takes from the buffer what there is of the request. Never waits.
  Arrival parse();
  Arrival parse_header();
  boost::system::error_code feed_parser();
  Arrival fail(const boost::system::error_code& failure);
  // Reads until the request is whole or has failed, within the times for header and body.
  boost::asio::awaitable<Arrival> read_rest();
  boost::asio::awaitable<Arrival> read_more();
  // False: the client has gone, or did not read in time.
  boost::asio::awaitable<bool> write(Response response, bool head, bool keep_alive);
  boost::asio::awaitable<void> drain();

  std::optional<Response> wrong_in_header(std::size_t header_bytes) const;
  std::optional<Response> wrong_in_length();
  std::size_t body_bytes_allowed() const;
  void give_back();
  std::optional<Response> refusal_of(const boost::system::error_code& failure) const;
  Request request_of_header() const;
  void set_deadline(Duration within);
  void clear_deadline() {
    deadline_.reset();
    overdue_ = false;
  }

  boost::asio::ip::tcp::socket socket_;
  Service& service_;
  const Audience audience_;
  const HttpLimits& limits_;
  const Ticks& ticks_;
  Allowance& large_bodies_;
  std::optional<Allowance::Share> share_;  // Of a large body, until it is answered.
  const std::size_t buffer_bytes_max_;
  boost::beast::flat_buffer buffer_;
  std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
  std::size_t header_bytes_ = 0;  // That the parser took.
  Request request_;               // As its header says; the body comes last.
  std::optional<Response> refusal_;
  std::optional<std::uint64_t> deadline_;
  bool overdue_ = false;
  bool idle_ = true;  // Between two requests, or before the first.
  bool fresh_ = true;
  bool ending_ = false;
  bool answered_ = false;  // Something was written, so that closing has to wait until it was taken.
};

}  // namespace gavel::http
