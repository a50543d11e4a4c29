// The index of orders by user as the job of an instance uses it: a call may fail, before or after its effect.
// One fiber for offsets, put and clear; page takes no time and does not fail.
#pragma once

#include <memory>

#include "judge/order_index.h"
#include "sim/database.h"

namespace gavel::sim {

std::unique_ptr<judge::OrderIndex> open_slow_index(const Client& client,
                                                   std::unique_ptr<judge::OrderIndex> index);

}  // namespace gavel::sim
