#include "app/load/closed_loop.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include <sys/epoll.h>

#include "app/client/http_connection.h"
#include "app/descriptor.h"

namespace gavel::app {
namespace {

constexpr FineTime look_every = std::chrono::milliseconds(50);
// A connection that breaks is often one of many: a server that takes no more is not asked at once.
constexpr FineTime after_loss = std::chrono::seconds(1);
// Between two looks at what came, so that thousands who want to send delay no answer for long.
constexpr std::size_t sent_at_once = 128;
// While the crowd assembles; within the queue of connections that a listener has not accepted.
constexpr std::size_t connecting_most = 512;

struct Caller {
  enum class Stand : std::uint8_t { absent, connecting, idle, asking, pausing, gone };

  std::optional<HttpConnection> connection;
  std::optional<HttpRequest> request;  // From its first sending to its final answer.
  FineTime first{0};                   // When that was sent first,
  FineTime last{0};                    // and when last.
  Stand stand = Stand::absent;
  bool has_asked = false;
  bool is_doubtful = false;  // An earlier sending of the request was lost, or answered with "perhaps".
};

using Stand = Caller::Stand;

class Loop {
 public:
  Loop(const std::string& url, const Crowd& crowd, Traffic& traffic)
      : url_(url),
        crowd_(crowd),
        traffic_(traffic),
        epoll_(::epoll_create1(EPOLL_CLOEXEC)),
        callers_(crowd.callers) {}

  // Connects further ones; true once each of them has been tried.
  Result<bool> assemble();
  // From here on the rung's time counts, and everybody asks.
  void begin();
  // Sends what may be sent and takes what came, for a moment.
  Result<void> step();
  bool finished() const {
    return begun_ && is_over() && (outstanding_ == 0 || fine_now() > end() + crowd_end_within);
  }
  FineTime lasted() const { return begun_ ? std::min(fine_now() - *begun_, crowd_.during) : FineTime(0); }
  CrowdMeasured take();

 private:
  FineTime end() const { return *begun_ + crowd_.during; }
  bool is_over() const { return begun_ && fine_now() >= end(); }

  Result<void> connect(std::size_t number);
  Result<void> watch(std::size_t number, int operation, std::uint32_t events);
  Result<void> resume(std::size_t number);
  Result<void> send_some();
  Result<void> ask(std::size_t number);
  FineTime wait_for() const;
  Result<void> take_event(std::size_t number);
  Result<void> stand_connected(std::size_t number);
  Result<void> receive(std::size_t number);
  void drop(std::size_t number);
  Result<void> hear(std::size_t number, const HttpAnswer& answer);
  void pause(std::size_t number, FineTime length);

