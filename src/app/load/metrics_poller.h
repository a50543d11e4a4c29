// MetricsPoller: reads a server's own metrics while it is under load, and keeps the largest values.
//
// On a thread of its own with a connection to the operators' listener; four times a second, or as often as
// the server answers. What happens between two readings is not seen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "app/client/http_client.h"
#include "app/server_addresses.h"
#include "app/ticker.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/time.h"

namespace gavel::app {

// The value of the line that begins with `name`, labels included, in Prometheus' text form; nothing if there
// is none. Pure.
std::optional<std::int64_t> gauge_in(std::string_view text, std::string_view name);

class MetricsPoller {
 public:
  // The largest value of each.
  struct Maxima {
    std::int64_t readings = 0;     // How many there were; 0: nothing is known.
    std::int64_t backlog = 0;      // Commands that waited for the judge.
    std::int64_t in_flight = 0;    // Commands between admission and verdict.
    std::int64_t connections = 0;  // Open ones of the shop's listener.
  };

  // Begins at once. `server` has the operators' address and their key.
  explicit MetricsPoller(const ServerAddresses& server);

  // Ends it, once a reading that is under way is there; that takes at most ten seconds.
  Maxima stop();

 private:
  Duration read();

  const std::string key_;
  Result<HttpClient> client_;  // Of the polling thread.
  Mutex mutex_;
  Maxima maxima_ GAVEL_GUARDED_BY(mutex_);
  Ticker ticker_;  // Last: it begins once the rest is there.
};

}  // namespace gavel::app
