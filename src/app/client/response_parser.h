// ResponseParser: HTTP/1.1 responses out of the bytes of one connection, in whatever pieces they arrive.
//
// Boost.Beast reads the grammar, chunked bodies and bodies that end with the connection among it. The parser
// and the response that it fills are used again and again, so that a response of the usual size costs no
// allocation. One thread; no I/O.
#pragma once

#include <memory>
#include <string_view>

#include "app/client/http_message.h"
#include "base/result.h"

namespace gavel::app {

class ResponseParser {
 public:
  ResponseParser();
  ~ResponseParser();
  ResponseParser(ResponseParser&& from) noexcept;
  ResponseParser& operator=(ResponseParser&& from) noexcept;

  // The next response answers a HEAD request: it has no body, whatever its headers say. Before its first
  // byte.
  void expect_no_body();

  // Takes the next bytes of the connection and leaves in `bytes` what follows a response that is whole. True
  // once it is: response() holds it until the next call. `invalid` if this is no HTTP response, or one with
  // more than 64 KiB of headers or 64 MiB of body; the parser is of no use then.
  Result<bool> feed(std::string_view& bytes);

  // The connection has ended. True if that ends a response whose length was not given; `unknown` if a
  // response breaks off here; false if none had begun.
  Result<bool> finish();

  // Between the first byte of a response and its last.
  bool in_between() const;

  const HttpResponse& response() const;
  // Whether the server keeps the connection open after this response.
  bool keeps_alive() const;

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace gavel::app
