#include "http/strict_json.h"

#include <array>
#include <string>

#include <gtest/gtest.h>

#include "base/random.h"
#include "http/command_parser.h"

namespace gavel::http {
namespace {

struct DocumentRow {
  std::string document;
  std::string answer;  // "ok", or the line.
};

std::string answer_to(const std::string& document, const Shape& shape) {
  const auto json = read_json(document, shape);
  return json ? "ok" : json.error();
}

std::string order_with(const std::string& quantity) {
  return R"({"user":"u1","lines":[{"sku":"tee","quantity":)" + quantity + "}]}";
}

TEST(StrictJson, ReadsWhatIsAsDeclared) {
  const auto json = read_json(
      " {\"lines\" : [ {\"sku\":\"t\\u0065e\",\"quantity\":2}, {\"quantity\":1,\"sku\":\"cup\"} "
      "],\n\t\"user\":\"u1\"} \r\n",
      reserve_shape);
  ASSERT_TRUE(json) << json.error();
  EXPECT_EQ(json->find("user")->text(), "u1");
  EXPECT_EQ(json->find("activity"), nullptr);
  const Json::Elements& lines = json->find("lines")->elements();
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].find("sku")->text(), "tee");
  EXPECT_EQ(lines[0].find("quantity")->integer(), 2);
  EXPECT_EQ(lines[1].find("sku")->text(), "cup");
}

TEST(StrictJson, TakesQuantitiesThatAreIntegersInBoundsAlone) {
  const std::string out_of_bounds = "lines[0].quantity: must be 1 to 1000000";
  const std::string fraction = "lines[0].quantity: must be an integer, written without fraction or exponent";
  const std::string kind = "lines[0].quantity: must be an integer";
  const std::array rows{
      DocumentRow{"1", "ok"},
      DocumentRow{"1000000", "ok"},
      DocumentRow{"0", out_of_bounds},
      DocumentRow{"-0", out_of_bounds},
      DocumentRow{"-1", out_of_bounds},
      DocumentRow{"1000001", out_of_bounds},
      DocumentRow{"2147483648", out_of_bounds},
      DocumentRow{"9223372036854775807", out_of_bounds},
      DocumentRow{"9223372036854775808", out_of_bounds},
      DocumentRow{"-9223372036854775808", out_of_bounds},
      DocumentRow{"-9223372036854775809", out_of_bounds},
      DocumentRow{"18446744073709551615", out_of_bounds},
      DocumentRow{"18446744073709551616", out_of_bounds},
      DocumentRow{"1" + std::string(400, '0'), out_of_bounds},
      DocumentRow{"-1" + std::string(400, '0'), out_of_bounds},
      DocumentRow{"1.0", fraction},
      DocumentRow{"1.5", fraction},
      DocumentRow{"0.1", fraction},
      DocumentRow{"1e3", fraction},
      DocumentRow{"1E+3", fraction},
      DocumentRow{"10e-1", fraction},
      DocumentRow{"1e400", fraction},
      DocumentRow{"\"1\"", kind},
      DocumentRow{"true", kind},
      DocumentRow{"null", "lines[0].quantity: must be an integer, not null"},
      DocumentRow{"[1]", kind},
      DocumentRow{"{}", kind},
      DocumentRow{"01", out_of_bounds},
      DocumentRow{"+1", "lines[0].quantity: not JSON in UTF-8, at byte 46"},
      DocumentRow{"0x10", out_of_bounds},
      DocumentRow{"1_000", "lines[0]: not JSON in UTF-8, at byte 47"},
      DocumentRow{"10x", "lines[0]: not JSON in UTF-8, at byte 48"},
      DocumentRow{"1 0", "lines[0]: not JSON in UTF-8, at byte 48"},
      DocumentRow{"NaN", "lines[0].quantity: not JSON in UTF-8, at byte 46"},
      DocumentRow{"Infinity", "lines[0].quantity: not JSON in UTF-8, at byte 46"},
      DocumentRow{"-", "lines[0].quantity: not JSON in UTF-8, at byte 47"},
      DocumentRow{".5", "lines[0].quantity: not JSON in UTF-8, at byte 46"},
      DocumentRow{"1.", "lines[0].quantity: not JSON in UTF-8, at byte 48"},
  };
  for (const DocumentRow& row : rows) {
    EXPECT_EQ(answer_to(order_with(row.document), reserve_shape), row.answer) << row.document;
  }
}

