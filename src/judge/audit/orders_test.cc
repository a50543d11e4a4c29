#include "judge/testing/audit_fixture.h"

namespace gavel::judge {
namespace {

using namespace std::chrono_literals;

using rules::OrderState;

// table: one row per way to break it.
std::vector<Break> order_breaks() {
  return {
      {"state of a held order", [](Rows& r) { order_in(r, "held").state = OrderState::paid; }, R"(
orders: order #held is paid, but its flows in bucket 1/0 say reserve 10
holds: order #held has a hold row on item 1 until 2027-01-15T08:15:00.000Z, but the order does not hold it so
holds: order #held has a hold row on item 2 until 2027-01-15T08:15:00.000Z, but the order does not hold it so
)"},
      {"state of a paid order", [](Rows& r) { order_in(r, "paid").state = OrderState::held; }, R"(
orders: order #paid is held, but its flows in bucket 1/1 say reserve 1, confirm 1
holds: order #paid holds item 1 until 2027-01-15T08:15:00.000Z, but has no hold row
)"},
      {"state of a sold order", [](Rows& r) { order_in(r, "sold").state = OrderState::cancelled; }, R"(
orders: order #sold is cancelled, but its flows in bucket 2/0 say sell 1
)"},
      {"state of a cancelled order", [](Rows& r) { order_in(r, "given-back").state = OrderState::expired; },
       R"(
orders: order #given-back is expired, but its flows in bucket 1/1 say reserve 1, cancel 1
)"},
      {"state of an expired order", [](Rows& r) { order_in(r, "late").state = OrderState::cancelled; }, R"(
orders: order #late is cancelled, but its flows in bucket 1/1 say reserve 1, expire 1
)"},
      {"a refused order with units", [](Rows& r) { order_in(r, refused_key).taken.push_back({{1}, 0, {1}}); },
       R"(
orders: order #01a3134c-9000-7000-8000-0000000000bb says that it took 1 from bucket 1/0, its flows say 0
)"},
      {"a refused order that is held", [](Rows& r) { order_in(r, refused_key).state = OrderState::held; }, R"(
orders: order #01a3134c-9000-7000-8000-0000000000bb is held, but has no flows
requests: request shop/#01a3134c-9000-7000-8000-0000000000bb says insufficient, but its order is held
)"},
      {"a sold order refused", [](Rows& r) { order_in(r, "sold").state = OrderState::refused; }, R"(
orders: order #sold is refused, but its flows in bucket 2/0 say sell 1
)"},
      {"taken quantity", [](Rows& r) { order_in(r, "held").taken[0].quantity += {1}; }, R"(
orders: order #held says that it took 2 from bucket 2/0, its flows say 1
)"},
      {"taken bucket", [](Rows& r) { order_in(r, "paid").taken[0].bucket ^= 1; }, R"(
orders: order #paid says that it took 1 from bucket 1/0, its flows say 0
)"},
      {"taken part missing", [](Rows& r) { order_in(r, "held").taken.pop_back(); }, R"(
orders: order #held says that it took 0 from bucket 1/1, its flows say 1
)"},
      {"of another account", [](Rows& r) { order_in(r, "held").account = rules::Caller("kiosk"); }, R"(
orders: order #held is of account kiosk, but shop made it
)"},
      {"a refused order of another account",
       [](Rows& r) { order_in(r, refused_key).account = rules::Caller("kiosk"); }, R"(
requests: request shop/#01a3134c-9000-7000-8000-0000000000bb says insufficient, but its order is of account kiosk
)"},
      {"made at another time", [](Rows& r) { order_in(r, "held").created_at += 1ms; }, R"(
orders: order #held was made at another time than its flows say
)"},
      {"settled at another time", [](Rows& r) { *order_in(r, "paid").settled_at += 1ms; }, R"(
orders: order #paid was settled at another time than its flows say
)"},
      {"not settled", [](Rows& r) { order_in(r, "given-back").settled_at.reset(); }, R"(
orders: order #given-back was settled at another time than its flows say
)"},
      {"expired early", [](Rows& r) { *order_in(r, "late").expires_at += 1ms; }, R"(
orders: order #late expired before its hold's end
)"},
      {"confirmed late", [](Rows& r) { order_in(r, "paid").expires_at = order_in(r, "paid").settled_at; }, R"(
orders: order #paid was paid after its hold's end
)"},
      {"a hold without end", [](Rows& r) { order_in(r, "paid").expires_at.reset(); }, R"(
orders: order #paid was held, but its hold has no end
)"},
      {"an end without a hold", [](Rows& r) { order_in(r, "sold").expires_at = Time(); }, R"(
orders: order #sold was never held, but its hold has an end
)"},
      {"another pool", [](Rows& r) { order_in(r, "held").activity = {1}; }, R"(
orders: order #held took from item 1, which is of another pool
quotas: user ann in activity number 1, SKU number 1: the row says 2 claimed, the orders say 13
quotas: user ann has 1 units of sale, but no claim
)"},
      {"returned too many", [](Rows& r) { order_in(r, "part").returned[0].quantity += {1}; }, R"(
orders: order #part is partly_refunded and says that 5 returned, but its flows in bucket 5/0 say reserve 5, confirm 2, cancel 3, refund 1
)"},
      {"returned too few", [](Rows& r) { order_in(r, "part").returned[0].quantity -= {1}; }, R"(
orders: order #part is partly_refunded and says that 3 returned, but its flows in bucket 5/0 say reserve 5, confirm 2, cancel 3, refund 1
)"},
      {"returned nothing", [](Rows& r) { order_in(r, "part").returned.clear(); }, R"(
orders: order #part is partly_refunded, but its flows in bucket 5/0 say reserve 5, confirm 2, cancel 3, refund 1
)"},
      {"returned and taken too many",
       [](Rows& r) {
         order_in(r, "part").taken[0].quantity += {1};
         order_in(r, "part").returned[0].quantity += {1};
       },
       R"(
orders: order #part says that it took 6 from bucket 5/0, its flows say 5
)"},
      {"returned where nothing was taken",
       [](Rows& r) { order_in(r, "part").returned.push_back({{1}, 0, {1}}); },
       R"(
orders: order #part is partly_refunded and says that 1 returned, but its flows in bucket 1/0 say nothing
)"},
      {"returned by a hold", [](Rows& r) { order_in(r, "held").returned.push_back({{1}, 0, {1}}); },
       R"(
orders: order #held is held and says that 1 returned, but its flows in bucket 1/0 say reserve 10
)"},
      {"a refund forgotten", [](Rows& r) { order_in(r, "part").state = OrderState::paid; }, R"(
orders: order #part is paid and says that 4 returned, but its flows in bucket 5/0 say reserve 5, confirm 2, cancel 3, refund 1
)"},
      {"a part of a refund", [](Rows& r) { order_in(r, "gone").state = OrderState::partly_refunded; }, R"(
orders: order #gone is partly_refunded, but has nothing left
)"},
      {"more than was refunded", [](Rows& r) { order_in(r, "part").state = OrderState::refunded; }, R"(
orders: order #part is refunded, but has 1 left
)"},
      {"a payment that says refunded", [](Rows& r) { order_in(r, "paid").state = OrderState::refunded; }, R"(
orders: order #paid is refunded, but has 1 left
)"},
      {"a cancelled order refunded",
       [](Rows& r) { order_in(r, "given-back").state = OrderState::partly_refunded; }, R"(
orders: order #given-back is partly_refunded, but its flows in bucket 1/1 say reserve 1, cancel 1
)"},
      {"an occurrence left out", [](Rows& r) { flow_in(r, "refund-part").flow.occurrence = 2; }, R"(
orders: order #part is wrongly counted: seq 5 of bucket 5/0 says occurrence 2 of refund, and is number 1
)"},
      {"an occurrence for the second time", [](Rows& r) { flow_in(r, "write-off").flow.occurrence = 0; }, R"(
orders: order #gone is wrongly counted: seq 7 of bucket 5/0 says occurrence 0 of write_off, and is number 1
)"},
      {"taken as before its change", [](Rows& r) { order_in(r, "grown").taken[0].quantity += {3}; }, R"(
orders: order #grown says that it took 4 from bucket 6/1, its flows say 1
)"},
      {"paid after its change", [](Rows& r) { order_in(r, "grown").state = OrderState::paid; }, R"(
orders: order #grown is paid, but its flows in bucket 6/1 say reserve 2, cancel 1
holds: order #grown has a hold row on item 6 until 2027-01-15T08:45:05.000Z, but the order does not hold it so
)"},
      {"cancelled after its change", [](Rows& r) { order_in(r, "grown").state = OrderState::cancelled; }, R"(
orders: order #grown is cancelled, but its flows in bucket 6/1 say reserve 2, cancel 1
holds: order #grown has a hold row on item 6 until 2027-01-15T08:45:05.000Z, but the order does not hold it so
)"},
      {"a change that is none", [](Rows& r) { flow_in(r, "fewer").flow.source = "order"; }, R"(
orders: order #grown says that it took 0 from bucket 6/0, its flows say 2
requests: request shop/fewer says changed, but its order had pen*3 after it
requests: request shop/the-same says changed, but its order had other lines, and nothing moved
)"},
      {"extended without a count", [](Rows& r) { order_in(r, "grown").extensions = 0; }, R"(
orders: order #grown does not know how often it was extended
)"},
      {"extended to an earlier time", [](Rows& r) { *order_in(r, "grown").first_expires_at += 48h; }, R"(
orders: order #grown was extended to an earlier time
)"},
      {"extended for days",
       [](Rows& r) {
         *order_in(r, "grown").expires_at += 24h;
         r.holds.back().expires_at += 24h;
       },
       R"(
orders: order #grown was extended beyond the longest hold
)"},
      {"item row missing",
       [](Rows& r) { std::erase_if(r.items, [](const rules::Item& i) { return i.id == rules::ItemId{3}; }); },
       R"(
chain: bucket 3/0: seq 1 belongs to no bucket
chain: bucket 3/0: seq 2 belongs to no bucket
chain: bucket 3/0: seq 3 belongs to no bucket
chain: bucket 3/0: seq 4 belongs to no bucket
chain: bucket 3/1: seq 1 belongs to no bucket
chain: bucket 3/1: seq 2 belongs to no bucket
moves: batch 1.19: of SKU number 1, 4 moved out and 0 moved in
orders: order #sale-back took from item 3, which is of another pool
orders: order #sale-sold took from item 3, which is of another pool
orders: order #sale-held took from item 3, which is of another pool
requests: request shop/sale-back says reserved, but its order is of user eve and has nothing
requests: request shop/sale-held says reserved, but its order is of user ann and has nothing
requests: request shop/sale-sold says sold, but its order is of user bob and has nothing
quotas: user ann in activity number 1, SKU number 1: the row says 2 claimed, the orders say 0
quotas: user bob in activity number 1, SKU number 1: the row says 1 claimed, the orders say 0
)"},
      {"SKU row missing",
       [](Rows& r) {
         std::erase_if(r.skus, [](const rules::Sku& s) { return s.code == rules::SkuCode("cap"); });
       },
       R"(
requests: request shop/held says reserved, but its order is of user ann and has tee*11,unknown*1
requests: request shop/in-cap says received, but its key did not receive units of one SKU
requests: request shop/in-cap-again says received, but its key did not receive units of one SKU
requests: request shop/past-held says reserved, but its order is of user ann and has unknown*1
requests: request shop/put-cap says created, but SKU cap does not exist
requests: request shop/sold says sold, but its order is of user bob and has unknown*1
requests: request shop/#01a3134c-9000-7000-8000-0000000000aa says reserved, but its order is of user eve and has unknown*1
)"},
      {"a receipt that names an order", [](Rows& r) { flow_in(r, "in-cap").flow.order = order_of("sold"); },
       R"(
orders: order #sold is paid, but its flows in bucket 2/0 say receive 2, sell 1
)"},
      {"an expired order that is held", [](Rows& r) { order_in(r, "late").state = OrderState::held; }, R"(
orders: order #late is held, but its flows in bucket 1/1 say reserve 1, expire 1
holds: order #late holds item 1 until 2027-01-15T08:00:05.000Z, but has no hold row
)"},
      {"a refund of a cancelled order",
       [](Rows& r) {
         order_in(r, "gone").state = OrderState::cancelled;
         order_in(r, "gone").returned.clear();
       },
       R"(
orders: order #gone is cancelled, but its flows in bucket 5/0 say sell 2, write_off 2
)"},
      {"sold at once and held",
       [](Rows& r) {
         flow_in(r, "gone").flow.quantity = {1};
         FlowRow extra = flow_in(r, "gone");
         extra.flow.action = rules::Action::reserve;
         extra.flow.seq = 20;
         r.flows.push_back(extra);
         extra.flow.action = rules::Action::confirm;
         extra.flow.seq = 21;
         r.flows.push_back(extra);
       },
       R"(
chain: bucket 5/0: seq 6 says after 2, but sell of 1 on 4 does not lead there
batches: batch 1.36: entry 0 comes where entry 1 is expected
batches: batch 1.36: entry 0 comes where entry 1 is expected
orders: order #gone is refunded and says that 2 returned, but its flows in bucket 5/0 say reserve 1, sell 1, confirm 1, write_off 2
requests: request shop/gone says sold, but its key did not take the units of its order
batches: batch 1.36 says 1 entries, 3 are there
buckets: bucket 5/0: the row says available 4, reserved 0, sold 1 at seq 9; the flows say available 4, reserved 0, sold 1 at seq 21
)"},
      {"paid and expired",
       [](Rows& r) {
         FlowRow extra = flow_in(r, "pay");
         extra.flow.action = rules::Action::expire;
         extra.flow.seq = 20;
         r.flows.push_back(extra);
       },
       R"(
chain: bucket 1/1: seq 20 follows seq 9
batches: batch 1.8: entry 0 comes where entry 1 is expected
orders: order #paid is paid, but its flows in bucket 1/1 say reserve 1, confirm 1, expire 1
requests: request shop/pay says confirmed, but its key did not settle its order
batches: batch 1.8 says 1 entries, 2 are there
buckets: bucket 1/1: the row says available 4, reserved 1, sold 1 at seq 9; the flows say available 5, reserved 0, sold 1 at seq 20
)"},
      {"two occurrences left out",
       [](Rows& r) {
         flow_in(r, "refund-part").flow.occurrence = 2;
         flow_in(r, "pay-part").flow.occurrence = 5;
       },
       R"(
orders: order #part is wrongly counted: seq 3 of bucket 5/0 says occurrence 5 of confirm, and is number 1
)"},
      {"item row of a change missing",
       [](Rows& r) { std::erase_if(r.items, [](const rules::Item& i) { return i.id == rules::ItemId{6}; }); },
       R"(
chain: bucket 6/0: seq 1 belongs to no bucket
chain: bucket 6/0: seq 2 belongs to no bucket
chain: bucket 6/0: seq 3 belongs to no bucket
chain: bucket 6/0: seq 4 belongs to no bucket
chain: bucket 6/1: seq 1 belongs to no bucket
chain: bucket 6/1: seq 2 belongs to no bucket
chain: bucket 6/1: seq 3 belongs to no bucket
orders: order #grown took from item 6, which is of another pool
requests: request shop/adjust-pen says adjusted, but its key corrected another SKU
requests: request shop/fewer says changed, but its order had nothing after it
requests: request shop/grown says reserved, but its order is of user ann and has mug*1
requests: request shop/in-pen says received, but its key did not receive units of one SKU
requests: request shop/more says changed, but its order had nothing after it
requests: request shop/the-same says changed, but its order had other lines, and nothing moved
)"},
      {"order row missing",
       [](Rows& r) {
         std::erase_if(r.orders, [](const rules::Order& o) { return o.id == order_of("given-back"); });
       },
       R"(
requests: request shop/give-back says cancelled, but order #given-back does not exist
requests: request shop/given-back says reserved, but order #given-back does not exist
orders: order #given-back has no row, but seq 5 of bucket 1/1 names it
)"},
  };
}

TEST_F(AuditTest, EachBrokenOrderIsFound) { expect_all(order_breaks()); }

// Gives the batch of `key` to another lane, at the same time as before.
void move_to_another_lane(Rows& rows, const std::string& key) {
  const BatchId from = flow_in(rows, key).batch;
  const auto moved = [&](BatchId batch) {
    if (batch == from) return BatchId{{from.lane.value + 1}, 1};
    return batch.n > from.n ? BatchId{batch.lane, batch.n - 1} : batch;
  };
  for (FlowRow& row : rows.flows) row.batch = moved(row.batch);
  for (BatchRow& row : rows.batches) row.batch = moved(row.batch);
  std::ranges::sort(rows.batches, {}, &BatchRow::batch);
}

// Of two lanes that changed an order within one millisecond the bucket that both changed tells which was
// first.
TEST_F(AuditTest, ChangesOfOneMomentInTwoLanesAreInTheOrderOfTheirBucket_E5) {
  const auto ask_for_more = [](Rows& rows) {
    std::string& content = request_in(rows, "fewer").content;
    content.replace(content.find("pen*1"), 5, "pen*9");
  };
  EXPECT_NE(found(ask_for_more), "") << "one lane's changes have an order";
  EXPECT_EQ(found([&](Rows& rows) {
              move_to_another_lane(rows, "fewer");
              ask_for_more(rows);
            }),
            found(ask_for_more));
}

// table: one row per way to break it.
std::vector<Break> claim_breaks() {
  return {
      {"hold row missing", [](Rows& r) { r.holds.erase(r.holds.begin()); }, R"(
holds: order #held holds item 1 until 2027-01-15T08:15:00.000Z, but has no hold row
)"},
      {"hold row of another time", [](Rows& r) { r.holds[0].expires_at += 1ms; }, R"(
holds: order #held has a hold row on item 1 until 2027-01-15T08:15:00.001Z, but the order does not hold it so
holds: order #held holds item 1 until 2027-01-15T08:15:00.000Z, but has no hold row
)"},
      {"hold row of another item", [](Rows& r) { r.holds[0].item = {3}; }, R"(
holds: order #held has a hold row on item 3 until 2027-01-15T08:15:00.000Z, but the order does not hold it so
holds: order #held holds item 1 until 2027-01-15T08:15:00.000Z, but has no hold row
)"},
      {"hold row of a paid order",
       [](Rows& r) { r.holds.push_back({{1}, Time(1'800'000'900'000ms), order_of("paid")}); },
       R"(
holds: order #paid has a hold row on item 1 until 2027-01-15T08:15:00.000Z, but the order does not hold it so
)"},
      {"claimed by another account", [](Rows& r) { r.quotas[0].quota.account = rules::Caller("kiosk"); }, R"(
quotas: user ann in activity number 1, SKU number 1: the claim is not of account shop, of which its order is
)"},
      {"claimed too many", [](Rows& r) { r.quotas[0].quota.claimed -= {1}; }, R"(
quotas: user ann in activity number 1, SKU number 1: the row says 1 claimed, the orders say 2
)"},
      {"claimed too few", [](Rows& r) { r.quotas[1].quota.claimed += {1}; }, R"(
quotas: user bob in activity number 1, SKU number 1: the row says 2 claimed, the orders say 1
)"},
      {"claim of a cancelled order kept", [](Rows& r) { r.quotas[2].quota.claimed += {1}; }, R"(
quotas: user eve in activity number 1, SKU number 1: the row says 1 claimed, the orders say 0
)"},
      {"allowed below claimed", [](Rows& r) { r.quotas[0].quota.allowed = {1}; }, R"(
quotas: user ann in activity number 1, SKU number 1: 2 claimed of 1 allowed
)"},
      {"claim row missing", [](Rows& r) { r.quotas.erase(r.quotas.begin()); }, R"(
quotas: user ann has 2 units of sale, but no claim
)"},
      {"claims of an activity without a row",
       [](Rows& r) {
         std::erase_if(r.activities,
                       [](const rules::Activity& a) { return a.code == rules::ActivityCode("sale"); });
         r.quotas.clear();
       },
       R"(
requests: request shop/create says created, but activity sale does not exist
requests: request shop/open says opened, but activity sale does not exist
)"},
      {"claim of another user", [](Rows& r) { r.quotas[0].key.user = rules::UserId("zoe"); }, R"(
quotas: user zoe in activity number 1, SKU number 1: the row says 2 claimed, the orders say 0
quotas: user ann has 2 units of sale, but no claim
)"},
      {"a claim that names none", [](Rows& r) { r.quotas[0].quota.order.reset(); }, R"(
)"},
      {"a claim that names an order of another pool",
       [](Rows& r) { r.quotas[0].quota.order = order_of("held"); }, R"(
)"},
      {"claim names no order", [](Rows& r) { r.quotas[0].quota.order = order_of("nothing"); }, R"(
quotas: user ann in activity number 1, SKU number 1: the claim names order 01a3185c-5000-705d-905b-8dee5a50cc99, which does not exist
)"},
  };
}

TEST_F(AuditTest, EachBrokenClaimIsFound) { expect_all(claim_breaks()); }

}  // namespace
}  // namespace gavel::judge
