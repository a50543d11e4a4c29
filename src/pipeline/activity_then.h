// ActivityThen: what must be known of an activity before its act goes to the gate (B12).
//
// Pure but for the reader, whose thread calls.
#pragma once

#include <map>
#include <optional>

#include "base/result.h"
#include "pipeline/views.h"
#include "rules/state.h"

namespace gavel::pipeline {

struct ActivityThen {
  std::optional<rules::Activity> activity;
  std::map<rules::ItemId, rules::Item> items;
  std::map<rules::ItemId, rules::SkuCode> skus;
  bool is_known = false;  // The act's key has an answer, which the judge gives again.
};

Result<ActivityThen> read_activity(Reader& reader, const rules::RequestId& key,
                                   const rules::ActivityCode& code);

}  // namespace gavel::pipeline
