// The audit of an item that is short (E7): its books are in order, and each way to break them is found.
#include "judge/testing/audit_fixture.h"

namespace gavel::judge {
namespace {

class ShortAuditTest : public AuditTest {
 protected:
  ShortAuditTest() { fall_short(); }

  // Fewer units than orders have: one order gives up what was never there, another waits for its unit.
  void fall_short() {
    say(put_sku("put-ink", "ink", 2), "created");
    say(receive("in-ink", "ink", 4), "received");
    say(reserve("inked", "ann", {{"ink", 3}}), "reserved");
    say(adjust("lose-ink", "ink", -3), "adjusted version=6 shortage=2");
    say(confirm("pay-ink", order_of("inked")), "confirmed");
    say(refund("give-up-ink", order_of("inked"), {}, rules::Restock::no), "refunded");
    say(receive("in-ink-again", "ink", 1), "received");
    say(reserve("dry", "bob", {{"ink", 1}}), "reserved");
    say(adjust("lose-more-ink", "ink", -1), "adjusted");
  }
};

TEST_F(ShortAuditTest, ItsBooksAreInOrder) { EXPECT_EQ(findings(audit(*reader_).value()), ""); }

// The bucket of item 7 in which its shortage stands.
rules::Bucket& short_bucket(Rows& rows) { return rows.items.at(6).buckets.at(0); }

// table: one row per way to break it (E7).
std::vector<Break> shortage_breaks() {
  return {
      {"a shortage that nobody made", [](Rows& r) { short_bucket(r).shortage += {1}; }, R"(
buckets: bucket 7/0: the row says available 0, reserved 1, sold 0, shortage 2 at seq 12; the flows say available 0, reserved 1, sold 0, shortage 1 at seq 12
conservation: item 7: -1 units are there, 0 came in
shortage: item 7 is short of 2 units, and its orders have only 1
)"},
      {"a shortage that is forgotten", [](Rows& r) { short_bucket(r).shortage = {0}; }, R"(
buckets: bucket 7/0: the row says available 0, reserved 1, sold 0 at seq 12; the flows say available 0, reserved 1, sold 0, shortage 1 at seq 12
conservation: item 7: 1 units are there, 0 came in
)"},
      {"short and available", [](Rows& r) { short_bucket(r).available += {1}; }, R"(
buckets: bucket 7/0: the row says available 1, reserved 1, sold 0, shortage 1 at seq 12; the flows say available 0, reserved 1, sold 0, shortage 1 at seq 12
conservation: item 7: 1 units are there, 0 came in
shortage: item 7 is short of 1 units, and 1 are available
)"},
      {"an entry that pays more than is owed",
       [](Rows& r) {
         std::ranges::find(r.flows, rules::Action::make_good, [](const FlowRow& f) {
           return f.flow.action;
         })->flow.quantity += {5};
       },
       R"(
chain: bucket 7/0: seq 7 says after 0, but make_good of 6 on 1 does not lead there
buckets: bucket 7/0: the row says available 0, reserved 1, sold 0, shortage 1 at seq 12; the flows say available -5, reserved 1, sold 0, shortage -4 at seq 12
generation: item 7: the row says generation 3, but stock returned to the empty item 1 times, the last one in batch 1.54
)"},
      {"units that were there are given up and pay nothing",
       [](Rows& r) {
         for (FlowRow& row : r.flows) {
           if (row.flow.action == rules::Action::make_good) row.flow.key = rules::RequestKey("else");
         }
       },
       R"(
requests: request shop/give-up-ink says refunded, but its key did not refund its order
)"},
  };
}

TEST_F(ShortAuditTest, EachBrokenShortageIsFound) { expect_all(shortage_breaks()); }

}  // namespace
}  // namespace gavel::judge
