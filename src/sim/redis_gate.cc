#include "sim/redis_gate.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace gavel::sim {
namespace {

using gate::Bucket;
using gate::BucketKey;

constexpr std::int64_t network_micros_max = 200;

// What a call shows of rare states.
void watch(CoverageMarks& sightings, const gate::Say& say, const std::optional<Bucket>& before,
           const std::optional<Bucket>& after, const gate::Reply& reply) {
  if (before && say.judge) {
    const auto& position = say.judge->position;
    sightings.saw_if(position && position->seq < before->seq, RareState::statement_older_than_bucket);
    const bool says_shut = say.judge->shut >= say.judge->open;
    sightings.saw_if(says_shut && say.judge->open < before->open, RareState::late_shut_met_newer_generation);
  }
  sightings.saw_if(!before && after, RareState::statement_made_bucket);
  sightings.saw_if(after && after->left() < rules::no_units, RareState::tokens_beyond_available);
  sightings.saw_if(reply.said == gate::Said::stale && say.op > 0, RareState::call_stale);
  const auto granted = std::ranges::count(reply.granted, true);
  const bool some_refused = static_cast<std::size_t>(granted) < reply.granted.size();
  sightings.saw_if(granted > 0 && some_refused, RareState::wants_granted_in_part);
  sightings.saw_if(some_refused && reply.closed(), RareState::bucket_closed_to_want);
  sightings.saw_if(some_refused && !reply.closed(), RareState::too_few_at_bucket);
}

class RedisGate final : public gate::Gate {
 public:
  explicit RedisGate(RedisClient client) : c_(std::move(client)) {}
  ~RedisGate() override { close(); }
  RedisGate(const RedisGate&) = delete;
  RedisGate& operator=(const RedisGate&) = delete;

  void say(const BucketKey& key, gate::Say say, SayCallback done) override {
    c_.tale.tell(c_.name, "gate: say " + to_text(key) + " op " + std::to_string(say.op));
    // What a refresh states is nobody's debt, and pays none.
    const bool own = say.op > 0;
    if (own) check_owed(key, say);
    const std::optional<gate::Statement> judge = own ? say.judge : std::nullopt;
    call<gate::Reply>(
        key,
        [say = std::move(say), says_yes = c_.says_yes,
         &sightings = c_.sightings](std::optional<Bucket>& bucket) {
          const std::optional<Bucket> before = bucket;
          gate::Reply reply = gate::say(bucket, say);
          watch(sightings, say, before, bucket, reply);
          if (says_yes) reply.granted.assign(reply.granted.size(), true);
          return reply;
        },
        [this, key, judge, done = std::move(done)](Result<gate::Reply> reply) {
          if (!reply && judge) owed_.insert_or_assign(key, *judge);
          const bool grants = reply && std::ranges::count(reply->granted, true) > 0;
          if (grants && c_.faults.strikes(Fault::instance_crashed_granted)) return c_.crash();
          done(std::move(reply));
        });
  }

  void read(const BucketKey& key, ReadCallback done) override {
    call<std::optional<Bucket>>(key, [](std::optional<Bucket>& bucket) { return bucket; }, std::move(done));
  }

  void reap(const BucketKey& key, rules::InstanceId instance, DoneCallback done) override {
    write(key, [instance](std::optional<Bucket>& bucket) { gate::reap(bucket, instance); }, std::move(done));
  }

  void forget(const BucketKey& key, rules::InstanceId instance, DoneCallback done) override {
    write(
        key, [instance](std::optional<Bucket>& bucket) { gate::forget(bucket, instance); }, std::move(done));
  }

  void erase(const BucketKey& key, DoneCallback done) override {
    owed_.erase(key);
    write(key, [](std::optional<Bucket>& bucket) { bucket.reset(); }, std::move(done));
  }

  // What waits for replies goes with the connection, and not with the events that refer to it, which last
  // longer.
  void close() override {
    closed_ = true;
    for (const auto& drop : drops_) drop();
    drops_.clear();
  }

 private:
  // What a call without a reply has stated is stated again by the next one.
  void check_owed(const BucketKey& key, const gate::Say& say) {
    const auto owed = owed_.extract(key);
    if (!owed) return;
    const gate::Statement said = say.judge.value_or(gate::Statement{});
    if (gate::merged(owed.mapped(), said) != said)
      c_.server.watch().complain(key, "is not told again what was lost");
  }

  template <class T>
  void call(const BucketKey& key, const std::function<T(std::optional<Bucket>&)>& script,
            std::function<void(Result<T>)> done) {
    if (closed_) return;
    const auto pending = std::make_shared<std::function<void(Result<T>)>>(std::move(done));
    drops_.push_back([pending = std::weak_ptr(pending)] {
      if (const auto waiting = pending.lock()) *waiting = nullptr;
    });
    const bool replies = !c_.faults.strikes(Fault::gate_reply_lost);
    const auto arrive = [this, alive = std::weak_ptr(alive_), key, script, pending, replies,
                         &server = c_.server, &sightings = c_.sightings] {
      server.arrive(key, [this, alive, script, pending, replies, &sightings](std::optional<Bucket>& bucket) {
        const T reply = script(bucket);
        sightings.saw_if(!*pending, RareState::call_late);
        if (!replies || alive.expired()) return;
        c_.scheduler.after(draw_time(), [this, alive, pending, reply] {
          if (!alive.expired()) end<T>(*pending, reply);
        });
      });
    };
    send(arrive);
    c_.scheduler.after(c_.reply_within, [this, alive = std::weak_ptr(alive_), pending] {
      if (!alive.expired()) end<T>(*pending, fail(ErrorCode::unavailable, "the gate does not answer"));
    });
  }

  void write(const BucketKey& key, std::function<void(std::optional<Bucket>&)> script, DoneCallback done) {
    call<bool>(
        key,
        [script = std::move(script)](std::optional<Bucket>& bucket) {
          script(bucket);
          return true;
        },
        [done = std::move(done)](const Result<bool>& written) {
          done(written ? Result<void>() : std::unexpected(written.error()));
        });
  }

  // The way there: lost, late, twice, or as it should be.
  void send(const std::function<void()>& arrive) {
    if (c_.faults.strikes(Fault::gate_call_lost)) return;
    Micros takes = draw_time();
    if (c_.faults.strikes(Fault::gate_slow)) takes *= 50;
    if (c_.faults.strikes(Fault::gate_call_late)) takes += c_.reply_within + draw_time() * 100;
    c_.scheduler.after(takes, arrive);
    if (c_.faults.strikes(Fault::gate_call_repeated)) c_.scheduler.after(takes + draw_time() * 100, arrive);
  }

  template <class T>
  void end(std::function<void(Result<T>)>& pending, Result<T> reply) {
    const auto done = std::exchange(pending, nullptr);
    if (!done || !c_.power.on()) return;
    if (!reply) c_.tale.tell(c_.name, "gate: no reply in time");
    done(std::move(reply));
    c_.stir();
  }

  Micros draw_time() { return Micros(1 + static_cast<std::int64_t>(c_.random.below(network_micros_max))); }

  const RedisClient c_;
  std::vector<std::function<void()>> drops_;  // One for each call.
  std::map<BucketKey, gate::Statement> owed_;
  bool closed_ = false;
  std::shared_ptr<const bool> alive_ =
      std::make_shared<bool>(true);  // For events that outlive the connection.
};

}  // namespace

std::unique_ptr<gate::Gate> open_redis_gate(RedisClient client) {
  return std::make_unique<RedisGate>(std::move(client));
}

}  // namespace gavel::sim
