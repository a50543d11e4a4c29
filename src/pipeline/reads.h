// Reads: questions to the committed database, on a thread of their own and in a bounded queue of their own,
// so that no question delays a sale (A20, B11).
//
// `Source` is what a question is put to: a reader of the judge's, or what the queries room makes of one.
// Where one kind of question must not wait for another, each has Reads of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/clock.h"
#include "base/result.h"
#include "stage/await.h"
#include "stage/stage.h"

namespace gavel::pipeline {

template <class Source>
class Reads {
 public:
  // `source` outlives this and is used by the thread inside run() alone.
  Reads(Source& source, stage::Limits limits, Duration read_within, const Clock& clock)
      : source_(source),
        read_within_(read_within),
        clock_(clock),
        stage_(
            limits, clock, [this](const std::vector<Question>& questions) { return put_all(questions); },
            [] { return Asked::too_late; }) {}

  // Runs `question` on the reading thread and answers with what it returned; `unavailable` if the queue is
  // full, closed, or too slow to begin in time.
  template <class T>
  boost::asio::awaitable<Result<T>> ask(std::function<Result<T>(Source&)> question);

  std::size_t step() { return stage_.step(); }
  void run() { stage_.run(); }
  void close() { stage_.close(); }
  std::size_t waiting() const { return stage_.waiting(); }

 private:
  // The question carries its own answer out; the stage only says whether it was asked.
  enum class Asked : std::uint8_t { yes, too_late };
  using Question = std::function<void(Source&)>;

  std::vector<Asked> put_all(const std::vector<Question>& questions) {
    for (const Question& question : questions) question(source_);
    return std::vector<Asked>(questions.size(), Asked::yes);
  }

  Source& source_;
  const Duration read_within_;
  const Clock& clock_;
  stage::Stage<Question, Asked> stage_;
};

template <class Source>
template <class T>
boost::asio::awaitable<Result<T>> Reads<Source>::ask(std::function<Result<T>(Source&)> question) {
  Result<T> answer = fail(ErrorCode::unavailable, "too many questions wait; ask again later");
  Question run = [&answer, question = std::move(question)](Source& source) { answer = question(source); };
  // `answer` lives in this coroutine's frame, which stays until the stage has called back.
  co_await stage::await_result<Asked>([this, &run](std::move_only_function<void(Asked)> done) {
    if (!stage_.offer(run, clock_.steady() + read_within_, done)) done(Asked::too_late);
  });
  co_return answer;
}

}  // namespace gavel::pipeline
