#include "pipeline/keys_in_process.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace gavel::pipeline {
namespace {

using rules::Caller;
using rules::Command;
using rules::Line;
using rules::Quantity;
using rules::RequestKey;
using rules::SkuCode;
using rules::UserId;

rules::Lines lines_of(int count, std::int64_t units) {
  std::vector<Line> lines;
  for (int i = 0; i < count; ++i) lines.push_back({SkuCode("sku-" + std::to_string(i)), Quantity{units}});
  return rules::Lines(std::move(lines));
}

rules::Act order_of(const std::string& user, int lines, std::int64_t units) {
  return rules::Reserve{UserId(user), lines_of(lines, units), {}, {}};
}

// "entered", or the refusal.
std::string entered(KeysInProcess& keys, const std::string& caller, const rules::Act& act) {
  const auto entry = keys.enter(Command{Caller(caller), RequestKey("k"), rules::OrderId{}, act});
  return entry ? "entered" : to_text(entry.error());
}

TEST(KeysInProcess, TellAnotherContentFromTheSameOne_A9_E2_F006) {
  KeysInProcess keys;
  EXPECT_EQ(entered(keys, "shop", order_of("ann", 1, 2)), "entered");
  EXPECT_EQ(entered(keys, "shop", order_of("ann", 1, 2)), "key_in_flight");
  EXPECT_EQ(entered(keys, "shop", order_of("bob", 1, 2)), "key_reused field=user");
  EXPECT_EQ(entered(keys, "shop", order_of("bob", 2, 1)), "key_reused field=user field=lines");
  EXPECT_EQ(entered(keys, "shop", rules::Receive{SkuCode("tee"), Quantity{1}}),
            "key_reused field=act field=user field=lines field=sku field=quantity");
  EXPECT_EQ(entered(keys, "operator", order_of("bob", 1, 2)), "entered") << "keys belong to the caller";
}

TEST(KeysInProcess, LinesInAnotherOrderAreTheSameContent) {
  KeysInProcess keys;
  const auto order = [](std::vector<Line> lines) {
    return rules::Reserve{UserId("ann"), rules::Lines(std::move(lines)), {}, {}};
  };
  const Line tee{SkuCode("tee"), Quantity{1}};
  const Line cup{SkuCode("cup"), Quantity{2}};
  EXPECT_EQ(entered(keys, "shop", order({tee, cup})), "entered");
  EXPECT_EQ(entered(keys, "shop", order({cup, tee})), "key_in_flight");
}

TEST(KeysInProcess, OfALongContentTheDifferenceIsNotNamed) {
  KeysInProcess keys;
  EXPECT_EQ(entered(keys, "shop", order_of("ann", 100, 1)), "entered");
  EXPECT_EQ(entered(keys, "shop", order_of("ann", 100, 1)), "key_in_flight");
  EXPECT_EQ(entered(keys, "shop", order_of("ann", 100, 2)), "key_reused");
  EXPECT_EQ(entered(keys, "shop", order_of("ann", 1, 1)), "key_reused");
}

TEST(KeysInProcess, AKeyThatIsLeftIsFreeForAnything) {
  KeysInProcess keys;
  const rules::RequestId id(Caller("shop"), RequestKey("k"));
  const auto entry = keys.enter(Command{id.first, id.second, rules::OrderId{}, order_of("ann", 1, 1)});
  ASSERT_TRUE(entry);
  EXPECT_TRUE(keys.contains(id));
  keys.leave(*entry);
  EXPECT_FALSE(keys.contains(id));
  EXPECT_EQ(entered(keys, "shop", order_of("bob", 1, 1)), "entered");
}

}  // namespace
}  // namespace gavel::pipeline
