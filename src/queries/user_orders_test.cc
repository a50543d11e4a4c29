// The index of orders by user follows the ledger and passes over nothing, and an answer from it is what a
// walk through all orders would have given.
#include "queries/user_orders.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <set>
#include <string>
#include <vector>

#include "jobs/projection.h"
#include "judge/testing/judge_driver.h"
#include "judge/testing/order_index_forms_test.h"
#include "judge/testing/random_script.h"

namespace gavel::queries {
namespace {

using jobs::Projection;
using jobs::projection_flows_max;
using judge::JudgeDriver;
using rules::OrderState;
using rules::UserId;

class UserOrdersTest : public ::testing::TestWithParam<judge::IndexForm> {
 protected:
  void SetUp() override {
    world_ = GetParam().store.make();
    index_ = GetParam().open(folder_);
    restart();
  }

  // What a new process has: another lane, and a job that knows nothing yet.
  void restart() {
    projection_.reset();
    court_.reset();
    reader_.reset();
    store_.reset();
    store_ = world_->open_store();
    reader_ = world_->open_reader();
    court_ = std::make_unique<JudgeDriver>(*store_);
    follow_in_steps_of(projection_flows_max);
  }

  void follow_in_steps_of(std::size_t flows_max) {
    projection_ = std::make_unique<Projection>(*reader_, *index_, world_->clock(), *log_, flows_max);
  }

  void replace_database() {
    projection_.reset();
    court_.reset();
    reader_.reset();
    store_.reset();
    world_ = GetParam().store.make();
    restart();
  }

  bool step() {
    const auto more = projection_->step();
    EXPECT_TRUE(more.has_value());
    return more.value_or(false);
  }

  void follow_all() {
    while (step()) continue;
  }

  // "k1 held, k2 paid; next k2": a page of the user's orders, by the keys that made them.
  std::string orders(const std::string& user, std::size_t count = 100, std::optional<OrderState> state = {},
                     std::optional<rules::OrderPosition> before = {}) {
    const auto answer = orders_of(*index_, *reader_, *reader_, {UserId(user), state, before, count});
    if (!answer) return answer.error().message;
    std::string text;
    for (const judge::OrderRow& view : answer->orders) {
      text += to_text(view.order.id.uuid) + " " + std::string(word(view.order.state)) + "\n";
    }
    if (answer->next) text += "next " + to_text(*answer->next) + "\n";
    text +=
        "behind " + std::to_string(answer->lag.batches) + " " + std::to_string(answer->lag.behind.count());
    return court_->by_keys(text);
  }

  // What a walk through all orders gives for the same question, in pages, with nothing left out.
  std::string walked(const std::string& user, std::optional<OrderState> state) {
    std::vector<rules::OrderId> made;  // As the ledger has them: lanes follow one another here.
    std::set<rules::OrderId> seen;
    std::map<rules::OrderId, rules::Order> all;
    judge::Reader::Visitor visitor;
    visitor.flow_by_batch = [&](const judge::FlowRow& row) {
      const std::optional<rules::OrderId>& id = row.flow.order;
      if (id && seen.insert(*id).second) made.push_back(*id);
    };
    visitor.order = [&](const rules::Order& order) { all.emplace(order.id, order); };
    EXPECT_TRUE(reader_->visit(visitor));
    std::string text;
    for (const rules::OrderId& id : made | std::views::reverse) {
      const rules::Order& order = all.at(id);
      if (order.user.text() == user && (!state || order.state == *state)) text += to_text(id.uuid) + "\n";
    }
    return text;
  }

  std::string asked_in_pages(const std::string& user, std::optional<OrderState> state, std::size_t count) {
    std::string text;
    std::optional<rules::OrderPosition> before;
    for (int pages = 0; pages < 10'000; ++pages) {
      const auto answer = orders_of(*index_, *reader_, *reader_, {UserId(user), state, before, count});
      EXPECT_TRUE(answer.has_value());
      EXPECT_LE(answer->orders.size(), count);
      for (const judge::OrderRow& view : answer->orders) text += to_text(view.order.id.uuid) + "\n";
      if (!answer->next) return text;
      before = answer->next;
    }
    ADD_FAILURE() << "the pages have no end";
    return text;
  }

