#include "app/client/http_message.h"

#include <algorithm>

namespace gavel::app {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_name(std::string_view one, std::string_view other) {
  return std::ranges::equal(one, other, [](char a, char b) { return lower(a) == lower(b); });
}

}  // namespace

const std::string* HttpResponse::header(std::string_view name) const {
  for (const auto& [sent, value] : headers) {
    if (same_name(sent, name)) return &value;
  }
  return nullptr;
}

}  // namespace gavel::app
