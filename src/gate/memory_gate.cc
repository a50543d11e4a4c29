#include "gate/memory_gate.h"

#include <utility>

#include "base/check.h"

namespace gavel::gate {
namespace {

std::string too_many_instances(const BucketKey& key) {
  return "the memory gate has its maximum number of instances for " + to_text(key);
}

}  // namespace

void MemoryGate::say(const BucketKey& key, Say say, SayCallback done) {
  Result<Reply> reply;
  {
    const MutexLock lock(mutex_);
    if (!begin_call()) return;
    reply = say_locked(key, say);
  }
  done(std::move(reply));
  end_call();
}

Result<Reply> MemoryGate::say_locked(const BucketKey& key, const Say& say) {
  const auto found = buckets_.find(key);
  if (found != buckets_.end()) {
    // Only a call with an op adds a holding; what only states needs no room.
    if (say.op > 0 && !has_room(*found->second, say.instance)) {
      return fail(ErrorCode::unavailable, too_many_instances(key));
    }
    return gate::say(found->second, say);
  }
  std::optional<Bucket> made;
  Reply reply = gate::say(made, say);
  if (!made) return reply;
  if (buckets_.size() >= limits_.buckets_max) {
    return fail(ErrorCode::unavailable, "the memory gate has its maximum number of buckets");
  }
  buckets_.emplace(key, std::move(made));
  return reply;
}

bool MemoryGate::has_room(const Bucket& bucket, rules::InstanceId instance) const {
  return bucket.holdings.contains(instance) || bucket.holdings.size() < limits_.instances_max;
}

void MemoryGate::read(const BucketKey& key, ReadCallback done) {
  std::optional<Bucket> seen;
  {
    const MutexLock lock(mutex_);
    if (!begin_call()) return;
    if (const auto found = buckets_.find(key); found != buckets_.end()) seen = found->second;
  }
  done(std::move(seen));
  end_call();
}

void MemoryGate::reap(const BucketKey& key, rules::InstanceId instance, DoneCallback done) {
  Result<void> reaped;
  {
    const MutexLock lock(mutex_);
    if (!begin_call()) return;
    const auto found = buckets_.find(key);
    if (found != buckets_.end() && !has_room(*found->second, instance)) {
      reaped = fail(ErrorCode::unavailable, too_many_instances(key));
    } else if (found != buckets_.end()) {
      gate::reap(found->second, instance);
    }
  }
  done(std::move(reaped));
  end_call();
}

void MemoryGate::forget(const BucketKey& key, rules::InstanceId instance, DoneCallback done) {
  {
    const MutexLock lock(mutex_);
    if (!begin_call()) return;
    if (const auto found = buckets_.find(key); found != buckets_.end()) gate::forget(found->second, instance);
  }
  done({});
  end_call();
}

void MemoryGate::erase(const BucketKey& key, DoneCallback done) {
  {
    const MutexLock lock(mutex_);
    if (!begin_call()) return;
    buckets_.erase(key);
  }
  done({});
  end_call();
}

void MemoryGate::close() {
  const MutexLock lock(mutex_);
  closed_ = true;
  while (calls_ > 0) idle_.wait(mutex_);
}

bool MemoryGate::begin_call() {
  if (!closed_) ++calls_;
  return !closed_;
}

void MemoryGate::end_call() {
  const MutexLock lock(mutex_);
  CHECK(calls_ > 0);
  if (--calls_ == 0) idle_.notify_all();
}

}  // namespace gavel::gate
