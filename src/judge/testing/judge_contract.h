// The contract suite of the judge: what callers are promised, through Judge::apply, on every form of a store.
//
// A test program compiles judge_contract*.cc and judge_driver.cc, and instantiates JudgeContract with the
// forms it links.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "judge/testing/judge_driver.h"
#include "judge/testing/store_contract.h"

namespace gavel::judge {

class JudgeContract : public ::testing::TestWithParam<StoreForm> {
 protected:
  using Script = std::vector<std::pair<rules::Command, std::string>>;

  void SetUp() override;

  // Every test leaves books that the audit finds in order.
  void TearDown() override;

  // A SKU with so many buckets and units.
  void shop(const std::string& sku, std::int64_t units, std::int32_t buckets = 1);

  // Judges each command by itself and compares its verdict.
  void expect(const Script& script);

  std::string say(const rules::Command& command) { return court_->say(command); }
  std::string say_all(const std::vector<rules::Command>& commands) { return court_->say_all(commands); }

  // "tee: 3/2/0 | 1/0/0 g1": available, reserved, sold of each bucket and the generation; a line per stock
  // item.
  std::string stock(const std::string& sku);

  // A judge with other limits or another policy on the same store.
  void judge_with(JudgeLimits limits, rules::Policy policy = {});

  StoreClock& clock() { return world_->clock(); }
  Reader& reader() { return *reader_; }

 private:
  std::unique_ptr<StoreWorld> world_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Reader> reader_;
  std::unique_ptr<JudgeDriver> court_;
};

}  // namespace gavel::judge
