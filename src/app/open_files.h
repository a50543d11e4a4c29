// How many files and sockets the process may have open: raised as far as the system lets an ordinary user.
#pragma once

#include <cstddef>

namespace gavel::app {

// Raises the limit towards `wanted`; returns what holds then, which may be less or more.
std::size_t allow_open_files(std::size_t wanted);

}  // namespace gavel::app
