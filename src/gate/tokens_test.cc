#include "gate/tokens.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "gate/token_book.h"

namespace gavel::gate {
namespace {

using rules::ItemId;
using rules::Quantity;

constexpr rules::InstanceId me{1};
const Result<Reply> no_reply = fail(ErrorCode::unavailable, "no reply in time");

// Available 9 unless the row says otherwise.
Reply reply_of(Said said, std::int64_t open, std::int64_t shut, std::vector<bool> granted) {
  return {said, 4, {9}, open, shut, {0}, std::move(granted)};
}
Reply ok(std::vector<bool> granted) { return reply_of(Said::ok, 2, 1, std::move(granted)); }
Reply closed_at(std::int64_t generation, std::size_t wants) {
  return reply_of(Said::ok, generation, generation, std::vector<bool>(wants, false));
}

std::string text_of(const std::vector<RoutingResult>& all) {
  constexpr std::array words{"granted", "too_few", "closed", "not_initialised", "unavailable"};
  std::string text;
  for (const RoutingResult& one : all) {
    if (!text.empty()) text += " ";
    text += std::to_string(one.wanter) + "*" + std::to_string(one.units.units) + ":" +
            words.at(static_cast<std::size_t>(one.route));
    if (one.shut != 0) text += "@" + std::to_string(one.shut);
  }
  return text;
}

std::string text_of(const Say& say) {
  std::string text = std::to_string(say.instance.value) + "#" + std::to_string(say.op) +
                     " base=" + std::to_string(say.base.units);
  if (say.judge && say.judge->position) {
    text += " judge=" + std::to_string(say.judge->position->seq) + "/" +
            std::to_string(say.judge->position->available.units);
  }
  if (say.judge) {
    text += " gen=" + std::to_string(say.judge->open) + "/" + std::to_string(say.judge->shut);
  }
  if (!say.wants.empty()) text += " wants=" + std::to_string(say.wants.size());
  return text;
}

Statement statement(std::int64_t seq, std::int64_t available, std::int64_t open, std::int64_t shut) {
  return {Position{seq, {available}}, open, shut};
}

TEST(Tokens, OwedStatementsMergeAsAtTheGate) {
  struct Row {
    Statement one, other, both;
  };
  const Statement generations{std::nullopt, 5, 4};
  const std::vector<Row> rows{
      {statement(3, 5, 1, 0), statement(4, 6, 1, 0), statement(4, 6, 1, 0)},
      {statement(4, 0, 1, 1), statement(3, 5, 1, 0), statement(4, 0, 1, 1)},
      {statement(3, 0, 3, 3), statement(4, 6, 2, 1), statement(4, 6, 3, 3)},
      {statement(3, 5, 2, 1), generations, statement(3, 5, 5, 4)},
      {generations, generations, generations},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(merged(row.one, row.other), row.both);
    EXPECT_EQ(merged(row.other, row.one), row.both);  // In whichever order they come.
    EXPECT_EQ(merged(row.both, row.one), row.both);   // And however often.
  }
}

TEST(Tokens, OneCallCarriesAllThatWaits) {
  Tokens tokens;
  EXPECT_FALSE(tokens.due());
  EXPECT_TRUE(tokens.resting());
  tokens.want(10, {2});
  tokens.owe(statement(3, 5, 2, 1));
  tokens.want(11, {1});
  tokens.owe(statement(4, 9, 2, 1));
  ASSERT_TRUE(tokens.due());
  EXPECT_EQ(text_of(tokens.begin(me, 1)), "1#1 base=0 judge=4/9 gen=2/1 wants=2");
  EXPECT_FALSE(tokens.due());
  EXPECT_FALSE(tokens.resting());
  EXPECT_EQ(text_of(tokens.end(1, ok({true, false}))), "10*2:granted 11*1:too_few");
  EXPECT_EQ(tokens.held(), Quantity{2});
  EXPECT_FALSE(tokens.due());
}

TEST(Tokens, OneCallAtATime) {
  Tokens tokens;
  tokens.want(10, {2});
  tokens.begin(me, 1);
  tokens.want(11, {1});
  tokens.owe(statement(4, 9, 2, 1));
  EXPECT_FALSE(tokens.due());
  tokens.end(1, ok({true}));
  ASSERT_TRUE(tokens.due());
  EXPECT_EQ(text_of(tokens.begin(me, 2)), "1#2 base=2 judge=4/9 gen=2/1 wants=1");
}

TEST(Tokens, WhereARequestGoes) {
  struct Row {
    Result<Reply> reply;
    std::string directed;
  };
  const std::vector<Row> rows{
      {ok({true}), "10*2:granted"},
      {ok({false}), "10*2:too_few"},
      {closed_at(3, 1), "10*2:closed@3"},
      {reply_of(Said::ok, 3, 4, {false}), "10*2:closed@4"},
      {Reply{}, "10*2:not_initialised"},
      {reply_of(Said::stale, 2, 1, {}), "10*2:unavailable"},
      {reply_of(Said::stale, 2, 2, {}), "10*2:unavailable"},
      {no_reply, "10*2:unavailable"},
  };
  for (const Row& row : rows) {
    Tokens tokens;
    tokens.want(10, {2});
    tokens.begin(me, 1);
    EXPECT_EQ(text_of(tokens.end(1, row.reply)), row.directed);
  }
}

TEST(Tokens, ACallThatFailedIsOwedWithThePresentState) {
  Tokens tokens;
  tokens.owe(statement(3, 5, 2, 1));
  tokens.want(10, {2});
  tokens.begin(me, 1);
  tokens.owe(statement(4, 3, 2, 2));
  EXPECT_EQ(text_of(tokens.end(1, no_reply)), "10*2:unavailable");
  ASSERT_TRUE(tokens.due());
  EXPECT_EQ(text_of(tokens.begin(me, 2)), "1#2 base=0 judge=4/3 gen=2/2");
  tokens.end(2, ok({}));
  EXPECT_TRUE(tokens.resting());
}

TEST(Tokens, TheStatementOfACallThatFailedIsOwedAgain) {
  Tokens tokens;
  tokens.owe(statement(3, 5, 2, 1));
  tokens.begin(me, 1);
  tokens.end(1, no_reply);
  EXPECT_EQ(text_of(tokens.begin(me, 2)), "1#2 base=0 judge=3/5 gen=2/1");
  tokens.owe(statement(2, 0, 3, 3));  // An older position, and newer generations.
  tokens.end(2, no_reply);
  EXPECT_EQ(text_of(tokens.begin(me, 3)), "1#3 base=0 judge=3/5 gen=3/3");
}

TEST(Tokens, WhatMustBeHeardSleepsWhileTheBucketIsMissing) {
  Tokens tokens;
  tokens.owe_call();
  tokens.begin(me, 1);
  tokens.end(1, Reply{});
  EXPECT_FALSE(tokens.due());
  EXPECT_FALSE(tokens.resting());
  tokens.wake();
  ASSERT_TRUE(tokens.due());
  tokens.begin(me, 2);
  tokens.end(2, Reply{});
  EXPECT_FALSE(tokens.due());
  tokens.owe(Statement{std::nullopt, 3, 2});  // Makes no bucket, but may find one.
  tokens.begin(me, 3);
  tokens.end(3, ok({}));
  EXPECT_TRUE(tokens.resting());
}

TEST(Tokens, AServerThatIsAnotherSinceTheCallBeganMustHearTheNextOne) {
  for (const Result<Reply>& reply : std::vector<Result<Reply>>{ok({}), Reply{}, no_reply}) {
    Tokens tokens;
    tokens.owe_call();
    tokens.begin(me, 1);
    tokens.owe_call();
    tokens.end(1, reply);
    EXPECT_TRUE(tokens.due());
  }
}

TEST(Tokens, NothingIsOwedToAnItemThatIsNoLongerGated) {
  Tokens tokens;
  tokens.owe(statement(3, 5, 2, 1));
  tokens.owe_call();
  tokens.forgive();
  EXPECT_TRUE(tokens.resting());
}

TEST(Tokens, ACallWithoutAStatementThatFailedIsOwedToo) {
  Tokens tokens;
  tokens.want(10, {2});
  tokens.begin(me, 1);
  tokens.end(1, no_reply);
  ASSERT_TRUE(tokens.due());
  EXPECT_EQ(text_of(tokens.begin(me, 2)), "1#2 base=0");
}

TEST(Tokens, ALateReplyToACallThatEndedIsPassedOver) {
  Tokens tokens;
  tokens.want(10, {2});
  tokens.begin(me, 1);
  tokens.end(1, no_reply);
  tokens.begin(me, 2);
  EXPECT_TRUE(tokens.end(1, ok({true})).empty());
  EXPECT_EQ(tokens.held(), Quantity{0});
  tokens.end(2, ok({}));
  EXPECT_TRUE(tokens.end(2, ok({})).empty());
}

TEST(Tokens, AMissingBucketIsNotAskedAgainUntilSomebodyHasAPosition) {
  Tokens tokens;
  tokens.owe(Statement{std::nullopt, 3, 2});
  tokens.begin(me, 1);
  tokens.end(1, Reply{});
  EXPECT_TRUE(tokens.resting());
  tokens.owe(statement(4, 3, 3, 2));
  EXPECT_TRUE(tokens.due());
}

TEST(Tokens, ADroppedTokenIsOwed) {
  Tokens tokens;
  tokens.want(10, {2});
  tokens.want(11, {3});
  tokens.begin(me, 1);
  tokens.end(1, ok({true, true}));
  tokens.drop({2});
  ASSERT_TRUE(tokens.due());
  EXPECT_EQ(text_of(tokens.begin(me, 2)), "1#2 base=3");
  tokens.drop({3});
  tokens.end(2, ok({}));
  EXPECT_EQ(text_of(tokens.begin(me, 3)), "1#3 base=0");
}

TEST(Tokens, ATokenOfATicketStaysUntilTheTicketIsJudged) {
  Tokens tokens;
  tokens.want(10, {2});
  tokens.begin(me, 1);
  tokens.end(1, ok({true}));
  tokens.hand_over({2});
  EXPECT_EQ(tokens.held(), Quantity{2});
  EXPECT_FALSE(tokens.due());
  tokens.count_tickets({2});
  EXPECT_FALSE(tokens.due());
  tokens.count_tickets({0});
  ASSERT_TRUE(tokens.due());
  EXPECT_EQ(text_of(tokens.begin(me, 2)), "1#2 base=0");
}

TEST(Tokens, ACallCarriesNoMoreWantsThanTheScriptTakes) {
  Tokens tokens;
  for (TokenRequestId wanter = 0; wanter < wants_max + 3; ++wanter) tokens.want(wanter, {1});
  const Say first = tokens.begin(me, 1);
  EXPECT_TRUE(is_sound(first));
  EXPECT_EQ(first.wants.size(), wants_max);
  EXPECT_EQ(tokens.end(1, ok(std::vector<bool>(wants_max, true))).back().wanter, wants_max - 1);
  EXPECT_EQ(tokens.begin(me, 2).wants.size(), 3U);
  EXPECT_EQ(tokens.end(2, ok({true, true, true})).front().wanter, wants_max);
}

TEST(Tokens, WhatWaitsIsTakenBackAndWhatIsOwedStays) {
  Tokens tokens;
  tokens.want(10, {2});
  tokens.owe(statement(4, 3, 3, 2));
  EXPECT_EQ(text_of(tokens.abandon()), "10*2:unavailable");
  ASSERT_TRUE(tokens.due());
  EXPECT_EQ(text_of(tokens.begin(me, 1)), "1#1 base=0 judge=4/3 gen=3/2");
}

// The book

BucketKey key_of(rules::BucketNo bucket) { return {rules::Incarnation{Uuid{{1}}}, ItemId{7}, bucket}; }
bool anywhere(const BucketKey&) { return true; }

TEST(TokenBook, BucketsTakeTurnsAndEachHasOneCallUnderWay) {
  TokenBook book(me);
  book.want(key_of(0), 10, {1});
  book.want(key_of(1), 11, {1});
  book.want(key_of(0), 12, {1});
  const auto first = book.next(anywhere);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->key, key_of(0));
  EXPECT_EQ(text_of(first->say), "1#1 base=0 wants=2");
  book.want(key_of(0), 13, {1});
  const auto second = book.next(anywhere);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->key, key_of(1));
  EXPECT_EQ(text_of(second->say), "1#2 base=0 wants=1");
  EXPECT_FALSE(book.next(anywhere));
  EXPECT_EQ(book.unsettled(), 2U);
  book.heard(first->key, 1, ok({true, true}));
  EXPECT_EQ(text_of(book.next(anywhere)->say), "1#3 base=2 wants=1");
}

