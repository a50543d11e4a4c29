// One noun: the parser of commands.
#include "http/command_parser.h"

#include <array>
#include <chrono>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/time.h"
#include "base/utf8.h"
#include "base/uuid.h"
#include "http/routes.h"

namespace gavel::http {

namespace {

using rules::Act;
using rules::malformed;
using rules::Outcome;
using rules::Quantity;
using rules::Verdict;

constexpr auto required = Need::required;
constexpr auto optional = Need::optional;

// Stands for the id of a sale that is made without an id and without a key, until the missing key refuses it.
constexpr std::string_view no_key = "none";

constexpr const char* no_control_characters = "must not contain control characters";

constexpr std::int64_t name_chars_max = 200;
constexpr std::int64_t word_chars_max = 64;

constexpr Shape code{.kind = Kind::text, .least = 1, .most = code_bytes_max, .unit = TextUnit::bytes};
constexpr Shape some_word{.kind = Kind::text, .least = 1, .most = word_chars_max};
constexpr Shape name_text{.kind = Kind::text, .least = 1, .most = name_chars_max};
constexpr Shape units{.kind = Kind::integer, .least = 1, .most = rules::line_units_max.units};
constexpr Shape allotted{.kind = Kind::integer, .least = 1, .most = rules::total_units_max.units};
constexpr Shape bucket_count{.kind = Kind::integer, .least = 1, .most = rules::buckets_max};
constexpr Shape seconds{
    .kind = Kind::integer, .least = rules::hold_min.count(), .most = rules::hold_max.count()};

constexpr std::array order_line_members{
    Member{"sku", required, &code},
    Member{"quantity", required, &units},
    Member{"warehouse", optional, &some_word},
};
constexpr Shape order_line{.kind = Kind::object, .members = order_line_members};
constexpr Shape order_lines{
    .kind = Kind::array, .least = 1, .most = rules::order_lines_max, .element = &order_line};

constexpr std::array reserve_members{
    Member{"user", required, &code},         Member{"lines", required, &order_lines},
    Member{"activity", optional, &code},     Member{"hold_seconds", optional, &seconds},
    Member{"payment", optional, &some_word},
};

constexpr std::array some_line_members{
    Member{"sku", required, &code},
    Member{"quantity", required, &units},
};
constexpr Shape some_line{.kind = Kind::object, .members = some_line_members};
constexpr Shape some_lines{
    .kind = Kind::array, .least = 1, .most = rules::order_lines_max, .element = &some_line};
constexpr Shape yes_or_no{.kind = Kind::boolean};

constexpr std::array confirm_members{Member{"lines", optional, &some_lines}};
constexpr std::array extend_members{Member{"seconds", optional, &seconds}};
constexpr std::array change_members{Member{"lines", required, &some_lines}};
constexpr std::array refund_members{
    Member{"lines", optional, &some_lines},
    Member{"restock", required, &yes_or_no},
    Member{"from", optional, &some_word},
};
constexpr std::array ship_members{Member{"lines", optional, &some_lines}};

constexpr std::array put_sku_members{
    Member{"buckets", optional, &bucket_count},
    Member{"mode", optional, &some_word},
};
constexpr Shape difference{
    .kind = Kind::integer, .least = -rules::line_units_max.units, .most = rules::line_units_max.units};
constexpr Shape counted_units{.kind = Kind::integer, .least = 0, .most = rules::total_units_max.units};
constexpr Shape version_number{.kind = Kind::integer};
constexpr std::array adjust_members{
    Member{"difference", required, &difference},
    Member{"reason", required, &name_text},
};
constexpr std::array count_members{
    Member{"counted", required, &counted_units},
    Member{"version", required, &version_number},
};
constexpr std::array receive_members{Member{"quantity", required, &units}};

constexpr std::array activity_line_members{
    Member{"sku", required, &code},
    Member{"allotment", required, &allotted},
    Member{"warehouse", optional, &some_word},
    Member{"buckets", optional, &bucket_count},
};
constexpr Shape activity_line{.kind = Kind::object, .members = activity_line_members};
constexpr Shape activity_lines{
    .kind = Kind::array, .least = 1, .most = rules::activity_lines_max, .element = &activity_line};

constexpr std::array create_activity_members{
    Member{"id", optional, &code},
    Member{"name", required, &name_text},
    Member{"lines", required, &activity_lines},
    Member{"limit_per_user", optional, &units},
    Member{"opens_at", optional, &some_word},
    Member{"closes_at", optional, &some_word},
    Member{"hold_seconds", optional, &seconds},
    Member{"mode", optional, &some_word},
};

constexpr std::array change_activity_members{
    Member{"buckets", optional, &bucket_count},
    Member{"mode", optional, &some_word},
};

}  // namespace

constexpr Shape empty_shape{.kind = Kind::object};
constexpr Shape reserve_shape{.kind = Kind::object, .members = reserve_members};
constexpr Shape confirm_shape{.kind = Kind::object, .members = confirm_members};
constexpr Shape extend_shape{.kind = Kind::object, .members = extend_members};
constexpr Shape change_shape{.kind = Kind::object, .members = change_members};
constexpr Shape refund_shape{.kind = Kind::object, .members = refund_members};
constexpr Shape ship_shape{.kind = Kind::object, .members = ship_members};
constexpr Shape put_sku_shape{.kind = Kind::object, .members = put_sku_members};
constexpr Shape receive_shape{.kind = Kind::object, .members = receive_members};
constexpr Shape adjust_shape{.kind = Kind::object, .members = adjust_members};
constexpr Shape count_shape{.kind = Kind::object, .members = count_members};
constexpr Shape create_activity_shape{.kind = Kind::object, .members = create_activity_members};
constexpr Shape change_activity_shape{.kind = Kind::object, .members = change_activity_members};

namespace {

// Takes fields out of a body that has its shape, and keeps the first thing that is wrong with what they say.
class Fields {
 public:
  Fields(const Json& object, std::string path) : object_(object), path_(std::move(path)) {}

