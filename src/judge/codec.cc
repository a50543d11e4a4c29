#include "judge/codec.h"

#include <charconv>

#include <boost/json.hpp>

#include "base/json_text.h"

namespace gavel::judge {
namespace {

namespace json = boost::json;

void append_number(std::string& to, std::int64_t number) {
  char digits[20];  // The sign and 19 digits.
  const auto end = std::to_chars(std::begin(digits), std::end(digits), number).ptr;
  to.append(digits, end);
}

// Appends the members of one object, each with its comma or opening brace in front. It is written by hand,
// for every order that is reserved passes here and a tree of values would cost more than the row.
class Members {
 public:
  explicit Members(std::string& to) : to_(to) {}

  void add(std::string_view name, const std::optional<std::int64_t>& number) {
    if (!number) return;
    name_next(name);
    append_number(to_, *number);
  }
  void add(std::string_view name, const std::optional<rules::Quantity>& quantity) {
    if (quantity) add(name, std::optional(quantity->units));
  }
  void add(std::string_view name, const std::optional<Time>& time) {
    if (time) add(name, std::optional<std::int64_t>(time->time_since_epoch().count()));
  }
  void add(std::string_view name, const std::optional<std::string>& text) {
    if (!text) return;
    name_next(name);
    append_json_text(to_, *text);
  }
  void add(std::string_view name, const std::vector<std::string>& texts) {
    if (texts.empty()) return;
    name_next(name);
    char before = '[';
    for (const std::string& text : texts) {
      to_ += before;
      append_json_text(to_, text);
      before = ',';
    }
    to_ += ']';
  }
  void end() {
    if (next_ == ',') to_ += '}';
  }

 private:
  void name_next(std::string_view name) {
    to_ += next_;
    to_ += '"';
    to_ += name;
    to_ += "\":";
    next_ = ',';
  }

  std::string& to_;
  char next_ = '{';
};

bool read(const json::value& value, std::optional<rules::Quantity>& to) {
  const std::int64_t* number = value.if_int64();
  if (number != nullptr) to = rules::Quantity{*number};
  return number != nullptr;
}

bool read(const json::value& value, std::optional<std::int64_t>& to) {
  const std::int64_t* number = value.if_int64();
  if (number != nullptr) to = *number;
  return number != nullptr;
}

bool read(const json::value& value, std::optional<Time>& to) {
  const std::int64_t* number = value.if_int64();
  if (number != nullptr) to = Time(Duration(*number));
  return number != nullptr;
}

bool read(const json::value& value, std::optional<std::string>& to) {
  const json::string* text = value.if_string();
  if (text != nullptr) to.emplace(text->data(), text->size());
  return text != nullptr;
}

bool read(const json::value& value, std::optional<rules::SkuCode>& to) {
  const json::string* text = value.if_string();
  if (text != nullptr) to = rules::SkuCode::parse({text->data(), text->size()});
  return to.has_value();
}

bool read(const json::value& value, std::optional<rules::OrderId>& to) {
  const json::string* text = value.if_string();
  const auto uuid = text == nullptr ? std::nullopt : parse_uuid({text->data(), text->size()});
  if (uuid) to = rules::OrderId{*uuid};
  return uuid.has_value();
}

bool read(const json::value& value, std::vector<std::string>& to) {
  const json::array* texts = value.if_array();
  if (texts == nullptr) return false;
  for (const json::value& one : *texts) {
    std::optional<std::string> text;
    if (!read(one, text)) return false;
    to.push_back(*std::move(text));
  }
  return true;
}

bool read_member(std::string_view name, const json::value& value, rules::Detail& to) {
  if (name == "sku") return read(value, to.sku);
  if (name == "available") return read(value, to.available);
  if (name == "allowed") return read(value, to.allowed);
  if (name == "claimed") return read(value, to.claimed);
  if (name == "order") return read(value, to.order);
  if (name == "state") return read(value, to.state);
  if (name == "opens_at") return read(value, to.opens_at);
  if (name == "expires_at") return read(value, to.expires_at);
  if (name == "fields") return read(value, to.fields);
  if (name == "explanation") return read(value, to.explanation);
  if (name == "version") return read(value, to.version);
  if (name == "shortage") return read(value, to.shortage);
  return false;
}

// A reader of digits and signs that knows where it stands.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  bool take(char expected) {
    if (at_ == end_ || *at_ != expected) return false;
    ++at_;
    return true;
  }
  template <class Integer>
  bool take_number(Integer& to) {
    const auto [stop, error] = std::from_chars(at_, end_, to);
    at_ = stop;
    return error == std::errc();
  }
  bool at_end() const { return at_ == end_; }

 private:
  const char* at_;
  const char* end_;
};

bool take_part(Scanner& from, rules::Allocation& to) {
  return from.take('[') && from.take_number(to.item.value) && from.take(',') && from.take_number(to.bucket) &&
         from.take(',') && from.take_number(to.quantity.units) && from.take(']');
}

}  // namespace

void append_detail(std::string& to, const rules::Detail& detail) {
  Members members(to);
  if (detail.sku) members.add("sku", std::optional(detail.sku->text()));
  members.add("available", detail.available);
  members.add("allowed", detail.allowed);
  members.add("claimed", detail.claimed);
  if (detail.order) members.add("order", std::optional(to_text(detail.order->uuid)));
  members.add("state", detail.state);
  members.add("opens_at", detail.opens_at);
  members.add("expires_at", detail.expires_at);
  members.add("fields", detail.fields);
  members.add("explanation", detail.explanation);
  members.add("version", detail.version);
  members.add("shortage", detail.shortage);
  members.end();
}

std::optional<rules::Detail> parse_detail(std::string_view text) {
  rules::Detail detail;
  if (text.empty()) return detail;
  json::error_code error;
  const json::value value = json::parse({text.data(), text.size()}, error);
  if (error || !value.is_object()) return std::nullopt;
  for (const auto& [name, member] : value.get_object()) {
    if (!read_member({name.data(), name.size()}, member, detail)) return std::nullopt;
  }
  return detail;
}

void append_taken(std::string& to, std::span<const rules::Allocation> taken) {
  to += '[';
  const char* before = "[";
  for (const rules::Allocation& part : taken) {
    to += before;
    append_number(to, part.item.value);
    to += ',';
    append_number(to, part.bucket);
    to += ',';
    append_number(to, part.quantity.units);
    to += ']';
    before = ",[";
  }
  to += ']';
}

std::optional<std::vector<rules::Allocation>> parse_taken(std::string_view text) {
  std::vector<rules::Allocation> taken;
  Scanner from(text);
  if (!from.take('[')) return std::nullopt;
  if (from.take(']')) return from.at_end() ? std::optional(taken) : std::nullopt;
  do {
    if (!take_part(from, taken.emplace_back())) return std::nullopt;
  } while (from.take(','));
  if (!from.take(']') || !from.at_end()) return std::nullopt;
  return taken;
}

}  // namespace gavel::judge
