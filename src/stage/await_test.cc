#include "stage/await.h"

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/this_coro.hpp>
#include <gtest/gtest.h>

#include "base/check.h"
#include "base/clock.h"
#include "stage/stage.h"

namespace gavel::stage {
namespace {

namespace asio = boost::asio;

constexpr Duration far{1'000'000};
constexpr std::string_view full = "full";

// Answers are texts too long for any small string, so that one freed twice or never is found by the
// sanitizers.
std::string text_of(int n) { return "the answer that belongs to caller number " + std::to_string(n); }

using Texts = Stage<int, std::string>;

Texts::Work work() {
  return [](const std::vector<int>& batch) {
    std::vector<std::string> answers;
    for (const int n : batch) answers.push_back(text_of(n));
    return answers;
  };
}

std::string late() { return "late"; }

asio::awaitable<std::string> ask(Texts& stage, const Clock& clock, int n) {
  std::string kept = text_of(n);
  std::string answer = co_await await_result<std::string>([&](Texts::Done done) {
    kept += "!";
    if (!stage.offer(n, clock.steady() + far, done)) done(std::string(full));
  });
  CHECK(kept == text_of(n) + "!");
  co_return answer;
}

// Ends what `spawn` starts on one thread of its own, with a stage driven by another.
template <class Spawn>
void run_with_stage(Limits limits, Spawn spawn) {
  const RealClock clock;
  Texts stage(limits, clock, work(), late);
  std::thread driver([&stage] { stage.run(); });
  asio::io_context context;
  spawn(context, stage, clock);
  std::thread network([&context] { context.run(); });
  network.join();
  stage.close();
  driver.join();
}

TEST(AwaitTest, TenThousandCoroutinesEachGetTheirOwnAnswerOnTheirOwnThread) {
  constexpr int callers = 10'000;
  std::vector<std::string> answers(callers);
  run_with_stage({.queue_max = callers, .batch_max = 1'000}, [&](asio::io_context& context, Texts& stage,
                                                                 const Clock& clock) {
    for (int n = 0; n < callers; ++n) {
      const auto caller = [](Texts& to, const Clock& time, int number,
                             std::string& answer) -> asio::awaitable<void> {
        const auto before = std::this_thread::get_id();
        answer = co_await ask(to, time, number);
        CHECK(std::this_thread::get_id() == before);
      };
      asio::co_spawn(context, caller(stage, clock, n, answers[static_cast<std::size_t>(n)]), asio::detached);
    }
  });
  for (int n = 0; n < callers; ++n) ASSERT_EQ(answers[static_cast<std::size_t>(n)], text_of(n));
}

TEST(AwaitTest, OneCoroutineAwaitsTenThousandTimes) {
  int right = 0;
  run_with_stage({.queue_max = 1, .batch_max = 1},
                 [&](asio::io_context& context, Texts& stage, const Clock& clock) {
                   const auto caller = [](Texts& to, const Clock& time, int& count) -> asio::awaitable<void> {
                     for (int n = 0; n < 10'000; ++n) {
                       if (co_await ask(to, time, n) == text_of(n)) ++count;
                     }
                   };
                   asio::co_spawn(context, caller(stage, clock, right), asio::detached);
                 });
  EXPECT_EQ(right, 10'000);
}

TEST(AwaitTest, ACallbackCalledByStartItselfResumesToo) {
  asio::io_context context;
  const VirtualClock clock{Time()};
  Texts stage({.queue_max = 1, .batch_max = 1}, clock, work(), late);
  std::vector<std::string> answers;
  const auto caller = [](Texts& to, const Clock& time,
                         std::vector<std::string>& said) -> asio::awaitable<void> {
    said.push_back(co_await ask(to, time, 1));
  };
  for (int n = 0; n < 3; ++n) asio::co_spawn(context, caller(stage, clock, answers), asio::detached);
  context.poll();
  EXPECT_EQ(answers, (std::vector<std::string>{"full", "full"}));
  EXPECT_FALSE(context.stopped());  // The third still waits, which keeps the context at work.
  stage.step();
  EXPECT_EQ(answers.size(), 2);  // It resumes in its context, not inside the stage.
  context.poll();
  EXPECT_EQ(answers, (std::vector<std::string>{"full", "full", text_of(1)}));
  EXPECT_TRUE(context.stopped());
}

TEST(AwaitTest, ASecondAnswerIsAFaultOfTheCaller) {
  asio::io_context context;
  std::move_only_function<void(std::string)> kept;
  const auto caller = [](auto& keep) -> asio::awaitable<void> {
    co_await await_result<std::string>([&keep](auto done) { keep = std::move(done); });
  };
  asio::co_spawn(context, caller(kept), asio::detached);
  context.poll();
  kept("first");
  EXPECT_DEATH(kept("second"), "CHECK failed");
}

TEST(AwaitTest, ResumesOnItsStrandWhenTheContextHasSeveralThreads) {
  constexpr int callers = 64;
  constexpr int rounds = 100;
  const RealClock clock;
  Texts stage({.queue_max = callers, .batch_max = 7}, clock, work(), late);
  std::thread driver([&stage] { stage.run(); });
  asio::io_context context;
  // Plain counters, one per strand: a resumption elsewhere is a data race.
  std::vector<int> counts(4);
  std::vector<asio::strand<asio::io_context::executor_type>> strands;
  for (int i = 0; i < 4; ++i) strands.push_back(asio::make_strand(context));
  for (std::size_t n = 0; n < callers; ++n) {
    const auto caller = [](Texts& to, const Clock& time, int& count) -> asio::awaitable<void> {
      for (int round = 0; round < rounds; ++round) {
        if (co_await ask(to, time, round) == text_of(round)) ++count;
      }
    };
    asio::co_spawn(strands[n % 4], caller(stage, clock, counts[n % 4]), asio::detached);
  }
  std::vector<std::thread> network;
  for (int i = 0; i < 3; ++i) network.emplace_back([&context] { context.run(); });
  for (std::thread& thread : network) thread.join();
  stage.close();
  driver.join();
  EXPECT_EQ(counts, std::vector<int>(4, callers / 4 * rounds));
}

TEST(AwaitTest, ACallbackThatIsDroppedEndsItsCoroutine) {
  asio::io_context context;
  bool ended = false;
  bool went_on = false;
  const auto caller = [](bool& goes_on, bool& ends) -> asio::awaitable<void> {
    struct AtEnd {
      bool& flag;
      ~AtEnd() { flag = true; }
    } const at_end{ends};
    co_await await_result<std::string>([](Texts::Done) {});
    goes_on = true;
  };
  asio::co_spawn(context, caller(went_on, ended), asio::detached);
  context.run();
  EXPECT_TRUE(ended);
  EXPECT_FALSE(went_on);
}

TEST(AwaitTest, MovableAnswersPassThrough) {
  asio::io_context context;
  std::unique_ptr<int> answer;
  std::move_only_function<void(std::unique_ptr<int>)> kept;
  const auto caller = [](auto& keep, std::unique_ptr<int>& out) -> asio::awaitable<void> {
    out = co_await await_result<std::unique_ptr<int>>([&keep](auto done) { keep = std::move(done); });
  };
  asio::co_spawn(context, caller(kept, answer), asio::detached);
  context.poll();
  std::thread([&kept] { kept(std::make_unique<int>(7)); }).join();
  context.run();
  ASSERT_NE(answer, nullptr);
  EXPECT_EQ(*answer, 7);
}

}  // namespace
}  // namespace gavel::stage
