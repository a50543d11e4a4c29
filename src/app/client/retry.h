// Retry: what a response asks of a good client: to take it as final, or to send the request again, and when.
//
// Pure; thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "app/client/http_message.h"

namespace gavel::app {

// The word behind "code" in the body, without reading all of it: a load has to be cheaper than what it
// measures. Without such a word, the status: "200".
std::string code_of(const HttpResponse& response);

enum class ReplyClass : std::uint8_t {
  final,    // The end of its request. So is a refusal that says `later`: sold out is an answer, and whoever
            // measures or waits at a terminal does not stay for a minute to ask again.
  busy,     // Nothing was done: send it later, with the same key.
  unknown,  // Perhaps it was done: send it again, with the same key.
};
ReplyClass class_of(const HttpResponse& response, const std::string& code);

// The header Retry-After in seconds; nothing if it is absent or no such number.
std::optional<std::chrono::seconds> retry_after(const HttpResponse& response);

// How long to wait before a request that is busy or unknown is sent again.
std::chrono::milliseconds retry_pause(const HttpResponse& response);

}  // namespace gavel::app
