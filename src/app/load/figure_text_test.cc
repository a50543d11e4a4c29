#include "app/load/figure_text.h"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace gavel::app {
namespace {

TEST(WithCommas, Everywhere) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(1234567), "1,234,567");
  EXPECT_EQ(with_commas(-999), "-999");
  EXPECT_EQ(with_commas(-123456), "-123,456");
}

TEST(JsonLine, WritesFractionsAsPeopleDo) {
  boost::json::object object;
  object["text"] = "a \"quoted\" one";
  object["rounded"] = rounded(5.0234, 3);
  object["whole"] = rounded(100, 3);
  object["small"] = rounded(0.05, 3);
  object["large"] = 1e12;
  object["negative"] = -0.5;
  object["integer"] = 7;
  object["none"] = nullptr;
  object["object"] = boost::json::object{{"a", 1.5}};
  object["array"] = boost::json::array{1, "b"};
  EXPECT_EQ(json_line(object),
            R"({"text":"a \"quoted\" one","rounded":5.023,"whole":100,"small":0.05,"large":1000000000000,)"
            R"("negative":-0.5,"integer":7,"none":null,"object":{"a":1.5},"array":[1,"b"]})");
  EXPECT_EQ(json_line({}), "{}");
}

}  // namespace
}  // namespace gavel::app
