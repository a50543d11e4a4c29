// The bytes of the records that an audit sorts (sorted_records.h): fields one after the other.
//
// Fields keep the order of their values, so that a key of fields is in the order of its first field, then of
// its second, and so on, as the tables are. A text has no zero byte. Whoever reads takes the fields that were
// written. Pure; one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/time.h"
#include "rules/ids.h"

namespace gavel::judge {

class RecordWriter {
 public:
  RecordWriter& byte(std::uint8_t value) {
    bytes_.push_back(static_cast<char>(value));
    return *this;
  }
  RecordWriter& number(std::int64_t value) {
    // The sign bit is turned, so that the bytes are in the order of the numbers.
    const auto bits = static_cast<std::uint64_t>(value) ^ (std::uint64_t{1} << 63U);
    for (unsigned shift = 64; shift > 0; shift -= 8) bytes_.push_back(static_cast<char>(bits >> (shift - 8)));
    return *this;
  }
  RecordWriter& time(Time value) { return number(value.time_since_epoch().count()); }
  RecordWriter& text(std::string_view value) {
    CHECK(value.find('\0') == std::string_view::npos);
    bytes_.append(value).push_back('\0');
    return *this;
  }
  RecordWriter& order(rules::OrderId value) {
    for (const std::uint8_t one : value.uuid.bytes) byte(one);
    return *this;
  }
  // Any bytes, whose length is written in front of them.
  RecordWriter& block(std::string_view value) {
    number(static_cast<std::int64_t>(value.size()));
    bytes_.append(value);
    return *this;
  }
  RecordWriter& optional_order(const std::optional<rules::OrderId>& value) {
    byte(value ? 1 : 0);
    return value ? order(*value) : *this;
  }
  RecordWriter& optional_time(const std::optional<Time>& value) {
    byte(value ? 1 : 0);
    return value ? time(*value) : *this;
  }

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

class RecordReader {
 public:
  // The bytes outlive it, and what it has read as text or block.
  explicit RecordReader(std::string_view bytes) : bytes_(bytes) {}

  bool at_end() const { return bytes_.empty(); }

  std::uint8_t byte() { return static_cast<std::uint8_t>(take(1).front()); }
  std::int64_t number() {
    std::uint64_t bits = 0;
    for (const char one : take(8)) bits = (bits << 8U) | static_cast<unsigned char>(one);
    return static_cast<std::int64_t>(bits ^ (std::uint64_t{1} << 63U));
  }
  Time time() { return Time(Duration(number())); }
  std::string_view text() {
    const std::string_view value = take(bytes_.find('\0'));
    take(1);
    return value;
  }
  rules::OrderId order() {
    rules::OrderId value;
    for (std::uint8_t& one : value.uuid.bytes) one = byte();
    return value;
  }
  std::string_view block() { return take(static_cast<std::size_t>(number())); }
  std::optional<rules::OrderId> optional_order() {
    return byte() == 0 ? std::nullopt : std::optional(order());
  }
  std::optional<Time> optional_time() { return byte() == 0 ? std::nullopt : std::optional(time()); }

 private:
  std::string_view take(std::size_t size) {
    CHECK(size <= bytes_.size());
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }

  std::string_view bytes_;
};

}  // namespace gavel::judge
