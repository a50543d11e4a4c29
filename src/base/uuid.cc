#include "base/uuid.h"

#include "base/check.h"
#include "base/random.h"

namespace gavel {
namespace {

constexpr std::int64_t milliseconds_end = std::int64_t{1} << 48;  // Version 7 has 48 bits for the time.

// A hyphen stands before these bytes.
constexpr bool hyphen_before(std::size_t byte) { return byte == 4 || byte == 6 || byte == 8 || byte == 10; }

// The value of a hexadecimal digit; 16 for any other character.
constexpr unsigned hex_value(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
  return 16;
}

// Digits of keys are random, so that every comparison would be guessed wrong.
constexpr auto hex_values = [] {
  std::array<std::uint8_t, 256> table{};
  for (std::size_t c = 0; c < table.size(); ++c) {
    table[c] = static_cast<std::uint8_t>(hex_value(static_cast<char>(c)));
  }
  return table;
}();

// Big-endian, so that ids sort by what they carry.
template <std::size_t count>
void put_bytes(std::uint8_t* at, std::uint64_t value) {
  for (std::size_t i = 0; i < count; ++i) at[i] = static_cast<std::uint8_t>(value >> (8 * (count - 1 - i)));
}

}  // namespace

std::string to_text(const Uuid& uuid) {
  const auto characters = characters_of(uuid);
  return {characters.data(), characters.size()};
}

std::array<char, uuid_chars> characters_of(const Uuid& uuid) {
  static constexpr char digits[] = "0123456789abcdef";
  std::array<char, uuid_chars> text;
  text.fill('-');
  std::size_t at = 0;
  for (std::size_t i = 0; i < uuid.bytes.size(); ++i) {
    if (hyphen_before(i)) ++at;
    text[at++] = digits[uuid.bytes[i] >> 4];
    text[at++] = digits[uuid.bytes[i] & 0x0f];
  }
  return text;
}

std::optional<Uuid> parse_uuid(std::string_view text) {
  if (text.size() != uuid_chars) return std::nullopt;
  Uuid uuid;
  std::size_t at = 0;
  for (std::size_t i = 0; i < uuid.bytes.size(); ++i) {
    if (hyphen_before(i) && text[at++] != '-') return std::nullopt;
    const unsigned high = hex_values[static_cast<unsigned char>(text[at++])];
    const unsigned low = hex_values[static_cast<unsigned char>(text[at++])];
    if (high > 15 || low > 15) return std::nullopt;
    uuid.bytes[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  return uuid;
}

bool is_version_7(const Uuid& uuid) { return (uuid.bytes[6] >> 4) == 7 && (uuid.bytes[8] >> 6) == 0b10; }

Time time_of(const Uuid& uuid) {
  std::int64_t milliseconds = 0;
  for (std::size_t i = 0; i < 6; ++i) milliseconds = milliseconds << 8 | uuid.bytes[i];
  return Time(Duration(milliseconds));
}

Uuid make_uuid7(Time now, Random& random) {
  const std::int64_t milliseconds = now.time_since_epoch().count();
  CHECK(milliseconds >= 0 && milliseconds < milliseconds_end);
  Uuid uuid;
  put_bytes<6>(&uuid.bytes[0], static_cast<std::uint64_t>(milliseconds));
  put_bytes<2>(&uuid.bytes[6], random.next());
  put_bytes<8>(&uuid.bytes[8], random.next());
  uuid.bytes[6] = static_cast<std::uint8_t>(0x70 | (uuid.bytes[6] & 0x0f));
  uuid.bytes[8] = static_cast<std::uint8_t>(0x80 | (uuid.bytes[8] & 0x3f));
  return uuid;
}

}  // namespace gavel
