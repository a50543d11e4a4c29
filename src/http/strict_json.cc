#include "http/strict_json.h"

#include <algorithm>
#include <optional>

#include <boost/json/basic_parser_impl.hpp>

#include "base/check.h"
#include "base/utf8.h"

namespace gavel::http {
namespace {

using boost::json::error_code;
using boost::json::string_view;

std::string_view a_kind(Kind kind) {
  switch (kind) {
    case Kind::text:
      return "a string";
    case Kind::integer:
      return "an integer";
    case Kind::boolean:
      return "true or false";
    case Kind::object:
      return "an object";
    case Kind::array:
      return "an array";
  }
  CHECK(false);
}

std::string_view word(TextUnit unit) { return unit == TextUnit::bytes ? "bytes" : "characters"; }

// Of a text that the parser has found to be UTF-8.
std::int64_t length_of(std::string_view text, TextUnit unit) {
  if (unit == TextUnit::bytes) return static_cast<std::int64_t>(text.size());
  const auto characters = count_characters(text);
  CHECK(characters.has_value());
  return static_cast<std::int64_t>(*characters);
}

std::string bounds(const Shape& shape) {
  return std::to_string(shape.least) + " to " + std::to_string(shape.most);
}

// A name as sent, fit for one line of a message: strangers choose it.
std::string shown(std::string_view name) {
  constexpr std::size_t chars_max = 40;
  std::string text;
  for (const char c : name.substr(0, chars_max)) {
    const bool plain = c > ' ' && c <= '~' && c != '"' && c != '\\';
    text += plain ? c : '?';
  }
  return text;
}

// What the parser calls as it goes. It keeps a stack of the objects and arrays that are open, each with its
// shape, and stops the parser at the first thing that is not as declared.
class Reading {
 public:
  // The parser's own limits; the shape sets tighter ones with better words.
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);

  explicit Reading(const Shape& shape) : root_shape_(shape) {}

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }

  bool on_object_begin(error_code& ec) { return open(Kind::object, ec); }
  bool on_array_begin(error_code& ec) { return open(Kind::array, ec); }

  bool on_object_end(std::size_t, error_code& ec) {
    const Frame& frame = open_.back();
    for (const Member& member : frame.shape->members) {
      if (member.need == Need::required && !has(frame, member.name)) {
        return refuse(below(where(frames_all()), member.name) + ": is missing", ec);
      }
    }
    Json value{std::move(open_.back().members)};
    open_.pop_back();
    return put(std::move(value));
  }

  bool on_array_end(std::size_t, error_code& ec) {
    const auto count = static_cast<std::int64_t>(open_.back().elements.size());
    const Shape& shape = *open_.back().shape;
    if (count < shape.least) {
      const bool empty = count == 0 && shape.least == 1;
      return refuse_at(where(open_.size() - 1),
                       empty ? "must not be empty" : "must have " + bounds(shape) + " elements", ec);
    }
    Json value{std::move(open_.back().elements)};
    open_.pop_back();
    return put(std::move(value));
  }

  bool on_key_part(string_view part, std::size_t, error_code&) { return gather(part); }
  bool on_key(string_view part, std::size_t, error_code& ec) {
    gather(part);
    const std::string name = std::exchange(text_, {});
    Frame& frame = open_.back();
    const auto found = std::ranges::find(frame.shape->members, std::string_view(name), &Member::name);
    if (found == frame.shape->members.end()) {
      return refuse(below(where(frames_all()), shown(name)) + ": is not a field of this request", ec);
    }
    if (has(frame, found->name)) return refuse(below(where(frames_all()), name) + ": is given twice", ec);
    frame.member = &*found;
    return true;
  }

  bool on_string_part(string_view part, std::size_t, error_code&) { return gather(part); }
  bool on_string(string_view part, std::size_t, error_code& ec) {
    gather(part);
    std::string text = std::exchange(text_, {});
    const Shape* shape = expect(Kind::text, ec);
    if (shape == nullptr) return false;
    const std::int64_t length = length_of(text, shape->unit);
    if (length < shape->least || length > shape->most) {
      return refuse_here("must have " + bounds(*shape) + " " + std::string(word(shape->unit)), ec);
    }
    return put(Json(std::move(text)));
  }

