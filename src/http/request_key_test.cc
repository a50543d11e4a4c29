#include "http/request_key.h"

#include <array>
#include <string>

#include <gtest/gtest.h>

namespace gavel::http {
namespace {

struct Row {
  std::string header;
  std::string key;  // "-" for none.
};

TEST(RequestKey, IsBareOrQuoted_E27) {
  const std::array rows{
      Row{"abc", "abc"},
      Row{"\"abc\"", "abc"},
      Row{"  \"a.b:c_d-1\"\t", "a.b:c_d-1"},
      Row{std::string(64, 'k'), std::string(64, 'k')},
      Row{std::string(255, 'k'), std::string(255, 'k')},
      Row{'"' + std::string(255, 'k') + '"', std::string(255, 'k')},
      Row{std::string(256, 'k'), "-"},
      Row{"evt_1/refund?n=2&x=%41;p=1", "evt_1/refund?n=2&x=%41;p=1"},
      Row{"a,b", "a,b"},
      Row{"'a'", "'a'"},
      Row{"", "-"},
      Row{"\"\"", "-"},
      Row{"\"", "-"},
      Row{"\"abc", "-"},
      Row{"abc\"", "-"},
      Row{"a b", "-"},
      Row{"a, b", "-"},
      Row{"\"a\", \"a\"", "-"},
      Row{"a\\b", "-"},
      Row{"\"abc\";p=1", "-"},
      Row{"k\xC3\xA9y", "-"},
      Row{std::string("a\0b", 3), "-"},
      // A UUIDv7 is an order's id too: in either case it is the same.
      Row{"019383A1-7C00-7ABC-8DEF-0123456789AB", "019383a1-7c00-7abc-8def-0123456789ab"},
      Row{"\"019383A1-7c00-7abc-8def-0123456789AB\"", "019383a1-7c00-7abc-8def-0123456789ab"},
      // Another version is a key like any other.
      Row{"019383A1-7C00-4ABC-8DEF-0123456789AB", "019383A1-7C00-4ABC-8DEF-0123456789AB"},
  };
  for (const Row& row : rows) {
    const auto key = parse_request_key(row.header);
    EXPECT_EQ(key ? key->text() : "-", row.key) << row.header;
  }
  EXPECT_FALSE(parse_bare_key("\"abc\""));
}

TEST(Attempt, IsAPositiveInteger) {
  EXPECT_EQ(parse_attempt("1"), 1);
  EXPECT_EQ(parse_attempt(" 27 "), 27);
  EXPECT_EQ(parse_attempt("999999999"), 999'999'999);
  for (const char* wrong : {"", "0", "01", "-1", "+1", "1.0", "one", "1, 2", "9999999999", "1e3"}) {
    EXPECT_FALSE(parse_attempt(wrong)) << wrong;
  }
}

TEST(Traceparent, IsOfVersionZero) {
  EXPECT_TRUE(is_traceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"));
  for (const char* wrong : {"", "00", "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
                            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
                            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x",
                            "00-4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7-01"}) {
    EXPECT_FALSE(is_traceparent(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace gavel::http
