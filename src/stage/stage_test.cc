// One noun: the batching stage.
#include "stage/stage.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace gavel::stage {
namespace {

constexpr Duration distant{1'000'000};

// A stage of words: work writes its batch down and answers each word in upper case. Driven by step().
class StageTest : public testing::Test {
 protected:
  using Words = Stage<std::string, std::string>;

  Words::Work work() {
    return [this](std::vector<std::string> batch) {
      std::string said;
      for (std::string& word : batch) {
        said += (said.empty() ? "" : " ") + word;
        for (char& c : word) c = static_cast<char>(c - 'a' + 'A');
      }
      transcript_ += "[" + said + "]";
      if (during_work_) during_work_();
      return batch;
    };
  }

  static std::string late() { return "late"; }

  // Offers a word and says "full" if it was refused.
  void offer(Words& words, std::string word, Duration deadline = distant, Rank rank = Rank::caller,
             Party party = 0) {
    Words::Done done = [this, word](const std::string& answer) { transcript_ += " " + word + "=" + answer; };
    if (!words.offer(word, deadline, done, rank, party)) transcript_ += " " + word + "=full";
  }

  // Each letter is offered by the party of that number.
  void offer_all(Words& words, const std::string& letters, Party party, Rank rank = Rank::caller) {
    for (const char letter : letters) offer(words, std::string(1, letter), distant, rank, party);
  }

  std::string take_transcript() { return std::exchange(transcript_, ""); }

