#include "app/demo/sale_run.h"

#include <algorithm>
#include <charconv>
#include <deque>
#include <map>
#include <utility>

#include <boost/json.hpp>
#include <poll.h>

#include "app/client/http_connection.h"

namespace gavel::app {
namespace {

constexpr Duration poll_at_most{50};         // How often progress is told and waits are looked at.
constexpr Duration again_after{100};         // For what is unknown or in process: its verdict is near.
constexpr Duration later_else{1'000};        // For a 503 without Retry-After.
constexpr Duration silence_at_most{30'000};  // Without any answer for so long the sale is given up.
constexpr std::int64_t lost_most = 1'000;

// One sending of one request.
struct Attempt {
  std::size_t request;
  bool again;  // The request's second life, after its answer.
};

struct Line {
  HttpConnection connection;
  std::optional<Attempt> attempt;  // On its way.
  Duration since{0};
};

Duration pause_of(const HttpAnswer& answer) {
  if (answer.status != 503 && answer.status != 429) return again_after;
  const std::string* header = answer.header("retry-after");
  int seconds = 0;
  if (header == nullptr) return later_else;
  const auto [end, error] = std::from_chars(header->data(), header->data() + header->size(), seconds);
  return error == std::errc() && seconds >= 0 ? std::chrono::seconds(seconds) : later_else;
}

class Run {
 public:
  Run(const SalePlan& plan, const SaleTarget& target, const Clock& clock)
      : plan_(plan), target_(target), clock_(clock), heard_at_(clock.steady()) {
    run_.results.resize(plan.requests.size());
  }

  Result<void> open();
  Result<void> step();
  bool finished() const { return done_ == exchanges_of(plan_); }
  std::int64_t done() const { return done_; }
  SaleRun take() { return std::move(run_); }

 private:
  std::optional<Attempt> next();
  Result<void> send_all();
  Result<void> receive_all();
  Result<void> lose(Line& line, const Error& error);
  void hear(Line& line, const HttpAnswer& answer);
  HttpRequest request_of(const Attempt& attempt) const;

  const SalePlan& plan_;
  const SaleTarget& target_;
  const Clock& clock_;
  std::vector<Line> lines_;
  std::size_t next_ = 0;                      // Of the plan.
  std::deque<Attempt> ready_;                 // To be sent before the plan's next.
  std::multimap<Duration, Attempt> waiting_;  // By the time when they may be sent.
  Duration heard_at_;
  std::int64_t done_ = 0;
  SaleRun run_;
};

Result<void> Run::open() {
  for (std::size_t i = 0; i < target_.connections; ++i) {
    auto connection = HttpConnection::open(target_.shop);
    if (!connection) return std::unexpected(connection.error());
    lines_.push_back(Line{*std::move(connection), std::nullopt});
  }
  return {};
}

Result<void> Run::step() {
  if (auto sent = send_all(); !sent) return sent;
  std::vector<pollfd> polled;
  for (const Line& line : lines_)
    polled.push_back(pollfd{line.connection.descriptor(), static_cast<short>(line.attempt ? POLLIN : 0), 0});
  ::poll(polled.data(), polled.size(), static_cast<int>(poll_at_most.count()));
  return receive_all();
}

std::optional<Attempt> Run::next() {
  if (!waiting_.empty() && waiting_.begin()->first <= clock_.steady())
    return waiting_.extract(waiting_.begin()).mapped();
  if (!ready_.empty()) {
    const Attempt attempt = ready_.front();
    ready_.pop_front();
    return attempt;
  }
  if (next_ == plan_.requests.size()) return std::nullopt;
  return Attempt{next_++, false};
}

HttpRequest Run::request_of(const Attempt& attempt) const {
  const SalePlan::Request& planned = plan_.requests[attempt.request];
  HttpRequest request;
  request.method = "POST";
  request.target = "/v1/orders";
  request.key = planned.key;
  request.body = R"({"user":")" + planned.user + R"(","activity":")" + target_.activity +
                 R"(","lines":[{"sku":")" + target_.sku + R"(","quantity":1}]})";
  return request;
}

Result<void> Run::send_all() {
  for (Line& line : lines_) {
    if (line.attempt) continue;
    line.attempt = next();
    if (!line.attempt) return {};
    line.since = clock_.steady();
    if (auto sent = line.connection.send(request_of(*line.attempt)); !sent) {
      if (auto again = lose(line, sent.error()); !again) return again;
    }
  }
  return {};
}

Result<void> Run::receive_all() {
  for (Line& line : lines_) {
    if (!line.attempt) continue;
    auto answer = line.connection.receive();
    if (!answer) {
      if (auto again = lose(line, answer.error()); !again) return again;
    } else if (*answer) {
      hear(line, **answer);
    }
  }
  if (clock_.steady() - heard_at_ > silence_at_most && waiting_.empty())
    return fail(ErrorCode::unknown, "no answer for " + std::to_string(silence_at_most.count() / 1000) + " s");
  return {};
}

// Perhaps the request was done: it is asked again, with its key, on a connection that is made for it.
Result<void> Run::lose(Line& line, const Error& error) {
  if (error.code == ErrorCode::invalid) return std::unexpected(error);
  if (++run_.lost > lost_most) return std::unexpected(error);
  ready_.push_back(*std::exchange(line.attempt, std::nullopt));
  auto connection = HttpConnection::open(target_.shop);
  if (!connection) return std::unexpected(connection.error());
  line.connection = *std::move(connection);
  return {};
}

void Run::hear(Line& line, const HttpAnswer& answer) {
  const Attempt attempt = *std::exchange(line.attempt, std::nullopt);
  heard_at_ = clock_.steady();
  SaleReply reply = read_reply(answer);
  if (!is_final(reply)) {
    ++(answer.status == 504 ? run_.unknown : run_.busy);
    waiting_.emplace(heard_at_ + pause_of(answer), attempt);
    return;
  }
  run_.latencies.push_back(heard_at_ - line.since);
  ++done_;
  SaleRun::Result& result = run_.results[attempt.request];
  if (attempt.again) {
    ++run_.repeats;
    result.again = std::move(reply);
    return;
  }
  result.first = std::move(reply);
  if (plan_.requests[attempt.request].repeated) ready_.push_back(Attempt{attempt.request, true});
}

}  // namespace