  template <class Id>
  std::optional<Id> code_of(std::string_view name) {
    const Json* field = object_.find(name);
    if (field == nullptr) return std::nullopt;
    auto id = Id::parse(field->text());
    if (!id) blame(name, no_control_characters);  // UTF-8 and its length were checked with the shape.
    return id;
  }

  std::optional<std::int64_t> integer(std::string_view name) const {
    const Json* field = object_.find(name);
    return field == nullptr ? std::nullopt : std::optional(field->integer());
  }

  std::optional<Time> time(std::string_view name) {
    const Json* field = object_.find(name);
    if (field == nullptr) return std::nullopt;
    const auto time = parse_time(field->text());
    if (!time) blame(name, "must be an RFC 3339 time such as 2026-11-29T20:48:46Z");
    return time;
  }

  std::optional<rules::Mode> mode() {
    const Json* field = object_.find("mode");
    if (field == nullptr) return std::nullopt;
    const auto mode = rules::parse_mode(field->text());
    if (!mode) blame("mode", "must be \"service\", \"direct\" or \"gated\"");
    return mode;
  }

  // A field whose only value so far may be left out too.
  void only(std::string_view name, std::string_view value) {
    const Json* field = object_.find(name);
    if (field != nullptr && field->text() != value) {
      blame(name, "must be \"" + std::string(value) + "\" or left out");
    }
  }

  std::string plain_text(std::string_view name) {
    const std::string& text = object_.find(name)->text();
    if (!is_printable_utf8(text)) blame(name, no_control_characters);
    return text;
  }

  const Json::Elements& elements(std::string_view name) const { return object_.find(name)->elements(); }

  const std::optional<std::string>& wrong() const { return wrong_; }

 private:
  void blame(std::string_view name, const std::string& what) {
    if (!wrong_) wrong_ = path_ + std::string(name) + ": " + what;
  }

