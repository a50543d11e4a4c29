#include "oracle/left.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "oracle/sound_test.h"

namespace gavel::oracle {
namespace {

std::vector<std::string> lines_of(const std::vector<Finding>& findings) {
  std::vector<std::string> lines;
  for (const Finding& finding : findings) lines.push_back(to_text(finding));
  return lines;
}

std::string text_of(const Errand& errand) {
  const Request& request = errand.request;
  return request.user + " " + std::to_string(request.lines[0].quantity) + " " + request.lines[0].sku + " " +
         (request.activity.empty() ? "-" : request.activity) +
         (errand.must_succeed ? " buys" : " is refused");
}

std::vector<std::string> errands_of(const Scribe& shop, std::size_t most) {
  std::vector<std::string> lines;
  for (const Errand& errand : errands(shop.ledger, shop.now, "shop", "f", most))
    lines.push_back(text_of(errand));
  return lines;
}

TEST(Left, FreshUsersAskForAllThatIsLeft) {
  Scribe shop = sound();
  shop.ledger.buckets.at({2, 0}).available = 6;  // With a limit of four.
  EXPECT_EQ(errands_of(shop, 3),
            (std::vector<std::string>{"f1 1 mug - is refused", "f2 5 tee - buys", "f3 2 tee - buys",
                                      "f4 3 tee - buys", "f5 1 tee - is refused", "f6 4 tee sale buys",
                                      "f7 2 tee sale buys", "f8 1 tee sale is refused"}));
}

TEST(Left, AClosedActivitySellsNothing) {
  Scribe shop = sound();
  shop.ledger.activities.at("sale").state = "closed";
  EXPECT_EQ(errands_of(shop, 1),
            (std::vector<std::string>{"f1 1 mug - is refused", "f2 10 tee - buys", "f3 1 tee - is refused"}));
  shop.ledger.activities.at("sale") = Activity{"open", 4, shop.now + 1, {}};
  EXPECT_EQ(errands_of(shop, 1).size(), 3U);
  shop.ledger.activities.at("sale") = Activity{"open", 4, {}, shop.now};
  EXPECT_EQ(errands_of(shop, 1).size(), 3U);
}

TEST(Left, WhoIsRefusedWhatIsThereIsFound) {
  Scribe shop = sound();
  const std::vector<Errand> all = errands(shop.ledger, shop.now, "shop", "f", 1);
  History history;
  const auto ask = [&](const Errand& errand, const std::string& outcome) {
    history.end(history.begin(errand.request, 1), 2, Reply{.outcome = outcome});
  };
  ask(all[0], "sold_out");
  ask(all[1], "sold_out");
  ask(all[2], "reserved");
  EXPECT_EQ(lines_of(check_errands({all.begin(), all.begin() + 3}, history)),
            (std::vector<std::string>{
                "U2: fresh user f2, who wanted tee*10, was told sold_out, and it is there",
                "U2: fresh user f3, who wanted tee*1, was told reserved, and nothing is left"}));
  History silent;
  EXPECT_EQ(check_errands(all, silent).size(), all.size());
}

TEST(Left, ASaleEndsWithHeldAndSoldAsItsStock) {
  const Scribe shop = sound();
  EXPECT_EQ(lines_of(check_sold_out(shop.ledger, "tee", "sale", 5)), std::vector<std::string>{});
  EXPECT_EQ(lines_of(check_sold_out(shop.ledger, "tee", "sale", 6)),
            (std::vector<std::string>{"U4: tee has 3 held, 2 sold and 0 left of 6"}));
  EXPECT_EQ(check_sold_out(shop.ledger, "tee", "", 12).size(), 1U);  // Ten are left.
}

TEST(Left, HoldsAreReleasedInTime) {
  const Scribe shop = sound();
  EXPECT_EQ(lines_of(check_releases(shop.ledger, shop.now, 200)), std::vector<std::string>{});
  EXPECT_EQ(lines_of(check_releases(shop.ledger, shop.now, 50)),
            (std::vector<std::string>{"C9: order L was released 100 ms late"}));
  EXPECT_EQ(lines_of(check_releases(shop.ledger, *shop.ledger.orders.at("H").expires_at + 201, 200)),
            (std::vector<std::string>{"C9: order H is held, 201 ms after its time"}));
}

}  // namespace
}  // namespace gavel::oracle
