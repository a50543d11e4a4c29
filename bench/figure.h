// Figure: one result of a benchmark, printed as one line of JSON; and the spans of time that it is made of.
//
//   {"bench":"judge","batch":1000,"orders_per_second":78012,"p50_ms":11.9,"verify":"clean"}
//
// For the programs of bench/ alone. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gavel::bench {

using Span = std::chrono::nanoseconds;

// The machine's own clocks: what is measured here is real time, never a simulated one.
Span steady_now();
Span cpu_of_thread();
Span cpu_of_process();

class Spans {
 public:
  void add(Span span) { spans_.push_back(span); }
  void add(const Spans& others) { spans_.insert(spans_.end(), others.spans_.begin(), others.spans_.end()); }
  std::size_t size() const { return spans_.size(); }
  Span sum() const;
  // The span that a share of all do not exceed, in milliseconds; 1 is the longest. 0 where there are none.
  double ms(double share) const;

 private:
  std::vector<Span> spans_;
};

double median(std::vector<double> values);

class Figure {
 public:
  explicit Figure(std::string_view bench);
  Figure& text(std::string_view name, std::string_view value);
  Figure& integer(std::string_view name, std::int64_t value);
  Figure& number(std::string_view name, double value);  // With three significant digits or more.
  Figure& spans(const Spans& spans);                    // p50_ms, p99_ms and longest_ms
  void print() const;

 private:
  void name(std::string_view name);
  std::string line_;
};

// The number behind `flag` ("--turns") on the command line, else `fallback`.
std::int64_t number_given(int count, char** arguments, std::string_view flag, std::int64_t fallback);

}  // namespace gavel::bench
