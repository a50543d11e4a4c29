#include "sim/redis_gate.h"

#include <optional>
#include <utility>

namespace gavel::sim {
namespace {

using gate::Bucket;
using gate::BucketKey;

constexpr std::int64_t network_micros_max = 200;

class RedisGate final : public gate::Gate {
 public:
  explicit RedisGate(RedisClient client) : c_(std::move(client)) {}

  void say(const BucketKey& key, gate::Say say, Heard done) override {
    c_.tale.tell(c_.name, "gate: say " + to_text(key) + " op " + std::to_string(say.op));
    call<gate::Reply>(
        key, [say = std::move(say)](std::optional<Bucket>& bucket) { return gate::say(bucket, say); },
        std::move(done));
  }

  void read(const BucketKey& key, Seen done) override {
    call<std::optional<Bucket>>(
        key, [](std::optional<Bucket>& bucket) { return bucket; }, std::move(done));
  }

  void reap(const BucketKey& key, gate::InstanceId instance, Done done) override {
    write(
        key, [instance](std::optional<Bucket>& bucket) { gate::reap(bucket, instance); }, std::move(done));
  }

  void forget(const BucketKey& key, gate::InstanceId instance, Done done) override {
    write(
        key, [instance](std::optional<Bucket>& bucket) { gate::forget(bucket, instance); }, std::move(done));
  }

  void erase(const BucketKey& key, Done done) override {
    write(
        key, [](std::optional<Bucket>& bucket) { bucket.reset(); }, std::move(done));
  }

 private:
  template <class T>
  void call(const BucketKey& key, std::function<T(std::optional<Bucket>&)> script,
            std::function<void(Result<T>)> done) {
    const auto pending = std::make_shared<std::function<void(Result<T>)>>(std::move(done));
    const bool replies = !c_.faults.strikes(Fault::gate_reply_lost);
    const auto arrive = [this, alive = std::weak_ptr(alive_), key, script, pending, replies,
                         &server = c_.server] {
      server.arrive(key, [this, alive, script, pending, replies](std::optional<Bucket>& bucket) {
        const T reply = script(bucket);
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

  void write(const BucketKey& key, std::function<void(std::optional<Bucket>&)> script, Done done) {
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
  std::shared_ptr<const bool> alive_ =
      std::make_shared<bool>(true);  // For events that outlive the connection.
};

}  // namespace

std::unique_ptr<gate::Gate> open_redis_gate(RedisClient client) {
  return std::make_unique<RedisGate>(std::move(client));
}

}  // namespace gavel::sim
