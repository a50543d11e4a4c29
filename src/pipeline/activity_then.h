// ActivityThen: what must be known of an activity before its act goes to the gate (B12).
//
// Pure but for the reader, whose thread calls.
#pragma once

#include <map>
#include <optional>

#include "base/result.h"
#include "base/time.h"
#include "pipeline/views.h"
#include "rules/state.h"

namespace gavel::pipeline {

struct ActivityThen {
  std::optional<rules::Activity> activity;
  std::map<rules::ItemId, rules::Item> items;
  std::map<rules::ItemId, rules::SkuCode> skus;
  // The judge answers by the act's key alone: again, or that it is too old.
  bool is_of_key = false;
};

// Requests are remembered since `kept_since` (A28).
Result<ActivityThen> read_activity(Reader& reader, const rules::RequestId& key,
                                   const rules::ActivityCode& code, Time kept_since);

}  // namespace gavel::pipeline
