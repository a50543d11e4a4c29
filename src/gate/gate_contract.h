// The contract suite of Gate: what gate.h and bucket.h promise, run on every form of a gate.
//
// The test program of a form compiles the gate_contract*.cc files and instantiates the suite with its own
// factory:
//
//   INSTANTIATE_TEST_SUITE_P(Memory, GateContract, testing::Values(memory_gate_form()), name_of_gate_form);
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "gate/gate.h"

namespace gavel::gate {

struct GateForm {
  std::string name;
  // A gate without any bucket of incarnations 1 and 2. A form may share one server between tests, if it
  // empties it here.
  std::function<std::unique_ptr<Gate>()> make;
};

inline std::string name_of_gate_form(const ::testing::TestParamInfo<GateForm>& info) {
  return info.param.name;
}
inline void PrintTo(const GateForm& form, std::ostream* out) { *out << form.name; }

// Waits for `done` of one call, for forms that answer from a thread of their own; fails the test after 10 s.
Result<Reply> say_to(Gate& gate, const BucketKey& key, const Say& say);
Result<std::optional<Bucket>> read_from(Gate& gate, const BucketKey& key);
void reap_at(Gate& gate, const BucketKey& key, rules::InstanceId instance);
void erase_from(Gate& gate, const BucketKey& key);

// Calls and states are written as text, so that a row of a test shows all of it:
//   say("1#3 base=2 judge=7/5 gen=2/1 wants=1,4")   instance 1, op 3, seq 7 available 5, open 2 shut 1
//   say("judge=7/5 gen=2/1")                        a call that only states
Say parse_say(const std::string& text);

class GateContract : public ::testing::TestWithParam<GateForm> {
 protected:
  void SetUp() override { gate_ = GetParam().make(); }

  Gate& gate() { return *gate_; }
  void destroy() { gate_.reset(); }

  // The reply in words (to_text), or "unavailable".
  std::string say(const std::string& text) { return say(key_, text); }
  std::string say(const BucketKey& key, const std::string& text);
  // The bucket in words (to_text).
  std::string bucket() { return bucket(key_); }
  std::string bucket(const BucketKey& key);
  void reap(std::int64_t instance);
  void forget(std::int64_t instance);
  void erase();
  // Erases buckets 0 to 7 of the item.
  void erase_all();

  const BucketKey key_{rules::Incarnation{Uuid{{1}}}, rules::ItemId{7}, 0};

 private:
  std::unique_ptr<Gate> gate_;
};

}  // namespace gavel::gate
