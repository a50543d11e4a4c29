#include "app/cli/admin_commands.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include <boost/json.hpp>

#include "base/check.h"
#include "base/percent_text.h"
#include "base/utf8.h"

namespace gavel::app {
namespace {

constexpr auto in_path = ArgumentPlace::in_path;
constexpr auto bare = ArgumentPlace::bare;
constexpr auto flag = ArgumentPlace::flag;
constexpr auto text = ArgumentKind::text;
constexpr auto integer = ArgumentKind::integer;
constexpr auto required = ArgumentNeed::required;
constexpr auto optional = ArgumentNeed::optional;

constexpr AdminArgument sku{"sku", in_path, text, required, "the SKU"};
constexpr AdminArgument order{"order", in_path, text, required, "the order's id"};
constexpr AdminArgument activity{"activity", in_path, text, required, "the activity's id"};
constexpr AdminArgument limit{"limit", flag, integer, optional, "how many to list [100]"};
constexpr AdminArgument cursor{"cursor", flag, text, optional, "where the previous page ended"};

constexpr AdminArgument buckets{"buckets", flag, integer, optional,
                                "number of buckets the stock is split into"};
constexpr AdminArgument mode{"mode", flag, text, optional,
                             "direct, gated, or service (none of its own: the SKU's, then pipeline.mode)"};

constexpr std::array create_sku{sku, buckets, mode};
constexpr std::array show_stock{
    AdminArgument{"sku", bare, ArgumentKind::texts, required, "one or more SKUs"}};
constexpr std::array list_shortages{limit, cursor};
constexpr std::array receive{sku, AdminArgument{"quantity", bare, integer, required, "units received"}};
constexpr std::array adjust{
    sku, AdminArgument{"difference", bare, integer, required, "units found (5) or lost (-5)"},
    AdminArgument{"reason", flag, text, required, "reason, for the ledger"}};
constexpr std::array count{
    sku, AdminArgument{"counted", bare, integer, required, "units on hand of the free stock"},
    AdminArgument{"version", flag, integer, required,
                  "VERSION of the row with POOL - in gavel stock show, read before counting"}};

constexpr std::array one_order{order};
constexpr std::array list_orders{
    AdminArgument{"user", flag, text, required, "user whose orders are listed"},
    AdminArgument{"state", flag, text, optional,
                  "held|paid|partly_shipped|shipped|cancelled|expired|partly_refunded|refunded"},
    limit, cursor};
constexpr std::array confirm{order, AdminArgument{"lines", flag, ArgumentKind::lines, optional,
                                                  "pay only these lines; the rest returns to stock"}};
constexpr std::array extend{
    order, AdminArgument{"seconds", flag, integer, optional, "seconds from now [rules.extend_seconds]"}};
constexpr std::array change{
    order, AdminArgument{"lines", flag, ArgumentKind::lines, required, "all lines the order is to hold"}};
constexpr std::array refund{
    order, AdminArgument{"lines", flag, ArgumentKind::lines, optional, "only these lines [all that is left]"},
    AdminArgument{"restock", flag, ArgumentKind::yes_or_no, required,
                  "yes: the units are for sale again; no: they are written off"},
    AdminArgument{"from", flag, text, optional,
                  "shelf: only what was not shipped; buyer: only what was [shelf first]"}};
constexpr std::array ship{order, AdminArgument{"lines", flag, ArgumentKind::lines, optional,
                                               "ship only these lines [all that is not shipped]"}};

constexpr std::array one_activity{activity};
constexpr std::array list_activities{limit, cursor};
constexpr std::array create_activity{
    AdminArgument{"id", bare, text, required, "the activity's id"},
    AdminArgument{"name", flag, text, required, "name shown to people"},
    AdminArgument{"lines", flag, ArgumentKind::allotments, required,
                  "units that opening the sale sets aside"},
    AdminArgument{"limit_per_user", flag, integer, optional, "units of each SKU that one user may have"},
    AdminArgument{"opens_at", flag, text, optional,
                  "earliest time of an order, such as 2026-11-29T20:00:00Z"},
    AdminArgument{"closes_at", flag, text, optional, "time from which no order is taken"},
    AdminArgument{"hold_seconds", flag, integer, optional,
                  "how long an unpaid order holds its units [rules.hold_seconds]"},
    mode};
constexpr std::array change_activity{activity, buckets, mode};

constexpr std::array show_gate{AdminArgument{"sku", bare, text, required, "the SKU"}};

constexpr std::array trace{
    AdminArgument{"order", flag, text, optional, "trace this order"},
    AdminArgument{"request", flag, text, optional,
                  "trace the order that the request with this key made or changed"},
    AdminArgument{"caller", flag, text, optional, "caller of that request [shop]"},
    AdminArgument{"user", flag, text, optional, "trace this user's orders, latest first"},
    AdminArgument{"limit", flag, integer, optional, "how many of a user's orders [20]"},
    cursor};

constexpr auto commands = std::to_array<AdminCommand>({
    {"stock", "create", "PUT", "/v1/skus/{}", create_sku, ResponseLayout::result,
     "Create a SKU, or change its buckets or its mode",
     "  gavel stock create tee\n  gavel stock create tee --buckets 8 --mode gated"},
    {"stock", "show", "GET", "/v1/stock", show_stock, ResponseLayout::stock,
     "Show how many units are available, reserved, sold, shipped and short",
     "  gavel stock show tee\n  gavel stock show tee cup --json"},
    {"stock", "short", "GET", "/v1/admin/shortages", list_shortages, ResponseLayout::stock,
     "List shortages: units that orders hold but stock does not have",
     "  gavel stock short\n  gavel stock short --limit 10 --cursor 17"},
    {"stock", "receive", "POST", "/v1/stock/{}/receive", receive, ResponseLayout::result,
     "Receive units into stock",
     "  gavel stock receive tee 100\n  gavel stock receive tee 100 --key inbound-17"},
    {"stock", "adjust", "POST", "/v1/stock/{}/adjust", adjust, ResponseLayout::result,
     "Record units found or lost",
     "  gavel stock adjust tee 5 --reason found\n  gavel stock adjust tee -5 --reason damaged"},
    {"stock", "count", "POST", "/v1/stock/{}/count", count, ResponseLayout::result,
     "Record a count of the units on hand", "  gavel stock count tee 97 --version 12"},

    {"order", "show", "GET", "/v1/orders/{}", one_order, ResponseLayout::order,
     "Show an order and where its units come from",
     "  gavel order show 01a22942-705d-7d85-a8a4-b1e6f29d2bd5"},
    {"order", "list", "GET", "/v1/orders", list_orders, ResponseLayout::orders,
     "List a user's orders, latest first",
     "  gavel order list --user ann\n  gavel order list --user ann --state held --limit 10"},
    {"order", "confirm", "POST", "/v1/orders/{}/confirm", confirm, ResponseLayout::result,
     "Mark an order as paid",
     "  gavel order confirm 01a22942-705d-7d85-a8a4-b1e6f29d2bd5\n"
     "  gavel order confirm 01a22942-705d-7d85-a8a4-b1e6f29d2bd5 --lines tee=1"},
    {"order", "extend", "POST", "/v1/orders/{}/extend", extend, ResponseLayout::result,
     "Extend the hold of an unpaid order",
     "  gavel order extend 01a22942-705d-7d85-a8a4-b1e6f29d2bd5 --seconds 120"},
    {"order", "change", "PATCH", "/v1/orders/{}", change, ResponseLayout::result,
     "Change the lines of an unpaid order",
     "  gavel order change 01a22942-705d-7d85-a8a4-b1e6f29d2bd5 --lines tee=2 cup=1"},
    {"order", "cancel", "POST", "/v1/orders/{}/cancel", one_order, ResponseLayout::result,
     "Cancel an unpaid order", "  gavel order cancel 01a22942-705d-7d85-a8a4-b1e6f29d2bd5"},
    {"order", "refund", "POST", "/v1/orders/{}/refund", refund, ResponseLayout::result,
     "Refund a paid order, whole or in part",
     "  gavel order refund 01a22942-705d-7d85-a8a4-b1e6f29d2bd5 --restock yes\n"
     "  gavel order refund 01a22942-705d-7d85-a8a4-b1e6f29d2bd5 --restock no --lines tee=1 cup=2"},
    {"order", "ship", "POST", "/v1/orders/{}/ship", ship, ResponseLayout::result,
     "Record that units of a paid order left for their buyer",
     "  gavel order ship 01a22942-705d-7d85-a8a4-b1e6f29d2bd5\n"
     "  gavel order ship 01a22942-705d-7d85-a8a4-b1e6f29d2bd5 --lines tee=1"},

    {"activity", "list", "GET", "/v1/activities", list_activities, ResponseLayout::activities,
     "List sales, sorted by id", "  gavel activity list\n  gavel activity list --limit 10 --cursor drop"},
    {"activity", "show", "GET", "/v1/activities/{}", one_activity, ResponseLayout::activity, "Show a sale",
     "  gavel activity show drop"},
    {"activity", "create", "POST", "/v1/activities", create_activity, ResponseLayout::result,
     "Create a sale as a draft",
     "  gavel activity create drop --name 'Friday drop' --lines tee=100 --limit-per-user 1\n"
     "  gavel activity create drop --name 'Friday drop' --lines tee=100 cup=50 --opens-at "
     "2026-11-29T20:00:00Z"},
    {"activity", "change", "PUT", "/v1/activities/{}", change_activity, ResponseLayout::result,
     "Change the mode or the buckets of a sale, even while it sells",
     "  gavel activity change drop --mode gated\n  gavel activity change drop --buckets 16"},
    {"activity", "warm", "POST", "/v1/activities/{}/warm", one_activity, ResponseLayout::result,
     "Create a gated sale's entries in the gate, before it opens", "  gavel activity warm drop"},
    {"activity", "check", "POST", "/v1/activities/{}/check", one_activity, ResponseLayout::result,
     "Compare the gate with the judge, before the sale opens", "  gavel activity check drop"},
    {"activity", "open", "POST", "/v1/activities/{}/open", one_activity, ResponseLayout::result,
     "Open a sale and set its units aside", "  gavel activity open drop"},
    {"activity", "close", "POST", "/v1/activities/{}/close", one_activity, ResponseLayout::result,
     "Close a sale and return its unsold units to free stock", "  gavel activity close drop"},

    {"gate", "show", "GET", "/v1/admin/gate", show_gate, ResponseLayout::gate,
     "Show a SKU at the gate and at the judge, side by side", "  gavel gate show tee"},

    {"clock",
     "show",
     "GET",
     "/v1/admin/clock",
     {},
     ResponseLayout::clocks,
     "Show the judge's time beside the wall clock",
     "  gavel clock show\n  gavel clock show --json"},

    {"trace", "", "GET", "/v1/trace", trace, ResponseLayout::trace,
     "Show all requests and ledger entries of an order, a request or a user",
     "  gavel trace --order 01a22942-705d-7d85-a8a4-b1e6f29d2bd5\n  gavel trace --request ann-1\n"
     "  gavel trace --user ann --limit 1"},
});

std::unexpected<Error> wrong(const AdminArgument& argument, const std::string& why) {
  const bool named = argument.place == flag;
  return fail(ErrorCode::invalid, (named ? "--" + argument.flag() : argument.placeholder()) + ": " + why);
}

std::optional<std::int64_t> number_of(std::string_view digits) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = error == std::errc() && end == digits.data() + digits.size();
  return whole ? std::optional(number) : std::nullopt;
}

// The values as a member of the request's body.
Result<boost::json::value> lines_of(const AdminArgument& argument, const std::vector<std::string>& values) {
  const char* units_name = argument.kind == ArgumentKind::lines ? "quantity" : "allotment";
  boost::json::array lines;
  for (const std::string& line : values) {
    const std::size_t sign = line.rfind('=');
    const auto units =
        sign == std::string::npos ? std::nullopt : number_of(std::string_view(line).substr(sign + 1));
    if (!units || sign == 0) return wrong(argument, "'" + line + "' is not SKU=N, such as tee=2");
    lines.push_back(boost::json::object{{"sku", line.substr(0, sign)}, {units_name, *units}});
  }
  return lines;
}

Result<boost::json::value> json_of(const AdminArgument& argument, const std::vector<std::string>& values) {
  CHECK(!values.empty());
  const std::string& one = values.front();
  switch (argument.kind) {
    case ArgumentKind::integer: {
      const auto number = number_of(one);
      if (!number) return wrong(argument, "'" + one + "' is not an integer");
      return boost::json::value(*number);
    }
    case ArgumentKind::yes_or_no:
      if (one != "yes" && one != "no") return wrong(argument, "must be yes or no, but is '" + one + "'");
      return boost::json::value(one == "yes");
    case ArgumentKind::lines:
    case ArgumentKind::allotments:
      return lines_of(argument, values);
    case ArgumentKind::text:
    case ArgumentKind::texts:
      break;
  }
  return boost::json::value(one);
}

}  // namespace

