#include "pipeline/keys_in_process.h"

#include <functional>
#include <utility>

#include "base/check.h"

namespace gavel::pipeline {
namespace {

using rules::Outcome;

rules::Verdict key_reused(const KeysInProcess::Content& first, const std::string& asked) {
  rules::Detail detail;
  if (!first.text.empty()) detail.fields = rules::differing_fields(first.text, asked);
  return rules::verdict_of(Outcome::key_reused, std::move(detail));
}

}  // namespace

std::expected<KeysInProcess::Entry, rules::Verdict> KeysInProcess::enter(const rules::Command& command) {
  CHECK(command.key.has_value());
  const std::string asked = rules::fingerprint_of(command.act);
  const std::size_t digest = std::hash<std::string>()(asked);
  const auto [entry, entered] = entries_.try_emplace({command.caller, *command.key}, digest);
  if (entered) {
    if (asked.size() <= content_kept_bytes_max) entry->second.text = asked;
    return entry;
  }
  if (entry->second.digest == digest) return std::unexpected(rules::verdict_of(Outcome::key_in_flight));
  return std::unexpected(key_reused(entry->second, asked));
}

}  // namespace gavel::pipeline
