// LoadEngine: sends requests over many connections as a good client does, and measures how they are answered.
//
// Two schedules:
//
//   by rate         Each request has a time at which it is to be sent, whatever the server does. Its latency
//                   counts from then, though no connection was free or the first response said "later". A
//                   loop that waits for responses would slow down with the server and leave out the requests
//                   that would have waited.
//   by outstanding  Each connection has one request outstanding, and sends the next as soon as its response
//                   is final. A latency counts from the first sending.
//
// What is busy (429, 503, key in flight), unknown (504) or lost is sent again with the same key: after
// Retry-After, or after a second where the connection broke. To leave such requests uncounted would make an
// overloaded server look fast, and to ask at once would measure how fast it refuses. All connections are
// opened before the time begins, and those that break are made again when they are needed. The one that has
// been idle longest is used next, so that no server closes one because it is never used.
//
//   absent ──connect──► connecting ──► idle ──send──► asking ──final response──► idle
//     ▲                                  │              │ busy, unknown: idle, and the request waits
//     └── closed by the server ◄─────────┴──────────────┘ lost: the request waits
//   resting ◄── turned away with "later" before it was asked anything; then absent
//
// Beyond 25,000 connections to one loopback address the ports of one source run out; they come from
// 127.0.0.1, .2, .3 and so on, 25,000 each. Elsewhere the system chooses, and says when no port is left.
//
// Blocks; one thread; about 1 KiB of memory a connection beside its socket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "app/client/http_message.h"
#include "app/load/latency_histogram.h"
#include "base/clock_fine.h"
#include "base/result.h"

namespace gavel::app {

// What a load sends, and what hears of the responses. Called on the engine's thread.
class Traffic {
 public:
  virtual ~Traffic() = default;

  // The next request; nothing: there are no more, until a response brings one about.
  virtual std::optional<HttpRequest> next() = 0;

  // The final response to a request. `code` is the word in it: reserved, sold_out (client/retry.h).
  virtual void on_response(const HttpRequest& request, const HttpResponse& response,
                           const std::string& code) = 0;
};

struct LoadTarget {
  std::string url;
  std::string ca_file = {};  // As http_client.h has it.
  std::size_t connections = 64;
  std::string key = {};  // Sent with every request (A9); empty: none.
};

struct RateSchedule {
  std::int64_t per_second = 1000;
  FineTime during{0};

  std::int64_t requests() const { return per_second * during.count() / 1'000'000'000; }
};

struct OutstandingSchedule {
  std::optional<FineTime> during = {};  // Nothing: until the traffic has no more.
};

using LoadSchedule = std::variant<RateSchedule, OutstandingSchedule>;

// The last responses are waited for so long after the schedule's end.
inline constexpr FineTime last_responses_within = std::chrono::seconds(10);

inline constexpr std::size_t connections_per_source = 25'000;
inline constexpr std::size_t connections_max = 1'000'000;

struct LoadStatistics {
  LatencyHistogram latencies;                   // Of every request that got a final response.
  LatencyHistogram exchanges;                   // Of every sending that got any response.
  std::map<std::string, std::int64_t> codes;    // The words of the final responses,
  std::map<std::string, std::int64_t> in_time;  // and of those before the schedule's end.
  std::int64_t busy = 0;        // Responses that said: later. Connections turned away among them.
  std::int64_t unknown = 0;     // Responses that said: perhaps.
  std::int64_t lost = 0;        // Connections that broke with a request on them.
  std::int64_t unanswered = 0;  // Requests sent, and without a final response at the end;
  std::int64_t doubtful = 0;    // of these, those that may have been done.
  // By rate: requests of the schedule that no connection took. By outstanding: connections that never carried
  // a request.
  std::int64_t unsent = 0;
  FineTime took{0};  // From the schedule's beginning to the last response.
};

struct LoadProgress {
  FineTime lasted{0};         // Of the schedule's time.
  std::int64_t answered = 0;  // Requests with a final response.
};
// Called 20 times a second; false breaks off.
using LoadObserver = std::function<bool(const LoadProgress&)>;

// From which address of this machine connection `number` to `host` comes; empty: the system chooses. Pure.
std::string source_of(const std::string& host, std::size_t number);

class LoadEngine {
 public:
  // `invalid` if the address or the file makes no sense. Nothing is sent.
  static Result<std::unique_ptr<LoadEngine>> create(const LoadTarget& target);

  ~LoadEngine();
  LoadEngine(const LoadEngine&) = delete;
  LoadEngine& operator=(const LoadEngine&) = delete;

  // Runs one schedule; connections stay open for the next run. `unavailable` nobody listens there, or no
  // further connection can be made; `invalid` what came is no response, or one to no request; `unknown` the
  // observer broke off, or a traffic without an end of its own got no response for a minute. The engine is of
  // no use after an error.
  Result<LoadStatistics> run(const LoadSchedule& schedule, Traffic& traffic, const LoadObserver& observer);

 private:
  class Parts;
  explicit LoadEngine(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace gavel::app
