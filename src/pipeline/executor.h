// Executor: the one thread on which the state of the pipeline and of its gate client changes.
//
// Results of other threads (a reader's answer, a gate's reply) are posted to it. Asio's form is in
// asio_executor.h; a user of this interface includes no network library.
#pragma once

#include <functional>
#include <utility>

namespace gavel::pipeline {

class Executor {
 public:
  using Work = std::move_only_function<void()>;

  virtual ~Executor() = default;

  // Runs `work` on that thread once this call has returned and what runs there is done. Any thread.
  virtual void post(Work work) = 0;

  // Runs `work` within this call where it is made on that thread, else as post() does. Any thread.
  virtual void dispatch(Work work) = 0;
};

// A callback that may be called on any thread, and calls `done` on the executor's. The executor outlives it.
template <class T>
std::move_only_function<void(T)> on(Executor& executor, std::move_only_function<void(T)> done) {
  return [&executor, done = std::move(done)](T result) mutable {
    executor.dispatch(
        [done = std::move(done), result = std::move(result)]() mutable { done(std::move(result)); });
  };
}

}  // namespace gavel::pipeline
