// The world of mode gated on one thread: judge, reads, gate client and pipeline, stepped by hand, before a
// gate that may do all that gates do. For tests.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

#include "gate/memory_gate.h"
#include "gate/testing/gate_wrapper.h"
#include "judge/memory/store.h"
#include "judge/testing/faulty_store.h"
#include "pipeline/asio_executor.h"
#include "pipeline/pipeline.h"
#include "pipeline/reads.h"

namespace gavel::pipeline {

using gate::Bucket;
using gate::BucketKey;
using rules::ActivityCode;
using rules::Caller;
using rules::Command;
using rules::Mode;
using rules::Outcome;
using rules::Quantity;
using rules::RequestKey;
using rules::SkuCode;
using rules::UserId;
using rules::Verdict;

inline const Time start = *parse_time("2026-01-01T00:00:00Z");
inline constexpr rules::Incarnation incarnation{Uuid{{1}}};
inline constexpr std::chrono::seconds hold{60};

// The memory gate behind everything that a gate may do: not answer, answer and be lost, forget, show
// nonsense.
class UnreliableGate final : public gate::GateWrapper {
 public:
  UnreliableGate(gate::Gate& inner, Random& random) : GateWrapper(inner), random_(random) {}

  void say(const BucketKey& key, gate::Say say, SayCallback done) override {
    ++calls;
    if (silent) return done(lost());
    if (kept) return kept->push_back([this, key, say, done] { inner().say(key, say, done); });
    if (faults) {
      if (random_.chance(1, 8)) return done(lost());
      if (random_.chance(1, 8)) inner().erase(key, [](const Result<void>&) {});
      if (random_.chance(1, 8)) inner().say(key, nonsense(), [](const Result<gate::Reply>&) {});
      if (random_.chance(1, 8)) {
        inner().say(key, say, [](const Result<gate::Reply>&) {});
        return done(lost());
      }
      if (random_.chance(1, 8))
        inner().say(key, say, [](const Result<gate::Reply>&) {});  // It arrives twice.
    }
    GateWrapper::say(key, std::move(say), std::move(done));
  }
  void read(const BucketKey& key, ReadCallback done) override {
    if (silent) return done(fail(ErrorCode::unavailable, "no reply in time"));
    GateWrapper::read(key, std::move(done));
  }

  bool faults = false;
  bool silent = false;  // It answers nothing.
  int calls = 0;
  // Where it is there, calls of say wait in it until a test makes them.
  std::optional<std::vector<std::function<void()>>> kept;

 private:
  static Result<gate::Reply> lost() { return fail(ErrorCode::unavailable, "no reply in time"); }

  // What no judge ever said: any position, and generations open and shut at random.
  gate::Say nonsense() {
    const auto number = [&](std::uint64_t bound) { return static_cast<std::int64_t>(random_.below(bound)); };
    const std::int64_t open = number(4);
    return gate::to_state({gate::Position{number(30), Quantity{number(8)}}, open, std::min(open, number(4))});
  }

  Random& random_;
};

class World {
 public:
  explicit World(bool gated = true, std::uint64_t seed = 1)
      : random(seed),
        judge_(
            store_, *log_, Random(1), [](Duration) {},
            rules::Policy{.hold_default = hold, .mode = gated ? Mode::gated : Mode::direct},
            judge::JudgeLimits{}, judge::Metrics{}, [this](const rules::State& state) { observe(state); }),
        lane(judge_, {1000, 100}, clock, *log_, [](const std::string&) {}),
        gate_client(
            executor_, gate, gate_reads, clock, *log_,
            GateClient::Options{incarnation, rules::InstanceId{1}, gated ? Mode::gated : Mode::direct}),
        pipeline(io_.get_executor(), lanes_, clock, *log_, sampler_, {1000, Duration(1000), Duration(5000)},
                 Metrics{}, &gate_client) {}

  // Lets a command go its way until it waits for the lane or for a read.
  void ask(const std::string& key, rules::Act act, const std::string& caller = "shop") {
    step();
    const rules::OrderId fresh{make_uuid7(clock.now(), ids_)};
    boost::asio::co_spawn(io_, answered(Command{Caller(caller), RequestKey(key), fresh, std::move(act)}),
                          boost::asio::detached);
    run_coroutines();
  }

  // As the service does ten times a second.
  void step() {
    pipeline.step(clock.steady());
    run_coroutines();
  }

  // The gate makes the calls that it has kept, and keeps no more.
  void release_kept_calls() {
    const auto calls = *std::exchange(gate.kept, std::nullopt);
    for (const auto& call : calls) call();
    settle();
  }

  void settle() {
    run_coroutines();
    while (lane.step() + gate_reads.step() > 0) run_coroutines();
  }

  // Asks, settles, and says how it was answered: "sold_out", "reserved again", "sold_out unrecorded".
  std::string tell(const std::string& key, rules::Act act, const std::string& caller = "shop") {
    ask(key, std::move(act), caller);
    settle();
    const Verdict& verdict = verdicts.back();
    std::string answer(word(verdict.outcome));
    if (verdict.record == rules::Record::replayed) answer += " again";
    if (verdict.outcome == Outcome::sold_out && verdict.record == rules::Record::no) answer += " unrecorded";
    return answer;
  }

  void stock(std::int64_t units, std::int32_t buckets = 1) {
    ASSERT_EQ(tell("sku", rules::PutSku{SkuCode("tee"), buckets}), "created");
    if (units == 0) return;
    ASSERT_EQ(tell("in", rules::Receive{SkuCode("tee"), Quantity{units}}), "received");
  }

