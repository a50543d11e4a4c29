// The strict reader of JSON: a document is checked against a declared shape while it is parsed, and is
// returned only if all of it has that shape.
//
// Most JSON readers are lenient: they accept duplicate keys (the last one wins), 1e3 and 2.0 as integers,
// 2^64 as a double, and unknown fields. Here each of these is refused, and so are null, depth beyond 8,
// invalid UTF-8, lone surrogates, a byte order mark and anything after the document (docs/adr/0001).
// Boost.JSON does the parsing, behind this header. Pure; thread-safe.
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

// What the length of a text is counted in.
enum class TextUnit : std::uint8_t {
  characters,  // Unicode's code points, as JSON Schema counts them.
  bytes,       // Of UTF-8.
};

// What a value must be. `least` and `most` bound, both inclusive, the value of an integer, the length of a
// text and the elements of an array.
struct Shape {
  Kind kind;
  std::int64_t least = 0;
  std::int64_t most = INT64_MAX;
  TextUnit unit = TextUnit::characters;
  std::span<const Member> members{};  // Of an object: all members that it may have.
  const Shape* element = nullptr;     // Of an array.
};

// A value that was read. Its shape determines its kind: reading it as another kind fails a CHECK.
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
  const Json* find(std::string_view name) const;  // For an object; nullptr if the member was not sent.

 private:
  std::variant<std::monostate, std::string, std::int64_t, bool, Elements, Members> value_;
};

// The document, or one line that says where it is wrong and how: "lines[0].quantity: must be 1 to 1000000".
std::expected<Json, std::string> read_json(std::string_view document, const Shape& shape);

// Why `document` is not JSON in UTF-8, nested at most `depth_max` deep, in one line; nothing if it is. Its
// values are not checked.
std::optional<std::string> fault_of_json(std::string_view document, std::size_t depth_max);

}  // namespace gavel::http
