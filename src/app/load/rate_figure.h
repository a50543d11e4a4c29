// Bench figure: what one rung of `gavel bench` came to, as a line of JSON, a row for people, or a picture.
//
// Pure; thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "app/load/open_loop.h"
#include "app/load/scenario_traffic.h"

namespace gavel::app {

struct BenchFigure {
  Scenario scenario = Scenario::sale;
  Rung rung;
  std::uint64_t seed = 0;
  Measured measured;
  std::int64_t orders = 0;  // That were made.
  std::string verify;       // "clean", or what is wrong: then the figure is none.

  double seconds() const;
  double answers_per_second() const;
  double orders_per_second() const;
  // Every request was sent and answered, at the rate of the schedule but for a twentieth.
  bool kept_up() const;
};

// {"bench":"sale","rate":1000,…,"verify":"clean"}
std::string json_of(const BenchFigure& figure);

// A head, and a row below it.
std::string bench_head();
std::string row_of(const BenchFigure& figure);

// Latencies over the rate of the schedule, both in doublings, as a whole SVG file that loads nothing. Rungs
// that did not keep up are hollow: their latencies are those of the requests that got through.
std::string svg_of(std::span<const BenchFigure> figures);

// The highest rate that was kept up with below which every rung kept up; 0 if none did.
std::int64_t knee_of(std::span<const BenchFigure> figures);

}  // namespace gavel::app
