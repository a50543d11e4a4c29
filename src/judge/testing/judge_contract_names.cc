// Names as shops have them, on every form of a store.
#include <algorithm>
#include <iterator>
#include <string>

#include "judge/testing/judge_contract.h"

namespace gavel::judge {

// SKU, activity and user in one, each act with it, and books that the audit finds in order afterwards.
TEST_P(JudgeContract, NamesAsShopsHaveThem_E27_F021) {
  const std::string names[] = {"24\" / 61 cm, 100%", "Größe*2,tee", "手机壳 📱",
                               "ann;lines=tee*1",    "a=b;sku=tee", std::string(125, 'x') + "汉"};
  shop("tee", 9);
  int number = 0;
  for (const std::string& name : names) {
    ++number;
    const auto key = [&](const std::string& act) { return act + "/" + std::to_string(number) + "?;=*,%"; };
    const auto said = [&](const rules::Command& command) {
      return say(command).substr(0, say(command).find(' '));
    };
    EXPECT_EQ(said(put_sku(key("put"), name, 2)), "created");
    EXPECT_EQ(said(receive(key("in"), name, 9)), "received");
    EXPECT_EQ(said(create_activity(key("make"), name, {{name, 5}}, {.limit = 4})), "created");
    EXPECT_EQ(said(open_activity(key("open"), name)), "opened");
    EXPECT_EQ(said(reserve(key("free"), name, {{name, 2}, {"tee", 1}})), "reserved");
    EXPECT_EQ(said(change(key("less"), order_of(key("free")), {{name, 1}, {"tee", 1}})), "changed");
    EXPECT_EQ(said(reserve(key("sale"), name, {{name, 3}}, {.activity = name})), "reserved");
    EXPECT_EQ(say(reserve(key("more"), name, {{name, 2}}, {.activity = name})),
              "limit_reached sku=" + name + " allowed=4 claimed=3 claimed_by=#" + key("sale"));
    EXPECT_EQ(said(confirm(key("pay"), order_of(key("sale")), {{name, 2}})), "confirmed");
    EXPECT_EQ(said(refund(key("back"), order_of(key("sale")), {{name, 1}})), "refunded");
    EXPECT_EQ(said(cancel(key("leave"), order_of(key("free")))), "cancelled");
    EXPECT_EQ(said(adjust(key("lost"), name, -1)), "adjusted");
    EXPECT_EQ(said(close_activity(key("close"), name)), "closed");
    EXPECT_EQ(reader().stock(rules::SkuCode(name)).value()->at(1).pool, name);
  }
  const std::vector<rules::Activity> activities = reader().activities(std::nullopt, 100).value();
  ASSERT_EQ(activities.size(), std::size(names));
  EXPECT_TRUE(std::ranges::is_sorted(activities, {}, &rules::Activity::code))
      << "by their bytes, in every store";
}

}  // namespace gavel::judge
