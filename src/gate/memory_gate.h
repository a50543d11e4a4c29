// MemoryGate: the gate within one process, the default where there is only one.
//
// It runs the script under one mutex. A call takes microseconds, and its `done` is called before it returns,
// outside of the mutex. Thread-safe. Memory is bounded: a bucket or an instance beyond the limits is
// `unavailable`, and its requests go to the judge, as with any gate that cannot be reached.
#pragma once

#include <cstddef>
#include <map>

#include "base/mutex.h"
#include "gate/gate.h"

namespace gavel::gate {

struct MemoryGateLimits {
  std::size_t buckets_max = 65'536;  // 1,024 items of 64 buckets; about 20 MB.
  std::size_t instances_max = 256;   // Holdings of one bucket, tombstones included.
};

class MemoryGate final : public Gate {
 public:
  explicit MemoryGate(MemoryGateLimits limits = {}) : limits_(limits) {}

  void say(const BucketKey& key, Say say, SayCallback done) override;
  void read(const BucketKey& key, ReadCallback done) override;
  void reap(const BucketKey& key, rules::InstanceId instance, DoneCallback done) override;
  void forget(const BucketKey& key, rules::InstanceId instance, DoneCallback done) override;
  void erase(const BucketKey& key, DoneCallback done) override;
  void close() override;

 private:
  // Between them a callback is on its way. False after close().
  bool begin_call() GAVEL_REQUIRES(mutex_);
  void end_call() GAVEL_EXCLUDES(mutex_);
  Result<Reply> say_locked(const BucketKey& key, const Say& say) GAVEL_REQUIRES(mutex_);
  bool has_room(const Bucket& bucket, rules::InstanceId instance) const;

  const MemoryGateLimits limits_;
  Mutex mutex_;
  Condition idle_;  // No callback is on its way.
  std::size_t calls_ GAVEL_GUARDED_BY(mutex_) = 0;
  bool closed_ GAVEL_GUARDED_BY(mutex_) = false;
  std::map<BucketKey, std::optional<Bucket>> buckets_ GAVEL_GUARDED_BY(mutex_);  // None of them is empty.
};

}  // namespace gavel::gate
