// Gate: the cheap, untrusted counter in front of the judge. It turns away requests that cannot succeed, and
// decides nothing.
//
// It may be lost, late or wrong at any moment: the judge never reads it, and a refusal that it suggests is
// confirmed by a read at the judge (statements.h). Its script is in bucket.h; what an instance sends, and how
// it interprets the reply, is in tokens.h.
//
// Who may call what, from any thread:
//   say     an instance, one call at a time per instance and bucket, many buckets side by side; and anybody
//           with a call that only states (to_state)
//   read    anybody
//   reap, forget, erase   the job that knows that the instance is dead, or that the bucket is wrong or no
//           longer gated
//
// `done` is called exactly once, from any thread and perhaps before the call returns; it must not block, and
// may call the gate again. No call blocks beyond the form's own deadline. The one error is `unavailable`: no
// reply in time. Unlike elsewhere it says nothing about whether the call took effect, and the caller need not
// find out: the next call states everything anew. A form never repeats a call by itself.
//
// No order is promised between calls, not even between two of one thread on one key: a call may take effect
// late, even after its callback got `unavailable`. To erase a bucket and state it anew, wait for the callback
// of erase. If a bucket is erased late nevertheless, it is missing: its requests go to the judge, and the
// next verdict or refresh repairs it.
//
// After close() no callback is called any more, so everything that a callback refers to may be destroyed.
#pragma once

#include <compare>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "gate/bucket.h"
#include "rules/ids.h"

namespace gavel::gate {

// The incarnation is part of the key, so that versions never run backwards under one key when a database is
// restored, emptied or failed over.
struct BucketKey {
  rules::Incarnation incarnation;
  rules::ItemId item;
  rules::BucketNo bucket = 0;
  friend auto operator<=>(const BucketKey&, const BucketKey&) = default;
};

// "g:{01a23016-c214-756e-811d-4112336feaf4:12:3}": the key of the bucket's hash. All of it but the prefix is
// the hash tag, so the buckets of one item spread over the slots of a cluster (A4).
std::string to_text(const BucketKey& key);

class Gate {
 public:
  using SayCallback = std::function<void(Result<Reply>)>;
  using ReadCallback = std::function<void(Result<std::optional<Bucket>>)>;
  using DoneCallback = std::function<void(Result<void>)>;

  virtual ~Gate() = default;

  // `say` is sound (CHECKed).
  virtual void say(const BucketKey& key, Say say, SayCallback done) = 0;

  // The whole bucket at one moment; nothing if it is missing.
  virtual void read(const BucketKey& key, ReadCallback done) = 0;

  // As gate::reap and gate::forget; success on a missing bucket.
  virtual void reap(const BucketKey& key, rules::InstanceId instance, DoneCallback done) = 0;
  virtual void forget(const BucketKey& key, rules::InstanceId instance, DoneCallback done) = 0;

  // Removes the bucket; the next statement with a position creates it again.
  virtual void erase(const BucketKey& key, DoneCallback done) = 0;

  // When it returns no callback is running, and none is called any more: those of calls under way are
  // dropped, and a later call does nothing. Idempotent; any thread, but not from within a callback, for which
  // it waits.
  virtual void close() = 0;
};

}  // namespace gavel::gate
