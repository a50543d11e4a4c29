// Reads: a ReadStage that coroutines of Asio ask.
#pragma once

#include <functional>
#include <utility>

#include <boost/asio/awaitable.hpp>

#include "pipeline/read_stage.h"
#include "stage/await.h"

namespace gavel::pipeline {

class Reads : public ReadStage {
 public:
  using ReadStage::ask;
  using ReadStage::ReadStage;

  // As ReadStage::ask; resumes on the caller's executor.
  template <class T>
  boost::asio::awaitable<Result<T>> ask(std::function<Result<T>(Reader&)> question);
};

template <class T>
boost::asio::awaitable<Result<T>> Reads::ask(std::function<Result<T>(Reader&)> question) {
  Result<T> answer = too_late<T>();
  Question run = [&answer, question = std::move(question)](Reader& reader) { answer = question(reader); };
  // `answer` lives in this coroutine's frame, which stays until the stage has called back.
  co_await stage::await_result<Asked>([this, &run](Done done) { offer(run, std::move(done)); });
  co_return answer;
}

}  // namespace gavel::pipeline
