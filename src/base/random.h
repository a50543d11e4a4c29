// Random: a seeded source of numbers, the same on every machine for the same seed.
//
// It is the only source of randomness in Gavel's logic, so that a seed repeats a run. The numbers are for
// ids, random pauses and tests; they are not secret. Not thread-safe: every thread owns its own.
#pragma once

#include <cstdint>
#include <random>

namespace gavel {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  // A Random whose seed comes from the operating system.
  static Random from_system();

  std::uint64_t next() { return engine_(); }

  // Uniform in [0, bound); bound is at least 1.
  std::uint64_t below(std::uint64_t bound);

  // True with the probability numerator / denominator.
  bool chance(std::uint64_t numerator, std::uint64_t denominator) { return below(denominator) < numerator; }

 private:
  std::mt19937_64
      engine_;  // Its sequence is fixed by the C++ standard; std::uniform_int_distribution's is not.
};

}  // namespace gavel
