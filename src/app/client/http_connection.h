// HttpConnection: one kept-alive connection to a server over plain TCP or TLS, on Asio. The one HTTP client
// of the house: http_client.h waits for it, load/load_engine.h drives thousands of them.
//
//   connect ──► on_connected ──► send ──► on_response ──► send ──► …          and at any time ──► on_closed
//
// It reads from the moment it stands, so that a server which closes it, or turns it away with a response that
// nobody asked for, is noticed at once. No callback comes from within connect() or send(). Time limits are
// the owner's: it destroys the connection, and no callback comes after that. Everything of one Origin happens
// on the thread that runs its io_context.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>

#include "app/client/http_message.h"
#include "app/client/response_parser.h"
#include "app/client/server_url.h"
#include "base/result.h"

namespace gavel::app {

// What the connections to one server share: the io_context, addresses, certificates, and the memory into
// which the bytes of whichever connection is readable are read. A thousand idle connections so have no
// buffers. Outlives its connections.
class Origin {
 public:
  // `url` as server_url.h has it. `ca_file` holds the certificates that are trusted, in PEM; empty: those of
  // the system. `invalid`, in one line. Nothing is sent.
  static Result<std::unique_ptr<Origin>> create(const std::string& url, const std::string& ca_file);

  // Looks the host's addresses up. Blocks for as long as the system's resolver takes; `unavailable` if there
  // are none.
  Result<void> resolve();
  bool is_resolved() const { return !addresses_.empty(); }

  const ServerUrl& url() const { return url_; }
  boost::asio::io_context& io() { return io_; }

 private:
  friend class HttpConnection;

  explicit Origin(ServerUrl url) : url_(std::move(url)), authority_(url_.authority()) {}

  std::unique_ptr<ResponseParser> take_parser();
  void return_parser(std::unique_ptr<ResponseParser> parser) { parsers_.push_back(std::move(parser)); }

  const ServerUrl url_;
  const std::string authority_;
  std::array<char, 64 * 1024> received_{};
  std::string text_;                                      // Of the request that is being written.
  std::vector<std::unique_ptr<ResponseParser>> parsers_;  // Those that no connection uses.
  std::optional<boost::asio::ssl::context> tls_;
  std::vector<boost::asio::ip::tcp::endpoint> addresses_;  // The one that answered last stands first.
  boost::asio::io_context io_{1};
};

class HttpConnection {
 public:
  // What happens after a response.
  enum class After : std::uint8_t {
    open,    // The connection takes the next request.
    closed,  // It is closed, as the server wished; on_closed does not come.
  };

  // `number` is what the connection was made with.
  class Listener {
   public:
    virtual void on_connected(std::size_t number) = 0;
    // Also where nothing was sent: whether a response belongs to a request is for the listener to say. Lives
    // until the call returns.
    virtual void on_response(std::size_t number, const HttpResponse& response, After after) = 0;
    // `unavailable` there never was a connection, so certainly nothing was done; `unknown` it is lost, and
    // with it the response to whatever was sent; `invalid` the server's certificate is not trusted (then
    // nothing was sent), or what it sent is not HTTP.
    virtual void on_closed(std::size_t number, const Error& error) = 0;

   protected:
    ~Listener() = default;
  };

  // Both outlive the connection.
  HttpConnection(Origin& origin, Listener& listener, std::size_t number);
  ~HttpConnection();
  HttpConnection(HttpConnection&&) noexcept = default;
  HttpConnection& operator=(HttpConnection&&) = delete;

  // Once; the origin is resolved. `source` is the IPv4 address of this machine that it comes from; empty: the
  // system chooses.
  void connect(const std::string& source = "");

  // Once it is connected. The request's parts hold no control characters, else CHECK.
  void send(const HttpRequest& request);

 private:
  class State;
  std::shared_ptr<State> state_;  // Shared with the operations that are under way.
};

}  // namespace gavel::app
