#include "rules/request_key.h"

#include <algorithm>

#include "base/check.h"

namespace gavel::rules {
namespace {

constexpr bool is_key_char(char c) { return c > ' ' && c <= '~' && c != '"' && c != '\\'; }

}  // namespace

bool is_request_key(std::string_view text) {
  return !text.empty() && text.size() <= key_chars_max && std::ranges::all_of(text, is_key_char);
}

std::optional<RequestKey> RequestKey::parse(std::string_view text) {
  if (!is_request_key(text)) return std::nullopt;
  return RequestKey(text, Checked{});
}

RequestKey::RequestKey(std::string_view text) : RequestKey(text, Checked{}) { CHECK(is_request_key(text)); }

RequestKey::RequestKey(std::string_view text, Checked) {
  if (text.size() > short_chars_max) {
    short_.fill('\0');
    long_ = std::make_shared<const std::string>(text);
    return;
  }
  size_ = static_cast<std::uint8_t>(text.size());
  std::ranges::copy(text, short_.begin());
  const std::optional<Uuid> uuid = parse_uuid(text);
  if (uuid && is_version_7(*uuid)) uuid7_ = uuid;
}

RequestKey::RequestKey(const Uuid& uuid) : size_(uuid_chars) {
  std::ranges::copy(characters_of(uuid), short_.begin());
  if (is_version_7(uuid)) uuid7_ = uuid;
}

}  // namespace gavel::rules
