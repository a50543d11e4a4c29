// A small shop in which nothing is wrong, with every act and every kind of answer in it.
#pragma once

#include "oracle/scribe_test.h"

namespace gavel::oracle {

// Items: 1 is tee (two buckets), 2 tee in the sale, 3 mug. The sale has a limit of 4 units.
Scribe sound();

inline const std::string uuid_key = "019aa000-0000-7000-8000-000000000001";
inline const std::string gone_key = "019aa000-0000-7000-8000-000000000002";

}  // namespace gavel::oracle
