// Bench stock: the SKU of one rung of `gavel bench`, and whether what came of it is right.
//
// Over HTTP like any operator's tool; blocks; one thread. Every error is one line.
#pragma once

#include <cstdint>
#include <string>

#include "base/random.h"
#include "base/result.h"

namespace gavel::app {

// Where the load goes.
struct BenchTarget {
  std::string shop;       // The shop's address.
  std::string operators;  // The operators' address,
  std::string key;        // and their key.
};

struct BenchStock {
  std::string sku;  // Of this rung alone.
  std::int64_t units = 0;
};

// What the load knows when its rung is over.
struct BenchCount {
  enum class Units : std::uint8_t { stay_taken, come_back };  // Mixed cancels, and lets holds expire.

  std::int64_t orders = 0;    // That were acknowledged.
  std::int64_t doubtful = 0;  // Requests without a final answer, of which each may have been done.
  Units units = Units::stay_taken;
  std::string unheard = {};  // What one answered that is not this server's shop (bench_traffic.h).
};

Result<BenchStock> stock_up(const BenchTarget& target, std::int64_t units, Random& random);

// "clean", or what is wrong: first the count of this SKU, then everything against the ledger. An error where
// the load went to another server.
Result<std::string> verify_of(const BenchTarget& target, const BenchStock& stock, const BenchCount& count);

// What is wrong with `taken` units of stock, or nothing. Pure.
std::string wrong_in(const BenchCount& count, std::int64_t taken);

}  // namespace gavel::app
