#include "app/load/metrics_poller.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/check.h"

namespace gavel::app {
namespace {

constexpr Duration read_every{250};
constexpr Duration response_within{10'000};

void raise_to(std::int64_t& most, std::optional<std::int64_t> value) {
  most = std::max(most, value.value_or(0));
}

}  // namespace

std::optional<std::int64_t> gauge_in(std::string_view text, std::string_view name) {
  CHECK(!name.empty());
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.starts_with(name) || line.size() <= name.size() || line[name.size()] != ' ') continue;
    const std::string_view number = line.substr(name.size() + 1);
    double value = 0;
    const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc() || stop != number.data() + number.size()) return std::nullopt;
    return static_cast<std::int64_t>(value);
  }
  return std::nullopt;
}

MetricsPoller::MetricsPoller(const ServerAddresses& server)
    : key_(server.key),
      client_(HttpClient::create(server.operators, server.ca_file)),
      ticker_([this] { return read(); }) {}

// A reading that fails is one less: how many there were is part of the result.
Duration MetricsPoller::read() {
  if (!client_) return read_every;
  const HttpRequest request{.method = "GET", .target = "/metrics", .bearer = key_};
  const auto response = client_->ask(request, response_within);
  if (!response || response->status != 200) return read_every;
  const std::string& text = response->body;
  const MutexLock lock(mutex_);
  ++maxima_.readings;
  raise_to(maxima_.backlog, gauge_in(text, "gavel_pipeline_queue_commands"));
  raise_to(maxima_.in_flight, gauge_in(text, "gavel_pipeline_in_flight_commands"));
  raise_to(maxima_.connections, gauge_in(text, R"(gavel_http_connections{listener="shop"})"));
  return read_every;
}

MetricsPoller::Maxima MetricsPoller::stop() {
  ticker_.stop();
  const MutexLock lock(mutex_);
  return maxima_;
}

}  // namespace gavel::app