TEST(StrictJson, RefusesWhatTheShapeDoesNotHave) {
  const std::array rows{
      DocumentRow{R"({})", "user: is missing"},
      DocumentRow{R"({"user":"u1"})", "lines: is missing"},
      DocumentRow{R"({"user":"u1","lines":[]})", "lines: must not be empty"},
      DocumentRow{R"({"user":"u1","lines":{}})", "lines: must be an array"},
      DocumentRow{R"({"user":"u1","lines":["tee"]})", "lines[0]: must be an object"},
      DocumentRow{R"({"user":"u1","lines":[{"sku":"a","quantity":1},{"sku":"b"}]})",
                  "lines[1].quantity: is missing"},
      DocumentRow{R"({"user":"u1","lines":[{"sku":"a","quantity":1,"price":2}]})",
                  "lines[0].price: is not a field of this request"},
      DocumentRow{R"({"user":"u1","User":"u2"})", "User: is not a field of this request"},
      DocumentRow{R"({"user":"u1","":1})", ": is not a field of this request"},
      DocumentRow{"{\"a\\nb\\u0000\\\"\":1}", "a?b??: is not a field of this request"},
      DocumentRow{"{\"" + std::string(1000, 'x') + "\":1}",
                  std::string(40, 'x') + ": is not a field of this request"},
      DocumentRow{R"({"user":"u1","user":"u1"})", "user: is given twice"},
      DocumentRow{R"({"user":"u1","us\u0065r":"u2"})", "user: is given twice"},
      DocumentRow{R"({"user":"u1","lines":[{"sku":"a","sku":"b"}]})", "lines[0].sku: is given twice"},
      DocumentRow{R"({"user":7})", "user: must be a string"},
      DocumentRow{R"({"user":null})", "user: must be a string, not null"},
      DocumentRow{R"({"user":true})", "user: must be a string"},
      DocumentRow{R"({"user":["u1"]})", "user: must be a string"},
      DocumentRow{R"({"user":{"id":"u1"}})", "user: must be a string"},
      DocumentRow{R"({"user":""})", "user: must have 1 to 128 bytes"},
      DocumentRow{R"({"user":")" + std::string(129, 'u') + R"("})", "user: must have 1 to 128 bytes"},
      DocumentRow{R"({"user":")" + std::string(126, 'u') + R"(\u6c49"})", "user: must have 1 to 128 bytes"},
      DocumentRow{R"({"user":"u1","hold_seconds":0})", "hold_seconds: must be 1 to 86400"},
      DocumentRow{R"({"user":"u1","hold_seconds":86401})", "hold_seconds: must be 1 to 86400"},
      DocumentRow{R"([{"user":"u1"}])", "body: must be an object"},
      DocumentRow{R"("user")", "body: must be an object"},
      DocumentRow{R"(17)", "body: must be an object"},
      DocumentRow{R"(null)", "body: must be an object, not null"},
  };
  for (const DocumentRow& row : rows)
    EXPECT_EQ(answer_to(row.document, reserve_shape), row.answer) << row.document;
}

TEST(StrictJson, BoundsTheElementsOfAnArray) {
  std::string lines;
  for (int i = 0; i < 101; ++i) lines += R"({"sku":"a","quantity":1},)";
  lines.pop_back();
  EXPECT_EQ(answer_to(R"({"user":"u1","lines":[)" + lines + "]}", reserve_shape),
            "lines: at most 100 elements");
}

TEST(StrictJson, RefusesWhatIsNoJson) {
  const std::string order = order_with("1");
  const std::array rows{
      DocumentRow{"", "body: is empty"},
      DocumentRow{" \t\r\n ", "body: is empty"},
      DocumentRow{"\xEF\xBB\xBF" + order, "body: begins with a byte order mark"},
      DocumentRow{std::string("\xFF\xFE{\0}\0", 6), "body: not JSON in UTF-8, at byte 0"},
      DocumentRow{order + "x", "body: unexpected content after the document, at byte 50"},
      DocumentRow{order + order, "body: unexpected content after the document, at byte 50"},
      DocumentRow{order + std::string(1, '\0'), "body: unexpected content after the document, at byte 50"},
      DocumentRow{order.substr(0, order.size() - 1), "body: the document ends too early, at byte 49"},
      DocumentRow{"{", "body: the document ends too early, at byte 1"},
      DocumentRow{"{\"user\"", "user: the document ends too early, at byte 7"},
      DocumentRow{"{\"user\":\"u1\",}", "body: not JSON in UTF-8, at byte 13"},
      DocumentRow{"{user:\"u1\"}", "body: not JSON in UTF-8, at byte 1"},
      DocumentRow{"{'user':'u1'}", "body: not JSON in UTF-8, at byte 1"},
      DocumentRow{"/* */{}", "body: not JSON in UTF-8, at byte 0"},
      DocumentRow{"{\"user\":\"a\nb\"}", "user: not JSON in UTF-8, at byte 10"},
      DocumentRow{"{\"user\":\"a\\x\"}", "user: not JSON in UTF-8, at byte 11"},
  };
  for (const DocumentRow& row : rows)
    EXPECT_EQ(answer_to(row.document, reserve_shape), row.answer) << row.document;
}

