// What is answered to those who read, on every form of a store.
#include "queries/read_queries.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "judge/audit/audit.h"
#include "judge/order_index.h"
#include "judge/testing/judge_driver.h"
#include "judge/testing/memory_form.h"
#include "judge/testing/sqlite_form_test.h"
#include "queries/audit_queries.h"

namespace gavel::queries {
namespace {

using rules::SkuCode;
using rules::UserId;

constexpr const char* no_key = "nobody";

class ReadQueriesTest : public ::testing::TestWithParam<judge::StoreForm> {
 protected:
  void SetUp() override {
    world_ = GetParam().make();
    store_ = world_->open_store();
    reader_ = world_->open_reader();
    audit_reader_ = world_->open_reader();
    driver_ = std::make_unique<judge::JudgeDriver>(*store_);
    queries_ = std::make_unique<ReadQueries>(*reader_, *index_);
    audits_ = std::make_unique<AuditQueries>(*audit_reader_, 1);
    for (const char* sku : {"cap", "mug", "tee"}) {
      say(judge::put_sku(std::string("put-") + sku, sku), "created");
      say(judge::receive(std::string("in-") + sku, sku, 9), "received");
    }
  }

  void say(const rules::Command& command, const std::string& begins) {
    const std::string verdict = driver_->say(command);
    EXPECT_TRUE(verdict.starts_with(begins)) << verdict;
  }

  // "tee 1-0, cap 2-0": SKU, quantity and what has returned of it.
  static std::string parts_of(const OrderView& view) {
    std::string text;
    for (const OrderView::Part& part : view.parts) {
      text += (text.empty() ? "" : ", ") + part.sku.text() + " " + std::to_string(part.quantity.units) + "-" +
              std::to_string(part.returned.units);
    }
    return text;
  }

  std::string keys_of(const std::vector<OrderView>& orders) {
    std::string text;
    for (const OrderView& view : orders) text += (text.empty() ? "" : " ") + to_text(view.order.id.uuid);
    return driver_->by_keys(text);
  }

  static rules::RequestId request(const char* key) { return {rules::Caller("shop"), rules::RequestKey(key)}; }

