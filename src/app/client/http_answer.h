// HttpAnswer: a response as a client of our own API sees it, and the reader that makes it from bytes.
//
// As much of HTTP/1.1 as our server speaks: a status, headers, a body of Content-Length bytes. Anything else
// is an error. Pure; one thread.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gavel::app {

struct HttpAnswer {
  unsigned status = 0;
  std::map<std::string, std::string> headers;  // Names in lower case.
  std::string body;

  // nullptr if absent; `name` in lower case.
  const std::string* header(const std::string& name) const;
};

class AnswerReader {
 public:
  // Takes the next bytes of the connection. Answers with a response once one is whole; the connection carries
  // one request at a time, so bytes beyond it are `invalid`, as is everything that is no such response.
  Result<std::optional<HttpAnswer>> feed(std::string_view bytes);

  // True between the first byte of a response and its last.
  bool in_between() const { return !text_.empty(); }

 private:
  std::string text_;
  std::optional<HttpAnswer> head_;  // Once the headers are whole.
  std::size_t whole_ = 0;           // How many bytes the response has then.
};

}  // namespace gavel::app
