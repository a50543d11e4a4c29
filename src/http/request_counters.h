// RequestCounters: gavel_http_requests_total by route and by class of status.
//
// A series begins with its first request: of some hundred possible series, few are ever used. One thread, the
// io_context's.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "http/routes.h"
#include "ops/metrics.h"

namespace gavel::http {

class RequestCounters {
 public:
  // `metrics` outlives this.
  explicit RequestCounters(MetricsRegistry& metrics)
      : metrics_(metrics), counters_(all_routes().size() + 1) {}

  // `route` is one of all_routes(); nullptr where a request was refused before it had one.
  void add(const Route* route, unsigned status) {
    const std::size_t place =
        route == nullptr ? all_routes().size() : static_cast<std::size_t>(route - all_routes().data());
    const std::size_t hundreds = status / 100 % counters_[place].size();
    std::optional<Counter>& counter = counters_[place][hundreds];
    if (!counter) {
      const std::string name =
          route == nullptr ? "none" : std::string(route->method) + " " + std::string(route->pattern);
      counter = metrics_.counter("gavel_http_requests_total", "Requests answered.",
                                 {{"route", name}, {"status", std::to_string(hundreds) + "xx"}});
    }
    counter->add();
  }

 private:
  MetricsRegistry& metrics_;
  std::vector<std::array<std::optional<Counter>, 6>> counters_;  // By route, then by hundreds of the status.
};

}  // namespace gavel::http
