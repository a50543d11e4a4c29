// One noun: the load engine.
#include "app/load/load_engine.h"

#include <algorithm>
#include <list>
#include <utility>
#include <vector>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "app/client/http_connection.h"
#include "app/client/retry.h"
#include "base/check.h"

namespace gavel::app {
namespace {

using boost::asio::steady_timer;
using boost::system::error_code;

constexpr FineTime look_every = std::chrono::milliseconds(50);
// A connection that breaks is often one of many: a server that takes no more is not asked at once.
constexpr FineTime after_loss = std::chrono::seconds(1);
// A connection or a response that takes longer is given up; the request is sent again.
constexpr FineTime exchange_within = std::chrono::seconds(30);
constexpr FineTime exchanges_looked_at_every = std::chrono::seconds(1);
constexpr FineTime silence_most = std::chrono::minutes(1);
// Between two looks at what came, so that thousands who want to send delay no response for long.
constexpr std::size_t sent_at_once = 128;
// While connections are opened; within the queue of those that a listener has not accepted.
constexpr std::size_t connecting_most = 512;

// From its first sending to its final response.
struct PendingRequest {
  HttpRequest request = {};
  std::optional<FineTime> first = {};  // From when its latency counts; nothing: it was never sent.
  bool is_doubtful = false;            // An earlier sending was lost, or answered with "perhaps".
};

struct Slot {
  enum class State : std::uint8_t { absent, connecting, idle, asking, resting };

  std::optional<HttpConnection> connection;
  std::optional<PendingRequest> pending;          // While asking.
  FineTime since{0};                              // When it was sent last, or the connection begun.
  std::list<std::size_t>::iterator idle_at = {};  // Its place among the idle ones.
  State state = State::absent;
  bool was_used = false;
};

using State = Slot::State;

}  // namespace

class LoadEngine::Parts final : public HttpConnection::Listener {
 public:
  Parts(std::unique_ptr<Origin> origin, std::size_t connections, std::string key)
      : origin_(std::move(origin)), key_(std::move(key)), slots_(connections) {
    for (std::size_t i = connections; i > 0; --i) absent_.push_back(i - 1);
  }

  Result<LoadStatistics> run(const LoadSchedule& schedule, Traffic& traffic, const LoadObserver& observer);

 private:
  // What one run is made of and what came of it; begins anew with each.
  struct Run {
    Traffic& traffic;
    const LoadObserver& observer;
    std::optional<RateSchedule> rate = {};  // Else by outstanding.
    std::optional<FineTime> during = {};

    bool is_begun = false;          // Every connection was tried.
    bool is_traffic_empty = false;  // It had no request when it was asked last.
    FineTime begun{0};
    FineTime heard{0};
    FineTime exchanges_looked_at{0};
    std::int64_t scheduled = 0;                            // New requests that were taken from the traffic.
    std::int64_t outstanding = 0;                          // Those without a final response.
    std::multimap<FineTime, PendingRequest> waiting = {};  // To be sent again, by the time.
    std::optional<Error> error = {};
    bool is_stopped = false;
    LoadStatistics statistics = {};

    FineTime intended(std::int64_t number) const {
      return begun + FineTime(number * 1'000'000'000 / rate->per_second);
    }
    bool is_over(FineTime now) const { return during && now >= begun + *during; }
    // No new request will ever be due.
    bool is_all_sent(FineTime now) const {
      return is_traffic_empty || (rate ? scheduled == rate->requests() : is_over(now));
    }
  };

  void on_connected(std::size_t number) override;
  void on_response(std::size_t number, const HttpResponse& response, HttpConnection::After after) override;
  void on_closed(std::size_t number, const Error& error) override;

  void assemble();
  void begin(FineTime now);
  void connect(std::size_t number);
  void stand_idle(std::size_t number);
  void leave_idle(std::size_t number);
  void stand_absent(std::size_t number);

  bool is_due(FineTime now) const;
  std::optional<PendingRequest> next_due(FineTime now);
  void send_due();
  void send(std::size_t number, PendingRequest pending, FineTime now);
  void wake_when_due(FineTime now);
  void turn_away(std::size_t number, const HttpResponse& response, ReplyClass reply);
  void take_final(const PendingRequest& pending, const HttpResponse& response, const std::string& code);
  void lose(std::size_t number);

  void look();
  void look_at_exchanges(FineTime now);
  void stop_if_done(FineTime now);
  void stop(Error error);
  LoadStatistics statistics();

