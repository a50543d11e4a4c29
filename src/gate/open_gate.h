// open_gate: the gate that a URL names (setting gate.url).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "gate/gate.h"

namespace gavel::gate {

struct GateUrl {
  enum class Kind : std::uint8_t {
    memory,  // "memory:", within this process.
  };
  Kind kind = Kind::memory;
};

// `invalid` for any other text, in one line that says what is allowed.
Result<GateUrl> parse_gate_url(const std::string& text);

// An empty gate, or one that others use too. `unavailable` if its server cannot be reached; the one in memory
// can.
Result<std::unique_ptr<Gate>> open_gate(const GateUrl& url);

}  // namespace gavel::gate
