#include "oracle/undersell.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "oracle/scribe_test.h"

namespace gavel::oracle {
namespace {

constexpr Place only{1, 0};

// A random history of one stock item: receipts, orders, cancellations and ended holds, each with a moment at
// which it was done inside of its call; some replies are lost or unknown; and refusals that were made up, so
// that about half of the histories hold one that cannot have been right.
class RandomHistory {
 public:
  explicit RandomHistory(std::uint64_t seed) : random_(seed) {
    shop_.item(1, "tee", "", 1);
    shop_.terms.release_within_ms = static_cast<std::int64_t>(random_.below(6));
    const std::uint64_t acts = 1 + random_.below(6);
    for (std::uint64_t i = 0; i < acts; ++i) act();
    const std::uint64_t refusals = 1 + random_.below(3);
    for (std::uint64_t i = 0; i < refusals; ++i) refuse();
  }

  const Scribe& shop() const { return shop_; }

 private:
  std::int64_t upto(std::int64_t most) {
    return static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(most) + 1));
  }

  void act() {
    shop_.batch();
    done_at_ += upto(6);
    const std::string key = "k" + std::to_string(++number_);
    const std::int64_t available = shop_.ledger.buckets.at(only).available;
    const std::uint64_t draw = random_.below(4);
    if (draw == 0 || (available == 0 && held_.empty())) {
      const std::int64_t units = 2 + upto(2);
      shop_.post(only, "receive", units, "", key);
      return call({.caller = "shop", .key = key, .act = "receive", .lines = {{"tee", units}}}, "received");
    }
    if (draw >= 2 && !held_.empty()) {
      const Part part = held_.back();
      held_.pop_back();
      const std::string order = "o" + std::to_string(part.place.bucket);
      if (random_.chance(1, 2)) {
        // In time: a release that came later than was promised is another check's finding.
        shop_.ledger.orders.at(order).expires_at = done_at_ - upto(*shop_.terms.release_within_ms);
        return shop_.post(only, "expire", part.quantity, order);
      }
      shop_.post(only, "cancel", part.quantity, order, key);
      return call(upon(key, "cancel", order), "cancelled");
    }
    if (available == 0) return act();
    const std::int64_t units = 1 + upto(available - 1);
    const std::string order = "o" + std::to_string(number_);
    shop_.post(only, "reserve", units, order, key);
    shop_.ledger.orders[order] = Order{"held", "u", "", {{only, units}}, {}, done_at_ + 100, {}};
    held_.push_back({{1, number_}, units});
    call(wants(key, "u", {{"tee", units}}), "reserved");
  }

  // A call around the present moment, its reply sometimes lost, sometimes told a second time alone.
  void call(const Request& request, const std::string& outcome) {
    if (random_.chance(1, 8)) maybe_refused_before(request);
    const AttemptId first = shop_.history.begin(request, done_at_ - upto(5));
    const std::uint64_t draw = random_.below(6);
    if (draw == 0) return;
    if (draw == 1) {
      shop_.history.end(first, done_at_ + upto(5), Reply{.outcome = "outcome_unknown"});
      const AttemptId second = shop_.history.begin(request, done_at_ + upto(6));
      return shop_.history.end(second, done_at_ + 6 + upto(3), replay(told(outcome)));
    }
    shop_.history.end(first, done_at_ + upto(5), told(outcome));
  }

  void maybe_refused_before(const Request& request) {
    if (request.act != "reserve") return;
    const AttemptId attempt = shop_.history.begin(request, std::max<Moment>(0, done_at_ - 3 - upto(9)));
    shop_.history.end(attempt, done_at_ - upto(3),
                      Reply{.outcome = "insufficient", .sku = "tee", .text = {}});
  }

  void refuse() {
    const Moment begin = 8 + upto(done_at_ - 4);
    const std::string key = "n" + std::to_string(++number_);
    const AttemptId attempt = shop_.history.begin(wants(key, "u", {{"tee", 1 + upto(1)}}), begin);
    shop_.history.end(attempt, begin + upto(2), Reply{.outcome = "insufficient", .sku = "tee", .text = {}});
  }

  Random random_;
  Scribe shop_;
  Moment done_at_ = 10;
  std::int64_t number_ = 0;
  std::vector<Part> held_;  // Which order, in the place of the bucket, and its units.
};

std::string story_of(const Scribe& shop) {
  std::string text;
  for (const Flow& flow : shop.ledger.flows)
    text += flow.key + " " + flow.action + " " + std::to_string(flow.quantity) + "\n";
  for (const auto& [id, asked] : shop.history.asked()) {
    for (const Attempt& attempt : asked.attempts) {
      text += id.second + " [" + std::to_string(attempt.call) + ", " + std::to_string(attempt.answered) +
              "] " + (attempt.reply ? attempt.reply->outcome : "lost") + "\n";
    }
  }
  return text;
}

