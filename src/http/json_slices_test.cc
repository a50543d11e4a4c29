#include "http/json_slices.h"

#include <array>
#include <string>

#include <gtest/gtest.h>

#include "base/random.h"
#include "http/strict_json.h"

namespace gavel::http {
namespace {

std::string sliced(std::string_view text) {
  const auto elements = elements_of(text, 100);
  if (!elements) return "no array";
  std::string shown;
  for (const std::string_view element : elements->elements) shown.append("<").append(element).append(">");
  return elements->is_whole ? shown : shown + "…";
}

TEST(Slices, OfAnArrayAreItsElements) {
  EXPECT_EQ(sliced("[]"), "");
  EXPECT_EQ(sliced(" [ \n]\t"), "");
  EXPECT_EQ(sliced("[1,true , null,-2e3]"), "<1><true><null><-2e3>");
  EXPECT_EQ(sliced(R"([ {"a":[1,{"b":2}]} ,{}, [[],[3]] ])"), R"(<{"a":[1,{"b":2}]}><{}><[[],[3]]>)");
  EXPECT_EQ(sliced(R"(["]","\"],[","\\", {"}":"{[\\\""}])"), R"(<"]"><"\"],["><"\\"><{"}":"{[\\\""}>)");
  EXPECT_EQ(sliced("{}"), "no array");
  EXPECT_EQ(sliced("7"), "no array");
  EXPECT_EQ(sliced(""), "no array");
}

TEST(Slices, AreNoMoreThanAskedForAndOne) {
  EXPECT_EQ(elements_of("[1,2,3,4,5]", 2)->elements.size(), 3U);
  EXPECT_FALSE(elements_of("[1,2,3,4,5]", 2)->is_whole);
  EXPECT_TRUE(elements_of("[1,2,3]", 2)->is_whole);
}

TEST(Slices, SayWhetherTheyAreAllThatTheTextHolds) {
  for (const std::string_view text : {"[1,2", "[1 2]", "[1,2]]", "[1,2] x", "[{} {}]", "[1,2}", "["}) {
    EXPECT_FALSE(elements_of(text, 100)->is_whole) << text;
  }
}

TEST(Slices, OfAnObjectAreItsMembers) {
  const std::string_view text = R"( { "a" : {"act":1} , "b":"x\"y", "act" :"sell", "act":2, "n":-7 } )";
  EXPECT_EQ(member_of(text, "a"), R"({"act":1})");
  EXPECT_EQ(member_of(text, "b"), R"("x\"y")");
  EXPECT_EQ(member_of(text, "act"), R"("sell")");
  EXPECT_EQ(member_of(text, "n"), "-7");
  EXPECT_EQ(member_of(text, "x"), std::nullopt);
  EXPECT_EQ(member_of(R"({"\u0061ct":1})", "act"), std::nullopt);
  EXPECT_EQ(member_of("{}", "a"), std::nullopt);
  EXPECT_EQ(member_of("[1]", "a"), std::nullopt);
}

// Whatever comes in, slices lie within the text, one behind the other, and no byte beyond it is looked at
// (the sanitizers watch).
TEST(Slices, OfAnyBytesLieWithinThemInOrder) {
  Random random(11);
  constexpr std::string_view alphabet = R"([]{}",:\ 1a)";
  for (int i = 0; i < 20'000; ++i) {
    std::string text = "[";
    while (random.below(24) != 0) text += alphabet[random.below(alphabet.size())];
    const std::string exact(text.data(), text.size());
    const char* from = exact.data();
    const auto slices = elements_of(exact, 100);
    for (const std::string_view element : slices->elements) {
      ASSERT_GE(element.data(), from) << exact;
      from = element.data() + element.size();
      ASSERT_LE(from, exact.data() + exact.size()) << exact;
    }
    const std::string object = "{" + exact;
    if (const auto member = member_of(object, "a")) {
      ASSERT_GE(member->data(), object.data()) << object;
      ASSERT_LE(member->data() + member->size(), object.data() + object.size()) << object;
    }
  }
}

// On JSON, what lies between the slices is commas and blanks, and each of them is JSON again.
TEST(Slices, OfJsonAreJson) {
  Random random(12);
  constexpr std::array<std::string_view, 7> values{
      R"({"a":[1,"]"]})", "[]", R"("\\\"[")", "17", "true", "{}", R"([{"x":{"y":"}"}},[2]])"};
  for (int i = 0; i < 2'000; ++i) {
    std::string text;
    std::string expected;
    for (std::uint64_t n = 1 + random.below(6); n > 0; --n) {
      const std::string_view value = values[random.below(values.size())];
      text.append(text.empty() ? "" : random.below(2) == 0 ? "," : " , ").append(value);
      expected.append("<").append(value).append(">");
    }
    text = "[" + text + "]";
    ASSERT_EQ(fault_of_json(text, 8), std::nullopt) << text;
    ASSERT_EQ(sliced(text), expected) << text;
  }
}

}  // namespace
}  // namespace gavel::http