  VirtualClock clock_{Time()};
  std::function<void()> during_work_;
  std::string transcript_;
};

TEST_F(StageTest, WhateverWaitsIsOneBatchInTheOrderOfArrival) {
  Words words({.queue_max = 10, .batch_max = 10}, clock_, work(), late);
  EXPECT_EQ(words.step(), 0);
  for (const char* word : {"a", "b", "c"}) offer(words, word);
  EXPECT_EQ(words.waiting(), 3);
  EXPECT_EQ(words.step(), 3);
  EXPECT_EQ(words.waiting(), 0);
  EXPECT_EQ(words.step(), 0);
  EXPECT_EQ(take_transcript(), "[a b c] a=A b=B c=C");
}

TEST_F(StageTest, ABatchHasAtMostItsLimit) {
  Words words({.queue_max = 10, .batch_max = 2}, clock_, work(), late);
  for (const char* word : {"a", "b", "c", "d", "e"}) offer(words, word);
  std::string sizes;
  while (const std::size_t count = words.step()) sizes += std::to_string(count);
  EXPECT_EQ(sizes, "221");
  EXPECT_EQ(take_transcript(), "[a b] a=A b=B[c d] c=C d=D[e] e=E");
}

TEST_F(StageTest, PartiesTakeTurnsInABatch_A20) {
  Words words({.queue_max = 20, .batch_max = 4}, clock_, work(), late);
  offer_all(words, "abcdefg", 1);
  offer_all(words, "x", 2);
  offer_all(words, "pqr", 3);
  std::string batches;
  during_work_ = [&] { batches += take_transcript(); };
  while (words.step() > 0) take_transcript();
  EXPECT_EQ(batches, "[a x p b][q c r d][e f g]") << "the next turn begins behind who had the last one";
}

TEST_F(StageTest, APartyLeavesRoomForTheOthers_A20) {
  Words words({.queue_max = 4, .batch_max = 10, .party_max = 3}, clock_, work(), late);
  offer_all(words, "ab", 1);
  offer_all(words, "x", 1, Rank::background);
  offer_all(words, "c", 1);
  offer_all(words, "pq", 2);
  EXPECT_EQ(take_transcript(), " c=full q=full") << "one party has its share, then nothing is left";
  words.step();
  words.step();
  EXPECT_EQ(take_transcript(), "[x a p b] x=X a=A p=P b=B");
  offer_all(words, "c", 1);
  EXPECT_EQ(words.waiting(), 1U);
}

// Work answers the first two of a batch and leaves the others.
TEST_F(StageTest, WhatWorkLeavesIsTheFirstOfItsPartyInTheNextBatch_A20) {
  const auto two_at_most = [this](std::vector<std::string>& batch) {
    std::vector<std::string> answers = work()(batch);
    answers.resize(std::min<std::size_t>(2, answers.size()));
    return answers;
  };
  Words words({.queue_max = 20, .batch_max = 5}, clock_, two_at_most, late);
  offer_all(words, "abcde", 1);
  offer_all(words, "x", 1, Rank::background);
  during_work_ = [&] {
    during_work_ = nullptr;
    offer_all(words, "f", 1);
    offer_all(words, "pq", 2);
  };
  EXPECT_EQ(words.step(), 2U);
  EXPECT_EQ(words.waiting(), 7U);
  EXPECT_EQ(take_transcript(), "[x a b c d] x=X a=A");
  while (words.step() > 0) {
  }
  EXPECT_EQ(take_transcript(), "[p b q c d] p=P b=B[q c d e f] q=Q c=C[d e f] d=D e=E[f] f=F");
}

TEST_F(StageTest, WhatWorkLeavesKeepsItsDeadline_A20) {
  const auto one = [this](std::vector<std::string>& batch) {
    transcript_ += "[" + std::to_string(batch.size()) + "]";
    clock_.advance(Duration(10));
    return std::vector<std::string>{batch.front()};
  };
  Words words({.queue_max = 20, .batch_max = 5}, clock_, one, late);
  offer(words, "a", Duration(15));
  offer(words, "b", Duration(15));
  offer(words, "c", Duration(15));
  while (words.step() > 0) {
  }
  EXPECT_EQ(take_transcript(), "[3] a=a[2] b=b c=late");
}

TEST_F(StageTest, WhatArrivesDuringWorkIsTheNextBatch) {
  Words words({.queue_max = 10, .batch_max = 10}, clock_, work(), late);
  during_work_ = [&] {
    during_work_ = nullptr;
    offer(words, "b");
    offer(words, "c");
  };
  offer(words, "a");
  EXPECT_EQ(words.step(), 1);
  EXPECT_EQ(words.step(), 2);
  EXPECT_EQ(take_transcript(), "[a] a=A[b c] b=B c=C");
}

// Callers "a" to "e", background "x" to "z".
TEST_F(StageTest, TheBackgroundLetsFewerCallersGoBeforeItOnce_E20) {
  Words words({.queue_max = 10, .batch_max = 10}, clock_, work(), late);
  const auto offer_behind = [&](const char* word) { offer(words, word, distant, Rank::background); };
  offer_behind("x");
  offer_behind("y");
  offer(words, "a");
  EXPECT_EQ(words.waiting(), 3);
  EXPECT_EQ(words.step(), 1);
  EXPECT_EQ(take_transcript(), "[a] a=A");
  offer(words, "b");
  offer_behind("z");
  EXPECT_EQ(words.step(), 4);
  EXPECT_EQ(take_transcript(), "[x y z b] x=X y=Y z=Z b=B") << "one batch went before it, and no second one";
  offer_behind("x");
  EXPECT_EQ(words.step(), 1);
  EXPECT_EQ(take_transcript(), "[x] x=X") << "nobody was there to let go";
  offer_behind("y");
  offer_behind("z");
  offer(words, "c");
  EXPECT_EQ(words.step(), 1);
  EXPECT_EQ(take_transcript(), "[c] c=C") << "a new turn";
  offer(words, "d");
  offer(words, "e");
  EXPECT_EQ(words.step(), 4);
  EXPECT_EQ(take_transcript(), "[y z d e] y=Y z=Z d=D e=E");
}

// A rush fills every batch: what is in the background has its room in the next one.
TEST_F(StageTest, ARushOfCallersKeepsTheBackgroundWaitingForNoBatch_C9) {
  Words words({.queue_max = 10, .batch_max = 2}, clock_, work(), late);
  for (const char* word : {"x", "y", "z"}) offer(words, word, distant, Rank::background);
  for (const char* word : {"a", "b", "c", "d", "e"}) offer(words, word);
  std::string batches;
  during_work_ = [&] { batches += take_transcript(); };
  while (words.step() > 0) take_transcript();
  EXPECT_EQ(batches, "[x y][z a][b c][d e]");
}

TEST_F(StageTest, WhoeverIsInTheBackgroundCountsForTheQueueAndForIdle) {
  Words words({.queue_max = 3, .batch_max = 10}, clock_, work(), late, [this] { transcript_ += " idle"; });
  offer(words, "x", distant, Rank::background);
  offer(words, "y", distant, Rank::background);
  offer(words, "a");
  offer(words, "b");
  offer(words, "z", distant, Rank::background);
  EXPECT_EQ(take_transcript(), " b=full z=full");
  words.step();
  EXPECT_EQ(take_transcript(), "[a] a=A");
  words.close();
  words.run();
  EXPECT_EQ(take_transcript(), "[x y] x=X y=Y idle") << "a closed stage drains both";
}

TEST_F(StageTest, AFullQueueRefusesAndConsumesNothing) {
  Words words({.queue_max = 2, .batch_max = 1}, clock_, work(), late);
  offer(words, "a");
  offer(words, "b");
  offer(words, "c");
  std::string word = "a word that is too long for any small string";
  Words::Done done = [this](const std::string& answer) { transcript_ += answer; };
  EXPECT_FALSE(words.offer(word, distant, done));
  EXPECT_EQ(word, "a word that is too long for any small string");
  ASSERT_TRUE(static_cast<bool>(done));
  done("(alive)");
  words.step();
  offer(words, "d");
  while (words.step() > 0) {
  }
  EXPECT_EQ(take_transcript(), " c=full(alive)[a] a=A[b] b=B[d] d=D");
}

TEST_F(StageTest, WhoIsLateWhenTheBatchIsSealedIsAnsweredFirstAndNotWorkedOn) {
  Words words({.queue_max = 10, .batch_max = 10}, clock_, work(), late);
  offer(words, "a", Duration(10));
  offer(words, "b", Duration(9));
  offer(words, "c", Duration(11));
  offer(words, "d", Duration(-1));
  clock_.advance(Duration(10));
  EXPECT_EQ(words.step(), 4);
  EXPECT_EQ(take_transcript(), " b=late d=late[a c] a=A c=C");
}

// Work hangs, and whoever watches the time answers what waits behind it: each once, the others keep their
// places.
TEST_F(StageTest, WhoIsLateBehindWorkThatHangsIsAnsweredWithoutIt_G007) {
  Words words({.queue_max = 10, .batch_max = 10}, clock_, work(), late);
  offer(words, "a", Duration(5));
  during_work_ = [&] {
    during_work_ = nullptr;
    offer(words, "b", Duration(10));
    offer(words, "c", Duration(30));
    offer(words, "d", Duration(9));
    offer(words, "x", Duration(9), Rank::background);
    offer(words, "y", Duration(40), Rank::background);
    clock_.advance(Duration(10));
    EXPECT_EQ(words.answer_late(), 2U);
    EXPECT_EQ(take_transcript(), "[a] d=late x=late") << "a has begun, and the time of b has not passed";
    clock_.advance(Duration(1));
    EXPECT_EQ(words.answer_late(), 1U);
    EXPECT_EQ(words.answer_late(), 0U);
  };
  words.step();
  EXPECT_EQ(take_transcript(), " b=late a=A");
  EXPECT_EQ(words.step(), 2U);
  EXPECT_EQ(take_transcript(), "[y c] y=Y c=C");
}

TEST_F(StageTest, NoWorkIsDoneForABatchThatIsAllLate) {
  Words words({.queue_max = 10, .batch_max = 2}, clock_, work(), late);
  for (const char* word : {"a", "b", "c"}) offer(words, word, Duration(5));
  clock_.advance(Duration(6));
  EXPECT_EQ(words.step(), 2);
  EXPECT_EQ(words.step(), 1);
  EXPECT_EQ(take_transcript(), " a=late b=late c=late");
}

TEST_F(StageTest, ADeadlineThatPassesDuringWorkChangesNothing) {
  Words words({.queue_max = 10, .batch_max = 10}, clock_, work(), late);
  during_work_ = [&] { clock_.advance(Duration(100)); };
  offer(words, "a", Duration(5));
  EXPECT_EQ(words.step(), 1);
  EXPECT_EQ(take_transcript(), "[a] a=A");
}

TEST_F(StageTest, IdleComesAfterTheAnswersAndOnlyWhereNothingWaits) {
  Words words({.queue_max = 10, .batch_max = 2}, clock_, work(), late, [this] { transcript_ += " idle"; });
  for (const char* word : {"a", "b", "c"}) offer(words, word);
  words.step();
  EXPECT_EQ(take_transcript(), "[a b] a=A b=B");
  words.step();
  EXPECT_EQ(take_transcript(), "[c] c=C idle");
  words.step();
  EXPECT_EQ(take_transcript(), "");
}

TEST_F(StageTest, AJumpOfWallTimeMakesNobodyLate) {
  Words words({.queue_max = 10, .batch_max = 10}, clock_, work(), late);
  offer(words, "a", Duration(5));
  clock_.jump(Duration(1'000'000));
  words.step();
  EXPECT_EQ(take_transcript(), "[a] a=A");
}

TEST_F(StageTest, AClosedStageRefusesAndDrains) {
  Words words({.queue_max = 10, .batch_max = 1}, clock_, work(), late);
  offer(words, "a");
  offer(words, "b");
  words.close();
  words.close();
  offer(words, "c");
  words.run();  // Returns, since the stage is closed.
  EXPECT_EQ(words.waiting(), 0);
  offer(words, "d");
  EXPECT_EQ(take_transcript(), " c=full[a] a=A[b] b=B d=full");
}

TEST_F(StageTest, AnAnswerMayOfferTheNextEntryAndClose) {
  Words words({.queue_max = 1, .batch_max = 10}, clock_, work(), late);
  std::string first = "a";
  Words::Done done = [&](const std::string& answer) {
    transcript_ += " a=" + answer;
    offer(words, "b");
    words.close();
  };
  ASSERT_TRUE(words.offer(first, distant, done));
  words.run();
  EXPECT_EQ(take_transcript(), "[a] a=A[b] b=B");
}

TEST_F(StageTest, WhatStillWaitsIsDroppedUnanswered) {
  const auto token = std::make_shared<int>(0);
  {
    Words words({.queue_max = 10, .batch_max = 1}, clock_, work(), late);
    for (int i = 0; i < 3; ++i) {
      std::string word = "a";
      Words::Done done = [token](const std::string&) { ++*token; };
      ASSERT_TRUE(words.offer(word, distant, done));
    }
    words.step();
    EXPECT_EQ(token.use_count(), 3);
  }
  EXPECT_EQ(token.use_count(), 1);
  EXPECT_EQ(*token, 1);
}

TEST(StageTypesTest, EntriesAndAnswersNeedOnlyBeMovable) {
  using Only = std::unique_ptr<int>;
  const VirtualClock clock{Time()};
  Stage<Only, Only> stage(
      {.queue_max = 2, .batch_max = 2}, clock, [](std::vector<Only>& batch) { return std::move(batch); },
      [] { return Only(); });
  Only in = std::make_unique<int>(7);
  Only out;
  Stage<Only, Only>::Done done = [&out](Only answer) { out = std::move(answer); };
  ASSERT_TRUE(stage.offer(in, distant, done));
  EXPECT_EQ(in, nullptr);
  stage.step();
  ASSERT_NE(out, nullptr);
  EXPECT_EQ(*out, 7);
}

using StageDeathTest = StageTest;

TEST_F(StageDeathTest, BrokenPromisesEndTheProcess) {
  EXPECT_DEATH(Words({.queue_max = 0, .batch_max = 1}, clock_, work(), late),
               "CHECK failed: limits_.queue_max");
  EXPECT_DEATH(Words({.queue_max = 1, .batch_max = 0}, clock_, work(), late),
               "CHECK failed: limits_.batch_max");
  const auto dies = [this](Words::Work broken, const char* message) {
    Words words({.queue_max = 1, .batch_max = 1}, clock_, std::move(broken), late);
    offer(words, "a");
    EXPECT_DEATH(words.step(), message);
  };
  dies([](const std::vector<std::string>&) { return std::vector<std::string>(); },
       "CHECK failed: answers.size");
  dies([](const std::vector<std::string>&) { return std::vector<std::string>(2); },
       "CHECK failed: answers.size");
  dies(
      [](const std::vector<std::string>&) -> std::vector<std::string> {
        throw std::runtime_error("no answer");
      },
      "no answer");
}

// Everything below runs on threads and in real time.

using Squares = Stage<std::uint64_t, std::uint64_t>;

std::vector<std::uint64_t> squares(std::vector<std::uint64_t> batch) {
  for (std::uint64_t& n : batch) n *= n;
  return batch;
}

constexpr std::uint64_t late_answer = UINT64_MAX;

class StageThreadsTest : public testing::TestWithParam<Limits> {};

TEST_P(StageThreadsTest, EveryEntryIsAnsweredOnceWithItsOwnAnswer) {
  constexpr std::uint64_t producers = 4;
  constexpr std::uint64_t each = 5'000;
  const RealClock clock;
  std::size_t largest = 0;
  const auto work = [&largest](std::vector<std::uint64_t> batch) {
    largest = std::max(largest, batch.size());
    return squares(std::move(batch));
  };
  Squares stage(GetParam(), clock, work, [] { return late_answer; });
  std::vector<std::vector<std::uint64_t>> answers(producers);  // Written by the driving thread alone.
  std::thread driver([&stage] { stage.run(); });
  std::vector<std::thread> threads;
  for (std::uint64_t producer = 0; producer < producers; ++producer) {
    threads.emplace_back([&, producer] {
      for (std::uint64_t n = 0; n < each; ++n) {
        std::uint64_t in = producer * each + n;
        Squares::Done done = [&answers, producer](std::uint64_t answer) {
          answers[producer].push_back(answer);
        };
        const Rank rank = producer % 2 == 0 ? Rank::caller : Rank::background;
        while (!stage.offer(in, clock.steady() + distant, done, rank)) std::this_thread::yield();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  stage.close();
  driver.join();
  for (std::uint64_t producer = 0; producer < producers; ++producer) {
    ASSERT_EQ(answers[producer].size(), each);
    for (std::uint64_t n = 0; n < each; ++n) {
      const std::uint64_t in = producer * each + n;
      ASSERT_EQ(answers[producer][n], in * in);
    }
  }
  EXPECT_LE(largest, GetParam().batch_max);
}

INSTANTIATE_TEST_SUITE_P(Limits, StageThreadsTest,
                         testing::Values(Limits{1, 1}, Limits{1, 100}, Limits{100, 1}, Limits{64, 7},
                                         Limits{100'000, 1'000}));

TEST(StageWakeTest, ALoneEntryWakesADriverThatSleeps) {
  const RealClock clock;
  Squares stage({.queue_max = 4, .batch_max = 4}, clock, squares, [] { return late_answer; });
  std::thread driver([&stage] { stage.run(); });
  // Each round waits for its answer, so the driver goes to sleep, or is about to, before the next: a lost
  // wake-up hangs here.
  std::atomic<std::uint64_t> answer{0};
  for (std::uint64_t n = 0; n < 20'000; ++n) {
    answer = 0;
    std::uint64_t in = n + 1;
    Squares::Done done = [&answer](std::uint64_t out) {
      answer = out;
      answer.notify_one();
    };
    ASSERT_TRUE(stage.offer(in, clock.steady() + distant, done));
    answer.wait(0);
    ASSERT_EQ(answer, (n + 1) * (n + 1));
  }
  stage.close();
  driver.join();
}

TEST(StageWakeTest, CloseWakesADriverThatSleeps) {
  const RealClock clock;
  for (int round = 0; round < 200; ++round) {
    Squares stage({.queue_max = 4, .batch_max = 4}, clock, squares, [] { return late_answer; });
    const std::future<void> driver = std::async(std::launch::async, [&stage] { stage.run(); });
    if (round % 2 == 0) std::this_thread::yield();
    stage.close();
    // A lost wake-up would leave the driver asleep for ever.
    ASSERT_EQ(driver.wait_for(std::chrono::minutes(1)), std::future_status::ready) << "round " << round;
    std::uint64_t in = 1;
    Squares::Done done = [](std::uint64_t) {};
    EXPECT_FALSE(stage.offer(in, clock.steady() + distant, done));
  }
}

TEST(StageWakeTest, ADriverThatFindsNothingCallsIdleOnceInAWhile) {
  const RealClock clock;
  std::atomic<int> idles{0};
  Squares stage(
      {.queue_max = 4, .batch_max = 4}, clock, squares, [] { return late_answer; }, [&idles] { ++idles; });
  std::thread driver([&stage] { stage.run(); });
  const Duration begun = clock.steady();
  while (idles < 2 && clock.steady() - begun < Duration(60'000))
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_GE(clock.steady() - begun, idle_every) << "and no more often than that";
  EXPECT_GE(idles, 2);
  stage.close();
  driver.join();
}

// Who drives and who watches the time race for each entry.
TEST(StageWakeTest, EachEntryIsAnsweredOnceByTheDriverOrInTime_G007) {
  const RealClock clock;
  Squares stage({.queue_max = 1'000, .batch_max = 3}, clock, squares, [] { return late_answer; });
  std::atomic<int> answers{0};
  std::atomic<bool> ended{false};
  std::thread driver([&stage] { stage.run(); });
  std::thread watcher([&] {
    while (!ended) stage.answer_late();
  });
  constexpr int all = 20'000;
  for (int n = 0; n < all; ++n) {
    std::uint64_t in = 1;
    Squares::Done done = [&answers](std::uint64_t) { ++answers; };
    while (!stage.offer(in, clock.steady() - Duration(n % 2), done)) std::this_thread::yield();
  }
  stage.close();
  driver.join();
  ended = true;
  watcher.join();
  EXPECT_EQ(answers, all);
}

TEST(StageWakeTest, EntriesThatRaceWithCloseAreEitherRefusedOrAnswered) {
  const RealClock clock;
  for (int round = 0; round < 100; ++round) {
    Squares stage({.queue_max = 1'000, .batch_max = 10}, clock, squares, [] { return late_answer; });
    std::uint64_t answered = 0;
    std::uint64_t taken = 0;
    std::atomic<bool> closed{false};
    std::thread driver([&stage] { stage.run(); });
    std::thread producer([&] {
      while (true) {
        const bool last = closed;
        std::uint64_t in = 1;
        Squares::Done done = [&answered](std::uint64_t) { ++answered; };
        if (stage.offer(in, clock.steady() + distant, done)) {
          ++taken;
        } else if (last) {
          return;
        }
      }
    });
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    stage.close();
    closed = true;
    producer.join();
    driver.join();
    ASSERT_EQ(answered, taken);
  }
}

}  // namespace
}  // namespace gavel::stage