  std::unique_ptr<judge::StoreWorld> world_;
  std::unique_ptr<judge::Store> store_;
  std::unique_ptr<judge::Reader> reader_;
  std::unique_ptr<judge::Reader> audit_reader_;
  std::unique_ptr<judge::JudgeDriver> driver_;
  const std::unique_ptr<judge::OrderIndex> index_ = judge::make_memory_order_index();
  std::unique_ptr<ReadQueries> queries_;
  std::unique_ptr<AuditQueries> audits_;
};

TEST_P(ReadQueriesTest, AnOrderIsShownWithItsParts) {
  say(judge::reserve("a", "ann", {{"tee", 2}, {"cap", 1}}), "reserved");
  say(judge::confirm("pay", judge::order_of("a")), "confirmed");
  say(judge::refund("back", judge::order_of("a"), {{"tee", 1}}), "refunded");
  const auto view = queries_->order(judge::order_of("a"), std::nullopt).value();
  ASSERT_TRUE(view);
  EXPECT_EQ(view->order.state, rules::OrderState::partly_refunded);
  EXPECT_EQ(parts_of(*view), "cap 1-0, tee 2-1");
  EXPECT_FALSE(queries_->order(judge::order_of(no_key), std::nullopt).value());
}

TEST_P(ReadQueriesTest, AnOrderIsShownToItsAccountAlone_A9_G002) {
  say(judge::reserve("a", "ann", {{"tee", 2}}), "reserved");
  EXPECT_TRUE(queries_->order(judge::order_of("a"), rules::Caller("shop")).value());
  EXPECT_FALSE(queries_->order(judge::order_of("a"), rules::Caller("web")).value());
  const auto listed = [&](const char* account) {
    return queries_->orders({.user = rules::UserId("ann"), .count = 9, .owner = rules::Caller(account)})
        ->orders.size();
  };
  EXPECT_EQ(listed("shop"), 1U);
  EXPECT_EQ(listed("web"), 0U);
}

TEST_P(ReadQueriesTest, AUsersOrdersComeInPages_B17) {
  say(judge::reserve("a", "ann", {{"tee", 1}}), "reserved");
  say(judge::reserve("b", "bob", {{"tee", 1}}), "reserved");
  say(judge::reserve("c", "ann", {{"cap", 1}}), "reserved");
  say(judge::reserve("d", "ann", {{"mug", 1}}), "reserved");
  std::string all;
  UserOrdersQuery query{.user = UserId("ann"), .count = 2};
  const OrdersPage first = queries_->orders(query).value();
  EXPECT_EQ(first.orders.size(), 2U);
  EXPECT_EQ(first.lag_batches, 0);
  ASSERT_TRUE(first.next);
  query.before = first.next;
  const OrdersPage last = queries_->orders(query).value();
  EXPECT_EQ(last.orders.size(), 1U);
  EXPECT_FALSE(last.next);
  const OrdersPage whole = queries_->orders({.user = UserId("ann"), .count = 9}).value();
  EXPECT_EQ(keys_of(whole.orders), keys_of(first.orders) + " " + keys_of(last.orders));
  const TracesPage traces = queries_->traces({.user = UserId("ann"), .count = 2}).value();
  ASSERT_EQ(traces.traces.size(), 2U);
  EXPECT_EQ(traces.traces[0].order->order.id, first.orders[0].order.id);
  EXPECT_EQ(traces.traces[0].steps.size(), 1U);
  EXPECT_EQ(traces.next, first.next);
}

TEST_P(ReadQueriesTest, StockIsSummedOverBucketsAndTheFirstUnknownSkuIsNamed) {
  say(judge::put_sku("wide", "tee", 3), "changed");
  say(judge::reserve("a", "ann", {{"tee", 4}}), "reserved");
  const StockOfSkus stock = queries_->stock({SkuCode("tee"), SkuCode("cap")}).value();
  ASSERT_EQ(stock.items.size(), 2U);
  EXPECT_FALSE(stock.unknown);
  EXPECT_EQ(stock.items[0].sum.available.units, 5);
  EXPECT_EQ(stock.items[0].sum.reserved.units, 4);
  EXPECT_EQ(queries_->stock({SkuCode("tee"), SkuCode("hat"), SkuCode("none")}).value().unknown,
            SkuCode("hat"));
}

TEST_P(ReadQueriesTest, ShortagesAndActivitiesComeInPages_E7) {
  for (const char* sku : {"cap", "mug", "tee"}) {
    say(judge::reserve(std::string("all-") + sku, "ann", {{sku, 9}}), "reserved");
    say(judge::adjust(std::string("lost-") + sku, sku, -1), "adjusted");
    say(judge::create_activity(std::string("make-") + sku, std::string("sale-") + sku, {{sku, 1}}),
        "created");
  }
  const ShortagesPage first = queries_->shortages({.count = 2}).value();
  ASSERT_EQ(first.items.size(), 2U);
  EXPECT_EQ(first.items[0].sum.shortage.units, 1);
  ASSERT_TRUE(first.next);
  const ShortagesPage last = queries_->shortages({.after = *first.next, .count = 2}).value();
  ASSERT_EQ(last.items.size(), 1U);
  EXPECT_EQ(last.items[0].sku, SkuCode("tee"));
  EXPECT_FALSE(last.next);
  const ActivitiesPage activities = queries_->activities({.count = 2}).value();
  ASSERT_EQ(activities.activities.size(), 2U);
  ASSERT_TRUE(activities.next);
  EXPECT_EQ(activities.next->text(), "sale-mug");
  EXPECT_EQ(queries_->activities({.after = activities.next, .count = 2}).value().activities.size(), 1U);
  EXPECT_TRUE(queries_->activity(rules::ActivityCode("sale-cap")).value());
  EXPECT_FALSE(queries_->activity(rules::ActivityCode("sale")).value());
}

TEST_P(ReadQueriesTest, ARequestIsTracedToItsOrderOrStandsAlone_B17) {
  say(judge::reserve("a", "ann", {{"tee", 1}}), "reserved");
  say(judge::confirm("pay", judge::order_of("a")), "confirmed");
  say(judge::reserve("no", "ann", {{"tee", 99}}), "insufficient");
  const TraceView paid = *queries_->trace(request("pay")).value();
  EXPECT_EQ(paid.order->order.id, judge::order_of("a"));
  EXPECT_EQ(paid.steps.size(), 2U);
  EXPECT_EQ(paid.requests.size(), 2U);
  EXPECT_EQ(queries_->trace(judge::order_of("a")).value()->steps.size(), 2U);
  const TraceView refused = *queries_->trace(request("no")).value();
  EXPECT_FALSE(refused.order);
  ASSERT_EQ(refused.requests.size(), 1U);
  EXPECT_EQ(refused.requests[0].verdict.outcome, rules::Outcome::insufficient);
  EXPECT_FALSE(queries_->trace(request(no_key)).value());
  EXPECT_FALSE(queries_->trace(judge::order_of(no_key)).value());
  EXPECT_TRUE(queries_->request(request("pay")).value());
  EXPECT_FALSE(queries_->request(request(no_key)).value());
}

TEST_P(ReadQueriesTest, AnAuditInStepsSaysWhatTheAuditSaysUntilItIsStopped_C3) {
  say(judge::reserve("a", "ann", {{"tee", 1}}), "reserved");
  const AuditView view = audits_->verify().value();
  const judge::AuditReport report = judge::audit(*reader_).value();
  EXPECT_EQ(view.findings_total, 0);
  EXPECT_EQ(view.flows, report.flows);
  EXPECT_EQ(view.orders, 1);
  EXPECT_EQ(view.batches, report.batches);
  EXPECT_EQ(view.items, 3);
  audits_->stop();
  const auto stopped = audits_->verify();
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::unavailable);
}

INSTANTIATE_TEST_SUITE_P(Stores, ReadQueriesTest, testing::Values(judge::memory_form(), judge::sqlite_form()),
                         judge::name_of_form);

}  // namespace
}  // namespace gavel::queries