  bool on_number_part(string_view, error_code&) { return true; }
  bool on_int64(std::int64_t value, string_view, error_code& ec) {
    const Shape* shape = expect(Kind::integer, ec);
    if (shape == nullptr) return false;
    if (value < shape->least || value > shape->most) return refuse_here("must be " + bounds(*shape), ec);
    return put(Json(value));
  }
  // Called only for what is beyond 2^63, so it is beyond every bound too.
  bool on_uint64(std::uint64_t, string_view, error_code& ec) {
    const Shape* shape = expect(Kind::integer, ec);
    return shape != nullptr && refuse_here("must be " + bounds(*shape), ec);
  }
  // Fractions, exponents (1e3 too) and integers beyond 2^64, which are beyond every bound: rounding any of
  // them would invent a number.
  bool on_double(double, string_view text, error_code& ec) {
    const Shape* shape = expect(Kind::integer, ec);
    if (shape == nullptr) return false;
    const bool whole = text.find_first_of(".eE") == string_view::npos;
    return refuse_here(
        whole ? "must be " + bounds(*shape) : "must be an integer, written without fraction or exponent", ec);
  }

  bool on_bool(bool value, error_code& ec) {
    return expect(Kind::boolean, ec) != nullptr && put(Json(value));
  }
  bool on_null(error_code& ec) {
    const Shape* shape = expected_shape(ec);
    return shape != nullptr && refuse_here("must be " + std::string(a_kind(shape->kind)) + ", not null", ec);
  }
  // Never called: comments are not JSON, and the parser is told so.
  bool on_comment_part(string_view, error_code&) { return true; }
  bool on_comment(string_view, error_code&) { return true; }

  const std::string& refusal() const { return refusal_; }
  std::string here() const { return where(open_.size()); }
  Json take() { return std::move(root_); }

 private:
  // An object or array whose end was not seen yet.
  struct Frame {
    const Shape* shape;
    const Member* member;  // Of an object: whose value is being read.
    Json::Elements elements;
    Json::Members members;
  };

  static bool has(const Frame& frame, std::string_view name) {
    return std::ranges::find(frame.members, name, &std::pair<std::string_view, Json>::first) !=
           frame.members.end();
  }

  static std::string below(const std::string& path, std::string_view name) {
    return path.empty() ? std::string(name) : path + "." + std::string(name);
  }

  std::size_t frames_all() const { return open_.size() - 1; }

  // The path through the first `frames` open ones: "lines[0].quantity"; empty for the document itself.
  std::string where(std::size_t frames) const {
    std::string path;
    for (std::size_t i = 0; i < frames; ++i) {
      const Frame& frame = open_[i];
      if (frame.shape->kind == Kind::array) {
        path.append("[").append(std::to_string(frame.elements.size())).append("]");
      } else if (frame.member != nullptr) {
        path = below(path, frame.member->name);
      }
    }
    return path;
  }

  bool refuse(std::string line, error_code& ec) {
    refusal_ = std::move(line);
    ec = boost::json::error::syntax;  // Any code will do: it only stops the parser.
    return false;
  }
  bool refuse_at(const std::string& path, const std::string& what, error_code& ec) {
    return refuse((path.empty() ? "body" : path) + ": " + what, ec);
  }
  bool refuse_here(const std::string& what, error_code& ec) { return refuse_at(here(), what, ec); }

  // The shape of the value that comes next; nullptr after refusing one that must not come.
  const Shape* expected_shape(error_code& ec) {
    if (open_.empty()) return &root_shape_;
    const Frame& frame = open_.back();
    if (frame.shape->kind == Kind::object) return frame.member->shape;
    if (static_cast<std::int64_t>(frame.elements.size()) >= frame.shape->most) {
      refuse_at(where(open_.size() - 1), "at most " + std::to_string(frame.shape->most) + " elements", ec);
      return nullptr;
    }
    return frame.shape->element;
  }

  const Shape* expect(Kind kind, error_code& ec) {
    const Shape* shape = expected_shape(ec);
    if (shape == nullptr || shape->kind == kind) return shape;
    refuse_here("must be " + std::string(a_kind(shape->kind)), ec);
    return nullptr;
  }

  bool open(Kind kind, error_code& ec) {
    const Shape* shape = expect(kind, ec);
    if (shape == nullptr) return false;
    open_.push_back(Frame{shape, nullptr, {}, {}});
    return true;
  }

  bool put(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (Frame& frame = open_.back(); frame.shape->kind == Kind::object) {
      frame.members.emplace_back(frame.member->name, std::move(value));
      frame.member = nullptr;
    } else {
      frame.elements.push_back(std::move(value));
    }
    return true;
  }

  bool gather(string_view part) {
    text_.append(part.data(), part.size());
    return true;
  }

  const Shape& root_shape_;
  std::vector<Frame> open_;
  std::string text_;
  std::string refusal_;
  Json root_;
};

