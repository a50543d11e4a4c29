#include "rules/command.h"

#include <algorithm>
#include <array>

namespace gavel::rules {
namespace {

// What separates fields, lines and numbers, what begins an escape, and what is not ASCII. A table, for every
// code of every request is looked at.
constexpr auto escaped_bytes = [] {
  std::array<bool, 256> table{};
  for (std::size_t byte = 0x80; byte < table.size(); ++byte) table[byte] = true;
  for (const char c : std::string_view(";=*,/%")) table[static_cast<std::size_t>(c)] = true;
  return table;
}();

void append_code(std::string& to, std::string_view code) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  for (const char c : code) {
    const auto byte = static_cast<unsigned char>(c);
    if (!escaped_bytes[byte]) {
      to += c;
      continue;
    }
    to += '%';
    to += digits[byte >> 4U];
    to += digits[byte & 15U];
  }
}

std::string lines_text(const Lines& lines) {
  std::string text;
  for (const Line& line : lines) {
    if (!text.empty()) text += ',';
    append_code(text, line.sku.text());
    text.append("*").append(std::to_string(line.quantity.units));
  }
  return text;
}

// "name=value" parts joined by ';'. Numbers hold no ';'; codes and free text are escaped, each in its way.
class Content {
 public:
  explicit Content(std::string_view act) { add("act", std::string(act)); }

  Content& add(std::string_view name, const std::string& value) {
    if (!text_.empty()) text_ += ';';
    text_.append(name).append("=").append(value);
    return *this;
  }

  template <class Tag>
  Content& add(std::string_view name, const Code<Tag>& code) {
    return add(name, escaped_code(code.text()));
  }

  template <class T, class ToText>
  Content& add(std::string_view name, const std::optional<T>& value, ToText to_value) {
    return value ? add(name, to_value(*value)) : *this;
  }

  // Of an act on some lines of an order; without any it is on all of them.
  Content& add_lines(const Lines& lines) { return lines.empty() ? *this : add("lines", lines_text(lines)); }

  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

std::string seconds_text(std::chrono::seconds seconds) { return std::to_string(seconds.count()); }
std::string units_text(Quantity quantity) { return std::to_string(quantity.units); }
std::string time_text(Time time) { return to_text(time); }
std::string count_text(std::int32_t count) { return std::to_string(count); }
std::string mode_text(Mode mode) { return std::string(word(mode)); }

// Free text without the characters that separate fields.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == ';') {
      result += "\\s";
    } else if (c == '\\') {
      result += "\\\\";
    } else {
      result += c;
    }
  }
  return result;
}

std::string allotments_text(std::vector<ActivityLine> lines) {
  std::ranges::sort(lines, {}, &ActivityLine::sku);
  std::string text;
  for (const ActivityLine& line : lines) {
    if (!text.empty()) text += ',';
    append_code(text, line.sku.text());
    text.append("*").append(units_text(line.allotment));
    if (line.buckets) text.append("/").append(std::to_string(*line.buckets));
  }
  return text;
}

struct ContentOf {
  std::string operator()(const Reserve& act) const {
    Content content("reserve");
    content.add("user", act.user).add("lines", lines_text(act.lines));
    content.add("activity", act.activity, [](const ActivityCode& code) { return escaped_code(code.text()); });
    content.add("hold_seconds", act.hold, seconds_text);
    if (act.payment == Payment::none) content.add("payment", "none");
    return content.take();
  }
  std::string operator()(const Confirm& act) const {
    return of_order("confirm", act.order).add_lines(act.lines).take();
  }
  std::string operator()(const Cancel& act) const { return of_order("cancel", act.order).take(); }
  std::string operator()(const Extend& act) const {
    return of_order("extend", act.order).add("seconds", act.seconds, seconds_text).take();
  }
  std::string operator()(const ChangeOrder& act) const {
    return of_order("change", act.order).add_lines(act.lines).take();
  }
  std::string operator()(const Refund& act) const {
    Content content = of_order("refund", act.order);
    content.add_lines(act.lines).add("restock", act.restock == Restock::yes ? "true" : "false");
    if (act.from != RefundFrom::both) content.add("from", act.from == RefundFrom::shelf ? "shelf" : "buyer");
    return content.take();
  }
  std::string operator()(const Ship& act) const {
    return of_order("ship", act.order).add_lines(act.lines).take();
  }
  std::string operator()(const Expire& act) const { return of_order("expire", act.order).take(); }
  std::string operator()(const Forget& act) const {
    return Content("forget").add("caller", act.of.text()).add("key", escaped_code(act.key.text())).take();
  }
  std::string operator()(const Rebalance& act) const {
    return Content("rebalance").add("item", std::to_string(act.item.value)).take();
  }
  std::string operator()(const PutSku& act) const {
    Content content("put_sku");
    content.add("sku", act.sku);
    return content.add("buckets", act.buckets, count_text).add("mode", act.mode, mode_text).take();
  }
  std::string operator()(const Receive& act) const {
    return Content("receive").add("sku", act.sku).add("quantity", units_text(act.quantity)).take();
  }
  std::string operator()(const Adjust& act) const {
    Content content("adjust");
    content.add("sku", act.sku).add("difference", units_text(act.difference));
    return content.add("reason", escaped(act.reason)).take();
  }
  std::string operator()(const Count& act) const {
    Content content("count");
    content.add("sku", act.sku).add("counted", units_text(act.counted));
    return content.add("version", std::to_string(act.version)).take();
  }
  std::string operator()(const CreateActivity& act) const {
    Content content("create_activity");
    content.add("activity", act.activity).add("name", escaped(act.name));
    content.add("lines", allotments_text(act.lines));
    content.add("limit_per_user", act.limit_per_user, units_text);
    content.add("opens_at", act.opens_at, time_text);
    content.add("closes_at", act.closes_at, time_text);
    content.add("hold_seconds", act.hold, seconds_text);
    if (act.mode != Mode::service) content.add("mode", mode_text(act.mode));
    return content.take();
  }
  std::string operator()(const ChangeActivity& act) const {
    Content content = of_activity("change_activity", act.activity);
    return content.add("buckets", act.buckets, count_text).add("mode", act.mode, mode_text).take();
  }
  std::string operator()(const WarmActivity& act) const {
    return of_activity("warm_activity", act.activity).take();
  }
  std::string operator()(const CheckActivity& act) const {
    return of_activity("check_activity", act.activity).take();
  }
  std::string operator()(const OpenActivity& act) const {
    return of_activity("open_activity", act.activity).take();
  }
  std::string operator()(const CloseActivity& act) const {
    return of_activity("close_activity", act.activity).take();
  }