std::string AdminArgument::flag() const {
  std::string name(field);
  std::ranges::replace(name, '_', '-');
  return name;
}

std::string AdminArgument::placeholder() const {
  if (kind == ArgumentKind::yes_or_no) return "yes|no";
  if (kind == ArgumentKind::lines || kind == ArgumentKind::allotments) return "SKU=N";
  if (place == ArgumentPlace::flag) return kind == ArgumentKind::integer ? "N" : "TEXT";
  std::string name(field);
  for (char& c : name) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return name;
}

std::span<const AdminCommand> admin_commands() { return commands; }

Result<HttpRequest> request_of(const AdminCommand& command, const ArgumentValues& values) {
  HttpRequest request{.method = std::string(command.method), .target = std::string(command.target)};
  boost::json::object body;
  std::string query;
  for (const AdminArgument& argument : command.arguments) {
    const auto given = values.find(argument.field);
    if (given == values.end() || given->second.empty()) {
      if (argument.need == required) return wrong(argument, "is missing");
      continue;
    }
    if (!std::ranges::all_of(given->second,
                             [](const auto& value) { return count_characters(value).has_value(); })) {
      return wrong(argument, "is not UTF-8");
    }
    if (argument.place == in_path) {
      // An empty one would make another path.
      if (given->second.front().empty()) return wrong(argument, "is empty");
      const std::size_t hole = request.target.find("{}");
      CHECK(hole != std::string::npos);
      request.target.replace(hole, 2, percent_encoded(given->second.front()));
      continue;
    }
    if (!command.writes()) {
      for (const std::string& value : given->second) {
        query += (query.empty() ? "?" : "&") + std::string(argument.field) + "=" + percent_encoded(value);
      }
      continue;
    }
    auto json = json_of(argument, given->second);
    if (!json) return std::unexpected(json.error());
    body[argument.field] = *std::move(json);
  }
  request.target += query;
  if (!body.empty()) request.body = boost::json::serialize(body);
  return request;
}

}  // namespace gavel::app
