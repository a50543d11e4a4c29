// Task: a coroutine that begins at once, on its caller's thread, and ends by itself; nobody waits for it.
// Await: suspends a task until a callback is called.
//
//   stage::Task serve(Order order) {                     // By value: the coroutine's frame owns it.
//     const Verdict verdict = co_await judge(order);      // stage::Await<Verdict> judge(Order&);
//     answer(order, verdict);
//   }
//
// It is for one life that is told from top to bottom although others run between its stages. It has no
// executor: whoever calls the callback resumes it, within that call, so all callbacks of one task are called
// on one thread. For a coroutine that has a caller, and for a callback from another thread, there is
// stage/await.h.
//
// A task costs one allocation. It throws nothing: an exception that leaves it ends the process, since what it
// was to do would be unknown. A task that still waits when its owner ends is destroyed by the owner, through
// the handle that Await keeps for it; its callback is not called after that.
#pragma once

#include <coroutine>
#include <exception>
#include <functional>
#include <optional>
#include <utility>

#include "base/check.h"

namespace gavel::stage {

class Task {
 public:
  struct promise_type {
    Task get_return_object() noexcept { return {}; }
    std::suspend_never initial_suspend() const noexcept { return {}; }
    std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    void unhandled_exception() const noexcept { std::terminate(); }
  };
};

template <class T>
class Await {
 public:
  using Callback = std::move_only_function<void(T)>;
  using Start = std::move_only_function<void(Callback)>;

  // `start` is called when the task suspends, and calls its callback once: before it returns, or later.
  // `suspended` holds the task's handle while it waits; it outlives the waiting.
  Await(std::coroutine_handle<>& suspended, Start start) : suspended_(suspended), start_(std::move(start)) {}

  Await(const Await&) = delete;
  Await& operator=(const Await&) = delete;

  bool await_ready() const noexcept { return false; }

  // False, which goes on at once, where the callback was called already.
  bool await_suspend(std::coroutine_handle<> task) {
    CHECK(!suspended_);
    start_([this](T result) {
      CHECK(!result_);
      result_.emplace(std::move(result));
      if (suspended_) std::exchange(suspended_, nullptr).resume();
    });
    if (result_) return false;
    suspended_ = task;
    return true;
  }

  T await_resume() { return *std::move(result_); }

 private:
  std::coroutine_handle<>& suspended_;
  Start start_;
  std::optional<T> result_;
};

}  // namespace gavel::stage
