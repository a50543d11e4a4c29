#include "http/json_writer.h"

#include <string>

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "base/random.h"

namespace gavel::http {
namespace {

TEST(JsonWriterTest, WritesWhatEveryValueIs) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("word", "sold_out").member("text", std::string("say \"no\"\n"));
  json.member("zero", std::int64_t{0}).member("least", INT64_MIN).member("most", INT64_MAX);
  json.member("yes", true).member("no", false);
  json.member("at", *parse_time("2026-11-29T20:48:46.123Z"));
  json.member("order", rules::OrderId{*parse_uuid("019383a1-7c00-7abc-8def-0123456789ab")});
  json.begin_array("none").end_array();
  json.begin_array("texts").element("a").element("").element("b,").end_array();
  json.begin_array("lines");
  json.begin_object().member("sku", "cup").end_object();
  json.begin_object().end_object();
  json.begin_object().member("sku", "tee").member("quantity", 2).end_object();
  json.end_array().member("last", "}").end_object();
  EXPECT_EQ(text, R"({"word":"sold_out","text":"say \"no\"\n","zero":0,"least":-9223372036854775808,)"
                  R"("most":9223372036854775807,"yes":true,"no":false,"at":"2026-11-29T20:48:46.123Z",)"
                  R"("order":"019383a1-7c00-7abc-8def-0123456789ab","none":[],"texts":["a","","b,"],)"
                  R"("lines":[{"sku":"cup"},{},{"sku":"tee","quantity":2}],"last":"}"})");
}

// One member after another of random values, beside the same values in a tree of Boost.JSON.
TEST(JsonWriterTest, WritesWhatBoostReads) {
  Random random(1);
  for (int round = 0; round < 2'000; ++round) {
    boost::json::object expected;
    std::string text;
    JsonWriter json(text);
    json.begin_object();
    for (std::uint64_t i = 0; i < random.below(6); ++i) {
      const std::string name = "m" + std::to_string(i);
      std::string value;
      while (random.chance(4, 5)) value += static_cast<char>(random.below(0x80));
      const auto number = static_cast<std::int64_t>(random.next());
      switch (random.below(4)) {
        case 0:
          json.member(name, value);
          expected[name] = value;
          break;
        case 1:
          json.member(name, number);
          expected[name] = number;
          break;
        case 2:
          json.member(name, number > 0);
          expected[name] = number > 0;
          break;
        default:
          json.begin_array(name).element(value).element(value).end_array();
          expected[name] = boost::json::array{value, value};
      }
    }
    json.end_object();
    ASSERT_EQ(boost::json::parse(text), boost::json::value(expected)) << text;
  }
}

}  // namespace
}  // namespace gavel::http
