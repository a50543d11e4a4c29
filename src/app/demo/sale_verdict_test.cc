#include "app/demo/sale_verdict.h"

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/cli/progress.h"
#include "app/cli/subcommand.h"

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
  sale.run.took = Duration(1250);
  for (int i = 1; i <= 7; ++i) sale.run.latencies.emplace_back(i);
  sale.mode = "gated";
  sale.seen.stock = SaleSeen::Stock{0, 2, 0};
  sale.seen.left_at_gate = 0;
  sale.seen.orders = {{"o1", "u1", "held"}, {"o2", "u2", "held"}};
  sale.seen.audit.flows = 1234;
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
       {"requests that were answered with an order: 3, and it must be 2",
        "orders found again by their id: 2, and it must be 3"}},
      {"an order too few",
       [](Sale& sale) { sale.run.results[1].first = refused("sold_out"); },
       {"requests that were answered with an order: 1, and it must be 2",
        "orders found again by their id: 2, and it must be 1",
        "order o2 is held and of user u2 in the database, which is not what was answered"}},
      {"one id for two",
       [](Sale& sale) {
         sale.run.results[1].first = order("o1", "u2");
         sale.seen.orders[1] = {"o1", "u2", "held"};
       },
       {"different order ids in the answers: 1, and it must be 2",
        "order o1 is held and of user u1 in the database, which is not what was answered"}},
      {"one user with two",
       [](Sale& sale) {
         sale.run.results[1].first = refused("sold_out");
         sale.run.results[4].first = order("o2", "u1");
         sale.seen.orders[1].user = "u1";
       },
       {"users with two orders: 1, and it must be 0"}},
      {"an answer that no sale gives",
       [](Sale& sale) { sale.run.results[3].first = refused("not_open"); },
       {"requests answered not_open: 1, and it must be 0"}},
      {"no answer of ours",
       [](Sale& sale) {
         sale.run.results[3].first = SaleReply();
         sale.run.results[3].first.status = 500;
       },
       {"requests answered status 500: 1, and it must be 0"}},
      {"an order of another user",
       [](Sale& sale) { sale.run.results[1].first.user = "u9"; },
       {"order o2 is of user u9, asked for by u2"}},
      {"a repeat that is answered otherwise",
       [](Sale& sale) { sale.run.results[2].again = order("o3", "u1"); },
       {"the repeat of key key-2 was answered 201, at first 409"}},
      {"a repeat that is judged anew",
       [](Sale& sale) { sale.run.results[0].again = order("o1", "u1"); },
       {"the repeat of key key-0 was not marked as replayed, though its first answer is recorded"}},
      {"a repeat with another order",
       [](Sale& sale) { sale.run.results[0].again = again(order("o3", "u1")); },
       {"the repeat of key key-0 names order o3, at first o1"}},
      {"a repeat with another body",
       [](Sale& sale) { sale.run.results[0].again->body = "other"; },
       {"the repeat of key key-0 has another body than at first"}},
      {"units gone",
       [](Sale& sale) { sale.seen.stock = SaleSeen::Stock{0, 1, 1}; },
       {"units reserved in the database: 1, and it must be 2",
        "units sold in the database: 1, and it must be 0"}},
      {"units left",
       [](Sale& sale) { sale.seen.stock->available = 1; },
       {"units left in the database: 1, and it must be 0", "units left at the gate: 0, and it must be 1"}},
      {"units left at the gate",
       [](Sale& sale) { sale.seen.left_at_gate = 1; },
       {"units left at the gate: 1, and it must be 0"}},
      {"a gate that shows nothing",
       [](Sale& sale) { sale.seen.left_at_gate.reset(); },
       {"the gate does not show the stock of the sale"}},
      {"a gate where there is to be none",
       [](Sale& sale) { sale.mode = "direct"; },
       {"the gate shows the stock of a sale that is not gated"}},
      {"no stock", [](Sale& sale) { sale.seen.stock.reset(); }, {"the stock of the sale is not listed"}},
      {"an order in another state",
       [](Sale& sale) { sale.seen.orders[0].state = "expired"; },
       {"order o1 is expired and of user u1 in the database, which is not what was answered"}},
      {"findings",
       [](Sale& sale) { sale.seen.audit.findings_total = 3; },
       {"findings of verify: 3, and it must be 0"}},
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
  EXPECT_EQ(verdict_text(right_sale(), {}, Ink::plain),
            "  requests              5 requests by 3 users for 2 units, over 2 connections\n"
            "  speed                 1.25 s, 5 a second, p50 4 ms, p99 7 ms\n"
            "  retries               2 requests sent twice with the same key, answered alike\n"
            "  orders                2 of 2\n"
            "  other answers         2 limit_reached, 1 sold_out\n"
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
  sale.seen.left_at_gate.reset();
  EXPECT_EQ(deviations_of(sale), std::vector<std::string>());
  const std::string text = verdict_text(sale, {}, Ink::plain);
  EXPECT_TRUE(text.contains("\n  left                  database 0\n")) << text;
  EXPECT_TRUE(verdict_json(sale, {}).contains(R"("mode":"direct","available":0)"));
}

