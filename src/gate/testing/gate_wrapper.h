// GateWrapper: a gate that hands every call on to another one. A test double overrides only what it changes.
#pragma once

#include <utility>

#include "gate/gate.h"

namespace gavel::gate {

class GateWrapper : public Gate {
 public:
  // `inner` outlives it.
  explicit GateWrapper(Gate& inner) : inner_(inner) {}

  void say(const BucketKey& key, Say say, SayCallback done) override {
    inner_.say(key, std::move(say), std::move(done));
  }
  void read(const BucketKey& key, ReadCallback done) override { inner_.read(key, std::move(done)); }
  void reap(const BucketKey& key, rules::InstanceId instance, DoneCallback done) override {
    inner_.reap(key, instance, std::move(done));
  }
  void forget(const BucketKey& key, rules::InstanceId instance, DoneCallback done) override {
    inner_.forget(key, instance, std::move(done));
  }
  void erase(const BucketKey& key, DoneCallback done) override { inner_.erase(key, std::move(done)); }
  void close() override { inner_.close(); }

 protected:
  Gate& inner() { return inner_; }

 private:
  Gate& inner_;
};

}  // namespace gavel::gate
