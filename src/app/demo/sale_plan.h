// SalePlan: who asks for what in the correctness sale (B14), drawn from one seed.
//
// Each request is one unit for one user under a key of its own. Every user asks at least once where there are
// requests enough; some requests are sent a second time with the same key, as clients do whose answer was
// lost. Pure: equal arguments make equal plans.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"

namespace gavel::app {

struct SaleSize {
  std::int64_t users = 1000;
  std::int64_t units = 100;
  std::int64_t requests = 5000;
  std::uint64_t seed = 1;
};

struct SalePlan {
  struct Request {
    std::string user;
    std::string key;
    bool repeated;  // Sent again after its answer.
  };
  std::vector<Request> requests;  // In the order in which they are sent.
  std::int64_t buyers = 0;        // How many different users ask.
};

// `now` goes into the keys of version 7, which are refused when they are old.
SalePlan plan_sale(const SaleSize& size, Time now);

// How many orders a right sale makes where nobody may have two: no more than units, no more than buyers.
std::int64_t orders_expected(const SaleSize& size, const SalePlan& plan);

}  // namespace gavel::app
