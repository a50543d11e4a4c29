// The subcommands of administration: those of admin_commands.h, each group a word with its commands below it.
#pragma once

#include <memory>
#include <vector>

#include "app/cli/subcommand.h"

namespace gavel::app {

std::vector<std::unique_ptr<Subcommand>> make_admin_subcommands();

}  // namespace gavel::app
