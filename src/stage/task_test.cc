// Task: begins at once, waits for callbacks, and ends by itself.
#include "stage/task.h"

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace gavel::stage {
namespace {

class Teller {
 public:
  // Waits twice, and writes down what it was given.
  Task tell(std::shared_ptr<int> held) {
    told += "begun";
    told += ", " + co_await next();
    told += ", " + co_await next();
    told += ", ended with " + std::to_string(*held);
  }

  // Goes on at once, since the answer is there when it is asked for.
  Task tell_at_once() {
    told += co_await ready();
    told += co_await ready();
  }

  Await<std::string> next() {
    return {suspended, [this](Await<std::string>::Callback callback) { resume = std::move(callback); }};
  }
  Await<std::string> ready() {
    return {suspended, [](Await<std::string>::Callback callback) { callback("at once "); }};
  }

  std::string told;
  std::coroutine_handle<> suspended;
  Await<std::string>::Callback resume;
};

TEST(Task, IsToldFromTopToBottomAlthoughOthersRunBetween) {
  Teller teller;
  const auto held = std::make_shared<int>(7);
  teller.tell(held);
  EXPECT_EQ(teller.told, "begun");
  EXPECT_EQ(held.use_count(), 2);
  std::exchange(teller.resume, nullptr)("one");
  EXPECT_EQ(teller.told, "begun, one");
  std::exchange(teller.resume, nullptr)("two");
  EXPECT_EQ(teller.told, "begun, one, two, ended with 7");
  EXPECT_EQ(held.use_count(), 1) << "its frame has gone";
  EXPECT_FALSE(teller.suspended);
}

TEST(Task, GoesOnWhereTheAnswerIsThere) {
  Teller teller;
  teller.tell_at_once();
  EXPECT_EQ(teller.told, "at once at once ");
}

TEST(Task, ThatStillWaitsGoesWithItsOwner) {
  Teller teller;
  const auto held = std::make_shared<int>(7);
  teller.tell(held);
  ASSERT_TRUE(teller.suspended);
  std::exchange(teller.suspended, nullptr).destroy();
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(teller.told, "begun");
}

}  // namespace
}  // namespace gavel::stage
