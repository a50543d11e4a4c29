// The audit of units that were shipped (E22): the books are in order, and each way to break them is found.
#include "judge/testing/audit_fixture.h"

namespace gavel::judge {
namespace {

class ShippingAuditTest : public AuditTest {
 protected:
  ShippingAuditTest() {
    say(put_sku("put-ink", "ink", 1), "created");
    say(receive("in-ink", "ink", 9), "received");
    say(reserve("inked", "ann", {{"ink", 4}}, {.payment = rules::Payment::none}), "sold");
    say(ship("ship-ink", order_of("inked"), {{"ink", 3}}), "shipped state=partly_shipped");
    say(refund("ink-back", order_of("inked"), {{"ink", 1}}, rules::Restock::yes, rules::RefundFrom::buyer),
        "refunded state=partly_shipped");
    say(reserve("all-gone", "bob", {{"ink", 2}}, {.payment = rules::Payment::none}), "sold");
    say(ship("ship-all", order_of("all-gone")), "shipped state=shipped");
    say(refund("ink-lost", order_of("all-gone"), {{"ink", 1}}, rules::Restock::no), "refunded state=shipped");
    // What is counted away, and then shipped all the same, was there.
    say(adjust("count-away", "ink", -4), "adjusted");
    say(reserve("none", "eve", {{"ink", 1}}), "sold_out");
    say(ship("ship-rest", order_of("inked")), "shipped state=shipped");
  }
};

TEST_F(ShippingAuditTest, ItsBooksAreInOrder_E22) { EXPECT_EQ(findings(audit(*reader_).value()), ""); }

// The bucket of item 7.
rules::Bucket& ink_bucket(Rows& rows) { return rows.items.at(6).buckets.at(0); }

std::string names_found(const std::string& findings) {
  std::string names;
  std::size_t begin = 0;
  while (begin < findings.size()) {
    names += findings.substr(begin, findings.find(':', begin) - begin) + " ";
    begin = findings.find('\n', begin) + 1;
  }
  return names;
}

// table: one row per way to break it, with the names of all that is found.
TEST_F(ShippingAuditTest, EachBrokenShipmentIsFound_E22) {
  const Break breaks[] = {
      {"a bucket that shipped more", [](Rows& r) { ink_bucket(r).shipped += {1}; }, "buckets conservation "},
      {"an order that shipped more", [](Rows& r) { order_in(r, "all-gone").shipped[0].quantity += {1}; },
       "orders "},
      {"an order that shipped less", [](Rows& r) { order_in(r, "all-gone").shipped[0].quantity -= {1}; },
       "orders "},
      {"an order that forgot it", [](Rows& r) { order_in(r, "all-gone").shipped.clear(); }, "orders "},
      {"shipped in part, it says",
       [](Rows& r) { order_in(r, "all-gone").state = rules::OrderState::partly_shipped; }, "orders "},
      {"shipped whole, it says", [](Rows& r) { order_in(r, "part").state = rules::OrderState::shipped; },
       "orders "},
      {"a shipment of another order",
       [](Rows& r) { request_in(r, "ship-all").content = request_in(r, "ship-ink").content; }, "requests "},
      {"a shipment of another number",
       [](Rows& r) {
         std::string& content = request_in(r, "ship-ink").content;
         content.replace(content.find("ink*3"), 5, "ink*2");
       },
       "requests "},
      {"a refund from another place",
       [](Rows& r) {
         std::string& content = request_in(r, "ink-back").content;
         content.replace(content.find("from=buyer"), 10, "from=shelf");
       },
       "requests "},
  };
  for (const Break& one : breaks) EXPECT_EQ(names_found(found(one.breaks)), one.findings) << one.name;
}

// An order whose entries do not say that it was shipped is explained by an entry of a migration, to the unit.
TEST_F(ShippingAuditTest, AMigrationExplainsWhatItShipped_E22) {
  const auto migrated = [](Rows& rows) {
    FlowRow& entry = flow_in(rows, "ship-all");
    entry.flow.order.reset();
    entry.flow.key.reset();
    entry.flow.source = "migration";
    std::erase_if(rows.requests, [](const rules::IdempotencyRecord& row) {
      return row.key == rules::RequestKey("ship-all");
    });
  };
  EXPECT_EQ(found(migrated), "");
  EXPECT_EQ(names_found(found([&](Rows& rows) {
              migrated(rows);
              order_in(rows, "inked").shipped[0].quantity += {1};
            })),
            "orders ");
  const std::string without_order = found([&](Rows& rows) {
    migrated(rows);
    std::erase_if(rows.orders, [](const rules::Order& row) { return row.id == order_of("all-gone"); });
  });
  EXPECT_NE(without_order.find("orders: bucket 7/0: a migration shipped 2 units, but of its orders 0"),
            std::string::npos)
      << without_order;
}

}  // namespace
}  // namespace gavel::judge
