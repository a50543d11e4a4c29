// A database in which every act happened, the rows of which a test may break before they are audited. For
// tests.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/temporary_folder_test.h"
#include "judge/audit/audit.h"
#include "judge/testing/judge_driver.h"
#include "judge/testing/memory_form.h"
#include "judge/testing/rows.h"

namespace gavel::judge {

inline constexpr const char* uuid7_key = "01a3134c-9000-7000-8000-0000000000aa";
inline constexpr const char* refused_key = "01a3134c-9000-7000-8000-0000000000bb";

struct Break {
  const char* name;
  std::function<void(Rows&)> breaks;
  const char* findings;  // All of them, after a line end.
};

// One database in which every act happened once, in every way that the audit tells apart.
class AuditTest : public testing::Test {
 protected:
  AuditTest() : store_(world_.open_store()), court_(*store_), reader_(world_.open_reader()) {
    sell_free_stock();
    sell_activity();
    end_holds();
    take_back();
    change();
  }

  void say(const rules::Command& command, const std::string& begins) {
    const std::string verdict = court_.say(command);
    EXPECT_TRUE(verdict.starts_with(begins)) << verdict;
  }

  void sell_free_stock() {
    say(put_sku("put-tee", "tee", 2), "created");
    say(put_sku("put-tee-again", "tee", 2), "changed");
    say(put_sku("put-cap", "cap"), "created");
    say(receive("in-tee", "tee", 20), "received");
    say(receive("in-cap", "cap", 2), "received");
    say(reserve("held", "ann", {{"tee", 11}, {"cap", 1}}), "reserved");
    say(reserve("paid", "bob", {{"tee", 1}}), "reserved");
    say(confirm("pay", order_of("paid")), "confirmed");
    say(reserve("sold", "bob", {{"cap", 1}}, {.payment = rules::Payment::none}), "sold");
    say(reserve("none-left", "eve", {{"cap", 1}}), "sold_out");
    say(receive("in-cap-again", "cap", 5), "received");
    say(reserve("given-back", "eve", {{"tee", 1}}), "reserved");
    say(cancel("give-back", order_of("given-back")), "cancelled");
    say(reserve("late", "eve", {{"tee", 1}}, {.hold = std::chrono::seconds(5)}), "reserved");
    say(reserve(uuid7_key, "eve", {{"cap", 1}}), "reserved");
    say(reserve(refused_key, "eve", {{"tee", 99}}), "insufficient");
  }

  void sell_activity() {
    say(create_activity("create", "sale", {{"tee", 4}}, {.limit = 2}), "created");
    say(create_activity("create-past", "past", {{"cap", 2}}, {}), "created");
    say(open_activity("open", "sale"), "opened");
    say(open_activity("open-past", "past"), "opened");
    say(reserve("sale-held", "ann", {{"tee", 2}}, {.activity = "sale"}), "reserved");
    say(reserve("sale-too-many", "ann", {{"tee", 1}}, {.activity = "sale"}), "limit_reached");
    say(reserve("sale-sold", "bob", {{"tee", 1}}, {.activity = "sale", .payment = rules::Payment::none}),
        "sold");
    say(reserve("sale-back", "eve", {{"tee", 1}}, {.activity = "sale"}), "reserved");
    say(cancel("sale-give-back", order_of("sale-back")), "cancelled");
    say(reserve("past-held", "ann", {{"cap", 1}}, {.activity = "past"}), "reserved");
    say(close_activity("close", "past"), "closed");
    say(cancel("past-give-back", order_of("past-held")), "cancelled");
  }

  void end_holds() {
    world_.clock().advance(std::chrono::seconds(5));
    say(expire(order_of("late")), "expired");
    say(confirm("pay-late", order_of("late")), "hold_expired");
  }