TEST(TokenBook, OnlyReachableNodesAreCalledAndTheOthersKeepTheirTurn) {
  TokenBook book(me);
  for (rules::BucketNo bucket = 0; bucket < 3; ++bucket) book.owe_call(key_of(bucket));
  EXPECT_EQ(book.next([](const BucketKey& key) { return key.bucket == 1; })->key, key_of(1));
  EXPECT_FALSE(book.next([](const BucketKey& key) { return key.bucket == 1; }));
  EXPECT_EQ(book.next(anywhere)->key, key_of(0));
}

TEST(TokenBook, ABucketAtRestIsForgottenAndUnderstoodWhenItComesBack) {
  TokenBook book(me);
  book.want(key_of(0), 10, {1});
  book.next(anywhere);
  EXPECT_EQ(text_of(book.heard(key_of(0), 1, ok({false}))), "10*1:too_few");
  EXPECT_EQ(book.size(), 0U);
  EXPECT_TRUE(book.heard(key_of(0), 1, ok({true})).empty());
  book.want(key_of(0), 11, {1});
  EXPECT_EQ(text_of(book.next(anywhere)->say), "1#2 base=0 wants=1");
}

TEST(TokenBook, AnInstanceThatWasReapedAliveGoesOnUnderAFreshNumber) {
  TokenBook book(me);
  book.want(key_of(0), 10, {1});
  book.next(anywhere);
  book.heard(key_of(0), 1, ok({true}));
  book.owe_call(key_of(0));
  book.next(anywhere);
  book.heard(key_of(0), 2, reply_of(Said::stale, 2, 1, {}));
  EXPECT_FALSE(book.is_spent());  // A repeated message would look like this once.
  book.next(anywhere);
  book.heard(key_of(0), 3, reply_of(Said::stale, 2, 1, {}));
  ASSERT_TRUE(book.is_spent());
  book.renew(rules::InstanceId{9});
  EXPECT_FALSE(book.is_spent());
  EXPECT_EQ(text_of(book.next(anywhere)->say), "9#4 base=1");
  EXPECT_EQ(book.held(key_of(0)), Quantity{1});
}

