#include "base/random.h"

#include "base/check.h"

namespace gavel {

Random Random::from_system() {
  std::random_device device;
  const std::uint64_t high = device();
  return Random((high << 32) | device());
}

std::uint64_t Random::below(std::uint64_t bound) {
  CHECK(bound > 0);
  const std::uint64_t biased =
      (0 - bound) % bound;  // 2^64 mod bound: values below it would favour small results.
  while (true) {
    const std::uint64_t value = next();
    if (value >= biased) return value % bound;
  }
}

}  // namespace gavel