TEST(SaleVerdict, FailureForPeople) {
  Sale sale = right_sale();
  sale.run.busy = 1200;
  sale.run.lost = 1;
  sale.seen.audit.findings_total = 1;
  const std::string text = verdict_text(sale, deviations_of(sale), Ink::colour);
  EXPECT_TRUE(text.contains("answered alike; 1,200 told to come later, 0 unknown, 1 lost, all asked again\n"))
      << text;
  EXPECT_TRUE(text.contains("  verify                1 finding\n")) << text;
  EXPECT_TRUE(text.contains("  WRONG                 findings of verify: 1, and it must be 0\n")) << text;
  EXPECT_TRUE(text.ends_with("\n  \033[1;31mFAILED: 1 deviation.\033[0m\n")) << text;
}

TEST(SaleVerdict, ForPrograms) {
  EXPECT_EQ(
      verdict_json(right_sale(), {"a \"quoted\" one"}),
      R"({"event":"verdict","passed":false,"users":3,"units":2,"requests":5,"seed":7,"connections":2,)"
      R"("took_ms":1250,"per_second":5,"p50_ms":4,"p99_ms":7,"repeats":2,"busy":0,"unknown":0,"lost":0,)"
      R"("orders":2,"orders_expected":2,"users_with_two":0,"mode":"gated","left_at_gate":0,)"
      R"("available":0,"reserved":2,"verify_findings":0,)"
      R"("other_answers":{"limit_reached":2,"sold_out":1},"deviations":["a \"quoted\" one"]})");
}

TEST(SaleRun, Replies) {
  HttpAnswer answer{
      201, {{"idempotency-replayed", "true"}}, R"({"code":"reserved","order":"o1","user":"u1"})"};
  SaleReply reply = read_reply(answer);
  EXPECT_EQ(reply.order + reply.user + reply.outcome, "o1u1reserved");
  EXPECT_TRUE(reply.recorded && reply.replayed && is_final(reply));
  // limit_reached names the user's other order, which is none that this request made.
  answer = HttpAnswer{409, {}, R"({"code":"limit_reached","order":"o1","recorded":true})"};
  reply = read_reply(answer);
  EXPECT_EQ(reply.order, "");
  EXPECT_TRUE(reply.recorded && !reply.replayed && is_final(reply));
  answer.body = R"({"code":"sold_out","recorded":false})";
  EXPECT_FALSE(read_reply(answer).recorded);
  answer.body = R"({"code":"key_in_flight"})";
  EXPECT_FALSE(is_final(read_reply(answer)));
  answer.body = "no JSON";
  EXPECT_TRUE(is_final(read_reply(answer)));
  for (const unsigned status : {503U, 504U, 429U}) {
    answer.status = status;
    EXPECT_FALSE(is_final(read_reply(answer))) << status;
  }
}

TEST(Percentile, NearestRank) {
  const auto of = [](const std::vector<int>& values, int percent) {
    std::vector<Duration> durations;
    for (const int value : values) durations.emplace_back(value);
    return percentile(durations, percent).count();
  };
  EXPECT_EQ(of({}, 50), 0);
  EXPECT_EQ(of({9}, 50), 9);
  EXPECT_EQ(of({9}, 99), 9);
  EXPECT_EQ(of({4, 1, 3, 2}, 50), 2);
  EXPECT_EQ(of({4, 1, 3, 2}, 75), 3);
  EXPECT_EQ(of({4, 1, 3, 2}, 76), 4);
  EXPECT_EQ(of({4, 1, 3, 2}, 100), 4);
}

TEST(Progress, Bar) {
  EXPECT_EQ(bar_of(0, 100, 4), "░░░░");
  EXPECT_EQ(bar_of(49, 100, 4), "█░░░");
  EXPECT_EQ(bar_of(99, 100, 4), "███░");
  EXPECT_EQ(bar_of(100, 100, 4), "████");
  EXPECT_EQ(bar_of(200, 100, 4), "████");
  EXPECT_EQ(bar_of(0, 0, 4), "████");
}

TEST(WithCommas, Everywhere) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(1234567), "1,234,567");
  EXPECT_EQ(with_commas(-999), "-999");
  EXPECT_EQ(with_commas(-123456), "-123,456");
}

}  // namespace
}  // namespace gavel::app
