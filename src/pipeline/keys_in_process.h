// KeysInProcess: the request keys that wait for their verdict, and what was asked under each (A9, E2).
//
// While a request is in process its key answers nobody else: the same request again is told so, and another
// one that it misuses the key, by the names of the fields that differ. An entry lives until the verdict is
// known, not until the caller leaves.
//
// The content is kept as the judge will record it (rules::fingerprint_of), but of long ones a digest alone,
// so that an order of a hundred lines costs no more memory here than any other; what differs from it is not
// named. One thread (the pipeline's).
#pragma once

#include <cstddef>
#include <expected>
#include <map>
#include <string>

#include "rules/command.h"
#include "rules/state.h"
#include "rules/verdict.h"

namespace gavel::pipeline {

// Of an order of five lines or so.
inline constexpr std::size_t content_kept_bytes_max = 256;

class KeysInProcess {
 public:
  struct Content {
    std::size_t digest;
    std::string text;  // Empty of a long one.
  };
  using Entries = std::map<rules::RequestId, Content>;
  using Entry = Entries::iterator;

  // Enters the key of `command`, which has one (CHECKed); or the refusal: key_in_flight or key_reused.
  std::expected<Entry, rules::Verdict> enter(const rules::Command& command);
  void leave(Entry entry) { entries_.erase(entry); }

  bool contains(const rules::RequestId& id) const { return entries_.contains(id); }

 private:
  Entries entries_;
};

}  // namespace gavel::pipeline
