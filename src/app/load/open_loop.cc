#include "app/load/open_loop.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <optional>
#include <utility>
#include <vector>

#include <sys/epoll.h>

#include "app/client/http_connection.h"
#include "app/descriptor.h"

namespace gavel::app {
namespace {

constexpr FineTime look_every = std::chrono::milliseconds(50);
constexpr std::int64_t lost_most = 1'000;

struct Shot {
  HttpRequest request;
  FineTime intended{0};
};

struct Line {
  HttpConnection connection;
  std::optional<Shot> shot;  // On its way.
};

class Loop {
 public:
  Loop(const std::string& url, const Rung& rung, Traffic& traffic)
      : url_(url),
        rung_(rung),
        traffic_(traffic),
        epoll_(::epoll_create1(EPOLL_CLOEXEC)),
        total_(rung.per_second * rung.during.count() / 1'000'000'000) {}

  Result<void> open();
  // Sends what is due and takes what came, for a moment.
  Result<void> step();
  bool finished() const;
  std::int64_t done() const { return measured_.latencies.count(); }
  Measured take();

 private:
  FineTime intended(std::int64_t number) const {
    return begun_ + FineTime(number * 1'000'000'000 / rung_.per_second);
  }
  Result<void> watch(std::size_t line);
  Result<void> send_due();
  std::optional<Shot> next_due(FineTime now);
  Result<void> send(std::size_t line, Shot shot);
  FineTime next_event(FineTime now) const;
  Result<void> receive(std::size_t line);
  Result<void> lose(std::size_t line, const Error& error);
  void hear(std::size_t line, const HttpAnswer& answer);

  const std::string& url_;
  const Rung rung_;
  Traffic& traffic_;
  Descriptor epoll_;
  const std::int64_t total_;
  std::vector<Line> lines_;
  std::vector<std::size_t> idle_;
  std::multimap<FineTime, Shot> waiting_;  // To be sent again, by the time.
  FineTime begun_{0};
  FineTime heard_{0};
  std::int64_t sent_ = 0;  // Of the schedule.
  Measured measured_;
};

Result<void> Loop::open() {
  if (!epoll_) return fail(ErrorCode::unavailable, "no epoll can be opened");
  for (std::size_t i = 0; i < rung_.connections; ++i) {
    auto connection = HttpConnection::open(url_);
    if (!connection) return std::unexpected(connection.error());
    lines_.push_back(Line{*std::move(connection), std::nullopt});
    idle_.push_back(i);
    if (auto watched = watch(i); !watched) return watched;
  }
  begun_ = fine_now();
  heard_ = begun_;
  return {};
}

Result<void> Loop::watch(std::size_t line) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = line;
  if (::epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, lines_[line].connection.descriptor(), &event) != 0)
    return fail(ErrorCode::unavailable, "a connection cannot be watched");
  return {};
}

bool Loop::finished() const {
  const bool all_answered = idle_.size() == lines_.size() && waiting_.empty();
  if (sent_ == total_ && all_answered) return true;
  return fine_now() > begun_ + rung_.during + rung_end_within;
}

Result<void> Loop::step() {
  if (auto sent = send_due(); !sent) return sent;
  const FineTime now = fine_now();
  const FineTime wait = std::clamp(next_event(now) - now, FineTime(0), look_every);
  const timespec timeout{.tv_sec = 0, .tv_nsec = wait.count()};
  std::array<epoll_event, 128> events{};
  const int count =
      ::epoll_pwait2(epoll_.number(), events.data(), static_cast<int>(events.size()), &timeout, nullptr);
  if (count < 0 && errno != EINTR) return fail(ErrorCode::unavailable, "epoll fails");
  for (int i = 0; i < count; ++i) {
    if (auto got = receive(events[static_cast<std::size_t>(i)].data.u64); !got) return got;
  }
  return {};
}

// What is due while a connection is free: repeats before the schedule.
Result<void> Loop::send_due() {
  while (!idle_.empty()) {
    auto shot = next_due(fine_now());
    if (!shot) return {};
    const std::size_t line = idle_.back();
    idle_.pop_back();
    if (auto sent = send(line, *std::move(shot)); !sent) return sent;
  }
  return {};
}

std::optional<Shot> Loop::next_due(FineTime now) {
  if (!waiting_.empty() && waiting_.begin()->first <= now) return waiting_.extract(waiting_.begin()).mapped();
  if (sent_ == total_ || intended(sent_) > now) return std::nullopt;
  const FineTime when = intended(sent_++);
  return Shot{traffic_.next(), when};
}

FineTime Loop::next_event(FineTime now) const {
  if (idle_.empty()) return now + look_every;  // An answer is what is waited for.
  FineTime next = now + look_every;
  if (!waiting_.empty()) next = std::min(next, waiting_.begin()->first);
  if (sent_ < total_) next = std::min(next, intended(sent_));
  return next;
}

Result<void> Loop::send(std::size_t line, Shot shot) {
  lines_[line].shot = std::move(shot);
  if (auto sent = lines_[line].connection.send(lines_[line].shot->request); !sent)
    return lose(line, sent.error());
  return {};
}

Result<void> Loop::receive(std::size_t line) {
  auto answer = lines_[line].connection.receive();
  if (!answer) return lose(line, answer.error());
  if (*answer) hear(line, **answer);
  return {};
}

// Perhaps the request was done: it is sent again with its key, on a connection that is made for it. One that
// the server closed while idle is only made again.
Result<void> Loop::lose(std::size_t line, const Error& error) {
  if (error.code == ErrorCode::invalid || ++measured_.lost > lost_most) return std::unexpected(error);
  auto connection = HttpConnection::open(url_);
  if (!connection) return std::unexpected(connection.error());
  lines_[line].connection = *std::move(connection);  // The old one leaves the epoll with its descriptor.
  if (auto watched = watch(line); !watched) return watched;
  if (!lines_[line].shot) return {};
  waiting_.emplace(fine_now(), *std::exchange(lines_[line].shot, std::nullopt));
  idle_.push_back(line);
  return {};
}

void Loop::hear(std::size_t line, const HttpAnswer& answer) {
  if (!lines_[line].shot) return;
  Shot shot = *std::exchange(lines_[line].shot, std::nullopt);
  idle_.push_back(line);
  heard_ = fine_now();
  const std::string code = code_of(answer);
  const Bearing bearing = bearing_of(answer, code);
  if (bearing != Bearing::final) {
    ++(bearing == Bearing::busy ? measured_.busy : measured_.unknown);
    waiting_.emplace(heard_ + pause_of(answer), std::move(shot));
    return;
  }
  measured_.latencies.add(heard_ - shot.intended);
  ++measured_.codes[code];
  traffic_.hear(shot.request, answer, code);
}

Measured Loop::take() {
  measured_.unsent = total_ - sent_;
  measured_.unanswered = sent_ - measured_.latencies.count();
  measured_.took = heard_ - begun_;
  return std::move(measured_);
}

}  // namespace

Result<Measured> run_open_loop(const std::string& url, const Rung& rung, Traffic& traffic,
                               const std::function<bool(std::int64_t done)>& go_on) {
  Loop loop(url, rung, traffic);
  if (auto opened = loop.open(); !opened) return std::unexpected(opened.error());
  while (!loop.finished()) {
    if (auto stepped = loop.step(); !stepped) return std::unexpected(stepped.error());
    if (!go_on(loop.done())) return fail(ErrorCode::unknown, "interrupted");
  }
  return loop.take();
}

}  // namespace gavel::app