  JudgeDriver& court() { return *court_; }
  Projection& projection() { return *projection_; }
  judge::StoreClock& clock() { return world_->clock(); }
  judge::Reader& reader() { return *reader_; }
  judge::OrderIndex& index() { return *index_; }

 private:
  TemporaryFolder folder_;
  std::unique_ptr<Log> log_ = Log::silent();
  std::unique_ptr<judge::StoreWorld> world_;
  std::unique_ptr<judge::Store> store_;
  std::unique_ptr<judge::Reader> reader_;
  std::unique_ptr<JudgeDriver> court_;
  std::unique_ptr<judge::OrderIndex> index_;
  std::unique_ptr<Projection> projection_;
};

TEST_P(UserOrdersTest, AnAnswerIsCompleteHoweverFarTheIndexIs_B17) {
  court().say_all({judge::put_sku("s", "tee"), judge::receive("r", "tee", 5)});
  court().say_all({judge::reserve("k1", "ann", {{"tee", 1}})});
  EXPECT_EQ(orders("ann"), "#k1 held\nbehind 0 0") << "before the job ever ran";
  follow_all();
  EXPECT_EQ(orders("ann"), "#k1 held\nbehind 0 0");
  court().say_all({judge::confirm("c1", judge::order_of("k1"))});
  EXPECT_EQ(orders("ann"), "#k1 paid\nbehind 0 0") << "the index says held";
  EXPECT_EQ(orders("ann", 9, OrderState::held), "behind 0 0");
  EXPECT_EQ(orders("ann", 9, OrderState::paid), "#k1 paid\nbehind 0 0");
  follow_all();
  EXPECT_EQ(orders("ann", 9, OrderState::paid), "#k1 paid\nbehind 0 0");
  court().say_all({judge::reserve("k9", "ann", {{"tee", 100}})});
  EXPECT_EQ(orders("ann"), "#k1 paid\nbehind 0 0") << "what was refused took nothing";
}

TEST_P(UserOrdersTest, SaysHowFarBehindItIs) {
  court().say_all({judge::put_sku("s", "tee"), judge::receive("r", "tee", 100'000)});
  follow_all();
  int made = 0;
  const auto sell = [&](int orders) {
    std::vector<rules::Command> commands;
    for (int i = 0; i < orders; ++i) {
      const std::string n = std::to_string(++made);
      commands.push_back(judge::reserve("k" + n, "u" + n, {{"tee", 1}}));
    }
    EXPECT_TRUE(court().apply(commands));
  };
  clock().advance(Duration(1'000));
  sell(1'500);
  sell(1'500);
  clock().advance(Duration(250));
  sell(1);
  clock().advance(Duration(250));
  EXPECT_EQ(orders("u1"), "#k1 held\nbehind 1 250");
  EXPECT_EQ(orders("u3001"), "behind 1 250") << "what is not in the answer is told";
  follow_in_steps_of(1);
  EXPECT_TRUE(step());
  EXPECT_EQ(projection().lag().batches, 2);
  EXPECT_EQ(projection().lag().behind, Duration(500));
  follow_all();
  EXPECT_EQ(projection().lag().batches, 0);
  EXPECT_EQ(projection().lag().behind, Duration(0));
  EXPECT_EQ(orders("u3001"), "#k3001 held\nbehind 0 0");
}

// Whatever happens, and however the steps of the job fall between it.
TEST_P(UserOrdersTest, PassesOverNothing_B17) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U}) {
    replace_database();
    follow_all();
    Random random(seed);
    const auto script = judge::random_script(seed, 300, clock().now());
    const auto cuts = judge::random_cuts(script, 8, random);
    std::map<std::string, int> users;
    follow_in_steps_of(1 + random.below(6));
    std::size_t at = 0;
    for (const std::size_t length : cuts) {
      clock().advance(script[at].wait);
      std::vector<rules::Command> batch;
      for (std::size_t i = 0; i < length; ++i) batch.push_back(script[at + i].command);
      at += length;
      ASSERT_TRUE(court().apply(batch));
      if (random.below(3) == 0) step();
      if (random.below(40) == 0) restart();
      if (random.below(10) != 0) continue;
      for (const char* user : {"u1", "u2", "u3", "u4", "u5"}) {
        for (const auto state : {std::optional<OrderState>(), std::optional(OrderState::held),
                                 std::optional(OrderState::cancelled), std::optional(OrderState::paid)}) {
          ASSERT_EQ(asked_in_pages(user, state, 1 + random.below(5)), walked(user, state))
              << user << " seed " << seed << " command " << at;
        }
      }
    }
    follow_all();
    EXPECT_NE(walked("u1", std::nullopt) + walked("u2", std::nullopt), "") << "the script sold something";
  }
}

// The latest by the judge stands first, also within one millisecond, whatever the ids are: from the tail,
// from the index, and where one page is of both.
TEST_P(UserOrdersTest, TheLatestOfOneMillisecondIsFirst_G012) {
  court().say_all({judge::put_sku("s", "tee"), judge::receive("r", "tee", 5)});
  const auto key = [](int n) { return "01a3185c-5000-7000-8000-00000000000" + std::to_string(n); };
  court().say_all({judge::reserve(key(9), "ann", {{"tee", 1}}), judge::reserve(key(1), "ann", {{"tee", 1}})});
  court().say_all({judge::reserve(key(5), "ann", {{"tee", 1}})});
  const auto listed = [&](std::size_t count) {
    std::string text;
    std::optional<rules::OrderPosition> before;
    do {
      const auto page = orders_of(index(), reader(), reader(), {UserId("ann"), {}, before, count});
      EXPECT_TRUE(page.has_value());
      for (const judge::OrderRow& row : page->orders) text += to_text(row.order.id.uuid).back();
      before = page->next;
    } while (before);
    return text;
  };
  EXPECT_EQ(listed(9), "519") << "from the tail";
  EXPECT_EQ(listed(1), "519");
  follow_in_steps_of(1);
  while (projection().lag().batches != 1) step();
  EXPECT_EQ(listed(2), "519") << "from both";
  follow_all();
  EXPECT_EQ(listed(9), "519") << "from the index";
  EXPECT_EQ(listed(1), "519");
  court().say_all({judge::confirm("c", judge::order_of(key(9)))});
  EXPECT_EQ(listed(9), "519") << "an act on an order moves it to no other place";
  follow_all();
  EXPECT_EQ(listed(2), "519");
}

TEST_P(UserOrdersTest, AnotherDatabaseIsFollowedFromItsBeginning) {
  court().say_all({judge::put_sku("s", "tee"), judge::receive("r", "tee", 5)});
  court().say_all({judge::reserve("k1", "ann", {{"tee", 1}})});
  follow_all();
  replace_database();
  court().say_all({judge::put_sku("s", "tee"), judge::receive("r", "tee", 5)});
  EXPECT_EQ(orders("ann"), "the index of orders by user is being rebuilt; ask again later");
  follow_all();
  EXPECT_EQ(orders("ann"), "behind 0 0");
  court().say_all({judge::reserve("k2", "ann", {{"tee", 1}})});
  EXPECT_EQ(orders("ann"), "#k2 held\nbehind 0 0");
}

INSTANTIATE_TEST_SUITE_P(Forms, UserOrdersTest,
                         ::testing::Values(judge::memory_index_form(), judge::sqlite_index_form()),
                         judge::name_of_index_form);

}  // namespace
}  // namespace gavel::queries
