#include "base/mutex.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace gavel {
namespace {

class Turns {
 public:
  // Waits until `turn` has come and passes the turn on.
  void take(int turn) GAVEL_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    while (turn_ != turn) changed_.wait(mutex_);
    order_.push_back(turn);
    ++turn_;
    changed_.notify_all();
  }

  std::vector<int> order() const GAVEL_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return order_;
  }

 private:
  mutable Mutex mutex_;
  Condition changed_;
  int turn_ GAVEL_GUARDED_BY(mutex_) = 0;
  std::vector<int> order_ GAVEL_GUARDED_BY(mutex_);
};

TEST(MutexTest, OneThreadAtATime) {
  Mutex mutex;
  int count = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 10'000; ++n) {
        const MutexLock lock(mutex);
        ++count;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(count, 40'000);
}

TEST(MutexTest, AWaitLetsTheLockGoAndHasItAgainAfterwards) {
  Turns turns;
  std::vector<std::jthread> threads;
  for (int turn = 4; turn >= 0; --turn) threads.emplace_back([&turns, turn] { turns.take(turn); });
  threads.clear();
  EXPECT_EQ(turns.order(), (std::vector<int>{0, 1, 2, 3, 4}));
}

// Each thread reads, lets the others run and writes: a wait that ends without the lock loses counts.
TEST(MutexTest, AWaitWithALimitEndsWithoutAnyNoticeAndHasTheLockAgain) {
  Mutex mutex;
  Condition never;
  int count = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 25; ++n) {
        const MutexLock lock(mutex);
        never.wait_for(mutex, std::chrono::milliseconds(1));
        const int seen = count;
        std::this_thread::yield();
        count = seen + 1;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(count, 100);
}

}  // namespace
}  // namespace gavel
