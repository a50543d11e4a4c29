// A reader of committed rows as a client of a database has it: each call takes time, sees one moment of the
// database within it, and may find nobody there. One fiber.
#pragma once

#include <memory>

#include "judge/reader.h"
#include "sim/database.h"

namespace gavel::sim {

std::unique_ptr<judge::Reader> open_slow_reader(const Client& client, std::unique_ptr<judge::Reader> tables);

}  // namespace gavel::sim
