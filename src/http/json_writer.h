// JsonWriter: JSON written member by member into one text, for the answers that every order waits for: a tree
// of Boost.JSON's values made first costs three times as much. What is rare is rendered by such a tree
// (render.cc); render_test holds what is written here against Boost's parser.
//
//   JsonWriter json(text);
//   json.begin_object().member("code",
//   "reserved").begin_array("lines").element("a").end_array().end_object();
//
// Whoever writes closes what he opened; names are words of ours and are not escaped. One thread.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/json_text.h"
#include "base/time.h"
#include "rules/ids.h"

namespace gavel::http {

class JsonWriter {
 public:
  // Appends to `to`, which outlives the writer.
  explicit JsonWriter(std::string& to) : to_(to) {}

  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array(std::string_view name);
  JsonWriter& end_array();

  JsonWriter& element(std::string_view text);

  // Text may be any bytes (append_json_text).
  JsonWriter& member(std::string_view name, std::string_view text);
  JsonWriter& member(std::string_view name, const char* text) { return member(name, std::string_view(text)); }
  JsonWriter& member(std::string_view name, std::int64_t number);
  template <std::same_as<bool> Bool>  // So that no number is taken for one.
  JsonWriter& member(std::string_view name, Bool value) {
    name_next(name);
    to_ += value ? "true" : "false";
    return *this;
  }
  JsonWriter& member(std::string_view name, Time time);
  JsonWriter& member(std::string_view name, rules::OrderId order);

 private:
  void next();
  void name_next(std::string_view name);

  std::string& to_;
};

}  // namespace gavel::http