  const std::string& url_;
  const Crowd crowd_;
  Traffic& traffic_;
  Descriptor epoll_;
  std::vector<Caller> callers_;
  std::size_t tried_ = 0;       // Of the crowd, while it assembles.
  std::size_t connecting_ = 0;  // Under way.
  std::deque<std::size_t> ready_;
  std::multimap<FineTime, std::size_t> pausing_;  // By the time when they go on.
  std::optional<FineTime> begun_;
  std::size_t outstanding_ = 0;  // Requests that were sent and have no final answer.
  CrowdMeasured measured_;
};

Result<bool> Loop::assemble() {
  if (!epoll_) return fail(ErrorCode::unavailable, "no epoll can be opened");
  while (tried_ < callers_.size() && connecting_ < connecting_most) {
    if (auto connected = connect(tried_++); !connected) return std::unexpected(connected.error());
  }
  return tried_ == callers_.size() && connecting_ == 0;
}

void Loop::begin() {
  begun_ = fine_now();
  for (std::size_t i = 0; i < callers_.size(); ++i) {
    if (callers_[i].stand == Stand::idle || callers_[i].stand == Stand::absent) ready_.push_back(i);
  }
}

Result<void> Loop::watch(std::size_t number, int operation, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = number;
  if (::epoll_ctl(epoll_.number(), operation, callers_[number].connection->descriptor(), &event) != 0)
    return fail(ErrorCode::unavailable, "a connection cannot be watched");
  return {};
}

Result<void> Loop::connect(std::size_t number) {
  auto connection = HttpConnection::begin(url_, source_of(url_, number));
  if (!connection) return std::unexpected(connection.error());
  callers_[number].connection = *std::move(connection);
  callers_[number].stand = Stand::connecting;
  ++connecting_;
  return watch(number, EPOLL_CTL_ADD, EPOLLIN | EPOLLOUT);
}

Result<void> Loop::step() {
  if (auto sent = send_some(); !sent) return sent;
  const FineTime wait = wait_for();
  const timespec timeout{.tv_sec = 0, .tv_nsec = wait.count()};
  std::array<epoll_event, 512> events{};
  const int count =
      ::epoll_pwait2(epoll_.number(), events.data(), static_cast<int>(events.size()), &timeout, nullptr);
  if (count < 0 && errno != EINTR) return fail(ErrorCode::unavailable, "epoll fails");
  for (int i = 0; i < count; ++i) {
    if (auto taken = take_event(events[static_cast<std::size_t>(i)].data.u64); !taken) return taken;
  }
  return {};
}

// Those whose pause is past, then those who wait for their turn.
Result<void> Loop::send_some() {
  if (!begun_) return {};
  for (std::size_t i = 0; i < sent_at_once && !pausing_.empty(); ++i) {
    if (pausing_.begin()->first > fine_now()) break;
    if (auto resumed = resume(pausing_.extract(pausing_.begin()).mapped()); !resumed) return resumed;
  }
  for (std::size_t i = 0; i < sent_at_once && !ready_.empty(); ++i) {
    const std::size_t number = ready_.front();
    ready_.pop_front();
    if (auto resumed = resume(number); !resumed) return resumed;
  }
  return {};
}

FineTime Loop::wait_for() const {
  if (!ready_.empty()) return FineTime(0);
  if (!begun_ || pausing_.empty()) return look_every;
  return std::clamp(pausing_.begin()->first - fine_now(), FineTime(0), look_every);
}

// A connection that was turned away or closed between two requests is made again when it is needed. After the
// rung's time nobody begins anything, and a request that is out is asked until its answer is final.
Result<void> Loop::resume(std::size_t number) {
  Caller& caller = callers_[number];
  if (caller.stand == Stand::connecting || caller.stand == Stand::asking) return {};
  if (!caller.request && is_over()) {
    caller.stand = Stand::gone;
    return {};
  }
  return caller.connection ? ask(number) : connect(number);
}

Result<void> Loop::ask(std::size_t number) {
  Caller& caller = callers_[number];
  caller.last = fine_now();
  if (!caller.request) {
    caller.request = traffic_.next();
    caller.first = caller.last;
    caller.has_asked = true;
    ++outstanding_;
  }
  caller.stand = Stand::asking;
  if (caller.connection->send(*caller.request)) return {};
  // A server that turned the connection away has said so before: that is still to be read.
  if (auto received = receive(number); !received) return received;
  if (caller.stand == Stand::asking && caller.connection) drop(number);
  return {};
}

Result<void> Loop::take_event(std::size_t number) {
  if (callers_[number].stand == Stand::connecting) return stand_connected(number);
  return callers_[number].connection ? receive(number) : Result<void>();
}

Result<void> Loop::stand_connected(std::size_t number) {
  Caller& caller = callers_[number];
  if (auto there = caller.connection->established(); !there) return there;
  if (auto watched = watch(number, EPOLL_CTL_MOD, EPOLLIN); !watched) return watched;
  --connecting_;
  caller.stand = Stand::idle;
  return begun_ ? resume(number) : Result<void>();
}

Result<void> Loop::receive(std::size_t number) {
  Caller& caller = callers_[number];
  auto answer = caller.connection->receive();
  if (answer && *answer) return hear(number, **answer);
  if (answer) return {};
  if (answer.error().code == ErrorCode::invalid) return std::unexpected(answer.error());
  drop(number);
  return {};
}

// The server has closed it. Perhaps the request was done: it is asked again with its key.
void Loop::drop(std::size_t number) {
  Caller& caller = callers_[number];
  caller.connection.reset();  // Leaves the epoll with its descriptor.
  if (caller.stand == Stand::asking) {
    ++measured_.lost;
    caller.is_doubtful = true;
    pause(number, after_loss);
  }
  if (caller.stand == Stand::idle) caller.stand = Stand::absent;
}

// An answer to nothing is that of a server which has too many connections.
Result<void> Loop::hear(std::size_t number, const HttpAnswer& answer) {
  Caller& caller = callers_[number];
  const FineTime now = fine_now();
  const std::string code = code_of(answer);
  const Bearing bearing = bearing_of(answer, code);
  const std::string* then = answer.header("connection");
  if (then != nullptr && *then == "close") caller.connection.reset();
  if (caller.stand == Stand::asking) measured_.exchanges.add(now - caller.last);
  if (caller.stand != Stand::asking && bearing == Bearing::final)
    return fail(ErrorCode::invalid, "the server answered what nobody asked: " + answer.body.substr(0, 200));
  if (bearing != Bearing::final) {
    ++(bearing == Bearing::busy ? measured_.busy : measured_.unknown);
    if (bearing == Bearing::unknown) caller.is_doubtful = true;
    if (caller.stand != Stand::pausing) pause(number, pause_of(answer));
    return {};
  }
  --outstanding_;
  measured_.latencies.add(now - caller.first);
  ++measured_.codes[code];
  if (now < end()) ++measured_.in_time[code];
  traffic_.hear(*caller.request, answer, code);
  caller.request.reset();
  caller.is_doubtful = false;
  caller.stand = Stand::idle;
  return resume(number);
}

void Loop::pause(std::size_t number, FineTime length) {
  callers_[number].stand = Stand::pausing;
  pausing_.emplace(fine_now() + length, number);
}

CrowdMeasured Loop::take() {
  measured_.unanswered = static_cast<std::int64_t>(outstanding_);
  measured_.doubtful = std::ranges::count_if(callers_, [](const Caller& caller) {
    return caller.request && (caller.is_doubtful || caller.stand == Stand::asking);
  });
  measured_.unsent = std::ranges::count_if(callers_, [](const Caller& caller) { return !caller.has_asked; });
  return std::move(measured_);
}

}  // namespace

std::string source_of(const std::string& url, std::size_t caller) {
  if (!url.starts_with("http://127.")) return "";
  return "127.0.0." + std::to_string(1 + caller / callers_per_source);
}

static_assert(callers_max / callers_per_source < 254, "the last number of an address has room for all");

Result<CrowdMeasured> run_closed_loop(const std::string& url, const Crowd& crowd, Traffic& traffic,
                                      const std::function<bool(FineTime lasted)>& go_on) {
  Loop loop(url, crowd, traffic);
  bool assembled = false;
  while (!loop.finished()) {
    if (!assembled) {
      const auto all = loop.assemble();
      if (!all) return std::unexpected(all.error());
      assembled = *all;
      if (assembled) loop.begin();
    }
    if (auto stepped = loop.step(); !stepped) return std::unexpected(stepped.error());
    if (!go_on(loop.lasted())) return fail(ErrorCode::unknown, "interrupted");
  }
  return loop.take();
}

}  // namespace gavel::app
