#include "app/cli/finding_names.h"

#include <gtest/gtest.h>

namespace gavel::app {
namespace {

TEST(FindingNames, NameEachItemThatIsSpokenOf) {
  const ItemNames names = {{1, "tee, free stock"}, {12, "tee, set aside for drop"}};
  EXPECT_EQ(named_items_of("bucket 12/0: seq 7 says before 3, the previous entry says after 4", names),
            "item 12: tee, set aside for drop");
  EXPECT_EQ(named_items_of("order x took from item 12, and from bucket 1/1 and bucket 1/0", names),
            "item 1: tee, free stock; item 12: tee, set aside for drop");
  EXPECT_EQ(named_items_of("bucket 2/0 has no item", names), "");
  EXPECT_EQ(named_items_of("batch 1 is missing", names), "");
}

}  // namespace
}  // namespace gavel::app
