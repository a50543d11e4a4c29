#include "http/target.h"

#include <array>

#include <gtest/gtest.h>

namespace gavel::http {
namespace {

std::string rendered(std::string_view text) {
  const auto target = parse_target(text);
  if (!target) return "-";
  std::string result;
  for (const std::string& segment : target->segments) result += "/" + segment;
  for (const auto& [name, value] : target->query) result += " " + name + "=" + value;
  return result;
}

TEST(Target, IsDecodedAndNothingElse) {
  struct Row {
    std::string_view text, path;
  };
  const std::array rows{
      Row{"/v1/orders", "/v1/orders"},
      Row{"/", "/"},
      Row{"/v1//orders", "/v1//orders"},
      Row{"/v1/orders/", "/v1/orders/"},
      Row{"/v1/../etc", "/v1/../etc"},
      Row{"/a%20b%2Fc", "/a b/c"},
      Row{"/stock?sku=a&sku=b%3Ac", "/stock sku=a sku=b:c"},
      Row{"/stock?sku=a+b%2Bc&a+b=1", "/stock sku=a b+c a b=1"},
      Row{"/a+b%2Bc", "/a+b+c"},
      Row{"/%E6%B1%89?sku=%f0%9f%98%80", "/汉 sku=😀"},
      Row{"/汉", "/汉"},
      Row{"/%2525", "/%25"},
      Row{"/stock?", "/stock"},
      Row{"/stock?sku", "/stock sku="},
      Row{"/stock?a=b=c&&", "/stock a=b=c = ="},
      Row{"/stock?a=%", "-"},
      Row{"/stock?a=%1", "-"},
      Row{"/stock?%zz=1", "-"},
      Row{"/a%", "-"},
      Row{"/a%4", "-"},
      Row{"/a%4g", "-"},
      Row{"http://shop.example/v1/orders?x=1", "/v1/orders x=1"},
      Row{"https://shop.example:8443/healthz", "/healthz"},
      Row{"http://shop.example", "-"},
      Row{"ftp://shop.example/", "-"},
      Row{"*", "-"},
      Row{"shop.example:80", "-"},
      Row{"", "-"},
  };
  for (const Row& row : rows) EXPECT_EQ(rendered(row.text), row.path) << row.text;
}

}  // namespace
}  // namespace gavel::http
