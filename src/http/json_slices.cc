#include "http/json_slices.h"

#include <cstddef>

namespace gavel::http {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Goes through a text from value to value.
class Walk {
 public:
  explicit Walk(std::string_view text) : text_(text) {}

  // Passes blanks, and then `c` if it stands there.
  bool pass(char c) {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  // Passes blanks, and says whether anything follows them.
  bool at_end() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    return at_ == text_.size();
  }

  // Passes blanks and one value, and returns the value.
  std::string_view value() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    const std::size_t begin = at_;
    std::size_t depth = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') {
        pass_string();
        if (depth == 0) return text_.substr(begin, ++at_ - begin);
      } else if (c == '[' || c == '{') {
        ++depth;
      } else if (depth == 0 && (c == ',' || c == ':' || c == ']' || c == '}' || is_blank(c))) {
        break;  // The end of a number, true, false or null.
      } else if (c == ']' || c == '}') {
        if (--depth == 0) return text_.substr(begin, ++at_ - begin);
      }
    }
    at_ = at_ < text_.size() ? at_ : text_.size();
    return text_.substr(begin, at_ - begin);
  }

 private:
  // From a quote to the one that ends its string.
  void pass_string() {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    if (at_ >= text_.size()) at_ = text_.size() - 1;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<ArraySlices> elements_of(std::string_view text, std::size_t count_max) {
  Walk walk(text);
  if (!walk.pass('[')) return std::nullopt;
  ArraySlices slices;
  bool is_closed = walk.pass(']');
  if (!is_closed) {
    do {
      slices.elements.push_back(walk.value());
    } while (slices.elements.size() <= count_max && walk.pass(','));
    is_closed = walk.pass(']');
  }
  slices.is_whole = is_closed && walk.at_end();
  return slices;
}

std::optional<std::string_view> member_of(std::string_view text, std::string_view name) {
  Walk walk(text);
  if (!walk.pass('{') || walk.pass('}')) return std::nullopt;
  do {
    const std::string_view key = walk.value();
    if (!walk.pass(':')) return std::nullopt;
    const std::string_view value = walk.value();
    if (key.size() == name.size() + 2 && key.substr(1, name.size()) == name) return value;
  } while (walk.pass(','));
  return std::nullopt;
}

}  // namespace gavel::http
