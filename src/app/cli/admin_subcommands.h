// Administration: the subcommands of verbs.h, each group a word of its own with its verbs below it.
#pragma once

#include <memory>
#include <vector>

#include "app/cli/subcommand.h"

namespace gavel::app {

std::vector<std::unique_ptr<Subcommand>> make_administration();

}  // namespace gavel::app