  static Content of_order(std::string_view act, OrderId order) {
    Content content(act);
    content.add("order", to_text(order.uuid));
    return content;
  }
  static Content of_activity(std::string_view act, const ActivityCode& activity) {
    Content content(act);
    content.add("activity", activity);
    return content;
  }
};

using Fields = std::vector<std::pair<std::string, std::string>>;

Fields fields_of(const std::string& content) {
  Fields fields;
  std::size_t begin = 0;
  while (begin < content.size()) {
    const std::size_t end = std::min(content.find(';', begin), content.size());
    const std::string part = content.substr(begin, end - begin);
    const std::size_t equals = part.find('=');
    fields.emplace_back(part.substr(0, equals), part.substr(equals + 1));
    begin = end + 1;
  }
  return fields;
}

}  // namespace

std::string escaped_code(std::string_view code) {
  std::string text;
  append_code(text, code);
  return text;
}

std::string fingerprint_of(const Act& act) { return std::visit(ContentOf{}, act); }

std::string_view word(const Act& act) {
  struct WordOf {
    std::string_view operator()(const Reserve&) const { return "reserve"; }
    std::string_view operator()(const Confirm&) const { return "confirm"; }
    std::string_view operator()(const Cancel&) const { return "cancel"; }
    std::string_view operator()(const Extend&) const { return "extend"; }
    std::string_view operator()(const ChangeOrder&) const { return "change"; }
    std::string_view operator()(const Refund&) const { return "refund"; }
    std::string_view operator()(const Ship&) const { return "ship"; }
    std::string_view operator()(const Expire&) const { return "expire"; }
    std::string_view operator()(const Forget&) const { return "forget"; }
    std::string_view operator()(const Rebalance&) const { return "rebalance"; }
    std::string_view operator()(const PutSku&) const { return "put_sku"; }
    std::string_view operator()(const Receive&) const { return "receive"; }
    std::string_view operator()(const Adjust&) const { return "adjust"; }
    std::string_view operator()(const Count&) const { return "count"; }
    std::string_view operator()(const CreateActivity&) const { return "create_activity"; }
    std::string_view operator()(const ChangeActivity&) const { return "change_activity"; }
    std::string_view operator()(const WarmActivity&) const { return "warm_activity"; }
    std::string_view operator()(const CheckActivity&) const { return "check_activity"; }
    std::string_view operator()(const OpenActivity&) const { return "open_activity"; }
    std::string_view operator()(const CloseActivity&) const { return "close_activity"; }
  };
  return std::visit(WordOf{}, act);
}

std::vector<std::string> differing_fields(const std::string& recorded, const std::string& asked) {
  const Fields before = fields_of(recorded);
  const Fields after = fields_of(asked);
  const auto value_in = [](const Fields& fields, const std::string& name) -> std::optional<std::string> {
    for (const auto& [field, value] : fields) {
      if (field == name) return value;
    }
    return std::nullopt;
  };
  std::vector<std::string> names;
  for (const auto& [name, value] : before) {
    if (value_in(after, name) != value) names.push_back(name);
  }
  for (const auto& [name, value] : after) {
    if (!value_in(before, name)) names.push_back(name);
  }
  return names;
}

OrderId order_made_by(const Command& command) {
  return command.key && command.key->uuid7() ? OrderId{*command.key->uuid7()} : command.new_order_id;
}

}  // namespace gavel::rules