TEST(StrictJson, RefusesInvalidUtf8AndHalvesOfPairs) {
  const std::array texts{
      std::string("\x80"),              // a continuation alone
      std::string("\xC0\xAF"),          // overlong
      std::string("\xE0\x80\xAF"),      // overlong
      std::string("\xF0\x80\x80\xAF"),  // overlong
      std::string("\xC3"),              // cut off
      std::string("\xE2\x82"),          // cut off
      std::string("\xF0\x9F\x98"),      // cut off
      std::string("\xED\xA0\x80"),      // a surrogate
      std::string("\xF4\x90\x80\x80"),  // beyond U+10FFFF
      std::string("\xF8\x88\x80\x80\x80"),
      std::string("\xFE"),
      std::string("\\ud800"),
      std::string("\\ud800x"),
      std::string("\\ud800\\n"),
      std::string("\\ud800\\u0041"),
      std::string("\\udc00"),
      std::string("\\udc00\\ud800"),
      std::string("\\u12"),
      std::string("\\uzzzz"),
  };
  for (const std::string& text : texts) {
    const std::string document = R"({"name":")" + text + R"(","lines":[{"sku":"a","allotment":1}]})";
    EXPECT_TRUE(answer_to(document, create_activity_shape).starts_with("name: ")) << text;
    const std::string key = "{\"" + text + "\":1}";
    EXPECT_NE(answer_to(key, create_activity_shape), "ok") << text;
  }
  const std::string good =
      "{\"name\":\"\xF0\x9F\x98\x80\\ud83d\\ude00\xE4\xB8\xAD\",\"lines\":[{\"sku\":\"a\",\"allotment\":1}]}";
  const auto json = read_json(good, create_activity_shape);
  ASSERT_TRUE(json) << json.error();
  EXPECT_EQ(json->find("name")->text(), "\xF0\x9F\x98\x80\xF0\x9F\x98\x80\xE4\xB8\xAD");
}

// An array of arrays without end, which no route has: so that depth is what is refused.
extern const Shape nested;
const Shape nested{.kind = Kind::array, .element = &nested};

std::string brackets(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(StrictJson, RefusesDepthBeyondEight) {
  EXPECT_EQ(answer_to(brackets(8), nested), "ok");
  EXPECT_EQ(answer_to(brackets(9), nested), "[0][0][0][0][0][0][0][0]: nested deeper than 8, at byte 8");
  EXPECT_EQ(answer_to(std::string(100'000, '['), nested),
            "[0][0][0][0][0][0][0][0]: nested deeper than 8, at byte 8");
  EXPECT_EQ(answer_to(std::string(100'000, '['), reserve_shape), "body: must be an object");
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"user\":";
  EXPECT_EQ(answer_to(objects, reserve_shape), "user: must be a string");
}

// Whatever bytes arrive: an answer of one line, or a value whose every part can be read.
TEST(StrictJson, SurvivesMutations) {
  const std::string good =
      R"({"id":"s1","name":"flash","lines":[{"sku":"tee","allotment":5,"buckets":4}],"limit_per_user":2,)"
      R"("opens_at":"2026-11-29T20:00:00Z","hold_seconds":60})";
  Random random(20261129);
  int taken = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string document = good;
    const std::uint64_t changes = 1 + random.below(4);
    for (std::uint64_t change = 0; change < changes; ++change) {
      const std::size_t at = random.below(document.size());
      switch (random.below(4)) {
        case 0:
          document[at] = static_cast<char>(random.below(256));
          break;
        case 1:
          document.erase(at, 1 + random.below(5));
          break;
        case 2:
          document.insert(at, document.substr(random.below(document.size()), random.below(12)));
          break;
        default:
          document[at] = "{}[]\",:0e-\\u"[random.below(12)];
      }
      if (document.empty()) document = "x";
    }
    const auto json = read_json(document, create_activity_shape);
    if (!json) {
      EXPECT_FALSE(json.error().empty());
      EXPECT_EQ(json.error().find('\n'), std::string::npos) << json.error();
      continue;
    }
    ++taken;
    for (const Json& line : json->find("lines")->elements()) {
      EXPECT_GE(line.find("allotment")->integer(), 1);
      EXPECT_LE(line.find("sku")->text().size(), 128U);
    }
  }
  EXPECT_GT(taken, 100);     // Some mutations stay within strings and numbers.
  EXPECT_LT(taken, 15'000);  // Most break something.
}

}  // namespace
}  // namespace gavel::http
