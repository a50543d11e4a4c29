#include "app/demo/sale_plan.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/random.h"
#include "base/uuid.h"

namespace gavel::app {
namespace {

// One request in so many is sent again.
constexpr std::uint64_t repeated_one_in = 20;

// One key in so many is no UUIDv7: Gavel keeps those in another table, and the sale is to show both.
constexpr std::uint64_t plain_key_one_in = 4;

std::string key_of(std::size_t number, Time now, Random& random) {
  if (random.chance(1, plain_key_one_in))
    return "cart-" + std::to_string(number) + "-" + std::to_string(random.next());
  return to_text(make_uuid7(now, random));
}

}  // namespace

SalePlan plan_sale(const SaleSize& size, Time now) {
  CHECK(size.users > 0 && size.units > 0 && size.requests > 0);
  Random random(size.seed);
  std::vector<std::int64_t> users;
  for (std::int64_t i = 0; i < size.requests; ++i) {
    // Everybody once, in turn; the rest as chance has it, so that some try much more often than others.
    const auto drawn = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(size.users)));
    users.push_back(i < size.users ? i : drawn);
  }
  for (std::size_t i = users.size(); i > 1; --i) std::swap(users[i - 1], users[random.below(i)]);
  SalePlan plan;
  for (std::size_t i = 0; i < users.size(); ++i) {
    std::string key = key_of(i, now, random);
    plan.requests.push_back(SalePlan::Request{"user-" + std::to_string(users[i]), std::move(key),
                                              random.chance(1, repeated_one_in)});
  }
  plan.buyers = std::min(size.users, size.requests);
  CHECK(static_cast<std::int64_t>(plan.requests.size()) == size.requests);
  return plan;
}

std::int64_t orders_expected(const SaleSize& size, const SalePlan& plan) {
  return std::min(size.units, plan.buyers);
}

}  // namespace gavel::app
