#include "judge/testing/audit_fixture.h"

namespace gavel::judge {
namespace {

using namespace std::chrono_literals;

using rules::OrderState;

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
      {"changed to other lines",
       [](Rows& r) {
         std::string& content = request_in(r, "more").content;
         content.replace(content.find("pen*4"), 5, "pen*3");
       },
       R"(
requests: request shop/more says changed, but its order had pen*4 after it
)"},
      {"changed to other lines at last", [](Rows& r) { request_in(r, "fewer").content.back() = '2'; }, R"(
requests: request shop/fewer says changed, but its order had pen*1 after it
)"},
      {"change of another order",
       [](Rows& r) {
         request_in(r, "the-same").content =
             "act=change;order=" + to_text(order_of("held").uuid) + ";lines=pen*1";
       },
       R"(
requests: request shop/the-same says changed, but another order was meant
)"},
      {"change names no order", [](Rows& r) { request_in(r, "more").verdict.order.reset(); }, R"(
requests: request shop/more says changed, but names no order
)"},
      {"change names another order",
       [](Rows& r) {
         request_in(r, "more").verdict.order = order_of("held");
         request_in(r, "more").content =
             "act=change;order=" + to_text(order_of("held").uuid) + ";lines=pen*4";
       },
       R"(
requests: request shop/more says changed, but its key changed another order
)"},
      {"changed, but paid",
       [](Rows& r) {
         request_in(r, "pay").verdict.outcome = rules::Outcome::changed;
         request_in(r, "pay").content.replace(0, 11, "act=change;");
       },
       R"(
requests: request shop/pay says changed, but its key did not change an order
)"},
      {"changed without a move",
       [](Rows& r) {
         request_in(r, "the-same").content.back() = '4';
         request_in(r, "the-same").verdict.at += 1ms;
       },
       R"(
requests: request shop/the-same says changed, but its order had other lines, and nothing moved
)"},
      {"extended until later than the order is held",
       [](Rows& r) { *request_in(r, "extend").verdict.detail.expires_at += 24h; }, R"(
requests: request shop/extend says extended, but its order's hold is shorter
)"},
      {"extended without an end", [](Rows& r) { request_in(r, "extend").verdict.detail.expires_at.reset(); },
       R"(
requests: request shop/extend says extended, but its order's hold is shorter
)"},
      {"extension of another order",
       [](Rows& r) {
         request_in(r, "extend").content =
             "act=extend;order=" + to_text(order_of("held").uuid) + ";seconds=1200";
       },
       R"(
requests: request shop/extend says extended, but another order was meant
)"},
      {"extension names no order", [](Rows& r) { request_in(r, "extend").verdict.order.reset(); }, R"(
requests: request shop/extend says extended, but names no order
)"},
      {"extension that moved something",
       [](Rows& r) { request_in(r, "pay").verdict.outcome = rules::Outcome::extended; }, R"(
requests: request shop/pay says extended, but something moved under its key
)"},
      {"acted twice under one key",
       [](Rows& r) { flow_in(r, "in-cap-again").flow.key = rules::RequestKey("late"); }, R"(
requests: request shop/in-cap-again says received, but its key did not receive units of one SKU
requests: request shop/late says reserved, but its key did not take the units of its order
)"},
      {"acted again later under one key",
       [](Rows& r) { flow_in(r, "in-mug").flow.key = rules::RequestKey("in-cap"); }, R"(
requests: request shop/in-cap says received, but something happened under its key at 2027-01-15T08:00:05.000Z
requests: request shop/in-mug says received, but its key received 4 of mug
)"},
      {"acted elsewhere under the key that is an order's id",
       [](Rows& r) { flow_in(r, "in-mug").flow.key = rules::RequestKey(uuid7_key); }, R"(
requests: request shop/in-mug says received, but its key received 4 of mug
requests: request shop/#01a3134c-9000-7000-8000-0000000000aa says reserved, but something happened under its key at 2027-01-15T08:00:05.000Z
)"},
      {"a request of its own under the key that is an order's id",
       [](Rows& r) {
         r.requests.push_back(request_in(r, "extend-more"));
         r.requests.back().key = rules::RequestKey(uuid7_key);
       },
       R"(
requests: request shop/#01a3134c-9000-7000-8000-0000000000aa says hold_capped, but something happened under its key at 2027-01-15T08:00:00.000Z
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
      {"key of an order is no UUID",
       [](Rows& r) { order_request_in(r, refused_key).key = rules::RequestKey("plain"); }, R"(
requests: request shop/plain says insufficient, but its key names no order
)"},
      {"a change by entries that are none",
       [](Rows& r) {
         for (FlowRow& row : r.flows) {
           if (row.flow.key == rules::RequestKey("more")) row.flow.source = "order";
         }
       },
       R"(
orders: order #grown says that it took 0 from bucket 5/1, its flows say 1
requests: request shop/fewer says changed, but its order had mug*1,pen*1 after it
requests: request shop/grown says reserved, but its order is of user ann and has mug*1,pen*4
requests: request shop/more says changed, but its order had nothing after it
requests: request shop/the-same says changed, but its order had other lines, and nothing moved
holds: order #grown holds item 5 until 2027-01-15T08:45:05.000Z, but has no hold row
)"},
      {"confirm names another order", [](Rows& r) { request_in(r, "pay").verdict.order = order_of("held"); },
       R"(
requests: request shop/pay says confirmed, but its key did not settle its order
)"},
      {"refund names another order",
       [](Rows& r) { request_in(r, "write-off").verdict.order = order_of("part"); }, R"(
requests: request shop/write-off says refunded, but its key did not refund its order
)"},
      {"more than a refund",
       [](Rows& r) { flow_in(r, "in-mug").flow.key = rules::RequestKey("refund-part"); }, R"(
requests: request shop/in-mug says received, but its key received 4 of mug
requests: request shop/refund-part says refunded, but its key did not refund its order
)"},
      {"confirmed lines of a SKU without a row",
       [](Rows& r) {
         std::erase_if(r.skus, [](const rules::Sku& s) { return s.code == rules::SkuCode("mug"); });
       },
       R"(
requests: request shop/adjust-down says adjusted, but SKU mug does not exist
requests: request shop/adjust-up says adjusted, but SKU mug does not exist
requests: request shop/gone says sold, but its order is of user bob and has unknown*2
requests: request shop/grown says reserved, but its order is of user ann and has pen*2,unknown*1
requests: request shop/in-mug says received, but its key did not receive units of one SKU
requests: request shop/part says reserved, but its order is of user ann and has unknown*6
requests: request shop/pay-part says confirmed, but its key confirmed nothing
requests: request shop/put-mug says created, but SKU mug does not exist
requests: request shop/refund-part says refunded, but its key refunded nothing
)"},
      {"more than a receipt", [](Rows& r) { flow_in(r, "paid").flow.key = rules::RequestKey("in-tee"); }, R"(
requests: request shop/in-tee says received, but its key did not receive units of one SKU
requests: request shop/paid says reserved, but its key did not take the units of its order
)"},
      {"adjusted both ways",
       [](Rows& r) { flow_in(r, "adjust-down").flow.key = rules::RequestKey("adjust-up"); }, R"(
requests: request shop/adjust-down says adjusted, but its key corrected by 0
requests: request shop/adjust-up says adjusted, but its key did not correct stock
)"},
      {"adjusted two SKUs",
       [](Rows& r) {
         FlowRow& row = flow_in(r, "in-pen");
         row.flow.key = rules::RequestKey("adjust-up");
         row.flow.action = rules::Action::adjust_in;
       },
       R"(
requests: request shop/adjust-up says adjusted, but its key corrected another SKU
requests: request shop/in-pen says received, but its key received 3 of pen
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
