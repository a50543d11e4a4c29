// What tests compare of two databases that judged the same commands.
#pragma once

#include <string>

#include "judge/reader.h"

namespace gavel::judge {

// A dump without what depends on where the batches were cut: the batches, and the generations, which rise by
// batch.
std::string without_batches(const std::string& dump);

// The first two lines that differ; empty if the texts are equal.
std::string first_difference(const std::string& one, const std::string& other);

// The findings of an audit, a line each.
std::string findings_of(Reader& reader);

}  // namespace gavel::judge
