// Responses as people see them, whole.
#include "app/cli/response_text.h"

#include <gtest/gtest.h>

namespace gavel::app {
namespace {

std::string text(ResponseLayout layout, const std::string& body) {
  const auto text = text_of_response(layout, body);
  return text ? *text : "error: " + text.error().message;
}

const std::string order =
    R"({"id":"o1","state":"held","user":"ann","activity":"drop","lines":[{"sku":"tee","quantity":3,"returned":1,"shipped":2,)"
    R"("taken":[{"warehouse":"main","bucket":0,"quantity":2},{"warehouse":"main","bucket":1,"quantity":1}]}],)"
    R"("created_at":"2026-11-29T21:42:29.725Z","expires_at":"2026-11-29T21:57:29.725Z"})";

TEST(ResponseText, Results) {
  EXPECT_EQ(text(ResponseLayout::result,
                 R"({"code":"received","sku":"tee","quantity":3,"at":"2026-11-29T21:42:29.684Z"})"),
            "received: sku tee, quantity 3, at 2026-11-29T21:42:29.684Z");
  EXPECT_EQ(text(ResponseLayout::result,
                 R"({"code":"refunded","order":"o1","lines":[{"sku":"tee","quantity":3}]})"),
            "refunded: order o1, lines tee 3");
}

TEST(ResponseText, Stock) {
  EXPECT_EQ(
      text(
          ResponseLayout::stock,
          R"({"stock":[{"sku":"tee","warehouse":"main","lot":"","pool":"-","available":1000,"reserved":0,"sold":7,"shipped":5,)"
          R"("shortage":0,"version":2,"generation":2},{"sku":"teapot","warehouse":"main","lot":"","pool":"drop","available":0,)"
          R"("reserved":1,"sold":1,"shipped":0,"shortage":2,"version":6,"generation":3}],"next":"7","source":"judge","age_ms":0})"),
      "SKU     WAREHOUSE  POOL  AVAILABLE  RESERVED  SOLD  SHIPPED  SHORT  VERSION\n"
      "tee     main       -          1000         0     7        5      0        2\n"
      "teapot  main       drop          0         1     1        0      2        6\n"
      "from the judge, 0 ms old\n"
      "more: rerun with --cursor 7");
}

TEST(ResponseText, Orders) {
  EXPECT_EQ(text(ResponseLayout::order, order),
            "order o1, held, of user ann, activity drop\n"
            "created 2026-11-29T21:42:29.725Z\n"
            "held until 2026-11-29T21:57:29.725Z\n"
            "SKU  QUANTITY  RETURNED  SHIPPED  FROM\n"
            "tee         3         1        2  main/0 2, main/1 1");
  EXPECT_EQ(text(ResponseLayout::orders,
                 R"({"orders":[)" + order + R"(],"next":"o1","lag_batches":2,"lag_ms":70})"),
            "ORDER  STATE  CREATED                   ACTIVITY  LINES\n"
            "o1     held   2026-11-29T21:42:29.725Z  drop      tee 3 (1 returned) (2 shipped)\n"
            "more: rerun with --cursor o1\n"
            "incomplete: the index of orders is 2 batches (70 ms) behind");
  EXPECT_EQ(text(ResponseLayout::orders, R"({"orders":[],"lag_batches":0,"lag_ms":0})"),
            "ORDER  STATE  CREATED  ACTIVITY  LINES");
}

TEST(ResponseText, Activities) {
  const std::string sale =
      R"({"id":"drop","name":"Friday\u001b[2J\u202e\u2066","state":"open","lines":[{"sku":"tee","warehouse":"main","allotment":5}],)"
      R"("limit_per_user":1,"mode":"direct"})";
  const std::string table =
      "ACTIVITY  STATE  ALLOTTED  PER USER  OPENS  CLOSES  NAME\n"
      "drop      open   tee 5            1                 Friday\\u001b[2J\\u202e\\u2066";
  EXPECT_EQ(text(ResponseLayout::activity, sale), table) << "what a terminal would interpret is escaped";
  EXPECT_EQ(text(ResponseLayout::activities, R"({"activities":[)" + sale + "]}"), table);
}

// Names are as wide as a terminal shows them, and a cursor is a word that the shell gives back.
TEST(ResponseText, NamesAsShopsHaveThem_E27) {
  const auto row = [](const std::string& sku) {
    return R"({"sku":")" + sku +
           R"(","warehouse":"main","lot":"","pool":"-","available":1,"reserved":0,"sold":0,"shipped":0,"shortage":0,"version":1,"generation":1})";
  };
  EXPECT_EQ(text(ResponseLayout::stock, R"({"stock":[)" + row("手机壳") + "," + row("24\\\" é") + "," +
                                            row("a\\u202eb") +
                                            R"(],"next":"it's \u202e","source":"judge","age_ms":0})"),
            "SKU       WAREHOUSE  POOL  AVAILABLE  RESERVED  SOLD  SHIPPED  SHORT  VERSION\n"
            "手机壳    main       -             1         0     0        0      0        1\n"
            "24\" é     main       -             1         0     0        0      0        1\n"
            "a\\u202eb  main       -             1         0     0        0      0        1\n"
            "from the judge, 0 ms old\n"
            "more: rerun with --cursor $'it\\'s \\u202e'");
}

TEST(ResponseText, TheGate) {
  EXPECT_EQ(
      text(ResponseLayout::gate,
           R"({"gate":[{"sku":"tee","pool":"-","mode":"gated","available":5,"left_at_gate":2,"buckets":[)"
           R"({"bucket":0,"available":3,"seq":7,"at_gate":3,"held_at_gate":1,"seq_at_gate":7,)"
           R"("closed_at_gate":false},{"bucket":1,"available":2,"seq":4}]}]})"),
      "SKU  POOL  MODE   BUCKET  AVAILABLE  SEQ  AT GATE  HELD  SEQ AT GATE  CLOSED\n"
      "tee  -     gated       0          3    7  3        1     7            false\n"
      "tee  -     gated       1          2    4");
}

TEST(ResponseText, Traces) {
  const std::string trace =
      R"({"requests":[{"key":"k1","status":"done","code":"reserved","http_status":201,"at":"2026-11-29T21:42:29.725Z",)"
      R"("caller":"shop"}],"order":)" +
      order +
      R"(,"flows":[{"at":"2026-11-29T21:42:29.725Z","action":"reserve","sku":"tee","warehouse":"main","bucket":0,)"
      R"("quantity":2,"seq":2,"before":3,"after":1,"caller":"shop","key":"k1","source":"order","lane":1,"batch":5},)"
      R"({"at":"2026-11-29T21:57:29.725Z","action":"expire","sku":"tee","warehouse":"main","bucket":0,"quantity":2,)"
      R"("seq":3,"before":1,"after":3,"caller":"gavel","source":"hold_expired","lane":1,"batch":6}]})";
  const std::string shown = text(ResponseLayout::order, order) +
                            "\nAT                        WHAT     BY\n"
                            "2026-11-29T21:42:29.725Z  request  shop:k1  reserved\n"
                            "2026-11-29T21:42:29.725Z  ledger   shop:k1  reserve 2 tee at main/0, available "
                            "3 to 1 (seq 2, batch 1/5)\n"
                            "2026-11-29T21:57:29.725Z  ledger   gavel    expire 2 tee at main/0, available 1 "
                            "to 3 (seq 3, batch 1/6)";
  EXPECT_EQ(text(ResponseLayout::trace, trace), shown);
  EXPECT_EQ(text(ResponseLayout::trace,
                 R"({"traces":[)" + trace + "," + trace + R"(],"lag_batches":0,"lag_ms":0})"),
            shown + "\n\n" + shown);
  EXPECT_EQ(text(ResponseLayout::trace, R"({"traces":[],"lag_batches":0,"lag_ms":0})"), "no order");
}

TEST(ResponseText, WhatIsNoResponseIsReported) {
  for (const char* body : {"", "<html>", "[]", R"({"stock":7})"}) {
    EXPECT_TRUE(
        text(ResponseLayout::stock, body).starts_with("error: the response lacks a field or is not JSON: "))
        << body;
  }
}

}  // namespace
}  // namespace gavel::app
