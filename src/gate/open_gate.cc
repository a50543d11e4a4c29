#include "gate/open_gate.h"

#include "gate/memory_gate.h"

namespace gavel::gate {

Result<GateUrl> parse_gate_url(const std::string& text) {
  if (text == "memory:") return GateUrl{GateUrl::Kind::memory};
  return fail(ErrorCode::invalid, "gate.url = " + (text.empty() ? "\"\"" : text) + ": must be memory:");
}

Result<std::unique_ptr<Gate>> open_gate(const GateUrl& url) {
  switch (url.kind) {
    case GateUrl::Kind::memory:
      break;
  }
  return std::make_unique<MemoryGate>();
}

}  // namespace gavel::gate
