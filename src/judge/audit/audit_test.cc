#include "judge/testing/audit_fixture.h"

namespace gavel::judge {
namespace {

TEST_F(AuditTest, ACleanDatabaseIsClean) {
  const AuditReport report = audit(*reader_).value();
  EXPECT_EQ(findings(report), "");
  EXPECT_TRUE(report.clean());
  EXPECT_EQ(report.items, 6);
  EXPECT_EQ(report.flows, 51);
  EXPECT_EQ(report.orders, 14);
  EXPECT_EQ(report.batches, 52);
}

TEST_F(AuditTest, ATombstoneIsClean) {
  EXPECT_EQ(found([](Rows& r) {
              r.batches.push_back({{r.batches.back().batch.lane, r.batches.back().batch.n + 1}, true, 0, {}});
            }),
            "");
}

// An entry whose batch has no row is shown all the same, by a lane that has no rank.
TEST_F(AuditTest, ADumpShowsEntriesWithoutTheirBatch) {
  Rows rows = rows_of(*reader_);
  rows.batches.clear();
  RowsReader broken(std::move(rows));
  const std::string dump = canonical_dump(broken).value();
  EXPECT_NE(dump.find("batch=?.4 i=0\n"), std::string::npos) << dump;
}

TEST_F(AuditTest, ClaimsOfAClosedActivityMayBeGone) {
  EXPECT_EQ(found([](Rows& r) {
              r.activities[1].state = rules::ActivityState::closed;
              r.quotas.clear();
            }),
            "");
}

// table: one row per way to break it.
std::vector<Break> chain_breaks() {
  return {
      {"seq has a gap", [](Rows& r) { flow_in(r, "pay").flow.seq += 100; }, R"(
chain: bucket 1/1: seq 5 follows seq 3
buckets: bucket 1/1: the row says available 4, reserved 1, sold 1 at seq 9; the flows say available 4, reserved 1, sold 1 at seq 104
)"},
      {"an entry is missing",
       [](Rows& r) {
         std::erase_if(r.flows,
                       [](const FlowRow& f) { return f.flow.key == rules::RequestKey("give-back"); });
       },
       R"(
chain: bucket 1/1: seq 7 follows seq 5
orders: order #given-back is cancelled, but its flows in bucket 1/1 say reserve 1
requests: request shop/give-back says cancelled, but its key did not settle its order
batches: batch 1.13 says 1 entries, 0 are there
buckets: bucket 1/1: the row says available 4, reserved 1, sold 1 at seq 9; the flows say available 3, reserved 2, sold 1 at seq 9
)"},
      {"the first entry is missing", [](Rows& r) { r.flows.erase(r.flows.begin()); }, R"(
chain: bucket 1/0: seq 2 follows seq 0
batches: batch 1.4: entry 1 comes where entry 0 is expected
requests: request shop/in-tee says received, but its key received 10 of tee
batches: batch 1.4 says 2 entries, 1 are there
buckets: bucket 1/0: the row says available 0, reserved 10, sold 0 at seq 2; the flows say available -10, reserved 10, sold 0 at seq 2
conservation: item 1: 16 units are there, 6 came in
)"},
      {"before", [](Rows& r) { flow_in(r, "give-back").flow.before += {1}; }, R"(
chain: bucket 1/1: seq 6 says before 8, the previous entry says after 7
)"},
      {"after", [](Rows& r) { flow_in(r, "give-back").flow.after += {1}; }, R"(
chain: bucket 1/1: seq 6 says after 9, but cancel of 1 on 7 does not lead there
)"},
      {"quantity", [](Rows& r) { flow_in(r, "in-tee").flow.quantity += {1}; }, R"(
chain: bucket 1/0: seq 1 says after 10, but receive of 11 on 0 does not lead there
requests: request shop/in-tee says received, but its key received 21 of tee
buckets: bucket 1/0: the row says available 0, reserved 10, sold 0 at seq 2; the flows say available 1, reserved 10, sold 0 at seq 2
conservation: item 1: 16 units are there, 17 came in
)"},
      {"quantity zero", [](Rows& r) { flow_in(r, "in-tee").flow.quantity = {0}; }, R"(
chain: bucket 1/0: seq 1 says after 10, but receive of 0 on 0 does not lead there
requests: request shop/in-tee says received, but its key received 10 of tee
buckets: bucket 1/0: the row says available 0, reserved 10, sold 0 at seq 2; the flows say available -10, reserved 10, sold 0 at seq 2
conservation: item 1: 16 units are there, 6 came in
)"},
      {"action", [](Rows& r) { flow_in(r, "pay").flow.action = rules::Action::cancel; }, R"(
chain: bucket 1/1: seq 4 says after 8, but cancel of 1 on 8 does not lead there
orders: order #paid is paid, but its flows in bucket 1/1 say reserve 1, cancel 1
requests: request shop/pay says confirmed, but its key did not settle its order
buckets: bucket 1/1: the row says available 4, reserved 1, sold 1 at seq 9; the flows say available 5, reserved 1, sold 0 at seq 9
)"},
      {"bucket", [](Rows& r) { flow_in(r, "in-tee").flow.bucket = 7; }, R"(
chain: bucket 1/0: seq 2 follows seq 0
chain: bucket 1/7: seq 1 belongs to no bucket
buckets: bucket 1/0: the row says available 0, reserved 10, sold 0 at seq 2; the flows say available -10, reserved 10, sold 0 at seq 2
conservation: item 1: 16 units are there, 6 came in
)"},
      {"item", [](Rows& r) { flow_in(r, "in-cap").flow.item = {77}; }, R"(
chain: bucket 2/0: seq 2 follows seq 0
chain: bucket 77/0: seq 1 belongs to no bucket
requests: request shop/in-cap says received, but its key did not receive units of one SKU
buckets: bucket 2/0: the row says available 4, reserved 2, sold 1 at seq 8; the flows say available 2, reserved 2, sold 1 at seq 8
conservation: item 2: 7 units are there, 5 came in
generation: item 2: the row says generation 3, but stock returned to the empty item 1 times, the last one in batch 1.27
)"},
      {"below zero",
       [](Rows& r) {
         FlowRow row{flow_in(r, "in-cap").flow, r.batches.back().batch, 0};
         row.flow = {.item = {3},
                     .bucket = 0,
                     .seq = 5,
                     .action = rules::Action::expire,
                     .quantity = {2},
                     .before = {1},
                     .after = {3},
                     .order = {},
                     .caller = rules::Caller("gavel"),
                     .key = {},
                     .source = "x",
                     .at = {}};
         r.flows.push_back(row);
         r.batches.back().flows = 1;
       },
       R"(
chain: bucket 3/0: seq 5 leaves less than zero
buckets: bucket 3/0: the row says available 1, reserved 0, sold 1 at seq 4; the flows say available 3, reserved -2, sold 1 at seq 5
)"},
      {"more written off than was sold",
       [](Rows& r) {
         FlowRow row = flow_in(r, "in-cap");
         row.flow.bucket = 0;
         row.flow.item = {3};
         row.flow.seq = 5;
         row.flow.action = rules::Action::write_off;
         row.flow.quantity = {2};
         row.flow.before = row.flow.after = {1};
         row.flow.key.reset();
         row.batch = r.batches.back().batch;
         row.i = 0;
         r.flows.push_back(row);
         r.batches.back().flows = 1;
       },
       R"(
chain: bucket 3/0: seq 5 leaves less than zero
buckets: bucket 3/0: the row says available 1, reserved 0, sold 1 at seq 4; the flows say available 1, reserved 0, sold -1 at seq 5
conservation: item 3: 4 units are there, 2 came in
)"},
      {"more taken than is available",
       [](Rows& r) {
         FlowRow row = flow_in(r, "in-cap");
         row.flow.bucket = 0;
         row.flow.item = {3};
         row.flow.seq = 5;
         row.flow.action = rules::Action::adjust_out;
         row.flow.quantity = {2};
         row.flow.before = {1};
         row.flow.after = {-1};
         row.flow.key.reset();
         row.batch = r.batches.back().batch;
         row.i = 0;
         r.flows.push_back(row);
         r.batches.back().flows = 1;
       },
       R"(
chain: bucket 3/0: seq 5 leaves less than zero
buckets: bucket 3/0: the row says available 1, reserved 0, sold 1 at seq 4; the flows say available -1, reserved 0, sold 1 at seq 5
conservation: item 3: 4 units are there, 2 came in
)"},
  };
}

TEST_F(AuditTest, EachBrokenChainIsFound) { expect_all(chain_breaks()); }

// table: one row per way to break it.
std::vector<Break> stock_breaks() {
  return {
      {"available", [](Rows& r) { r.items[0].buckets[1].available += {1}; }, R"(
buckets: bucket 1/1: the row says available 5, reserved 1, sold 1 at seq 9; the flows say available 4, reserved 1, sold 1 at seq 9
conservation: item 1: 17 units are there, 16 came in
)"},
      {"reserved to sold",
       [](Rows& r) {
         r.items[0].buckets[0].reserved -= {1};
         r.items[0].buckets[0].sold += {1};
       },
       R"(
buckets: bucket 1/0: the row says available 0, reserved 9, sold 1 at seq 2; the flows say available 0, reserved 10, sold 0 at seq 2
)"},
      {"seq", [](Rows& r) { r.items[1].buckets[0].seq += 1; }, R"(
buckets: bucket 2/0: the row says available 4, reserved 2, sold 1 at seq 9; the flows say available 4, reserved 2, sold 1 at seq 8
)"},
      {"a bucket too many",
       [](Rows& r) {
         r.items[1].buckets.push_back({});
         r.items[1].buckets[1].sold = {1};
       },
       R"(
buckets: bucket 2/1: the row says available 0, reserved 0, sold 1 at seq 0; the flows say available 0, reserved 0, sold 0 at seq 0
conservation: item 2: 8 units are there, 7 came in
)"},
      {"generation too high", [](Rows& r) { r.items[1].generation += 1; }, R"(
generation: item 2: the row says generation 4, but stock returned to the empty item 2 times, the last one in batch 1.11
)"},
      {"a generation of an item that was never filled",
       [](Rows& r) {
         r.items.push_back({.id = {99}, .sku = {1}, .generation = 2, .buckets = {{}}, .loaded = {}});
       },
       R"(
generation: item 99: the row says generation 2, but stock returned to the empty item 0 times
)"},
      {"generation too low", [](Rows& r) { r.items[1].generation -= 1; }, R"(
generation: item 2: the row says generation 2, but stock returned to the empty item 2 times, the last one in batch 1.11
)"},
      {"a move without its pair", [](Rows& r) { flow_in(r, "open").flow.action = rules::Action::receive; },
       R"(
chain: bucket 1/1: seq 8 says after 3, but receive of 4 on 7 does not lead there
moves: batch 1.19: of SKU number 1, 0 moved out and 4 moved in
requests: request shop/open says opened, but more happened under its key
buckets: bucket 1/1: the row says available 4, reserved 1, sold 1 at seq 9; the flows say available 12, reserved 1, sold 1 at seq 9
conservation: item 1: 16 units are there, 24 came in
)"},
      {"n has a gap", [](Rows& r) { r.batches[5].batch.n = 99; },
       R"(
batches: batch 1.7 comes where batch 1.6 is expected
batches: batch 1.99 comes where batch 1.53 is expected
batches: batch 1.99 says 3 entries, 0 are there
batches: batch 1.6 has 3 entries, but no row
)"},
      {"a batch row is missing", [](Rows& r) { r.batches.erase(r.batches.begin() + 3); }, R"(
batches: batch 1.5 comes where batch 1.4 is expected
batches: batch 1.4 has 2 entries, but no row
)"},
      {"the first batch row is missing", [](Rows& r) { r.batches.erase(r.batches.begin()); }, R"(
batches: batch 1.2 comes where batch 1.1 is expected
)"},
      {"aborted with entries", [](Rows& r) { r.batches[3].aborted = true; }, R"(
batches: batch 1.4 is aborted, but 2 entries are its own
)"},
      {"count of entries", [](Rows& r) { r.batches[3].flows = 9; }, R"(
batches: batch 1.4 says 9 entries, 2 are there
)"},
      {"i has a gap", [](Rows& r) { flow_in(r, "give-back").i = 4; }, R"(
batches: batch 1.13: entry 4 comes where entry 0 is expected
)"},
      {"an entry moved to another batch", [](Rows& r) { flow_in(r, "pay").batch.n = 2; }, R"(
batches: batch 1.2 says 0 entries, 1 are there
batches: batch 1.8 says 1 entries, 0 are there
)"},
      {"entries missing by batch", [](Rows& r) { r.hidden_by_batch = 1; }, R"(
requests: request shop/adjust-pen says adjusted, but its key corrected by 0
batches: batch 1.48 says 1 entries, 0 are there
batches: the ledger has 51 entries by bucket and 50 by batch
)"},
  };
}

TEST_F(AuditTest, EachBrokenStockIsFound) { expect_all(stock_breaks()); }

// Two lanes take turns: by the numbers of the lanes alone, stock would have returned once.
class LanesTest : public testing::Test {
 protected:
  JudgeDriver& lane(int which) { return which == 1 ? first_ : which == 2 ? second_ : third_; }

