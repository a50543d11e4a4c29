// await_result: the one bridge between threads and coroutines.
//
// A coroutine suspends until a callback is called, from whatever thread, and resumes on its own executor with
// what the callback was given. Use it for answers of a Stage; nothing else in Gavel hops between threads.
//
//   Outcome outcome = co_await stage::await_result<Outcome>([&](auto done) {
//     if (!stage.offer(in, deadline, done)) done(full);
//   });
//
// `start` runs at once on the awaiting coroutine's thread and receives a std::move_only_function<void(Out)>
// that must be called exactly once, by `start` itself or later. After it passed the callback on, `start`
// touches nothing of the coroutine any more: with several threads in one io_context the coroutine may go on
// before `start` returns.
//
// `start` captures by reference, or trivial values: GCC 12 destroys a closure that stands inside a co_await
// expression twice, as it does aggregates. The compiler refuses any other.
//
// The wait cannot be cancelled: an answer always comes, and a caller who has gone away changes nothing about
// what was done. A callback that is destroyed uncalled destroys the coroutine. The executor's io_context
// outlives every callback: close and drain the stage first. Out is movable.
#pragma once

#include <functional>
#include <type_traits>
#include <utility>

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/check.h"

namespace gavel::stage {

template <class Out, class Start>
boost::asio::awaitable<Out> await_result(Start start) {
  static_assert(std::is_trivially_destructible_v<Start>,
                "capture by reference: GCC 12 destroys the closure twice");
  return boost::asio::async_initiate<const boost::asio::use_awaitable_t<>, void(Out)>(
      [start = std::move(start)](auto resume) mutable {
        auto executor = boost::asio::get_associated_executor(resume);
        std::move_only_function<void(Out)> done = [resume = std::move(resume), executor,
                                                   is_called = false](Out out) mutable {
          CHECK(!std::exchange(is_called, true));
          boost::asio::post(executor, [resume = std::move(resume), out = std::move(out)]() mutable {
            std::move(resume)(std::move(out));
          });
        };
        start(std::move(done));
      },
      boost::asio::use_awaitable);
}

}  // namespace gavel::stage
