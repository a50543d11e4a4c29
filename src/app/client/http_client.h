// HttpClient: one request at a time to one server, waiting for each response.
//
// http:// and https://, by name or by address. It connects when there is something to ask, keeps the
// connection alive, and makes a new one where the server has closed it between two requests. Every call ends
// within its time limit, but for the look-up of a host's name, which takes as long as the system's resolver.
// One thread.
#pragma once

#include <memory>
#include <string>

#include "app/client/http_message.h"
#include "base/result.h"
#include "base/time.h"

namespace gavel::app {

class HttpClient {
 public:
  // `url` is "http://127.0.0.1:8080" or "https://shop.example.com" (server_url.h). `ca_file` holds the
  // certificates that are trusted, in PEM; empty: those of the system. `invalid` in one line; nothing is
  // sent.
  static Result<HttpClient> create(const std::string& url, const std::string& ca_file = "");

  ~HttpClient();
  HttpClient(HttpClient&& from) noexcept;
  HttpClient& operator=(HttpClient&& from) noexcept;

  // Connects, where it is not connected, so that a server that is not there is noticed before there is
  // anything to send. Errors as of ask().
  Result<void> connect(Duration within);

  // The response, of whatever status. `unavailable` nobody answers there, so certainly nothing was done;
  // `unknown` the request was sent and its response is lost or too late, so perhaps it was done; `invalid`
  // the server's certificate is not trusted, so nothing was sent, or the response is not HTTP.
  Result<HttpResponse> ask(const HttpRequest& request, Duration within);

 private:
  class Parts;
  explicit HttpClient(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace gavel::app