  const std::unique_ptr<Origin> origin_;
  const std::string key_;
  std::vector<Slot> slots_;
  // Each slot stands in one of these, or is connecting or asking.
  std::vector<std::size_t> opening_;  // To be connected before the time begins.
  std::list<std::size_t> idle_;       // That which has been idle longest in front.
  std::vector<std::size_t> absent_;
  std::multimap<FineTime, std::size_t> resting_;  // By the time when they are absent again.
  std::size_t connecting_ = 0;
  steady_timer due_timer_{origin_->io()};
  std::optional<FineTime> wakes_at_;  // Of due_timer_.
  steady_timer look_timer_{origin_->io()};
  bool is_sending_on_ = false;  // A further call of send_due() is posted.
  std::optional<Run> run_;
};

Result<LoadStatistics> LoadEngine::Parts::run(const LoadSchedule& schedule, Traffic& traffic,
                                              const LoadObserver& observer) {
  CHECK(!run_);
  if (!origin_->is_resolved()) {
    if (auto resolved = origin_->resolve(); !resolved) return std::unexpected(resolved.error());
  }
  const auto* rate = std::get_if<RateSchedule>(&schedule);
  CHECK(rate == nullptr || rate->per_second > 0);
  run_.emplace(Run{.traffic = traffic, .observer = observer});
  if (rate != nullptr) run_->rate = *rate;
  run_->during = rate != nullptr ? rate->during : std::get<OutstandingSchedule>(schedule).during;
  for (Slot& slot : slots_) slot.was_used = false;
  opening_ = std::exchange(absent_, {});
  origin_->io().restart();
  boost::asio::post(origin_->io(), [this] { assemble(); });
  look();
  if (!run_->is_stopped) origin_->io().run();
  CHECK(run_->is_stopped);
  due_timer_.cancel();
  look_timer_.cancel();
  wakes_at_.reset();
  is_sending_on_ = false;
  auto error = run_->error;
  LoadStatistics result = statistics();
  run_.reset();
  if (error) return std::unexpected(*std::move(error));
  return result;
}

void LoadEngine::Parts::assemble() {
  if (!run_ || run_->is_begun) return;
  while (!opening_.empty() && connecting_ < connecting_most) {
    const std::size_t number = opening_.back();
    opening_.pop_back();
    connect(number);
  }
  if (opening_.empty() && connecting_ == 0) begin(fine_now());
}

void LoadEngine::Parts::begin(FineTime now) {
  run_->is_begun = true;
  run_->begun = now;
  run_->heard = now;
  run_->exchanges_looked_at = now;
  send_due();
  stop_if_done(now);
}

void LoadEngine::Parts::connect(std::size_t number) {
  Slot& slot = slots_[number];
  CHECK(slot.state == State::absent && !slot.pending);
  slot.state = State::connecting;
  slot.since = fine_now();
  ++connecting_;
  slot.connection.emplace(*origin_, *this, number);
  slot.connection->connect(source_of(origin_->url().host, number));
}

void LoadEngine::Parts::stand_idle(std::size_t number) {
  slots_[number].state = State::idle;
  slots_[number].idle_at = idle_.insert(idle_.end(), number);
}

void LoadEngine::Parts::leave_idle(std::size_t number) {
  CHECK(slots_[number].state == State::idle && *slots_[number].idle_at == number);
  idle_.erase(slots_[number].idle_at);
}

void LoadEngine::Parts::stand_absent(std::size_t number) {
  slots_[number].connection.reset();
  slots_[number].state = State::absent;
  absent_.push_back(number);
}

void LoadEngine::Parts::on_connected(std::size_t number) {
  CHECK(slots_[number].state == State::connecting && connecting_ > 0);
  --connecting_;
  stand_idle(number);
  if (!run_->is_begun) return assemble();
  send_due();
}

void LoadEngine::Parts::on_response(std::size_t number, const HttpResponse& response,
                                    HttpConnection::After after) {
  Slot& slot = slots_[number];
  const FineTime now = fine_now();
  run_->heard = now;
  const std::string code = code_of(response);
  const ReplyClass reply = class_of(response, code);
  if (slot.state != State::asking) return turn_away(number, response, reply);
  LoadStatistics& statistics = run_->statistics;
  statistics.exchanges.add(now - slot.since);
  PendingRequest pending = *std::exchange(slot.pending, std::nullopt);
  if (after == HttpConnection::After::closed) {
    stand_absent(number);
  } else {
    stand_idle(number);
  }
  if (reply == ReplyClass::final) {
    take_final(pending, response, code);
  } else {
    ++(reply == ReplyClass::busy ? statistics.busy : statistics.unknown);
    if (reply == ReplyClass::unknown) pending.is_doubtful = true;
    run_->waiting.emplace(now + retry_pause(response), std::move(pending));
  }
  send_due();
  stop_if_done(now);
}

// A response to nothing is that of a server which has too many connections.
void LoadEngine::Parts::turn_away(std::size_t number, const HttpResponse& response, ReplyClass reply) {
  if (reply == ReplyClass::final) {
    return stop({ErrorCode::invalid, "unexpected response: " + response.body.substr(0, 200)});
  }
  ++(reply == ReplyClass::busy ? run_->statistics.busy : run_->statistics.unknown);
  leave_idle(number);
  slots_[number].connection.reset();
  slots_[number].state = State::resting;
  resting_.emplace(run_->heard + retry_pause(response), number);
}

void LoadEngine::Parts::take_final(const PendingRequest& pending, const HttpResponse& response,
                                   const std::string& code) {
  CHECK(run_->outstanding > 0);
  --run_->outstanding;
  LoadStatistics& statistics = run_->statistics;
  statistics.latencies.add(run_->heard - *pending.first);
  ++statistics.codes[code];
  if (!run_->is_over(run_->heard)) ++statistics.in_time[code];
  run_->is_traffic_empty = false;
  run_->traffic.on_response(pending.request, response, code);
}

void LoadEngine::Parts::on_closed(std::size_t number, const Error& error) {
  Slot& slot = slots_[number];
  if (slot.state == State::connecting || error.code == ErrorCode::invalid) return stop(error);
  if (slot.state == State::idle) {
    leave_idle(number);
    stand_absent(number);
  } else {
    lose(number);
  }
  send_due();
}

// Perhaps the request was done: it is sent again with its key, on whichever connection is free then.
void LoadEngine::Parts::lose(std::size_t number) {
  Slot& slot = slots_[number];
  CHECK(slot.state == State::asking && slot.pending);
  PendingRequest pending = *std::exchange(slot.pending, std::nullopt);
  pending.is_doubtful = true;
  ++run_->statistics.lost;
  run_->waiting.emplace(fine_now() + after_loss, std::move(pending));
  stand_absent(number);
}

// Whether there is a request to be sent, if the traffic has one.
bool LoadEngine::Parts::is_due(FineTime now) const {
  if (!run_->waiting.empty() && run_->waiting.begin()->first <= now) return true;
  if (run_->is_all_sent(now)) return false;
  if (run_->rate) return run_->intended(run_->scheduled) <= now;
  return run_->outstanding < static_cast<std::int64_t>(slots_.size());
}

// Repeats before new ones.
std::optional<PendingRequest> LoadEngine::Parts::next_due(FineTime now) {
  if (!is_due(now)) return std::nullopt;
  auto& waiting = run_->waiting;
  if (!waiting.empty() && waiting.begin()->first <= now) return waiting.extract(waiting.begin()).mapped();
  auto request = run_->traffic.next();
  if (!request) {
    run_->is_traffic_empty = true;
    return std::nullopt;
  }
  PendingRequest pending{.request = *std::move(request)};
  pending.request.bearer = key_;
  if (run_->rate) pending.first = run_->intended(run_->scheduled);
  ++run_->scheduled;
  ++run_->outstanding;
  return pending;
}

void LoadEngine::Parts::send_due() {
  if (!run_ || !run_->is_begun || run_->is_stopped) return;
  FineTime now = fine_now();
  for (std::size_t sent = 0; !idle_.empty(); ++sent) {
    if (sent == sent_at_once) {
      if (std::exchange(is_sending_on_, true)) return;
      return boost::asio::post(origin_->io(), [this] {
        is_sending_on_ = false;
        send_due();
      });
    }
    auto pending = next_due(now);
    if (!pending) break;
    now = fine_now();
    send(idle_.front(), *std::move(pending), now);
  }
  // A connection that the server closed is made again when it is needed.
  while (idle_.empty() && !absent_.empty() && connecting_ < connecting_most && is_due(now)) {
    const std::size_t number = absent_.back();
    absent_.pop_back();
    connect(number);
  }
  wake_when_due(now);
}

void LoadEngine::Parts::send(std::size_t number, PendingRequest pending, FineTime now) {
  leave_idle(number);
  Slot& slot = slots_[number];
  slot.state = State::asking;
  slot.was_used = true;
  slot.since = now;
  if (!pending.first) pending.first = now;
  slot.pending = std::move(pending);
  slot.connection->send(slot.pending->request);
}

// Where no connection is free, a response is what is waited for.
void LoadEngine::Parts::wake_when_due(FineTime now) {
  if (idle_.empty() && absent_.empty()) return;
  std::optional<FineTime> next;
  if (!run_->waiting.empty()) next = run_->waiting.begin()->first;
  if (run_->rate && !run_->is_all_sent(now)) {
    const FineTime intended = run_->intended(run_->scheduled);
    next = next ? std::min(*next, intended) : intended;
  }
  if (!next || (wakes_at_ && *wakes_at_ <= *next)) return;
  wakes_at_ = next;
  due_timer_.expires_after(*next - now);
  due_timer_.async_wait([this](const error_code& cancelled) {
    if (cancelled) return;
    wakes_at_.reset();
    send_due();
  });
}

// What need not happen at once.
void LoadEngine::Parts::look() {
  const FineTime now = fine_now();
  const FineTime lasted = run_->is_begun ? now - run_->begun : FineTime(0);
  const LoadProgress progress{.lasted = run_->during ? std::min(lasted, *run_->during) : lasted,
                              .answered = run_->statistics.latencies.count()};
  if (!run_->observer(progress)) return stop({ErrorCode::unknown, "interrupted"});
  look_at_exchanges(now);
  while (!resting_.empty() && resting_.begin()->first <= now) {
    stand_absent(resting_.extract(resting_.begin()).mapped());
  }
  send_due();
  stop_if_done(now);
  if (run_->is_stopped) return;
  look_timer_.expires_after(look_every);
  look_timer_.async_wait([this](const error_code& cancelled) {
    if (!cancelled && run_) look();
  });
}

void LoadEngine::Parts::look_at_exchanges(FineTime now) {
  if (now - run_->exchanges_looked_at < exchanges_looked_at_every) return;
  run_->exchanges_looked_at = now;
  for (std::size_t number = 0; number < slots_.size(); ++number) {
    if (now - slots_[number].since < exchange_within) continue;
    if (slots_[number].state == State::asking) lose(number);
    if (slots_[number].state == State::connecting) {
      return stop({ErrorCode::unavailable, "no connection to " + origin_->url().text() + " within 30 s"});
    }
  }
  if (run_->is_begun && !run_->during && now - run_->heard > silence_most) {
    stop({ErrorCode::unknown, "no response from " + origin_->url().text() + " for a minute"});
  }
}

void LoadEngine::Parts::stop_if_done(FineTime now) {
  if (!run_->is_begun) return;
  const bool is_done = run_->is_all_sent(now) && run_->outstanding == 0;
  const bool is_given_up = run_->during && now > run_->begun + *run_->during + last_responses_within;
  if (!is_done && !is_given_up) return;
  run_->is_stopped = true;
  origin_->io().stop();
}

void LoadEngine::Parts::stop(Error error) {
  if (!run_->error) run_->error = std::move(error);
  run_->is_stopped = true;
  origin_->io().stop();
}

// Closes what is under way, so that a response that comes too late is not taken for one of the next run.
LoadStatistics LoadEngine::Parts::statistics() {
  LoadStatistics& statistics = run_->statistics;
  statistics.unanswered = run_->outstanding;
  for (const auto& [when, pending] : run_->waiting) statistics.doubtful += pending.is_doubtful ? 1 : 0;
  for (std::size_t number = 0; number < slots_.size(); ++number) {
    Slot& slot = slots_[number];
    if (!run_->rate && !slot.was_used) ++statistics.unsent;
    if (slot.state != State::asking) continue;
    ++statistics.doubtful;
    slot.pending.reset();
    stand_absent(number);
  }
  if (run_->rate && !run_->is_traffic_empty) statistics.unsent = run_->rate->requests() - run_->scheduled;
  statistics.took = run_->heard - run_->begun;
  return std::move(statistics);
}

std::string source_of(const std::string& host, std::size_t number) {
  CHECK(number < connections_max);
  if (!host.starts_with("127.")) return "";
  return "127.0.0." + std::to_string(1 + number / connections_per_source);
}

static_assert(connections_max / connections_per_source < 254,
              "the last number of an address has room for all");

Result<std::unique_ptr<LoadEngine>> LoadEngine::create(const LoadTarget& target) {
  CHECK(target.connections >= 1 && target.connections <= connections_max);
  auto origin = Origin::create(target.url, target.ca_file);
  if (!origin) return std::unexpected(origin.error());
  return std::unique_ptr<LoadEngine>(
      new LoadEngine(std::make_unique<Parts>(*std::move(origin), target.connections, target.key)));
}

LoadEngine::LoadEngine(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
LoadEngine::~LoadEngine() = default;

Result<LoadStatistics> LoadEngine::run(const LoadSchedule& schedule, Traffic& traffic,
                                       const LoadObserver& observer) {
  return parts_->run(schedule, traffic, observer);
}

}  // namespace gavel::app
