#include "app/demo/sale_plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "app/demo/sale_run.h"
#include "base/strong.h"
#include "base/uuid.h"

namespace gavel::app {
namespace {

const Time today = *parse_time("2026-11-29T20:00:00Z");

std::string text_of(const SalePlan& plan) {
  std::string text;
  for (const SalePlan::Request& one : plan.requests)
    text += one.user + " " + one.key + (one.repeated ? " twice\n" : "\n");
  return text;
}

TEST(SalePlan, OneSeedIsOnePlan) {
  const SaleSize size{.users = 50, .units = 5, .requests = 200, .seed = 7};
  EXPECT_EQ(text_of(plan_sale(size, today)), text_of(plan_sale(size, today)));
  SaleSize other = size;
  other.seed = 8;
  EXPECT_NE(text_of(plan_sale(size, today)), text_of(plan_sale(other, today)));
}

TEST(SalePlan, TheCorrectnessRun) {
  const SalePlan plan = plan_sale(SaleSize{}, today);
  ASSERT_EQ(plan.requests.size(), 5000U);
  EXPECT_EQ(plan.buyers, 1000);
  std::set<std::string> keys;
  std::map<std::string, int> users;
  int repeated = 0;
  int version_7 = 0;
  for (const SalePlan::Request& one : plan.requests) {
    EXPECT_TRUE(is_code(one.key)) << one.key;
    EXPECT_TRUE(is_code(one.user)) << one.user;
    keys.insert(one.key);
    ++users[one.user];
    repeated += one.repeated ? 1 : 0;
    const auto uuid = parse_uuid(one.key);
    version_7 += uuid && is_version_7(*uuid) && time_of(*uuid) == today ? 1 : 0;
  }
  EXPECT_EQ(keys.size(), 5000U);
  EXPECT_EQ(users.size(), 1000U);
  EXPECT_GT(repeated, 150);
  EXPECT_LT(repeated, 350);
  EXPECT_EQ(exchanges_of(plan), 5000 + repeated);
  EXPECT_GT(version_7, 3500);
  EXPECT_LT(version_7, 4000);
}

TEST(SalePlan, WhatARightSaleMakes) {
  const auto expected = [](std::int64_t users, std::int64_t units, std::int64_t requests) {
    const SaleSize size{.users = users, .units = units, .requests = requests, .seed = 1};
    const SalePlan plan = plan_sale(size, today);
    std::set<std::string> buyers;
    for (const SalePlan::Request& one : plan.requests) buyers.insert(one.user);
    EXPECT_EQ(plan.buyers, static_cast<std::int64_t>(buyers.size()));
    return orders_expected(size, plan);
  };
  EXPECT_EQ(expected(1000, 100, 5000), 100);
  EXPECT_EQ(expected(50, 100, 5000), 50);  // Fewer users than units.
  EXPECT_EQ(expected(1000, 100, 60), 60);  // Fewer requests than units.
  EXPECT_EQ(expected(1, 1, 1), 1);
}

}  // namespace
}  // namespace gavel::app