// proof.md: the checker itself is checked against brute force on at least 1,000 random small histories.
TEST(Undersell, AgreesWithBruteForceOnSmallHistories) {
  int right = 0;
  int wrong = 0;
  for (std::uint64_t seed = 1; seed <= 20000; ++seed) {
    const RandomHistory made(seed);
    const Scribe& shop = made.shop();
    const World world{shop.history, shop.ledger, shop.terms};
    std::vector<Finding> found;
    Findings before(std::string_view("U1"), found);
    check_refusals(world, before);
    Findings after(std::string_view("U3"), found);
    check_refusals_after_release(world, after);
    const bool possible = brute_force(world);
    ++(possible ? right : wrong);
    ASSERT_EQ(found.empty(), possible)
        << "seed " << seed << "\n"
        << story_of(shop) << (found.empty() ? "nothing found" : to_text(found[0]));
  }
  RecordProperty("right", right);
  RecordProperty("wrong", wrong);
  EXPECT_GE(right, 5000);
  EXPECT_GE(wrong, 5000);
}

TEST(Undersell, TheLeastOfARangeIsTheLeastOfItsValues) {
  Random random(7);
  for (std::size_t size = 1; size <= 40; ++size) {
    std::vector<std::int64_t> values;
    for (std::size_t i = 0; i < size; ++i) values.push_back(static_cast<std::int64_t>(random.below(20)));
    const RangeMinimum minimum(values);
    for (std::size_t first = 0; first < size; ++first) {
      std::int64_t least = values[first];
      for (std::size_t last = first; last < size; ++last) {
        least = std::min(least, values[last]);
        ASSERT_EQ(minimum.least(first, last), least) << first << " to " << last << " of " << size;
      }
    }
  }
}

// Where the moment of a commit is known the windows are as narrow as can be.
TEST(Undersell, AKnownCommitSharpensTheWindow) {
  Scribe shop;
  shop.item(1, "tee", "", 1);
  shop.batch();
  shop.post(only, "receive", 1, "", "in");
  shop.history.begin({.caller = "shop", .key = "in", .act = "receive", .lines = {{"tee", 1}}},
                     1);  // Its reply is lost.
  shop.now = 10;
  shop.ask(wants("a", "u", {{"tee", 1}}), Reply{.outcome = "sold_out", .sku = "tee"});
  const World world{shop.history, shop.ledger, shop.terms};
  std::vector<Finding> found;
  Findings findings("U1", found);
  check_refusals(world, findings);
  EXPECT_TRUE(found.empty()) << "the receipt may have been done later";
  shop.ledger.flows[0].committed = 5;
  check_refusals(world, findings);
  EXPECT_EQ(found.size(), 1U) << "it was done before the question";
  found.clear();
  shop.ledger.flows[0].committed = 11;
  check_refusals(world, findings);
  EXPECT_TRUE(found.empty());
}

// A late duplicate is measured by the time of the first verdict, which nobody can tell better than by all
// calls.
TEST(Undersell, AReplayedRefusalWasRightWhenItWasFirstGiven) {
  Scribe shop;
  shop.item(1, "tee", "", 1);
  const Request late = wants("late", "u", {{"tee", 1}});
  shop.ask(late, Reply{.outcome = "sold_out", .recorded = true, .sku = "tee"});
  shop.batch();
  shop.post(only, "receive", 1, "", "in");
  shop.ask({.caller = "shop", .key = "in", .act = "receive", .lines = {{"tee", 1}}}, told("received"));
  shop.ask(late, Reply{.outcome = "sold_out", .recorded = true, .replayed = true, .sku = "tee"});
  EXPECT_EQ(shop.found(), std::vector<std::string>{});
}

// A key that somebody sends with another content after it was done says nothing of when it was done.
TEST(EffectBegun, AMisusedKeyWasDoneBefore_A9) {
  History history;
  const Request request = wants("k", "u", {{"tee", 1}});
  history.begin(request, 10);  // Its reply is lost.
  const AttemptId misuse = history.begin(wants("k", "another", {{"tee", 1}}), 50);
  history.end(misuse, 60, Reply{.outcome = "key_reused"});
  EXPECT_EQ(history.asked().at({"shop", "k"}).effect_begun(), 10);
  const AttemptId refused = history.begin(request, 70);
  history.end(refused, 80, Reply{.outcome = "sold_out"});
  EXPECT_EQ(history.asked().at({"shop", "k"}).effect_begun(), 70);
}

}  // namespace
}  // namespace gavel::oracle
