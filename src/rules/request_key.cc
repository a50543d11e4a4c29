#include "rules/request_key.h"

#include <algorithm>

#include "base/check.h"

namespace gavel::rules {

std::optional<RequestKey> RequestKey::parse(std::string_view text) {
  if (!is_code(text)) return std::nullopt;
  return RequestKey(text);
}

RequestKey::RequestKey(std::string_view text) : size_(static_cast<std::uint8_t>(text.size())) {
  CHECK(is_code(text));
  std::ranges::copy(text, text_.begin());
  const std::optional<Uuid> uuid = parse_uuid(text);
  if (uuid && is_version_7(*uuid)) uuid7_ = uuid;
}

RequestKey::RequestKey(const Uuid& uuid) : size_(uuid_chars) {
  std::ranges::copy(characters_of(uuid), text_.begin());
  if (is_version_7(uuid)) uuid7_ = uuid;
}

}  // namespace gavel::rules
