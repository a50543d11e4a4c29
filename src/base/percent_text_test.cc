#include "base/percent_text.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace gavel {
namespace {

TEST(PercentTextTest, WhatIsNotUnreservedIsEncoded_E27) {
  EXPECT_EQ(percent_encoded("azAZ09-._~:"), "azAZ09-._~:");
  EXPECT_EQ(percent_encoded("a/b 100%+"), "a%2Fb%20100%25%2B");
  EXPECT_EQ(percent_encoded("T-Shirt für?#&='\""), "T-Shirt%20f%C3%BCr%3F%23%26%3D%27%22");
}

TEST(PercentTextTest, BadEscapesAreNoText) {
  EXPECT_EQ(percent_decoded("a%2fb%2Fc"), "a/b/c");
  EXPECT_EQ(percent_decoded("a+b/c?d"), "a+b/c?d");
  EXPECT_EQ(percent_decoded("%2525"), "%25") << "once, and not until nothing is left to decode";
  for (const char* wrong : {"%", "a%", "a%4", "a%4g", "a%g4", "%%41", "%-1"}) {
    EXPECT_FALSE(percent_decoded(wrong)) << wrong;
  }
}

TEST(PercentTextTest, AnyBytesAreReadBackAsTheyWere) {
  Random random(1);
  for (int round = 0; round < 2'000; ++round) {
    std::string text;
    for (std::uint64_t i = random.below(20); i > 0; --i) text += static_cast<char>(random.below(256));
    const std::string encoded = percent_encoded(text);
    for (const char c : encoded) ASSERT_TRUE(c > ' ' && c <= '~' && c != '/' && c != '?' && c != '&');
    ASSERT_EQ(percent_decoded(encoded), text);
  }
}

}  // namespace
}  // namespace gavel
