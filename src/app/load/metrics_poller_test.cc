#include "app/load/metrics_poller.h"

#include <string>

#include <gtest/gtest.h>

namespace gavel::app {
namespace {

TEST(MetricsPoller, ReadsAGaugeByItsWholeName) {
  const std::string text =
      "# TYPE gavel_queue gauge\ngavel_queue_more 5\ngavel_queue 17\n"
      "gavel_open{listener=\"operators\"} 2\ngavel_open{listener=\"shop\"} 1.2e3\ngavel_odd many\nlast 7";
  EXPECT_EQ(gauge_in(text, "gavel_queue"), 17);
  EXPECT_EQ(gauge_in(text, R"(gavel_open{listener="shop"})"), 1200);
  EXPECT_EQ(gauge_in(text, "last"), 7);
  for (const char* name : {"gavel_open", "gavel_odd", "gavel", "absent"})
    EXPECT_EQ(gauge_in(text, name), std::nullopt) << name;
  EXPECT_EQ(gauge_in("", "gavel_queue"), std::nullopt);
}

}  // namespace
}  // namespace gavel::app