  judge::StockRow row(const std::string& pool = "-") {
    const auto rows = reader_->stock(SkuCode("tee"));
    return *std::ranges::find(**rows, pool, &judge::StockRow::pool);
  }

  std::int64_t available() { return row().item.available().units; }

  // "3+2": what the gate shows in each bucket beside the tokens held there, or "?" where it knows nothing.
  std::string gate_shows() {
    std::string text;
    const rules::Item item = row().item;
    for (std::size_t i = 0; i < item.buckets.size(); ++i) {
      gate.read({incarnation, item.id, static_cast<rules::BucketNo>(i)}, [&](const auto& seen) {
        const std::optional<Bucket>& bucket = *seen;
        if (!text.empty()) text += "+";
        text += bucket ? std::to_string(bucket->available.units) : "?";
        if (bucket && bucket->in_flight != rules::no_units)
          text += "(" + std::to_string(bucket->in_flight.units) + " held)";
        if (bucket && bucket->closed()) text += " closed";
      });
    }
    return text;
  }

  // Has somebody ask for the stock on that stage; `answered` says when he has it.
  void ask_question(Reads<judge::Reader>& questions, bool& answered) {
    boost::asio::co_spawn(io_, question(questions, answered), boost::asio::detached);
    run_coroutines();
  }

  std::vector<Verdict> verdicts;       // In order of arrival.
  int told = 0;                        // Batches of which the gate's side has heard.
  int lost_commits = 0;                // Whose answer the judge had to find out.
  bool failing = false;                // The database, one call in thirty, in whatever way that call may.
  std::function<void()> during_batch;  // While the judge is at one, and its verdicts are not told yet.
  Random random;
  VirtualClock clock{start};
  gate::MemoryGate memory_gate;
  UnreliableGate gate{memory_gate, random};

 private:
  Random ids_{7};  // Apart from the faults, so that two worlds make the same ids.

  boost::asio::awaitable<void> answered(Command command) {
    Verdict verdict = co_await pipeline.submit(std::move(command));
    verdicts.push_back(std::move(verdict));
  }

  static boost::asio::awaitable<void> question(Reads<judge::Reader>& questions, bool& answered) {
    using Rows = std::optional<std::vector<judge::StockRow>>;
    std::function<Result<Rows>(judge::Reader&)> stock = [](judge::Reader& reader) {
      return reader.stock(SkuCode("tee"));
    };
    const Result<Rows> rows = co_await questions.ask<Rows>(stock);
    answered = rows.has_value();
  }

  void observe(const rules::State& state) {
    if (during_batch) during_batch();
    std::optional<CommittedItems> committed = gate_client.committed_items(state);
    if (!committed) return;
    ++told;
    boost::asio::post(io_, [this, committed = *std::move(committed)] { gate_client.apply(committed); });
  }

  std::optional<judge::Fault> fault_of(judge::Call call) {
    if (!failing || !random.chance(1, 30)) return std::nullopt;
    const auto faults = judge::faults_of(call);
    if (faults.empty()) return std::nullopt;
    const judge::Fault fault = faults[random.below(faults.size())];
    // One that ends the process is another test's; a constraint would be a broken row.
    lost_commits += fault == judge::Fault::unknown_stored || fault == judge::Fault::unknown_lost ? 1 : 0;
    const bool ends = fault == judge::Fault::broken || fault == judge::Fault::constraint;
    return ends ? std::nullopt : std::optional(fault);
  }

  void run_coroutines() {
    io_.restart();
    io_.poll();
  }

  boost::asio::io_context io_;
  AsioExecutor executor_{io_.get_executor()};
  std::unique_ptr<Log> log_ = Log::silent();
  Sampler sampler_{1};
  std::shared_ptr<judge::MemoryDatabase> database_ = judge::make_memory_database();
  std::unique_ptr<judge::Store> sound_store_ = judge::open_memory_store(database_, clock);
  judge::FaultyStore store_{*sound_store_,
                            [this](judge::Call call, int, const rules::State*) { return fault_of(call); }};
  std::unique_ptr<judge::Reader> reader_ = judge::open_memory_reader(database_, clock);
  judge::Judge judge_;

 public:
  Lane lane;

 private:
  Lanes lanes_{lane};

 public:
  Reads<judge::Reader> gate_reads{*reader_, {1000, 100}, Duration(1000), clock};
  GateClient gate_client;
  Pipeline pipeline;
  judge::Reader& reader() { return *reader_; }
};

inline rules::Act reserve(const std::string& user, std::int64_t units,
                          std::optional<std::string> activity = std::nullopt) {
  rules::Reserve act{.user = UserId(user),
                     .lines = {rules::Line{SkuCode("tee"), Quantity{units}}},
                     .activity = std::nullopt,
                     .hold = std::nullopt,
                     .payment = rules::Payment::later};
  if (activity) act.activity = ActivityCode(*activity);
  return act;
}

inline rules::Act create(const std::string& activity, std::int64_t units, Mode mode = Mode::service) {
  return rules::CreateActivity{.activity = ActivityCode(activity),
                               .name = "sale",
                               .lines = {rules::ActivityLine{SkuCode("tee"), Quantity{units}, std::nullopt}},
                               .limit_per_user = std::nullopt,
                               .opens_at = std::nullopt,
                               .closes_at = std::nullopt,
                               .hold = std::nullopt,
                               .mode = mode};
}

}  // namespace gavel::pipeline
