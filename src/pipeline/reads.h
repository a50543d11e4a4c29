// Reads: a ReadStage that coroutines of Asio ask.
#pragma once

#include <functional>
#include <utility>

#include <boost/asio/awaitable.hpp>

#include "pipeline/read_stage.h"
#include "stage/await.h"

namespace gavel::pipeline {

template <class Source>
class Reads : public ReadStage<Source> {
 public:
  using ReadStage<Source>::ReadStage;
  using ReadStage<Source>::ask;

  // As the other ask(); resumes on the caller's executor.
  template <class T>
  boost::asio::awaitable<Result<T>> ask(std::function<Result<T>(Source&)> question) {
    using Base = ReadStage<Source>;
    Result<T> answer = Base::template too_late<T>();
    typename Base::Question run = [&answer, question = std::move(question)](Source& source) {
      answer = question(source);
    };
    // `answer` lives in this coroutine's frame, which stays until the stage has called back.
    using Asked = typename Base::Asked;
    co_await stage::await_result<Asked>(
        [this, &run](std::move_only_function<void(Asked)> done) { Base::offer(run, std::move(done)); });
    co_return answer;
  }
};

}  // namespace gavel::pipeline
