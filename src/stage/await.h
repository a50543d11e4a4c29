// await_result: the one bridge between threads and coroutines.
//
// A coroutine suspends until a callback is called, from whatever thread, and resumes on its own executor with what the
// callback was given. Use it for answers of a Stage; nothing else in Gavel hops between threads.
//
//   Verdict verdict = co_await stage::await_result<Verdict>([&](auto done) { ... keep or pass on `done` ... });
//
// `start` runs at once, inside the awaiting coroutine, and receives a std::move_only_function<void(Out)> that must be
// called exactly once. The callee owns it; a coroutine whose callback is dropped would never resume. Out is movable and
// default-constructible.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace gavel::stage {

template <class Out, class Start>
boost::asio::awaitable<Out> await_result(Start start) {
  return boost::asio::async_initiate<const boost::asio::use_awaitable_t<>, void(Out)>(
      [start = std::move(start)](auto resume) mutable {
        auto executor = boost::asio::get_associated_executor(resume);
        std::move_only_function<void(Out)> done = [resume = std::move(resume), executor](Out out) mutable {
          boost::asio::post(executor, [resume = std::move(resume), out = std::move(out)]() mutable {
            std::move(resume)(std::move(out));
          });
        };
        start(std::move(done));
      },
      boost::asio::use_awaitable);
}

}  // namespace gavel::stage