  std::string audited(const std::function<void(Rows&)>& breaks = nullptr) {
    Rows rows = rows_of(*reader_);
    if (breaks) breaks(rows);
    RowsReader reader(std::move(rows));
    const AuditReport report = audit(reader).value();
    std::string lines;
    for (const Finding& finding : report.findings) lines += finding.invariant + ": " + finding.what + "\n";
    return lines;
  }

  MemoryWorld world_;
  std::unique_ptr<Store> first_store_ = world_.open_store();
  std::unique_ptr<Store> second_store_ = world_.open_store();
  JudgeDriver first_{*first_store_};
  std::unique_ptr<Store> third_store_ = world_.open_store();
  JudgeDriver second_{*second_store_};
  JudgeDriver third_{*third_store_};
  std::unique_ptr<Reader> reader_ = world_.open_reader();
};

TEST_F(LanesTest, GenerationsOfSeveralLanesFollowTheChains) {
  lane(1).say(put_sku("put", "tee"));
  for (int turn = 1; turn <= 3; ++turn) {
    const std::string n = std::to_string(turn);
    lane(1).say(receive("in" + n, "tee", 1));
    lane(2).say(reserve("out" + n, "ann", {{"tee", 1}}));
  }
  EXPECT_EQ(audited(), "");
  EXPECT_EQ(audited([](Rows& rows) { ++rows.items[0].generation; }),
            "generation: item 1: the row says generation 5, but stock returned to the empty item 3 times, "
            "the last one "
            "in batch 1.4\n");
  EXPECT_EQ(audited([](Rows& rows) { rows.items[0].generation -= 2; }),
            "generation: item 1: the row says generation 2, but stock returned to the empty item 3 times, "
            "the last one "
            "in batch 1.4\n");
}

// In two buckets, by two lanes: whether the last unit was gone when the other one came back, no row says.
TEST_F(LanesTest, WhatNoChainOrdersMayHaveBeenEitherWay) {
  lane(1).say(put_sku("put", "tee", 2));
  lane(1).say(receive("in", "tee", 2));
  lane(1).say(reserve("one", "ann", {{"tee", 1}}));
  lane(2).say(reserve("two", "bob", {{"tee", 1}}));
  lane(1).say(cancel("back", order_of("one")));
  EXPECT_EQ(rows_of(*reader_).items[0].generation, 3);
  EXPECT_EQ(audited(), "");
  EXPECT_EQ(audited([](Rows& rows) { --rows.items[0].generation; }), "");
  EXPECT_NE(audited([](Rows& rows) { ++rows.items[0].generation; }), "");
  EXPECT_NE(audited([](Rows& rows) { rows.items[0].generation -= 2; }), "");
}

// Three lanes change one order within one millisecond. The chain of a bucket puts two of them in order; of
// two that changed different buckets no row says which was first, so that what a change left is not held
// against it.
TEST_F(LanesTest, ChangesOfOneOrderFollowTheChains_E5) {
  lane(1).say_all({put_sku("put-pen", "pen"), put_sku("put-cap", "cap"), receive("in-pen", "pen", 9),
                   receive("in-cap", "cap", 9), reserve("o", "ann", {{"pen", 1}, {"cap", 1}})});
  const auto asks_for_more = [](const std::string& key, const std::string& from, const std::string& to) {
    return [key, from, to](Rows& rows) {
      for (rules::IdempotencyRecord& request : rows.requests) {
        if (request.key.text() != key) continue;
        const std::size_t at = request.content.find(from);
        ASSERT_NE(at, std::string::npos) << request.content;
        request.content.replace(at, from.size(), to);
      }
    };
  };
  EXPECT_TRUE(lane(1).say(change("one", order_of("o"), {{"pen", 2}, {"cap", 1}})).starts_with("changed"));
  EXPECT_TRUE(lane(2).say(change("two", order_of("o"), {{"pen", 3}, {"cap", 1}})).starts_with("changed"));
  EXPECT_EQ(audited(), "");
  EXPECT_NE(audited(asks_for_more("one", "pen*2", "pen*8")), "");
  EXPECT_NE(audited(asks_for_more("two", "pen*3", "pen*8")), "");
  EXPECT_TRUE(lane(2).say(change("cap", order_of("o"), {{"pen", 3}, {"cap", 2}})).starts_with("changed"));
  EXPECT_TRUE(lane(3).say(change("pen", order_of("o"), {{"pen", 1}, {"cap", 2}})).starts_with("changed"));
  EXPECT_EQ(audited(), "");
  EXPECT_EQ(audited(asks_for_more("cap", "cap*2", "cap*8")), "") << "the other may have been first";
}

TEST_F(AuditTest, ManyFindingsAreAllCountedAndTheFirstAreTold) {
  Rows rows = rows_of(*reader_);
  for (std::int64_t item = 1; item <= 150; ++item) rows.holds.push_back({{item}, Time(), order_of("paid")});
  RowsReader broken(std::move(rows));
  const AuditReport report = audit(broken).value();
  EXPECT_EQ(report.findings_total, 150);
  EXPECT_EQ(report.findings.size(), findings_max);
  EXPECT_FALSE(report.clean());
}

}  // namespace
}  // namespace gavel::judge
