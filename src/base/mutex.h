// Mutex, MutexLock and Condition with clang's thread-safety annotations.
//
// Members that a mutex protects carry GAVEL_GUARDED_BY, and functions that need it to be held carry
// GAVEL_REQUIRES. The clang build refuses code that forgets the lock. See
// https://clang.llvm.org/docs/ThreadSafetyAnalysis.html.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define GAVEL_THREAD_ATTRIBUTE(x) __attribute__((x))
#else
#define GAVEL_THREAD_ATTRIBUTE(x)
#endif

#define GAVEL_GUARDED_BY(mutex) GAVEL_THREAD_ATTRIBUTE(guarded_by(mutex))
#define GAVEL_REQUIRES(...) GAVEL_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define GAVEL_EXCLUDES(...) GAVEL_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))

namespace gavel {

class GAVEL_THREAD_ATTRIBUTE(capability("mutex")) Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock() GAVEL_THREAD_ATTRIBUTE(acquire_capability()) { mutex_.lock(); }
  void unlock() GAVEL_THREAD_ATTRIBUTE(release_capability()) { mutex_.unlock(); }

 private:
  friend class Condition;

  std::mutex mutex_;
};

class GAVEL_THREAD_ATTRIBUTE(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) GAVEL_THREAD_ATTRIBUTE(acquire_capability(mutex)) : mutex_(mutex) {
    mutex_.lock();
  }
  ~MutexLock() GAVEL_THREAD_ATTRIBUTE(release_capability()) { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

// Wakes threads that wait for a change of the state that a Mutex protects. Wake-ups may be spurious: wait in
// a loop.
class Condition {
 public:
  void wait(Mutex& mutex) GAVEL_REQUIRES(mutex) {
    std::unique_lock<std::mutex> held(mutex.mutex_, std::adopt_lock);
    condition_.wait(held);
    held.release();
  }

  // Returns after `at_most`, or earlier.
  void wait_for(Mutex& mutex, std::chrono::milliseconds at_most) GAVEL_REQUIRES(mutex) {
    std::unique_lock<std::mutex> held(mutex.mutex_, std::adopt_lock);
    condition_.wait_for(held, at_most);
    held.release();
  }

  void notify_one() noexcept { condition_.notify_one(); }
  void notify_all() noexcept { condition_.notify_all(); }

 private:
  // Not condition_variable_any, which takes a mutex of its own at every call.
  std::condition_variable condition_;
};

}  // namespace gavel
