// The command line: finds the subcommand, parses its flags and settings, and runs it.
//
// The only place that knows CLI11. One thread.
#pragma once

#include <memory>
#include <vector>

#include "app/cli/subcommand.h"

namespace gavel::app {

// The exit code of the process. An argument that cannot be understood is one line on standard error, and
// Exit::usage.
int run_command_line(int count, const char* const* arguments,
                     const std::vector<std::unique_ptr<Subcommand>>& subcommands);

}  // namespace gavel::app
