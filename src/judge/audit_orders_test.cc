#include "judge/audit_fixture.h"

namespace gavel::judge {
namespace {

using namespace std::chrono_literals;

using rules::OrderState;

// table: one row per way to break it.
std::vector<Break> order_breaks() {
  return {
      {"state of a held order", [](Rows& r) { order_in(r, "held").state = OrderState::paid; }, R"(
orders: order #held is paid, but its flows in bucket 1/0 say reserve 10
holds: order #held has a hold row on item 1 until 2027-01-15T08:15:00.000Z, but does not hold it so
holds: order #held has a hold row on item 2 until 2027-01-15T08:15:00.000Z, but does not hold it so
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
      {"a refused order with units",
       [](Rows& r) {
         order_in(r, refused_key).taken.push_back({{1}, 0, {1}});
       },
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
       [](Rows& r) {
         order_in(r, "part").returned.push_back({{1}, 0, {1}});
       },
       R"(
orders: order #part is partly_refunded and says that 1 returned, but its flows in bucket 1/0 say nothing
)"},
      {"returned by a hold",
       [](Rows& r) {
         order_in(r, "held").returned.push_back({{1}, 0, {1}});
       },
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

// table: one row per way to break it.
std::vector<Break> claim_breaks() {
  return {
      {"hold row missing", [](Rows& r) { r.holds.erase(r.holds.begin()); }, R"(
holds: order #held holds item 1 until 2027-01-15T08:15:00.000Z, but has no hold row
)"},
      {"hold row of another time", [](Rows& r) { r.holds[0].expires_at += 1ms; }, R"(
holds: order #held has a hold row on item 1 until 2027-01-15T08:15:00.001Z, but does not hold it so
holds: order #held holds item 1 until 2027-01-15T08:15:00.000Z, but has no hold row
)"},
      {"hold row of another item", [](Rows& r) { r.holds[0].item = {3}; }, R"(
holds: order #held has a hold row on item 3 until 2027-01-15T08:15:00.000Z, but does not hold it so
holds: order #held holds item 1 until 2027-01-15T08:15:00.000Z, but has no hold row
)"},
      {"hold row of a paid order",
       [](Rows& r) {
         r.holds.push_back({{1}, Time(1'800'000'900'000ms), order_of("paid")});
       },
       R"(
holds: order #paid has a hold row on item 1 until 2027-01-15T08:15:00.000Z, but does not hold it so
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
      {"claim names no order", [](Rows& r) { r.quotas[0].quota.order = order_of("nothing"); }, R"(
quotas: user ann in activity number 1, SKU number 1: the claim names order 01a3185c-5000-705d-905b-8dee5a50cc99, which does not exist
)"},
  };
}

TEST_F(AuditTest, EachBrokenClaimIsFound) { expect_all(claim_breaks()); }

// table: one row per way to break it.
std::vector<Break> request_breaks() {
  return {
      {"a refusal with an effect",
       [](Rows& r) { request_in(r, "in-tee").verdict.outcome = rules::Outcome::frozen; }, R"(
requests: request shop/in-tee says frozen, but something happened under its key
)"},
      {"a sale refused",
       [](Rows& r) { order_request_in(r, uuid7_key).verdict.outcome = rules::Outcome::sold_out; }, R"(
requests: request shop/#01a3134c-9000-7000-8000-0000000000aa says sold_out, but something happened under its key
)"},
      {"a refusal that says sold",
       [](Rows& r) {
         order_request_in(r, refused_key).verdict.outcome = rules::Outcome::sold;
         order_request_in(r, refused_key).verdict.order = order_of(refused_key);
       },
       R"(
requests: request shop/#01a3134c-9000-7000-8000-0000000000bb says sold, but its key did not take the units of its order
)"},
      {"a refusal that says reserved but names no order",
       [](Rows& r) { order_request_in(r, refused_key).verdict.outcome = rules::Outcome::reserved; }, R"(
requests: request shop/#01a3134c-9000-7000-8000-0000000000bb says reserved, but names no order
)"},
      {"an order's refusal in a sold order",
       [](Rows& r) { order_in(r, refused_key).state = OrderState::held; }, R"(
orders: order #01a3134c-9000-7000-8000-0000000000bb is held, but has no flows
requests: request shop/#01a3134c-9000-7000-8000-0000000000bb says insufficient, but its order is held
)"},
      {"the order of a reserve", [](Rows& r) { request_in(r, "held").verdict.order = order_of("paid"); }, R"(
requests: request shop/held says reserved, but its key did not take the units of its order
)"},
      {"an order that does not exist",
       [](Rows& r) { request_in(r, "held").verdict.order = order_of("nothing"); }, R"(
requests: request shop/held says reserved, but order 01a3185c-5000-705d-905b-8dee5a50cc99 does not exist
)"},
      {"a claimant that does not exist",
       [](Rows& r) { request_in(r, "sale-too-many").verdict.detail.order = order_of("nothing"); }, R"(
requests: request shop/sale-too-many says limit_reached, but order 01a3185c-5000-705d-905b-8dee5a50cc99 does not exist
)"},
      {"another quantity asked",
       [](Rows& r) { request_in(r, "paid").content = "act=reserve;user=bob;lines=tee*2"; }, R"(
requests: request shop/paid says reserved, but its order is of user bob and has tee*1
)"},
      {"another user asked",
       [](Rows& r) { request_in(r, "paid").content = "act=reserve;user=ann;lines=tee*1"; }, R"(
requests: request shop/paid says reserved, but its order is of user bob and has tee*1
)"},
      {"sold instead of reserved",
       [](Rows& r) { request_in(r, "paid").verdict.outcome = rules::Outcome::sold; }, R"(
requests: request shop/paid says sold, but its key did not take the units of its order
)"},
      {"confirmed twice",
       [](Rows& r) {
         r.requests.push_back(request_in(r, "pay"));
         r.requests.back().key = rules::RequestKey("pay-twice");
       },
       R"(
requests: request shop/pay-twice says confirmed, but its key did not settle its order
)"},
      {"confirm of another order",
       [](Rows& r) { request_in(r, "pay").content = request_in(r, "give-back").content; }, R"(
requests: request shop/pay says confirmed, but another order was meant
)"},
      {"confirm names no order", [](Rows& r) { request_in(r, "pay").verdict.order.reset(); }, R"(
requests: request shop/pay says confirmed, but names no order
)"},
      {"cancelled, but confirmed",
       [](Rows& r) { request_in(r, "pay").verdict.outcome = rules::Outcome::cancelled; }, R"(
requests: request shop/pay says cancelled, but its key did not settle its order
)"},
      {"confirmed other lines", [](Rows& r) { request_in(r, "pay-part").content.back() = '3'; }, R"(
requests: request shop/pay-part says confirmed, but its key confirmed mug*2
)"},
      {"confirmed all, but gave some back",
       [](Rows& r) {
         std::string& content = request_in(r, "pay-part").content;
         content.resize(content.find(";lines="));
       },
       R"(
requests: request shop/pay-part says confirmed, but its key did not settle its order
)"},
      {"refund of another order",
       [](Rows& r) {
         request_in(r, "write-off").content =
             "act=refund;order=" + to_text(order_of("part").uuid) + ";restock=false";
       },
       R"(
requests: request shop/write-off says refunded, but another order was meant
)"},
      {"refund names no order", [](Rows& r) { request_in(r, "write-off").verdict.order.reset(); }, R"(
requests: request shop/write-off says refunded, but names no order
)"},
      {"refund of other lines",
       [](Rows& r) {
         std::string& content = request_in(r, "refund-part").content;
         content.replace(content.find("mug*1"), 5, "mug*2");
       },
       R"(
requests: request shop/refund-part says refunded, but its key refunded mug*1
)"},
      {"restocked, but written off",
       [](Rows& r) {
         std::string& content = request_in(r, "write-off").content;
         content.replace(content.find("false"), 5, "true");
       },
       R"(
requests: request shop/write-off says refunded, but its key did not refund its order
)"},
      {"refunded twice",
       [](Rows& r) {
         r.requests.push_back(request_in(r, "write-off"));
         r.requests.back().key = rules::RequestKey("write-off-twice");
       },
       R"(
requests: request shop/write-off-twice says refunded, but its key did not refund its order
)"},
      {"confirmed instead of refunded",
       [](Rows& r) { request_in(r, "write-off").verdict.outcome = rules::Outcome::confirmed; }, R"(
requests: request shop/write-off says confirmed, but its key did not settle its order
)"},
      {"adjusted by another difference",
       [](Rows& r) {
         std::string& content = request_in(r, "adjust-up").content;
         content.replace(content.find("difference=3"), 12, "difference=4");
       },
       R"(
requests: request shop/adjust-up says adjusted, but its key corrected by 3
)"},
      {"adjusted another SKU",
       [](Rows& r) {
         std::string& content = request_in(r, "adjust-down").content;
         content.replace(content.find("mug"), 3, "cap");
       },
       R"(
requests: request shop/adjust-down says adjusted, but its key corrected another SKU
)"},
      {"adjusted a SKU that does not exist",
       [](Rows& r) {
         std::string& content = request_in(r, "adjust-down").content;
         content.replace(content.find("mug"), 3, "hat");
       },
       R"(
requests: request shop/adjust-down says adjusted, but SKU hat does not exist
)"},
      {"counted instead of received",
       [](Rows& r) { request_in(r, "in-cap").verdict.outcome = rules::Outcome::counted; }, R"(
requests: request shop/in-cap says counted, but its key did not correct stock
)"},
      {"received another quantity",
       [](Rows& r) { request_in(r, "in-cap").content = "act=receive;sku=cap;quantity=20"; }, R"(
requests: request shop/in-cap says received, but its key received 2 of cap
)"},
      {"received another SKU",
       [](Rows& r) { request_in(r, "in-cap").content = "act=receive;sku=tee;quantity=2"; }, R"(
requests: request shop/in-cap says received, but its key received 2 of cap
)"},
      {"received nothing",
       [](Rows& r) { request_in(r, "put-cap").verdict.outcome = rules::Outcome::received; }, R"(
requests: request shop/put-cap says received, but its key did not receive units of one SKU
)"},
      {"a SKU that does not exist",
       [](Rows& r) { request_in(r, "put-cap").content = "act=put_sku;sku=hat;buckets=1"; }, R"(
requests: request shop/put-cap says created, but SKU hat does not exist
)"},
      {"an activity that does not exist",
       [](Rows& r) { request_in(r, "create").content = "act=create_activity;activity=none;name=x"; }, R"(
requests: request shop/create says created, but activity none does not exist
)"},
      {"opened, but a draft", [](Rows& r) { r.activities[1].state = rules::ActivityState::draft; }, R"(
requests: request shop/open says opened, but activity sale is draft
)"},
      {"closed, but open", [](Rows& r) { r.activities[0].state = rules::ActivityState::open; }, R"(
requests: request shop/close says closed, but activity past is open
)"},
      {"opened without a move",
       [](Rows& r) { request_in(r, "create").verdict.outcome = rules::Outcome::opened; }, R"(
requests: request shop/create says opened, but its key moved nothing
)"},
      {"created with a move",
       [](Rows& r) { request_in(r, "open").verdict.outcome = rules::Outcome::created; }, R"(
requests: request shop/open says created, but more happened under its key
)"},
      {"key of an order names none",
       [](Rows& r) {
         order_request_in(r, refused_key).key = rules::RequestKey("01a3134c-9000-7000-8000-0000000000cc");
       },
       R"(
requests: request shop/01a3134c-9000-7000-8000-0000000000cc says insufficient, but its key names no order
)"},
  };
}

TEST_F(AuditTest, EachBrokenRequestIsFound) { expect_all(request_breaks()); }

}  // namespace
}  // namespace gavel::judge
