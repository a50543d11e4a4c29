// The scenarios, in the order of the table in README.md.
#pragma once

#include <vector>

#include "state.h"

namespace model {

std::vector<Scenario> scenarios();

}  // namespace model