SaleReply read_reply(const HttpAnswer& answer) {
  SaleReply reply;
  reply.status = answer.status;
  reply.body = answer.body;
  const std::string* replayed = answer.header("idempotency-replayed");
  reply.replayed = replayed != nullptr && *replayed == "true";
  boost::system::error_code wrong;
  const boost::json::value value = boost::json::parse(answer.body, wrong);
  if (wrong || !value.is_object()) return reply;
  const auto word = [&value](std::string_view name) -> std::string {
    const boost::json::value* found = value.as_object().if_contains(name);
    return found != nullptr && found->is_string() ? std::string(found->as_string()) : std::string();
  };
  reply.outcome = word("code");
  const bool made = answer.status == 201;
  if (made) reply.order = word("order");
  if (made) reply.user = word("user");
  // A success is always recorded; a refusal says so.
  const boost::json::value* recorded = value.as_object().if_contains("recorded");
  reply.recorded = made || (recorded != nullptr && recorded->is_bool() && recorded->as_bool());
  return reply;
}

bool is_final(const SaleReply& reply) {
  return reply.status != 503 && reply.status != 429 && reply.status != 504 &&
         reply.outcome != "key_in_flight";
}

std::int64_t exchanges_of(const SalePlan& plan) {
  const auto repeated =
      std::ranges::count_if(plan.requests, [](const auto& request) { return request.repeated; });
  return static_cast<std::int64_t>(plan.requests.size()) + repeated;
}

Result<SaleRun> run_sale(const SalePlan& plan, const SaleTarget& target, const Clock& clock,
                         const std::function<bool(std::int64_t done)>& progress) {
  Run run(plan, target, clock);
  if (auto open = run.open(); !open) return std::unexpected(open.error());
  const Duration began = clock.steady();
  while (!run.finished()) {
    if (auto stepped = run.step(); !stepped) return std::unexpected(stepped.error());
    if (!progress(run.done())) return fail(ErrorCode::unknown, "interrupted");
  }
  const Duration took = clock.steady() - began;
  SaleRun result = run.take();
  result.took = took;
  return result;
}

}  // namespace gavel::app
