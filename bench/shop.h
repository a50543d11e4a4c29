// Shop: one SKU with more stock than is ever sold, and the orders that arrive for it.
//
// An order is of one unit, by a user who is new each time, under a UUIDv7 key that is made as it is sent, as
// a client would. For the programs of bench/ alone. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "judge/judge.h"
#include "judge/reader.h"
#include "judge/store.h"
#include "ops/log.h"
#include "rules/command.h"

namespace gavel::bench {

inline constexpr const char* sku_code = "tee";
inline constexpr const char* activity_code = "drop";
inline constexpr std::int64_t stock_units = 1'000'000'000;

enum class Limit : std::uint8_t { none, per_user };

class Orders {
 public:
  Orders(Limit limit, std::uint64_t seed) : limit_(limit), random_(seed) {}

  // Orders of so many users, with keys of the time `now`.
  std::vector<rules::Command> next(std::size_t count, Time now);
  rules::Command next(Time now);

 private:
  const Limit limit_;
  Random random_;
};

// A command of the caller "bench" under a key of its own.
rules::Command command_of(const std::string& key, rules::Act act);

// The judge over a store, with the shop's SKU and, with a limit, an open activity of one unit per user.
class Bench {
 public:
  Bench(judge::Store& store, Limit limit);
  std::vector<rules::Verdict> apply(const std::vector<rules::Command>& commands);  // CHECKs that it works.

 private:
  std::unique_ptr<Log> log_ = Log::silent();
  judge::Judge judge_;
};

// What an audit says: "clean", or the first thing that it found wrong.
struct Audited {
  std::string verify;
  std::int64_t orders = 0;
};
Audited audited(judge::TablesReader& reader);

}  // namespace gavel::bench
