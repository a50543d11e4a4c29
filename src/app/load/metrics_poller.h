// ServerWatch: what a server under load says of itself, read from its own metrics while the load runs.
//
// On a thread of its own with a connection to the operators' listener; a reading four times a second, or as
// often as the server answers. What stands between two readings is not seen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "app/client/http_connection.h"
#include "app/ticker.h"
#include "base/mutex.h"
#include "base/time.h"

namespace gavel::app {

// The value of the line that begins with `name`, labels included, in Prometheus' text form; nothing if there
// is none. Pure.
std::optional<std::int64_t> gauge_in(std::string_view text, std::string_view name);

class ServerWatch {
 public:
  // The largest that was seen of each.
  struct Seen {
    std::int64_t readings = 0;     // 0: nothing is known.
    std::int64_t backlog = 0;      // Commands that waited for the judge.
    std::int64_t in_flight = 0;    // Commands between entrance and verdict.
    std::int64_t connections = 0;  // Open ones of the shop's listener.
  };

  // `operators` is the listener's address, `key` the operators' key.
  ServerWatch(std::string operators, std::string key);

  // Ends it, once a reading that is under way is there.
  Seen stop();

 private:
  Duration read();

  const std::string operators_;
  const std::string key_;
  std::optional<HttpConnection> connection_;  // Of the watching thread.
  Mutex mutex_;
  Seen seen_ GAVEL_GUARDED_BY(mutex_);
  Ticker ticker_;  // Last: it begins once the rest is there.
};

}  // namespace gavel::app
