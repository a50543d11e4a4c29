#include "judge/codec.h"

#include <limits>

#include <gtest/gtest.h>

namespace gavel::judge {
namespace {

using rules::Allocation;
using rules::Detail;

std::string written(const Detail& detail) {
  std::string text;
  append_detail(text, detail);
  return text;
}

std::string written(const std::vector<Allocation>& taken) {
  std::string text;
  append_taken(text, taken);
  return text;
}

const rules::OrderId some_order{*parse_uuid("01938f5a-0001-7abc-8def-000000000001")};

struct Row {
  std::string text;
  void (*set)(Detail&);
};

// Every field alone, then all of them: what is written, and that it is read back equal.
const Row rows[] = {
    {"", [](Detail&) {}},
    {R"({"sku":"tee:XL"})", [](Detail& d) { d.sku = rules::SkuCode("tee:XL"); }},
    {R"({"available":2})", [](Detail& d) { d.available = rules::Quantity{2}; }},
    {R"({"available":-9223372036854775808})",
     [](Detail& d) { d.available = rules::Quantity{std::numeric_limits<std::int64_t>::min()}; }},
    {R"({"allowed":1000000000000})", [](Detail& d) { d.allowed = rules::total_units_max; }},
    {R"({"claimed":0})", [](Detail& d) { d.claimed = rules::Quantity{0}; }},
    {R"({"order":"01938f5a-0001-7abc-8def-000000000001"})", [](Detail& d) { d.order = some_order; }},
    {R"({"state":"paid"})", [](Detail& d) { d.state = "paid"; }},
    {R"({"state":""})", [](Detail& d) { d.state = ""; }},
    {R"({"opens_at":1764449326123})", [](Detail& d) { d.opens_at = Time(Duration(1764449326123)); }},
    {R"({"expires_at":-1})", [](Detail& d) { d.expires_at = Time(Duration(-1)); }},
    {R"({"fields":["user"]})", [](Detail& d) { d.fields = {"user"}; }},
    {R"({"fields":["user","lines"]})", [](Detail& d) { d.fields = {"user", "lines"}; }},
    {"{\"explanation\":\"say \\\"no\\\" \\\\ gr\xc3\xbc\xc3\x9f\"}",
     [](Detail& d) { d.explanation = "say \"no\" \\ gr\xc3\xbc\xc3\x9f"; }},
    {R"({"version":7})", [](Detail& d) { d.version = 7; }},
    {R"({"shortage":8})", [](Detail& d) { d.shortage = rules::Quantity{8}; }},
    {R"({"sku":"a","available":1,"allowed":2,"claimed":3,"order":"01938f5a-0001-7abc-8def-000000000001",)"
     R"("state":"s","opens_at":4,"expires_at":5,"fields":["f"],"explanation":"e","version":6})",
     [](Detail& d) {
       d.sku = rules::SkuCode("a");
       d.available = rules::Quantity{1};
       d.allowed = rules::Quantity{2};
       d.claimed = rules::Quantity{3};
       d.order = some_order;
       d.state = "s";
       d.opens_at = Time(Duration(4));
       d.expires_at = Time(Duration(5));
       d.fields = {"f"};
       d.explanation = "e";
       d.version = 6;
     }},
};

TEST(Codec, EveryFieldOfADetailComesBack) {
  for (const Row& row : rows) {
    Detail detail;
    row.set(detail);
    EXPECT_EQ(written(detail), row.text);
    const auto read = parse_detail(row.text);
    ASSERT_TRUE(read) << row.text;
    EXPECT_EQ(*read, detail) << row.text;
  }
}

// A field that is added to Detail changes its size, and this test reminds of the codec.
TEST(Codec, KnowsEveryFieldOfADetail) {
  struct Known {
    std::optional<rules::SkuCode> sku;
    std::optional<rules::Quantity> quantities[3];
    std::optional<rules::OrderId> order;
    std::optional<std::string> state;
    std::optional<Time> times[2];
    std::vector<std::string> fields;
    std::optional<std::string> explanation;
    std::optional<std::int64_t> version;
    std::optional<rules::Quantity> shortage;
    // Of outcomes that are never recorded.
    std::optional<rules::BucketNo> bucket;
    std::optional<rules::Quantity> at_gate;
  };
  EXPECT_EQ(sizeof(Known), sizeof(Detail));
}

TEST(Codec, RefusesADetailThatItDidNotWrite) {
  for (const char* text : {"{",
                           "[]",
                           "1",
                           R"({"colour":1})",
                           R"({"sku":"no\u0007bell"})",
                           R"({"available":"2"})",
                           R"({"available":2.5})",
                           R"({"order":"x"})",
                           R"({"fields":"user"})",
                           R"({"fields":[1]})",
                           R"({"opens_at":null})",
                           R"({"version":"1"})",
                           R"({"version":null})",
                           R"({"state":1})",
                           R"({"explanation":[]})",
                           R"({"sku":7})",
                           R"({"order":7})",
                           R"({"order":null})",
                           R"({"expires_at":"now"})",
                           R"({"claimed":1} x)"}) {
    EXPECT_FALSE(parse_detail(text)) << text;
  }
}

TEST(Codec, PartsComeBack) {
  const std::vector<std::pair<std::string, std::vector<Allocation>>> cases = {
      {"[]", {}},
      {"[[1,0,1]]", {{rules::ItemId{1}, 0, rules::Quantity{1}}}},
      {"[[1,0,1],[1,63,1000000],[9223372036854775807,2,3]]",
       {{rules::ItemId{1}, 0, rules::Quantity{1}},
        {rules::ItemId{1}, 63, rules::line_units_max},
        {rules::ItemId{std::numeric_limits<std::int64_t>::max()}, 2, rules::Quantity{3}}}},
  };
  for (const auto& [text, taken] : cases) {
    EXPECT_EQ(written(taken), text);
    const auto read = parse_taken(text);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(*read, taken) << text;
  }
}

TEST(Codec, RefusesPartsThatItDidNotWrite) {
  for (const char* text :
       {"", "[", "[]]", "[[1,0,1]", "[[1,0,1],]", "[[1,0]]", "[[1,0,1,2]]", "[[1,0,x]]",
        "[[1,0,9223372036854775808]]", "[[1,2147483648,1]]", "[ [1,0,1]]", "[[1,0,1]] ", "[1,0,1]",
        "[[x,0,1]]", "[[1;0,1]]", "[[1,x,1]]", "[[1,0;1]]", "[[1,0,1;", "[[9223372036854775808,0,1]]"}) {
    EXPECT_FALSE(parse_taken(text)) << text;
  }
}

}  // namespace
}  // namespace gavel::judge
