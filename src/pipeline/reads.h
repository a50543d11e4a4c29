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
  using Stage = ReadStage<Source>;

 public:
  using Stage::ask;
  using Stage::Stage;

  // As the other ask(); resumes on the caller's executor.
  template <class T>
  boost::asio::awaitable<Result<T>> ask(std::function<Result<T>(Source&)> question) {
    Result<T> answer = Stage::template too_late<T>();
    typename Stage::Question run = [&answer, question = std::move(question)](Source& source) {
      answer = question(source);
    };
    // `answer` lives in this coroutine's frame, which stays until the stage has called back.
    co_await stage::await_result<typename Stage::Asked>(
        [this, &run](typename Stage::Done done) { Stage::offer(run, std::move(done)); });
    co_return answer;
  }
};

}  // namespace gavel::pipeline
