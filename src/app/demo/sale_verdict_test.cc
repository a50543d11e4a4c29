#include "app/demo/sale_verdict.h"

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace gavel::app {
namespace {

SaleReply order(const std::string& id, const std::string& user) {
  return SaleReply{
      .status = 201, .outcome = "reserved", .order = id, .user = user, .recorded = true, .body = id};
}

SaleReply refused(const std::string& outcome) {
  return SaleReply{
      .status = 409, .outcome = outcome, .order = "", .user = "", .recorded = true, .body = outcome};
}

SaleReply again(SaleReply reply) {
  reply.replayed = true;
  return reply;
}

// Three users, two units, five requests: u1 and u2 get one each, u1 asks twice more, u3 is too late.
Sale right_sale() {
  Sale sale;
  sale.size = SaleSize{.users = 3, .units = 2, .requests = 5, .seed = 7};
  sale.connections = 2;
  sale.plan.buyers = 3;
  for (const std::string user : {"u1", "u2", "u1", "u3", "u1"})
    sale.plan.requests.push_back({user, "key-" + std::to_string(sale.plan.requests.size()), false});
  sale.run.results = {{order("o1", "u1"), again(order("o1", "u1"))},
                      {order("o2", "u2"), {}},
                      {refused("limit_reached"), again(refused("limit_reached"))},
                      {refused("sold_out"), {}},
                      {refused("limit_reached"), {}}};
  sale.run.repeats = 2;
  sale.run.statistics.took = std::chrono::milliseconds(1250);
  for (int i = 1; i <= 7; ++i) sale.run.statistics.latencies.add(std::chrono::milliseconds(i));
  sale.mode = "gated";
  sale.reading.stock = StockCounts{0, 2, 0};
  sale.reading.left_at_gate = 0;
  sale.reading.orders = {{"o1", "u1", "held"}, {"o2", "u2", "held"}};
  sale.reading.audit.flows = 1234;
  return sale;
}

TEST(SaleVerdict, ARightSaleHasNoDeviation) {
  EXPECT_EQ(deviations_of(right_sale()), std::vector<std::string>());
}

struct Wrong {
  std::string what;
  std::function<void(Sale&)> spoil;
  std::vector<std::string> found;
};

// Each spoils one thing in a right sale; what cannot be found here is not checked.
// table: one row for each way in which a sale can be wrong.
std::vector<Wrong> wrongs() {
  return {
      {"an order too many",
       [](Sale& sale) { sale.run.results[3].first = order("o3", "u3"); },
       {"requests answered with an order: 3, expected 2", "orders found by their id: 2, expected 3"}},
      {"an order too few",
       [](Sale& sale) { sale.run.results[1].first = refused("sold_out"); },
       {"requests answered with an order: 1, expected 2", "orders found by their id: 2, expected 1",
        "order o2 is held and belongs to user u2 in the database, unlike in the response"}},
      {"one id for two",
       [](Sale& sale) {
         sale.run.results[1].first = order("o1", "u2");
         sale.reading.orders[1] = {"o1", "u2", "held"};
       },
       {"different order ids in the responses: 1, expected 2",
        "order o1 is held and belongs to user u1 in the database, unlike in the response"}},
      {"one user with two",
       [](Sale& sale) {
         sale.run.results[1].first = refused("sold_out");
         sale.run.results[4].first = order("o2", "u1");
         sale.reading.orders[1].user = "u1";
       },
       {"users with two orders: 1, expected 0"}},
      {"a response that no sale gives",
       [](Sale& sale) { sale.run.results[3].first = refused("not_open"); },
       {"requests answered not_open: 1, expected 0"}},
      {"no response of ours",
       [](Sale& sale) {
         sale.run.results[3].first = SaleReply();
         sale.run.results[3].first.status = 500;
       },
       {"requests answered status 500: 1, expected 0"}},
      {"an order of another user",
       [](Sale& sale) { sale.run.results[1].first.user = "u9"; },
       {"order o2 belongs to user u9, but user u2 requested it"}},
      {"a repeat that is answered otherwise",
       [](Sale& sale) { sale.run.results[2].again = order("o3", "u1"); },
       {"the repeat of key key-2 was answered with status 201, the first request with 409"}},
      {"a repeat that is judged anew",
       [](Sale& sale) { sale.run.results[0].again = order("o1", "u1"); },
       {"the repeat of key key-0 is not marked as replayed, although the first response is recorded"}},
      {"a repeat with another order",
       [](Sale& sale) { sale.run.results[0].again = again(order("o3", "u1")); },
       {"the repeat of key key-0 names order o3, the first response o1"}},
      {"a repeat with another body",
       [](Sale& sale) { sale.run.results[0].again->body = "other"; },
       {"the repeat of key key-0 has another body than the first response"}},
      {"units gone",
       [](Sale& sale) { sale.reading.stock = StockCounts{0, 1, 1}; },
       {"units reserved in the database: 1, expected 2", "units sold in the database: 1, expected 0"}},
      {"units left",
       [](Sale& sale) { sale.reading.stock->available = 1; },
       {"units left in the database: 1, expected 0", "units left at the gate: 0, expected 1"}},
      {"units left at the gate",
       [](Sale& sale) { sale.reading.left_at_gate = 1; },
       {"units left at the gate: 1, expected 0"}},
      {"a gate that shows nothing",
       [](Sale& sale) { sale.reading.left_at_gate.reset(); },
       {"the gate does not show the sale's stock"}},
      {"a gate where there is to be none",
       [](Sale& sale) { sale.mode = "direct"; },
       {"the gate shows the stock of a sale that is not gated"}},
      {"no stock", [](Sale& sale) { sale.reading.stock.reset(); }, {"the sale's stock is not listed"}},
      {"an order in another state",
       [](Sale& sale) { sale.reading.orders[0].state = "expired"; },
       {"order o1 is expired and belongs to user u1 in the database, unlike in the response"}},
      {"findings",
       [](Sale& sale) { sale.reading.audit.findings_total = 3; },
       {"findings of verify: 3, expected 0"}},
  };
}

TEST(SaleVerdict, EveryDeviationIsNamed) {
  for (const Wrong& wrong : wrongs()) {
    Sale sale = right_sale();
    wrong.spoil(sale);
    EXPECT_EQ(deviations_of(sale), wrong.found) << wrong.what;
  }
}

// A8: a refusal that is not recorded may be judged anew, and is no.
TEST(SaleVerdict, AnUnrecordedRefusalNeedNoReplay) {
  Sale sale = right_sale();
  sale.run.results[2].first.recorded = false;
  sale.run.results[2].again = refused("sold_out");
  EXPECT_EQ(deviations_of(sale), std::vector<std::string>());
}

TEST(SaleVerdict, ForPeople) {
  EXPECT_EQ(verdict_text(right_sale(), {}, ColourMode::plain),
            "  requests              5 requests by 3 users for 2 units, over 2 connections\n"
            "  speed                 1.25 s, 5 a second, p50 4.01 ms, p99 7.00 ms\n"
            "  retries               2 requests sent twice with the same key, answered alike\n"
            "  orders                2 of 2\n"
            "  other responses       2 limit_reached, 1 sold_out\n"
            "  left                  gate 0, database 0\n"
            "  reserved              2\n"
            "  users with two orders 0\n"
            "  verify                clean, 1,234 ledger entries\n"
            "\n"
            "  PASSED: every unit was sold, and none twice.\n");
}

TEST(SaleVerdict, WithoutAGate) {
  Sale sale = right_sale();
  sale.mode = "direct";
  sale.reading.left_at_gate.reset();
  EXPECT_EQ(deviations_of(sale), std::vector<std::string>());
  const std::string text = verdict_text(sale, {}, ColourMode::plain);
  EXPECT_TRUE(text.contains("\n  left                  database 0\n")) << text;
  EXPECT_TRUE(verdict_json(sale, {}).contains(R"("mode":"direct","available":0)"));
}

TEST(SaleVerdict, FailureForPeople) {
  Sale sale = right_sale();
  sale.run.statistics.busy = 1200;
  sale.run.statistics.lost = 1;
  sale.reading.audit.findings_total = 1;
  const std::string text = verdict_text(sale, deviations_of(sale), ColourMode::colour);
  EXPECT_TRUE(text.contains("answered alike; 1,200 busy, 0 unknown, 1 lost, all sent again\n")) << text;
  EXPECT_TRUE(text.contains("  verify                1 finding\n")) << text;
  EXPECT_TRUE(text.contains("  WRONG                 findings of verify: 1, expected 0\n")) << text;
  EXPECT_TRUE(text.ends_with("\n  \033[1;31mFAILED: 1 deviation.\033[0m\n")) << text;
}

TEST(SaleVerdict, ForPrograms) {
  EXPECT_EQ(
      verdict_json(right_sale(), {"a \"quoted\" one"}),
      R"({"event":"verdict","passed":false,"users":3,"units":2,"requests":5,"seed":7,"connections":2,)"
      R"("took_ms":1250,"per_second":5,"p50_ms":4.015,"p99_ms":7,"repeats":2,"busy":0,"unknown":0,"lost":0,)"
      R"("orders":2,"orders_expected":2,"users_with_two":0,"mode":"gated","left_at_gate":0,)"
      R"("available":0,"reserved":2,"verify_findings":0,)"
      R"("other_answers":{"limit_reached":2,"sold_out":1},"deviations":["a \"quoted\" one"]})");
}

}  // namespace
}  // namespace gavel::app
