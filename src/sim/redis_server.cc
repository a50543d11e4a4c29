#include "sim/redis_server.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace gavel::sim {
namespace {

using gate::BucketKey;

constexpr Micros replica_lag{20'000};
constexpr std::int64_t hang_micros_max = 400'000;

}  // namespace

void RedisServer::arrive(const BucketKey& key, std::function<void(std::optional<gate::Bucket>&)> command) {
  if (hangs_until_ > scheduler_.now()) {
    return scheduler_.at(hangs_until_, [this, key, command = std::move(command)] { arrive(key, command); });
  }
  const auto found = buckets_.try_emplace(key).first;
  const std::optional<gate::Bucket> before = found->second;
  command(found->second);
  watch_.called(key, before, found->second);
  lag_.push_back({scheduler_.now(), key, found->second});
  if (!found->second) buckets_.erase(found);
}

void RedisServer::catch_up(Micros until) {
  while (!lag_.empty() && lag_.front().at <= until) {
    replica_[lag_.front().key] = std::move(lag_.front().bucket);
    lag_.pop_front();
  }
}

void RedisServer::look() {
  catch_up(scheduler_.now() - replica_lag);
  if (faults_.strikes(Fault::gate_hung)) {
    hangs_until_ = scheduler_.now() + Micros(static_cast<std::int64_t>(random_.below(hang_micros_max)));
    tale_.tell("redis", "stands still");
  }
  if (faults_.strikes(Fault::gate_restarted)) {
    buckets_.clear();
    replica_.clear();
    lag_.clear();
    tale_.tell("redis", "restarts empty");
  }
  if (faults_.strikes(Fault::gate_failed_over)) fail_over();
  if (faults_.strikes(Fault::gate_key_lost)) {
    if (const auto key = draw_key()) {
      buckets_.erase(*key);
      tale_.tell("redis", "evicts " + to_text(*key));
    }
  }
  if (faults_.strikes(Fault::gate_corrupted)) corrupt();
}

// The replica has caught up to some moment of the last 20 ms.
void RedisServer::fail_over() {
  catch_up(scheduler_.now() - Micros(static_cast<std::int64_t>(random_.below(replica_lag.count()))));
  tale_.tell("redis", "fails over and loses " + std::to_string(lag_.size()) + " writes");
  for (const auto& [key, bucket] : buckets_) {
    const auto behind = replica_.find(key);
    const bool known = behind != replica_.end() && behind->second.has_value();
    sightings_.saw_if(known && behind->second->open < bucket->open, RareState::failover_lost_open);
  }
  lag_.clear();
  std::erase_if(replica_, [](const auto& row) { return !row.second; });
  buckets_ = replica_;
}

// What no judge ever said: any position, and generations open and shut at random.
void RedisServer::corrupt() {
  const auto key = draw_key();
  if (!key) return;
  const auto number = [&](std::uint64_t bound) { return static_cast<std::int64_t>(random_.below(bound)); };
  const std::int64_t open = number(4);
  const gate::Position position{number(30), rules::Quantity{number(8)}};
  gate::say(buckets_.at(*key), gate::to_state({position, open, std::min(open, number(4))}));
  tale_.tell("redis", to_text(*key) + " is overwritten: " + to_text(buckets_.at(*key)));
}

std::optional<BucketKey> RedisServer::draw_key() {
  if (buckets_.empty()) return std::nullopt;
  return std::next(buckets_.begin(), static_cast<std::ptrdiff_t>(random_.below(buckets_.size())))->first;
}

}  // namespace gavel::sim
