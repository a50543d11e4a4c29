// What storing promises of orders that last longer, of requests that are forgotten, and of refusals that are
// counted.
#include <string>

#include "judge/testing/store_contract.h"

namespace gavel::judge {

using namespace std::chrono_literals;
using rules::ItemId;
using rules::RowState;
using rules::State;

namespace {

std::string code_of(const Result<void>& result) {
  if (result) return "written";
  return result.error().code == ErrorCode::conflict ? "conflict" : result.error().message;
}

}  // namespace

TEST_P(StoreContract, AnExtendedOrderComesBackWithItsFirstEnd_E4) {
  const auto load = [&] { return loaded([&](State& s) { return store().load_orders({order_id(1)}, s); }); };
  State state = load();
  rules::Order& order = state.orders.at(order_id(1));
  const Time first = *order.expires_at;
  order.first_expires_at = first;
  order.expires_at = first + 60s;
  order.extensions = 2;
  order.revision += 1;
  order.row_state = RowState::updated;
  ASSERT_EQ(code_of(post(state)), "written");
  reopen();
  const State again = load();
  const rules::Order& stored = again.orders.at(order_id(1));
  EXPECT_EQ(stored.first_expires_at, first);
  EXPECT_EQ(stored.expires_at, first + 60s);
  EXPECT_EQ(stored.extensions, 2);
  EXPECT_EQ(dump_of("hold").find("expires_at=" + to_text(first) + " order=" + to_text(order_id(1).uuid)),
            std::string::npos);
  EXPECT_NE(
      dump_of("hold").find("expires_at=" + to_text(first + 60s) + " order=" + to_text(order_id(1).uuid)),
      std::string::npos);
}

TEST_P(StoreContract, AnItemsRowGoesOnByGenerationOrByShortagesWithinOne_A8) {
  const auto put = [&](std::int64_t generation, std::int64_t refusals) {
    State state = loaded_item(1);
    rules::Item& item = state.items.at(ItemId{1});
    item.generation = generation;
    item.refusals = refusals;
    item.row_state = RowState::updated;
    return code_of(post(state));
  };
  const auto stored = [&] {
    const State state = loaded_item(1);
    const rules::Item& item = state.items.at(ItemId{1});
    return std::to_string(item.generation) + "/" + std::to_string(item.refusals);
  };
  EXPECT_EQ(stored(), "1/0");
  EXPECT_EQ(put(1, 3), "written");
  EXPECT_EQ(put(1, 3), "conflict");
  EXPECT_EQ(put(1, 2), "conflict");
  EXPECT_EQ(stored(), "1/3");
  EXPECT_EQ(put(2, 0), "written");
  EXPECT_EQ(put(1, 9), "conflict");
  EXPECT_EQ(stored(), "2/0");
  reopen();
  EXPECT_EQ(stored(), "2/0");
}

TEST_P(StoreContract, ForgottenRequestsGoBeforeOthersAreWritten_A28) {
  State first;
  for (const char* key : {"old", "kept"}) {
    first.requests.emplace(request_id("shop", key), make_recorded("shop", key, rules::Outcome::received));
  }
  ASSERT_EQ(code_of(post(first)), "written");
  State second;
  second.forgotten.insert(request_id("shop", "old"));
  second.requests.emplace(request_id("shop", "old"), make_recorded("shop", "old", rules::Outcome::created));
  ASSERT_EQ(code_of(post(second)), "written");
  const auto outcome_of = [&](const char* key) {
    const auto found = reader().request(request_id("shop", key)).value();
    return found ? std::string(word(found->verdict.outcome)) : "none";
  };
  EXPECT_EQ(outcome_of("old"), "created");
  EXPECT_EQ(outcome_of("kept"), "received");

  State third;
  third.forgotten.insert(request_id("shop", "old"));
  EXPECT_EQ(code_of(post(third)), "written");
  EXPECT_EQ(outcome_of("old"), "none");
  const std::string before = dump();
  third.forgotten.insert(request_id("shop", "kept"));
  EXPECT_EQ(code_of(post(third)), "conflict") << "one of them is gone, so none goes";
  EXPECT_EQ(dump(), before);
}

}  // namespace gavel::judge