  const Json& object_;
  const std::string path_;
  std::optional<std::string> wrong_;
};

using MaybeAct = std::expected<Act, Verdict>;

MaybeAct refuse(Outcome outcome) { return std::unexpected(rules::verdict_of(outcome)); }

// Clients and proxies drop these from a path, as the directories of that name (RFC 3986, 5.2.4): what were
// called so, no path could name.
bool is_lost_in_paths(std::string_view id) { return id == "." || id == ".."; }

std::optional<std::string> wrong_in_fresh_activity(std::string_view id) {
  if (id == "-") return "id: `-` is reserved for the free stock";
  if (is_lost_in_paths(id)) return "id: `.` and `..` cannot be used in a path";
  return std::nullopt;
}

std::string path_of_line(std::size_t i) { return "lines[" + std::to_string(i) + "]."; }

std::optional<std::chrono::seconds> seconds_of(std::optional<std::int64_t> count) {
  return count ? std::optional(std::chrono::seconds(*count)) : std::nullopt;
}

std::optional<std::int32_t> buckets_of(std::optional<std::int64_t> count) {
  return count ? std::optional(static_cast<std::int32_t>(*count)) : std::nullopt;
}

using MaybeLines = std::expected<rules::Lines, std::string>;

// The lines of an order, or of an act on one, which have no warehouse by their shape; or what is wrong.
MaybeLines lines_of(const Json::Elements& elements) {
  std::vector<rules::Line> lines;
  lines.reserve(elements.size());
  for (const Json& element : elements) {
    Fields line(element, path_of_line(lines.size()));
    auto sku = line.code_of<rules::SkuCode>("sku");
    line.only("warehouse", "main");
    if (line.wrong()) return std::unexpected(*line.wrong());
    lines.push_back(rules::Line{*std::move(sku), Quantity{*line.integer("quantity")}});
  }
  return rules::Lines(std::move(lines));
}

MaybeAct reserve_of(const Json& body) {
  Fields fields(body, "");
  rules::Reserve act{.user = rules::UserId("-"),
                     .lines = {},
                     .activity = fields.code_of<rules::ActivityCode>("activity"),
                     .hold = seconds_of(fields.integer("hold_seconds")),
                     .payment = rules::Payment::later};
  if (const auto user = fields.code_of<rules::UserId>("user")) act.user = *user;
  if (body.find("payment") != nullptr) act.payment = rules::Payment::none;
  fields.only("payment", "none");
  if (fields.wrong()) return std::unexpected(malformed(*fields.wrong()));
  auto lines = lines_of(fields.elements("lines"));
  if (!lines) return std::unexpected(malformed(std::move(lines.error())));
  act.lines = *std::move(lines);
  return act;
}

// The key, where the body names no id; a key may be too long for one.
std::optional<rules::ActivityCode> id_of_key(const std::optional<rules::RequestKey>& key) {
  return rules::ActivityCode::parse(key ? key->text() : no_key);
}

MaybeAct create_activity_of(const Json& body, const std::optional<rules::RequestKey>& key) {
  Fields fields(body, "");
  const bool is_named = body.find("id") != nullptr;
  const auto id = is_named ? fields.code_of<rules::ActivityCode>("id") : id_of_key(key);
  if (!is_named && !id) {
    return std::unexpected(malformed("id: is missing, and the Idempotency-Key is too long to be the id"));
  }
  const auto limit = fields.integer("limit_per_user");
  rules::CreateActivity act{
      .activity = id.value_or(rules::ActivityCode(no_key)),
      .name = fields.plain_text("name"),
      .lines = {},
      .limit_per_user = limit ? std::optional(Quantity{*limit}) : std::nullopt,
      .opens_at = fields.time("opens_at"),
      .closes_at = fields.time("closes_at"),
      .hold = seconds_of(fields.integer("hold_seconds")),
      .mode = fields.mode().value_or(rules::Mode::service),
  };
  if (fields.wrong()) return std::unexpected(malformed(*fields.wrong()));
  if (auto wrong = wrong_in_fresh_activity(act.activity.text())) {
    return std::unexpected(malformed(*std::move(wrong)));
  }
  for (const Json& element : fields.elements("lines")) {
    Fields line(element, path_of_line(act.lines.size()));
    const auto sku = line.code_of<rules::SkuCode>("sku");
    line.only("warehouse", "main");
    if (line.wrong()) return std::unexpected(malformed(*line.wrong()));
    act.lines.push_back(
        rules::ActivityLine{*sku, Quantity{*line.integer("allotment")}, buckets_of(line.integer("buckets"))});
  }
  return act;
}

MaybeAct put_sku_of(const std::string& sku, const Json& body) {
  const auto code_of_sku = rules::SkuCode::parse(sku);
  if (!code_of_sku) return std::unexpected(malformed("sku: must be " + std::string(code_form)));
  if (is_lost_in_paths(sku)) return std::unexpected(malformed("sku: `.` and `..` cannot be used in a path"));
  Fields fields(body, "");
  rules::PutSku act{*code_of_sku, buckets_of(fields.integer("buckets")), fields.mode()};
  if (fields.wrong()) return std::unexpected(malformed(*fields.wrong()));
  return act;
}

template <class OfOrder>
MaybeAct of_order(const std::string& id) {
  const auto uuid = parse_uuid(id);
  if (!uuid) return refuse(Outcome::unknown_order);
  return OfOrder{rules::OrderId{*uuid}};
}

// The lines of an act on an order: none where the body names none.
MaybeLines some_lines_of(const Json& body) {
  const Json* lines = body.find("lines");
  return lines == nullptr ? rules::Lines() : lines_of(lines->elements());
}

// An act on some lines of an order, or on all of them.
template <class OfOrder>
MaybeAct of_lines(const std::string& id, const Json& body) {
  MaybeAct act = of_order<OfOrder>(id);
  auto lines = some_lines_of(body);
  if (!lines) return std::unexpected(malformed(std::move(lines.error())));
  if (act) std::get<OfOrder>(*act).lines = *std::move(lines);
  return act;
}

MaybeAct extend_of(const std::string& id, const Json& body) {
  MaybeAct act = of_order<rules::Extend>(id);
  if (act) std::get<rules::Extend>(*act).seconds = seconds_of(Fields(body, "").integer("seconds"));
  return act;
}

// Where a refund takes its units from; both places where the body does not say.
std::optional<rules::RefundFrom> refund_from(const Json& body) {
  const Json* from = body.find("from");
  if (from == nullptr) return rules::RefundFrom::both;
  if (from->text() == "shelf") return rules::RefundFrom::shelf;
  if (from->text() == "buyer") return rules::RefundFrom::buyer;
  return std::nullopt;
}

MaybeAct refund_of(const std::string& id, const Json& body) {
  MaybeAct act = of_lines<rules::Refund>(id, body);
  const bool restocks = body.find("restock")->boolean();
  const auto from = refund_from(body);
  if (!from) return std::unexpected(malformed("from: must be shelf or buyer"));
  if (!act) return act;
  std::get<rules::Refund>(*act).restock = restocks ? rules::Restock::yes : rules::Restock::no;
  std::get<rules::Refund>(*act).from = *from;
  return act;
}

MaybeAct of_stock(Endpoint endpoint, const std::string& code_of_sku, const Json& body) {
  Fields fields(body, "");
  const std::string reason = endpoint == Endpoint::adjust ? fields.plain_text("reason") : "";
  if (fields.wrong()) return std::unexpected(malformed(*fields.wrong()));
  const auto sku = rules::SkuCode::parse(code_of_sku);
  if (!sku) return refuse(Outcome::unknown_sku);
  if (endpoint == Endpoint::adjust) {
    return rules::Adjust{*sku, Quantity{*fields.integer("difference")}, reason};
  }
  if (endpoint == Endpoint::count) {
    return rules::Count{*sku, Quantity{*fields.integer("counted")}, *fields.integer("version")};
  }
  return rules::Receive{*sku, Quantity{*fields.integer("quantity")}};
}

template <class OfActivity>
MaybeAct of_activity(const std::string& id) {
  const auto activity = rules::ActivityCode::parse(id);
  if (!activity) return refuse(Outcome::unknown_activity);
  return OfActivity{*activity};
}

MaybeAct change_activity_of(const std::string& id, const Json& body) {
  Fields fields(body, "");
  const auto buckets = buckets_of(fields.integer("buckets"));
  const auto mode = fields.mode();
  if (fields.wrong()) return std::unexpected(malformed(*fields.wrong()));
  if (!buckets && !mode) return std::unexpected(malformed("body: mode or buckets is required"));
  MaybeAct act = of_activity<rules::ChangeActivity>(id);
  if (!act) return act;
  std::get<rules::ChangeActivity>(*act).buckets = buckets;
  std::get<rules::ChangeActivity>(*act).mode = mode;
  return act;
}

}  // namespace

std::expected<Act, Verdict> act_of(Endpoint endpoint, const std::vector<std::string>& parameters,
                                   const Json& body, const std::optional<rules::RequestKey>& key) {
  switch (endpoint) {
    case Endpoint::reserve:
      return reserve_of(body);
    case Endpoint::confirm:
      return of_lines<rules::Confirm>(parameters[0], body);
    case Endpoint::cancel:
      return of_order<rules::Cancel>(parameters[0]);
    case Endpoint::extend:
      return extend_of(parameters[0], body);
    case Endpoint::change:
      return of_lines<rules::ChangeOrder>(parameters[0], body);
    case Endpoint::refund:
      return refund_of(parameters[0], body);
    case Endpoint::ship:
      return of_lines<rules::Ship>(parameters[0], body);
    case Endpoint::put_sku:
      return put_sku_of(parameters[0], body);
    case Endpoint::receive:
    case Endpoint::adjust:
    case Endpoint::count:
      return of_stock(endpoint, parameters[0], body);
    case Endpoint::create_activity:
      return create_activity_of(body, key);
    case Endpoint::change_activity:
      return change_activity_of(parameters[0], body);
    case Endpoint::warm_activity:
      return of_activity<rules::WarmActivity>(parameters[0]);
    case Endpoint::check_activity:
      return of_activity<rules::CheckActivity>(parameters[0]);
    case Endpoint::open_activity:
      return of_activity<rules::OpenActivity>(parameters[0]);
    case Endpoint::close_activity:
      return of_activity<rules::CloseActivity>(parameters[0]);
    default:
      break;
  }
  CHECK(false);  // Reads have no act.
}

}  // namespace gavel::http
