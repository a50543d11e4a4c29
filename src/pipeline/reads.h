// Reads: questions to the committed database, on a thread of their own and in a bounded queue of their own,
// so that no question delays a sale (A20, B11).
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <variant>

#include <boost/asio/awaitable.hpp>

#include "base/clock.h"
#include "base/result.h"
#include "pipeline/views.h"
#include "stage/await.h"
#include "stage/stage.h"

namespace gavel::pipeline {

class Reads {
 public:
  // `reader` outlives this and is used by the thread inside run() alone.
  Reads(Reader& reader, stage::Limits limits, Duration read_within, const Clock& clock);

  // Runs `question` on the reading thread and answers with what it returned; `unavailable` if the queue is
  // full, closed, or too slow to begin in time.
  template <class T>
  boost::asio::awaitable<Result<T>> ask(std::function<Result<T>(Reader&)> question);

  std::size_t step() { return stage_.step(); }
  void run() { stage_.run(); }
  void close() { stage_.close(); }
  std::size_t waiting() const { return stage_.waiting(); }

 private:
  // The question carries its own answer out; the stage only says whether it was asked.
  enum class Asked : std::uint8_t { yes, too_late };
  using Question = std::function<void(Reader&)>;

  Reader& reader_;
  const Duration read_within_;
  const Clock& clock_;
  stage::Stage<Question, Asked> stage_;
};

template <class T>
boost::asio::awaitable<Result<T>> Reads::ask(std::function<Result<T>(Reader&)> question) {
  Result<T> answer = fail(ErrorCode::unavailable, "too many questions wait; ask again later");
  Question run = [&answer, question = std::move(question)](Reader& reader) { answer = question(reader); };
  // `answer` lives in this coroutine's frame, which stays until the stage has called back.
  co_await stage::await_result<Asked>([this, &run](std::move_only_function<void(Asked)> done) {
    if (!stage_.offer(run, clock_.steady() + read_within_, done)) done(Asked::too_late);
  });
  co_return answer;
}

}  // namespace gavel::pipeline