TEST(TokenBook, WhatIsAbandonedLeavesNoEmptyCallBehind) {
  TokenBook book(me);
  book.want(key_of(0), 10, {1});
  EXPECT_EQ(text_of(book.abandon(key_of(0))), "10*1:unavailable");
  EXPECT_FALSE(book.next(anywhere));
  EXPECT_EQ(book.size(), 0U);
  EXPECT_TRUE(book.abandon(key_of(0)).empty());
}

TEST(TokenBook, AllThatSleepsIsWokenAndWhatIsForgivenIsForgotten) {
  TokenBook book(me);
  for (rules::BucketNo bucket = 0; bucket < 2; ++bucket) {
    book.owe_call(key_of(bucket));
    const auto call = book.next(anywhere);
    book.heard(call->key, call->say.op, Reply{});
  }
  EXPECT_FALSE(book.next(anywhere));
  EXPECT_EQ(book.unsettled(), 0U);
  EXPECT_EQ(book.size(), 2U);
  book.wake();
  EXPECT_EQ(book.unsettled(), 2U);
  book.forgive(key_of(0));
  EXPECT_EQ(book.size(), 1U);
  EXPECT_EQ(book.next(anywhere)->key, key_of(1));
  EXPECT_FALSE(book.next(anywhere));
}

TEST(TokenBook, StatementsOfAnItemGoToItsBuckets) {
  TokenBook book(me);
  const std::vector<PendingStatement> owed{{0, statement(3, 0, 2, 2)}, {2, statement(5, 0, 2, 2)}};
  book.owe(rules::Incarnation{Uuid{{1}}}, ItemId{7}, owed);
  EXPECT_EQ(text_of(book.next(anywhere)->say), "1#1 base=0 judge=3/0 gen=2/2");
  const auto second = book.next(anywhere);
  EXPECT_EQ(second->key, key_of(2));
  EXPECT_EQ(text_of(second->say), "1#2 base=0 judge=5/0 gen=2/2");
}

TEST(TokenBook, TicketsAreCountedWithoutRequests) {
  TokenBook book(me);
  book.count_tickets(key_of(0), {0});
  EXPECT_EQ(book.size(), 0U);
  book.count_tickets(key_of(0), {4});
  EXPECT_EQ(text_of(book.next(anywhere)->say), "1#1 base=4");
}

}  // namespace
}  // namespace gavel::gate
