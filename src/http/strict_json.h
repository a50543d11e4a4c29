// The strict reader of JSON: a document is checked against a declared shape while it is parsed, and is seen
// by nobody unless all of it is as declared.
//
// JSON readers are kind: they take duplicate keys (the last wins), 1e3 and 2.0 for integers, 2^64 for a
// double, and fields that nobody asked for. Here each of these is refused, and so are null, depth beyond 8,
// invalid UTF-8, lone surrogates, a byte order mark and anything after the document (docs/adr/0001).
// Boost.JSON does the parsing; it does not show in this header. Pure; thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace gavel::http {

inline constexpr std::size_t json_depth_max = 8;

enum class Kind : std::uint8_t { text, integer, boolean, object, array };
enum class Need : std::uint8_t { required, optional };

struct Shape;

struct Member {
  std::string_view name;
  Need need;
  const Shape* shape;
};

// What one value must be. `least` and `most` bound, both inclusive, the value of an integer, the bytes of a
// text and the elements of an array.
struct Shape {
  Kind kind;
  std::int64_t least = 0;
  std::int64_t most = INT64_MAX;
  std::span<const Member> members{};  // Of an object: all that it may have.
  const Shape* element = nullptr;     // Of an array.
};

// A value that was read. Which of these it is, its shape has decided: asking for another is a CHECK.
class Json {
 public:
  using Elements = std::vector<Json>;
  using Members = std::vector<std::pair<std::string_view, Json>>;  // Names are those of the shape.

  Json() = default;
  explicit Json(std::variant<std::monostate, std::string, std::int64_t, bool, Elements, Members> value)
      : value_(std::move(value)) {}

  const std::string& text() const;
  std::int64_t integer() const;
  bool boolean() const;
  const Elements& elements() const;
  const Json* find(std::string_view name) const;  // Of an object: nullptr if it was not sent.

 private:
  std::variant<std::monostate, std::string, std::int64_t, bool, Elements, Members> value_;
};

// The document, or one line that says where it is wrong and how: "lines[0].quantity: must be 1 to 1000000".
std::expected<Json, std::string> read_json(std::string_view document, const Shape& shape);

// What keeps `document` from being JSON in UTF-8, nested at most `depth_max` deep, in one line; nothing if it
// is. What its values are is not looked at.
std::optional<std::string> fault_of_json(std::string_view document, std::size_t depth_max);

}  // namespace gavel::http
