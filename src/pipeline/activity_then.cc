#include "pipeline/activity_then.h"

#include "rules/decide.h"

namespace gavel::pipeline {

Result<ActivityThen> read_activity(Reader& reader, const rules::RequestId& key,
                                   const rules::ActivityCode& code, Time kept_since) {
  ActivityThen found;
  const auto recorded = reader.request(key);
  if (!recorded) return std::unexpected(recorded.error());
  found.is_of_key = recorded->has_value() || rules::is_too_old(key.second, kept_since);
  const auto activity = reader.activity(code);
  if (!activity) return std::unexpected(activity.error());
  if (!*activity) return found;
  found.activity = **activity;
  for (const rules::AllottedLine& line : found.activity->lines) {
    const auto then = reader.item_then(line.item, {});
    if (!then) return std::unexpected(then.error());
    if (then->item) found.items.emplace(line.item, *then->item);
    found.skus.emplace(line.item, line.code);
  }
  return found;
}

}  // namespace gavel::pipeline
