// ReadStage: questions to the committed database, on a thread of their own and in a bounded queue of their
// own, so that no question delays a sale (A20, B11).
//
// `Source` answers the questions: a reader of the judge's, or the queries built on one. Questions of one
// stage wait for one another; if one kind must not wait for another, each has a stage of its own. Coroutines
// of Asio ask through Reads (reads.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "stage/stage.h"

namespace gavel::pipeline {

template <class Source>
class ReadStage {
 public:
  // `source` outlives this and is used by the thread inside run() alone. A question is begun within
  // `read_within` or not at all.
  ReadStage(Source& source, stage::Limits limits, Duration read_within, const Clock& clock)
      : source_(source),
        read_within_(read_within),
        clock_(clock),
        stage_(
            limits, clock, [this](const std::vector<Question>& questions) { return put_all(questions); },
            [] { return Asked::too_late; }) {}

  // Runs `question` on the reading thread and calls `done` with what it returned, there; or with
  // `unavailable` if the queue is full, closed, or too slow to begin in time, there or within this call. Any
  // thread.
  template <class T>
  void ask(std::function<Result<T>(Source&)> question, std::move_only_function<void(Result<T>)> done) {
    const auto answer = std::make_shared<Result<T>>(too_late<T>());
    Question run = [answer, question = std::move(question)](Source& source) { *answer = question(source); };
    offer(run, [answer, done = std::move(done)](Asked) mutable { done(std::move(*answer)); });
  }

  std::size_t step() { return stage_.step(); }
  void run() { stage_.run(); }
  void close() { stage_.close(); }
  std::size_t waiting() const { return stage_.waiting(); }

 protected:
  // The question carries its own answer out; the stage only says whether it was asked.
  enum class Asked : std::uint8_t { yes, too_late };
  using Question = std::function<void(Source&)>;
  using Done = std::move_only_function<void(Asked)>;

  // `done` is called once: on the reading thread, or within this call.
  void offer(Question& question, Done done) {
    if (!stage_.offer(question, clock_.steady() + read_within_, done)) done(Asked::too_late);
  }

  template <class T>
  static Result<T> too_late() {
    return fail(ErrorCode::unavailable, "too many questions wait; ask again later");
  }

 private:
  std::vector<Asked> put_all(const std::vector<Question>& questions) {
    for (const Question& question : questions) question(source_);
    return std::vector<Asked>(questions.size(), Asked::yes);
  }

  Source& source_;
  const Duration read_within_;
  const Clock& clock_;
  stage::Stage<Question, Asked> stage_;
};

}  // namespace gavel::pipeline