std::string_view meaning_of(const error_code& ec) {
  if (ec == boost::json::error::incomplete) return "the document ends too early";
  if (ec == boost::json::error::too_deep) return "nested deeper than 8";
  if (ec == boost::json::error::illegal_leading_surrogate ||
      ec == boost::json::error::illegal_trailing_surrogate ||
      ec == boost::json::error::expected_utf16_escape) {
    return "one half of a surrogate pair";
  }
  if (ec == boost::json::error::exponent_overflow) return "the exponent is too large";
  return "not JSON in UTF-8";
}

// What the parser calls where nothing but its own opinion is wanted.
class Indifference {
 public:
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_object_begin(error_code&) { return true; }
  bool on_object_end(std::size_t, error_code&) { return true; }
  bool on_array_begin(error_code&) { return true; }
  bool on_array_end(std::size_t, error_code&) { return true; }
  bool on_key_part(string_view, std::size_t, error_code&) { return true; }
  bool on_key(string_view, std::size_t, error_code&) { return true; }
  bool on_string_part(string_view, std::size_t, error_code&) { return true; }
  bool on_string(string_view, std::size_t, error_code&) { return true; }
  bool on_number_part(string_view, error_code&) { return true; }
  bool on_int64(std::int64_t, string_view, error_code&) { return true; }
  bool on_uint64(std::uint64_t, string_view, error_code&) { return true; }
  bool on_double(double, string_view, error_code&) { return true; }
  bool on_bool(bool, error_code&) { return true; }
  bool on_null(error_code&) { return true; }
  bool on_comment_part(string_view, error_code&) { return true; }
  bool on_comment(string_view, error_code&) { return true; }
};

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace

const std::string& Json::text() const {
  CHECK(std::holds_alternative<std::string>(value_));
  return std::get<std::string>(value_);
}

std::int64_t Json::integer() const {
  CHECK(std::holds_alternative<std::int64_t>(value_));
  return std::get<std::int64_t>(value_);
}

bool Json::boolean() const {
  CHECK(std::holds_alternative<bool>(value_));
  return std::get<bool>(value_);
}

const Json::Elements& Json::elements() const {
  CHECK(std::holds_alternative<Elements>(value_));
  return std::get<Elements>(value_);
}

const Json* Json::find(std::string_view name) const {
  CHECK(std::holds_alternative<Members>(value_));
  const Members& members = std::get<Members>(value_);
  const auto found = std::ranges::find(members, name, &std::pair<std::string_view, Json>::first);
  return found == members.end() ? nullptr : &found->second;
}

namespace {

// What can be wrong with a document before its first value.
std::optional<std::string> wrong_at_start(std::string_view document) {
  if (std::ranges::all_of(document, is_space)) return "body: is empty";
  if (document.starts_with("\xEF\xBB\xBF")) return "body: begins with a byte order mark";
  return std::nullopt;
}

std::optional<std::string> wrong_after(std::string_view document, std::size_t used) {
  if (std::ranges::all_of(document.substr(used), is_space)) return std::nullopt;
  return "body: unexpected content after the document, at byte " + std::to_string(used);
}

}  // namespace

std::optional<std::string> fault_of_json(std::string_view document, std::size_t depth_max) {
  if (auto wrong = wrong_at_start(document)) return wrong;
  boost::json::parse_options options;
  options.max_depth = depth_max;
  boost::json::basic_parser<Indifference> parser(options);
  error_code ec;
  const std::size_t used = parser.write_some(false, document.data(), document.size(), ec);
  if (!ec) return wrong_after(document, used);
  const std::string meaning = ec == boost::json::error::too_deep
                                  ? "nested deeper than " + std::to_string(depth_max)
                                  : std::string(meaning_of(ec));
  return "body: " + meaning + ", at byte " + std::to_string(used);
}

std::expected<Json, std::string> read_json(std::string_view document, const Shape& shape) {
  if (auto wrong = wrong_at_start(document)) return std::unexpected(*std::move(wrong));
  boost::json::parse_options options;
  options.max_depth = json_depth_max;
  boost::json::basic_parser<Reading> parser(options, shape);
  error_code ec;
  const std::size_t used = parser.write_some(false, document.data(), document.size(), ec);
  if (!parser.handler().refusal().empty()) return std::unexpected(parser.handler().refusal());
  if (ec) {
    const std::string path = parser.handler().here();
    return std::unexpected((path.empty() ? "body" : path) + ": " + std::string(meaning_of(ec)) +
                           ", at byte " + std::to_string(used));
  }
  if (auto wrong = wrong_after(document, used)) return std::unexpected(*std::move(wrong));
  return parser.handler().take();
}

}  // namespace gavel::http