  void take_back() {
    say(put_sku("put-mug", "mug", 2), "created");
    say(receive("in-mug", "mug", 9), "received");
    say(reserve("part", "ann", {{"mug", 6}}), "reserved");
    say(confirm("pay-part", order_of("part"), {{"mug", 2}}), "confirmed");
    say(refund("refund-part", order_of("part"), {{"mug", 1}}), "refunded");
    say(reserve("gone", "bob", {{"mug", 2}}, {.payment = rules::Payment::none}), "sold");
    say(refund("write-off", order_of("gone"), {}, rules::Restock::no), "refunded");
    say(adjust("adjust-up", "mug", 3), "adjusted");
    say(adjust("adjust-down", "mug", -1), "adjusted");
    say(count("count-same", "mug", 10, 16), "version_conflict");
    say(cancel("cancel-gone", order_of("gone")), "illegal_transition");
  }

  void change() {
    say(put_sku("put-pen", "pen", 2), "created");
    say(receive("in-pen", "pen", 6), "received");
    say(reserve("grown", "ann", {{"pen", 2}, {"mug", 1}}), "reserved");
    say(judge::change("more", order_of("grown"), {{"pen", 4}}), "changed");
    say(judge::change("fewer", order_of("grown"), {{"pen", 1}}), "changed");
    say(judge::change("the-same", order_of("grown"), {{"pen", 1}}), "changed");
    say(adjust("adjust-pen", "pen", -1), "adjusted");
    say(extend("extend", order_of("grown"), std::chrono::minutes(20)), "extended");
    say(extend("extend-again", order_of("grown"), std::chrono::hours(1)), "extended");
    say(extend("extend-more", order_of("grown"), std::chrono::hours(1)), "hold_capped");
    say(judge::change("too-many", order_of("grown"), {{"pen", 7}}), "insufficient");
  }

  static std::string findings(const AuditReport& report) {
    std::string text;
    for (const Finding& finding : report.findings) text += finding.invariant + ": " + finding.what + "\n";
    return text;
  }

  // What the audit finds after `breaks` changed the rows: in one go and in memory, and the same one row a
  // step with as good as nothing in memory.
  std::string found(const std::function<void(Rows&)>& breaks) {
    Rows rows = rows_of(*reader_);
    breaks(rows);
    RowsReader broken(rows);
    const std::string whole = findings(audit(broken).value());
    RowsReader on_disk(std::move(rows), scratch_.path());
    EXPECT_EQ(findings(audited_in_steps(on_disk, 1)), whole);
    return court_.by_keys(whole);
  }

  // Every record is a run of its own.
  static constexpr AuditLimits nothing_in_memory{.run_bytes = 1};

  static AuditReport audited_in_steps(TablesReader& reader, std::size_t rows_max) {
    AuditRun run = AuditRun::begin(reader, nothing_in_memory).value();
    while (run.step(rows_max).value()) {
    }
    return run.report();
  }

  void expect_all(const std::vector<Break>& breaks) {
    for (const Break& one : breaks) EXPECT_EQ("\n" + found(one.breaks), one.findings) << one.name;
  }

  TemporaryFolder scratch_;
  MemoryWorld world_;
  std::unique_ptr<Store> store_;
  JudgeDriver court_;
  std::unique_ptr<Reader> reader_;
};

inline rules::Order& order_in(Rows& rows, const std::string& key) {
  return *std::ranges::find(rows.orders, order_of(key), &rules::Order::id);
}

inline rules::IdempotencyRecord& request_in(Rows& rows, const std::string& key) {
  return *std::ranges::find(rows.requests, rules::RequestKey(key), &rules::IdempotencyRecord::key);
}

inline rules::IdempotencyRecord& order_request_in(Rows& rows, const std::string& key) {
  return *std::ranges::find(rows.orders_as_requests, rules::RequestKey(key), &rules::IdempotencyRecord::key);
}

// The first flow that the key caused.
inline FlowRow& flow_in(Rows& rows, const std::string& key) {
  return *std::ranges::find_if(rows.flows,
                               [&](const FlowRow& row) { return row.flow.key == rules::RequestKey(key); });
}

}  // namespace gavel::judge
