#include "rules/command.h"

#include <set>

#include <gtest/gtest.h>

#include "rules/world_test.h"

namespace gavel::rules {
namespace {

using std::chrono::seconds;

CreateActivity named(std::string name) {
  CreateActivity act = sale("sale", "tee*5").act;
  act.name = std::move(name);
  return act;
}

CreateActivity full_activity() {
  CreateActivity act =
      sale("sale", "tee*5 cap*1000000000000").limit(2).from(noon).until(noon + seconds(1)).act;
  act.lines[0].buckets = 4;
  act.hold = seconds(60);
  return act;
}

TEST(CommandTest, TheOrderThatIsMadeHasTheKeyForItsIdWhereThatIsAUuidOfVersion7) {
  World world;
  const std::string key = key_of(noon);
  const std::string version_4 = "00000000-0000-4000-8000-00000000000a";
  for (const std::string& other : {std::string("plain"), version_4}) {
    const Command command = world.command("shop", other, want("ann", "tee*1"));
    EXPECT_EQ(order_made_by(command), command.new_order_id) << other;
  }
  EXPECT_EQ(order_made_by(world.command("shop", key, want("ann", "tee*1"))), OrderId{*parse_uuid(key)});
  Command keyless = world.command("shop", key, want("ann", "tee*1"));
  keyless.key.reset();
  EXPECT_EQ(order_made_by(keyless), keyless.new_order_id);
}

TEST(CommandTest, TheContentOfEachAct) {
  const std::pair<Act, std::string> rows[] = {
      {want("ann", "tee*2"), "act=reserve;user=ann;lines=tee*2"},
      {want("ann", "tee*2 cap*1").in("sale").held_for(seconds(60)).at_once(),
       "act=reserve;user=ann;lines=cap*1,tee*2;activity=sale;hold_seconds=60;payment=none"},
      {confirm_of(1), "act=confirm;order=00000000-0000-4000-8000-000000000001"},
      {adjust_of("tee", -3, "water; damage\\"),
       "act=adjust;sku=tee;difference=-3;reason=water\\s damage\\\\"},
      {count_of("tee", 7, 12), "act=count;sku=tee;counted=7;version=12"},
      {confirm_of(1, "tee*1 cap*2 tee*1"),
       "act=confirm;order=00000000-0000-4000-8000-000000000001;lines=cap*2,tee*2"},
      {refund_of(1), "act=refund;order=00000000-0000-4000-8000-000000000001;restock=true"},
      {write_off_of(1, "tee*1 cap*2"),
       "act=refund;order=00000000-0000-4000-8000-000000000001;lines=cap*2,tee*1;restock=false"},
      {refund_from(RefundFrom::shelf, 1),
       "act=refund;order=00000000-0000-4000-8000-000000000001;restock=true;from=shelf"},
      {refund_from(RefundFrom::buyer, 1, "tee*1"),
       "act=refund;order=00000000-0000-4000-8000-000000000001;lines=tee*1;restock=true;from=buyer"},
      {ship_of(1), "act=ship;order=00000000-0000-4000-8000-000000000001"},
      {ship_of(1, "tee*1 cap*2"), "act=ship;order=00000000-0000-4000-8000-000000000001;lines=cap*2,tee*1"},
      {cancel_of(1), "act=cancel;order=00000000-0000-4000-8000-000000000001"},
      {extend_of(1), "act=extend;order=00000000-0000-4000-8000-000000000001"},
      {extend_of(1, seconds(90)), "act=extend;order=00000000-0000-4000-8000-000000000001;seconds=90"},
      {change_of(1, "tee*1 cap*2 tee*1"),
       "act=change;order=00000000-0000-4000-8000-000000000001;lines=cap*2,tee*2"},
      {forget_of("shop", "k1"), "act=forget;caller=shop;key=k1"},
      {expire_of(1), "act=expire;order=00000000-0000-4000-8000-000000000001"},
      {put("tee", 8), "act=put_sku;sku=tee;buckets=8"},
      {PutSku{SkuCode("tee")}, "act=put_sku;sku=tee"},
      {PutSku{SkuCode("tee"), 2, Mode::gated}, "act=put_sku;sku=tee;buckets=2;mode=gated"},
      {rebalance_of(ItemId{7}), "act=rebalance;item=7"},
      {change("sale", 4, Mode::service), "act=change_activity;activity=sale;buckets=4;mode=service"},
      {warming("sale"), "act=warm_activity;activity=sale"},
      {checking("sale"), "act=check_activity;activity=sale"},
      {receipt("tee", 1'000'000), "act=receive;sku=tee;quantity=1000000"},
      {named("Best; of \\all = "),
       "act=create_activity;activity=sale;name=Best\\s of \\\\all = ;lines=tee*5"},
      {full_activity(),
       "act=create_activity;activity=sale;name=a sale;lines=cap*1000000000000,tee*5/4;limit_per_user=2;"
       "opens_at=2026-11-29T12:00:00.000Z;closes_at=2026-11-29T12:00:01.000Z;hold_seconds=60"},
      {opening("sale"), "act=open_activity;activity=sale"},
      {closing("sale"), "act=close_activity;activity=sale"},
  };
  std::set<std::string> acts;
  for (const auto& [act, content] : rows) {
    EXPECT_EQ(fingerprint_of(act), content);
    EXPECT_TRUE(content.starts_with("act=" + std::string(word(act)) + ";")) << content;
    acts.insert(std::string(word(act)));
  }
  EXPECT_EQ(acts.size(), std::variant_size_v<Act>);
}

TEST(CommandTest, EqualRequestsHaveEqualContentWhateverTheOrderOfTheirLines) {
  const std::string content = fingerprint_of(want("ann", "cap*1 tee*6"));
  for (const char* lines : {"tee*6 cap*1", "tee*3 cap*1 tee*3", "tee*1 tee*2 cap*1 tee*3"}) {
    EXPECT_EQ(fingerprint_of(want("ann", lines)), content) << lines;
  }
  EXPECT_EQ(fingerprint_of(sale("sale", "tee*5 cap*1")), fingerprint_of(sale("sale", "cap*1 tee*5")));
}

TEST(CommandTest, DifferentRequestsHaveDifferentContents) {
  const Act rows[] = {want("ann", "tee*2"),
                      want("ann", "tee*3"),
                      want("ann", "cap*2"),
                      want("ann", "cap*1 tee*1"),
                      want("bob", "tee*2"),
                      want("ann", "tee*2").in("sale"),
                      want("ann", "tee*2").in("sail"),
                      want("ann", "tee*2").held_for(seconds(60)),
                      want("ann", "tee*2").held_for(seconds(61)),
                      want("ann", "tee*2").at_once(),
                      sale("sale", "tee*2"),
                      sale("sale", "tee*2").buckets(1),
                      sale("sale", "tee*2").buckets(2),
                      sale("sale", "tee*2").limit(60),
                      sale("sale", "tee*2").holding(seconds(60)),
                      sale("sale", "tee*2").from(noon),
                      sale("sale", "tee*2").until(noon),
                      confirm_of(1),
                      confirm_of(2),
                      cancel_of(1),
                      expire_of(1),
                      put("tee", 1),
                      put("tee", 2),
                      set_mode("tee", Mode::direct),
                      set_mode("tee", Mode::gated),
                      change("sale", 1),
                      change("sale", std::nullopt, Mode::gated),
                      change("sale", std::nullopt, Mode::direct),
                      receipt("tee", 1),
                      opening("sale"),
                      closing("sale")};
  std::set<std::string> contents;
  for (const Act& act : rows) EXPECT_TRUE(contents.insert(fingerprint_of(act)).second) << fingerprint_of(act);
}

TEST(CommandTest, FreeTextConfusesNoFields) {
  // Each of these would pass for another field, or for another of these names, if it were not escaped.
  const std::string names[] = {
      "",      ";",    "\\",       "\\s",  "\\\\s",       "\\;", ";;",
      "\\\\;", "a=b",  "a\nb",     "=",    ";=",          "s",   "sale;limit_per_user=9",
      "a;b=c", "a\\s", "a;lines=", "\\\\", "\xe4\xba\xba"};
  std::set<std::string> contents;
  for (const std::string& name : names) {
    const std::string content = fingerprint_of(named(name));
    EXPECT_TRUE(contents.insert(content).second) << content;
    EXPECT_EQ(differing_fields(content, content), std::vector<std::string>{}) << content;
    EXPECT_EQ(differing_fields(content, fingerprint_of(named("plain"))), std::vector<std::string>{"name"})
        << content;
    CreateActivity limited = named(name);
    limited.limit_per_user = Quantity{9};
    EXPECT_EQ(differing_fields(content, fingerprint_of(limited)), std::vector<std::string>{"limit_per_user"})
        << content;
  }
}

CreateActivity sale_of(const ActivityCode& activity, const std::string& name, const ActivityLine& line) {
  return {.activity = activity,
          .name = name,
          .lines = {line},
          .limit_per_user = {},
          .opens_at = {},
          .closes_at = {},
          .hold = {}};
}

TEST(CommandTest, CodesAreEscapedAndOldContentsStayAsTheyWere_E27) {
  const std::pair<std::string, std::string> rows[] = {
      {"azAZ09_.:-", "azAZ09_.:-"}, {";=*,/%", "%3B%3D%2A%2C%2F%25"},  {"a b|@+&\"\\", "a b|@+&\"\\"},
      {"Tür", "T%C3%BCr"},          {"汉😀", "%E6%B1%89%F0%9F%98%80"},
  };
  for (const auto& [code, text] : rows) EXPECT_EQ(escaped_code(code), text);
  const SkuCode cap("cap*1,te=e");
  const ActivityCode drop("1/2;x");
  Reserve reserve{.user = UserId("ann;lines=tee*9"), .lines = {}, .activity = drop, .hold = {}};
  reserve.lines = Lines({{cap, Quantity{2}}});
  const std::pair<Act, std::string> contents[] = {
      {reserve, "act=reserve;user=ann%3Blines%3Dtee%2A9;lines=cap%2A1%2Cte%3De*2;activity=1%2F2%3Bx"},
      {PutSku{cap}, "act=put_sku;sku=cap%2A1%2Cte%3De"},
      {Receive{cap, Quantity{1}}, "act=receive;sku=cap%2A1%2Cte%3De;quantity=1"},
      {Adjust{cap, Quantity{1}, "r"}, "act=adjust;sku=cap%2A1%2Cte%3De;difference=1;reason=r"},
      {Count{cap, Quantity{1}, 2}, "act=count;sku=cap%2A1%2Cte%3De;counted=1;version=2"},
      {sale_of(drop, "1/2", {cap, Quantity{5}, 4}),
       "act=create_activity;activity=1%2F2%3Bx;name=1/2;lines=cap%2A1%2Cte%3De*5/4"},
      {ChangeActivity{drop, 2}, "act=change_activity;activity=1%2F2%3Bx;buckets=2"},
      {OpenActivity{drop}, "act=open_activity;activity=1%2F2%3Bx"},
      {Forget{Caller("shop"), RequestKey("k;1")}, "act=forget;caller=shop;key=k%3B1"},
  };
  for (const auto& [act, content] : contents) EXPECT_EQ(fingerprint_of(act), content);
}

// Each pair would have one content, if codes stood in it as they are.
TEST(CommandTest, NoNameImitatesAnotherBody_E27) {
  const auto ordered = [](const std::string& user, std::vector<Line> lines,
                          const std::string& activity = "") {
    Reserve act{.user = UserId(user), .lines = Lines(std::move(lines)), .activity = {}, .hold = {}};
    if (!activity.empty()) act.activity = ActivityCode(activity);
    return Act(act);
  };
  const Line tee{SkuCode("tee"), Quantity{1}};
  const auto made = [](const std::string& sku, std::optional<std::int32_t> buckets) {
    return Act(sale_of(ActivityCode("sale"), "n", {SkuCode(sku), Quantity{5}, buckets}));
  };
  const std::pair<Act, Act> pairs[] = {
      {ordered("ann", {{SkuCode("cap"), Quantity{1}}, tee}),
       ordered("ann", {{SkuCode("cap*1,tee"), Quantity{1}}})},
      {ordered("ann", {tee}, "sale"), ordered("ann", {tee}, "sale;payment=none")},
      {ordered("ann;lines=tee*1", {tee}), ordered("ann", {tee})},
      {PutSku{SkuCode("tee"), 2}, PutSku{SkuCode("tee;buckets=2")}},
      {made("tee", 4), made("tee*5/4", std::nullopt)},
      {OpenActivity{ActivityCode("a%2Fb")}, OpenActivity{ActivityCode("a/b")}},
      {Receive{SkuCode("\xc3\xa9"), Quantity{1}}, Receive{SkuCode("%C3%A9"), Quantity{1}}},
  };
  for (const auto& [one, other] : pairs) {
    EXPECT_NE(fingerprint_of(one), fingerprint_of(other)) << fingerprint_of(one);
    EXPECT_NE(differing_fields(fingerprint_of(one), fingerprint_of(other)), std::vector<std::string>{});
  }
}

TEST(CommandTest, DifferingFieldsAreNamedInOrderOfAppearance) {
  using Names = std::vector<std::string>;
  const std::string full =
      fingerprint_of(want("ann", "tee*2").in("sale").held_for(std::chrono::seconds(60)).at_once());
  const std::tuple<std::string, std::string, Names> rows[] = {
      {full, full, {}},
      {full, fingerprint_of(want("ann", "tee*2")), {"activity", "hold_seconds", "payment"}},
      {fingerprint_of(want("ann", "tee*2")), full, {"activity", "hold_seconds", "payment"}},
      {full, fingerprint_of(want("bob", "tee*3")), {"user", "lines", "activity", "hold_seconds", "payment"}},
      {fingerprint_of(confirm_of(1)), fingerprint_of(cancel_of(1)), {"act"}},
      {fingerprint_of(confirm_of(1)), fingerprint_of(confirm_of(2)), {"order"}},
      {fingerprint_of(confirm_of(1)), fingerprint_of(put("tee")), {"act", "order", "sku", "buckets"}},
      {"", fingerprint_of(confirm_of(1)), {"act", "order"}},
      {"", "", {}},
  };
  for (const auto& [recorded, asked, names] : rows) {
    EXPECT_EQ(differing_fields(recorded, asked), names) << recorded << " against " << asked;
  }
}

}  // namespace
}  // namespace gavel::rules
