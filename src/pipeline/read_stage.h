// ReadStage: questions to the committed database, on a thread of their own and in a bounded queue of their
// own, so that no question delays a sale (A20, B11). Questions of one stage wait for one another: what must
// not wait for a long question has a stage of its own. Coroutines of Asio ask through Reads (reads.h).
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "pipeline/views.h"
#include "stage/stage.h"

namespace gavel::pipeline {

class ReadStage {
 public:
  // `reader` outlives this and is used by the thread inside run() alone. A question is begun within
  // `read_within` or not at all.
  ReadStage(Reader& reader, stage::Limits limits, Duration read_within, const Clock& clock);

  // Runs `question` on the reading thread and calls `done` with what it returned, there; or with
  // `unavailable` if the queue is full, closed, or too slow to begin in time, there or within this call. Any
  // thread.
  template <class T>
  void ask(std::function<Result<T>(Reader&)> question, std::move_only_function<void(Result<T>)> done);

  std::size_t step() { return stage_.step(); }
  void run() { stage_.run(); }
  void close() { stage_.close(); }
  std::size_t waiting() const { return stage_.waiting(); }

 protected:
  // The question carries its own answer out; the stage only says whether it was asked.
  enum class Asked : std::uint8_t { yes, too_late };
  using Question = std::function<void(Reader&)>;
  using Done = stage::Stage<Question, Asked>::Done;

  // `done` is called once: on the reading thread, or within this call.
  void offer(Question& question, Done done);

  template <class T>
  static Result<T> too_late() {
    return fail(ErrorCode::unavailable, "too many questions wait; ask again later");
  }

 private:
  Reader& reader_;
  const Duration read_within_;
  const Clock& clock_;
  stage::Stage<Question, Asked> stage_;
};

template <class T>
void ReadStage::ask(std::function<Result<T>(Reader&)> question,
                    std::move_only_function<void(Result<T>)> done) {
  const auto answer = std::make_shared<Result<T>>(too_late<T>());
  Question run = [answer, question = std::move(question)](Reader& reader) { *answer = question(reader); };
  offer(run, [answer, done = std::move(done)](Asked) mutable { done(std::move(*answer)); });
}

}  // namespace gavel::pipeline
