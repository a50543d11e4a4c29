#include "bench/figure.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <numeric>

#include "base/check.h"
#include "base/json_text.h"

namespace gavel::bench {
namespace {

Span read_clock(clockid_t clock) {
  timespec time{};
  CHECK(::clock_gettime(clock, &time) == 0);
  return std::chrono::seconds(time.tv_sec) + Span(time.tv_nsec);
}

}  // namespace

Span steady_now() { return read_clock(CLOCK_MONOTONIC); }
Span cpu_of_thread() { return read_clock(CLOCK_THREAD_CPUTIME_ID); }
Span cpu_of_process() { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }

Span Spans::sum() const { return std::accumulate(spans_.begin(), spans_.end(), Span(0)); }

double Spans::ms(double share) const {
  if (spans_.empty()) return 0;
  std::vector<Span> sorted = spans_;
  std::ranges::sort(sorted);
  const double rank = std::ceil(share * static_cast<double>(sorted.size()));
  const auto at = std::min(sorted.size(), std::max<std::size_t>(1, static_cast<std::size_t>(rank))) - 1;
  return std::chrono::duration<double, std::milli>(sorted[at]).count();
}

double median(std::vector<double> values) {
  CHECK(!values.empty());
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

Figure::Figure(std::string_view bench) : line_("{") { text("bench", bench); }

Figure& Figure::text(std::string_view name, std::string_view value) {
  this->name(name);
  append_json_text(line_, value);
  return *this;
}

Figure& Figure::integer(std::string_view name, std::int64_t value) {
  this->name(name);
  line_ += std::to_string(value);
  return *this;
}

Figure& Figure::number(std::string_view name, double value) {
  this->name(name);
  char digits[32];
  const int places = value >= 100 ? 0 : value >= 1 ? 2 : 4;
  line_.append(digits, static_cast<std::size_t>(std::snprintf(digits, sizeof digits, "%.*f", places, value)));
  return *this;
}

Figure& Figure::spans(const Spans& spans) {
  return number("p50_ms", spans.ms(0.5)).number("p99_ms", spans.ms(0.99)).number("longest_ms", spans.ms(1));
}

void Figure::print() const {
  std::printf("%s}\n", line_.c_str());
  std::fflush(stdout);
}

void Figure::name(std::string_view name) {
  if (line_.size() > 1) line_ += ',';
  append_json_text(line_, name);
  line_ += ':';
}

std::int64_t number_given(int count, char** arguments, std::string_view flag, std::int64_t fallback) {
  for (int i = 1; i + 1 < count; ++i) {
    if (arguments[i] == flag) return std::atoll(arguments[i + 1]);
  }
  return fallback;
}

}  // namespace gavel::bench
