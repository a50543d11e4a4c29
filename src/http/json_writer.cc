#include "http/json_writer.h"

#include <charconv>
#include <iterator>

#include "base/check.h"
#include "base/uuid.h"

namespace gavel::http {

JsonWriter& JsonWriter::begin_object() {
  next();
  to_ += '{';
  return *this;
}

JsonWriter& JsonWriter::end_object() {
  CHECK(!to_.empty() && to_.back() != ',');
  to_ += '}';
  return *this;
}

JsonWriter& JsonWriter::begin_array(std::string_view name) {
  name_next(name);
  to_ += '[';
  return *this;
}

JsonWriter& JsonWriter::end_array() {
  CHECK(!to_.empty() && to_.back() != ',');
  to_ += ']';
  return *this;
}

JsonWriter& JsonWriter::element(std::string_view text) {
  next();
  append_json_text(to_, text);
  return *this;
}

JsonWriter& JsonWriter::member(std::string_view name, std::string_view text) {
  name_next(name);
  append_json_text(to_, text);
  return *this;
}

JsonWriter& JsonWriter::member(std::string_view name, std::int64_t number) {
  name_next(name);
  char digits[20];  // The sign and 19 digits.
  to_.append(digits, std::to_chars(std::begin(digits), std::end(digits), number).ptr);
  return *this;
}

JsonWriter& JsonWriter::member(std::string_view name, Time time) {
  name_next(name);
  const auto text = characters_of(time);
  to_ += '"';
  to_.append(text.data(), text.size());
  to_ += '"';
  return *this;
}

JsonWriter& JsonWriter::member(std::string_view name, rules::OrderId order) {
  name_next(name);
  const auto text = characters_of(order.uuid);
  to_ += '"';
  to_.append(text.data(), text.size());
  to_ += '"';
  return *this;
}

// A comma stands in front of everything but the first in its object or array: whatever was written before
// ends in a quote, a digit, a letter or a closing bracket.
void JsonWriter::next() {
  if (!to_.empty() && to_.back() != '{' && to_.back() != '[') to_ += ',';
}

void JsonWriter::name_next(std::string_view name) {
  next();
  to_ += '"';
  to_ += name;
  to_ += "\":";
}

}  // namespace gavel::http
