// What is promised of questions that follow an order or a list (B17), on every form of a store.
#include "judge/testing/judge_contract.h"

namespace gavel::judge {

using namespace std::chrono_literals;

namespace {

constexpr const char* uuid7_key = "01a3185c-5000-7000-8000-0000000000aa";

std::string said(const std::optional<Trace>& trace) {
  if (!trace) return "none";
  std::string text = std::string(rules::word(trace->view.order.state)) + "\n";
  for (const Trace::Step& step : trace->steps) {
    text += std::string(word(step.row.flow.action)) + " " + step.sku.text() + "@" + step.warehouse + "/" +
            std::to_string(step.row.flow.bucket) + " " + std::to_string(step.row.flow.quantity.units) + "\n";
  }
  for (const rules::IdempotencyRecord& request : trace->requests) {
    text += request.caller.text() + ":" + std::string(request.key.text()) + " " +
            std::string(rules::word(request.verdict.outcome)) + "\n";
  }
  return text;
}

}  // namespace

TEST_P(JudgeContract, ATraceIsTheChainOfAnOrder_B17) {
  shop("tee", 4, 2);
  shop("cup", 9);
  say(reserve("other", "bob", {{"cup", 1}}));
  say(reserve(uuid7_key, "ann", {{"tee", 3}, {"cup", 2}}));
  clock().advance(1s);
  rules::Command cancelled = by("operator", cancel("x1", order_of(uuid7_key)));
  cancelled.scope = rules::Scope::all;
  say(cancelled);
  say(confirm("late", order_of(uuid7_key)));  // Refused: it moves nothing.
  EXPECT_EQ(said(reader().trace(order_of(uuid7_key)).value()),
            "cancelled\n"
            "reserve cup@main/0 2\n"
            "reserve tee@main/0 2\n"
            "reserve tee@main/1 1\n"
            "cancel cup@main/0 2\n"
            "cancel tee@main/0 2\n"
            "cancel tee@main/1 1\n"
            "shop:01a3185c-5000-7000-8000-0000000000aa reserved\n"
            "operator:x1 cancelled\n");
  EXPECT_EQ(said(reader().trace(order_of("other")).value()),
            "held\nreserve cup@main/0 1\nshop:other reserved\n");
  EXPECT_EQ(said(reader().trace(order_of("nobody")).value()), "none");
}

// What nobody asked for has no request, and what was asked long ago is known by the ledger alone.
TEST_P(JudgeContract, ATraceOutlivesTheRequestsBehindIt_A28_B17) {
  shop("tee", 9);
  say_all({create_activity("create", "sale", {{"tee", 4}}), open_activity("open", "sale")});
  say_all({reserve("due", "bob", {{"tee", 1}}, {.hold = 1s}),
           reserve("a", "ann", {{"tee", 2}}, {.activity = "sale"}),
           change("more", order_of("a"), {{"tee", 3}}), confirm("pay", order_of("a"))});
  clock().advance(1s);
  say(expire(order_of("due")));
  EXPECT_EQ(said(reader().trace(order_of("due")).value()),
            "expired\nreserve tee@main/0 1\nexpire tee@main/0 1\nshop:due reserved\n");
  EXPECT_EQ(reader().order(order_of("a")).value()->activity, rules::ActivityCode("sale"));
  const std::string moved = "paid\nreserve tee@main/0 2\nreserve tee@main/0 1\nconfirm tee@main/0 3\n";
  EXPECT_EQ(said(reader().trace(order_of("a")).value()),
            moved + "shop:a reserved\nshop:more changed\nshop:pay confirmed\n");
  clock().advance(50h);
  say_all({forget("shop", "a"), forget("shop", "more")});
  EXPECT_EQ(said(reader().trace(order_of("a")).value()), moved + "shop:pay confirmed\n");
}

TEST_P(JudgeContract, ATraceOfARefusedOrderIsItsRefusal) {
  shop("tee", 0);
  say(reserve(uuid7_key, "ann", {{"tee", 3}}));
  EXPECT_EQ(said(reader().trace(order_of(uuid7_key)).value()),
            "refused\nshop:01a3185c-5000-7000-8000-0000000000aa sold_out\n");
}

TEST_P(JudgeContract, ActivitiesAreListedInPages) {
  shop("tee", 9);
  for (const char* code : {"b", "a", "d", "c"})
    say(create_activity(std::string("k") + code, code, {{"tee", 1}}));
  const auto page = [&](const std::optional<std::string>& after, std::size_t count) {
    std::string codes;
    const auto from = after ? std::optional(rules::ActivityCode(*after)) : std::nullopt;
    const std::vector<rules::Activity> activities = reader().activities(from, count).value();
    for (const rules::Activity& activity : activities) {
      codes += activity.code.text() + std::to_string(activity.lines.size()) + " ";
    }
    return codes;
  };
  EXPECT_EQ(page(std::nullopt, 2), "a1 b1 ");
  EXPECT_EQ(page("b", 2), "c1 d1 ");
  EXPECT_EQ(page("bb", 9), "c1 d1 ");  // A cursor need not exist.
  EXPECT_EQ(page("d", 2), "");
  EXPECT_EQ(page(std::nullopt, 9), "a1 b1 c1 d1 ");
}

}  // namespace gavel::judge
