#include "app/cli/admin_commands.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "base/json_text.h"

namespace gavel::app {
namespace {

constexpr auto in_path = WordPlace::in_path;
constexpr auto bare = WordPlace::bare;
constexpr auto flag = WordPlace::flag;
constexpr auto text = WordKind::text;
constexpr auto integer = WordKind::integer;
constexpr auto required = WordNeed::required;
constexpr auto optional = WordNeed::optional;

constexpr VerbWord sku{"sku", in_path, text, required, "the SKU"};
constexpr VerbWord order{"order", in_path, text, required, "the order's id"};
constexpr VerbWord activity{"activity", in_path, text, required, "the activity's id"};
constexpr VerbWord limit{"limit", flag, integer, optional, "how many of them, 100 if left out"};
constexpr VerbWord cursor{"cursor", flag, text, optional, "where the page before ended"};

constexpr VerbWord buckets{"buckets", flag, integer, optional, "into how many buckets its stock is split"};
constexpr VerbWord mode{"mode", flag, text, optional, "direct, gated, or as the service is: service"};

constexpr std::array create_sku{sku, buckets, mode};
constexpr std::array show_stock{VerbWord{"sku", bare, WordKind::texts, required, "the SKUs"}};
constexpr std::array list_shortages{limit, cursor};
constexpr std::array receive{sku, VerbWord{"quantity", bare, integer, required, "units that came in"}};
constexpr std::array adjust{sku,
                            VerbWord{"difference", bare, integer, required, "units found (5) or lost (-5)"},
                            VerbWord{"reason", flag, text, required, "why, for the ledger"}};
constexpr std::array count{
    sku, VerbWord{"counted", bare, integer, required, "units on hand"},
    VerbWord{"version", flag, integer, required, "as stock showed it when they were counted"}};

constexpr std::array one_order{order};
constexpr std::array list_orders{
    VerbWord{"user", flag, text, required, "whose orders"},
    VerbWord{"state", flag, text, optional,
             "only those that are held, paid, cancelled, expired, partly_refunded or refunded"},
    limit, cursor};
constexpr std::array confirm{
    order, VerbWord{"lines", flag, WordKind::lines, optional, "pay these alone; the rest returns to stock"}};
constexpr std::array extend{order, VerbWord{"seconds", flag, integer, optional,
                                            "from this moment on; the service's own time, if left out"}};
constexpr std::array change{
    order, VerbWord{"lines", flag, WordKind::lines, required, "what it shall hold, all of it"}};
constexpr std::array refund{
    order, VerbWord{"lines", flag, WordKind::lines, optional, "these alone; all that is left, if left out"},
    VerbWord{"restock", flag, WordKind::yes_or_no, required, "for sale again, or written off"}};

constexpr std::array one_activity{activity};
constexpr std::array list_activities{limit, cursor};
constexpr std::array create_activity{
    VerbWord{"id", bare, text, required, "the activity's id"},
    VerbWord{"name", flag, text, required, "for people"},
    VerbWord{"lines", flag, WordKind::allotments, required, "units that opening sets aside"},
    VerbWord{"limit_per_user", flag, integer, optional, "units one user may have, of each SKU"},
    VerbWord{"opens_at", flag, text, optional, "not before, 2026-11-29T20:00:00Z"},
    VerbWord{"closes_at", flag, text, optional, "nor from then on"},
    VerbWord{"hold_seconds", flag, integer, optional, "how long its orders hold their units unpaid"},
    mode};
constexpr std::array change_activity{activity, buckets, mode};

constexpr std::array show_gate{VerbWord{"sku", bare, text, required, "the SKU"}};

constexpr std::array trace{
    VerbWord{"order", flag, text, optional, "of this order"},
    VerbWord{"request", flag, text, optional, "of the order that this request made or acted on"},
    VerbWord{"caller", flag, text, optional, "whose request; shop, if left out"},
    VerbWord{"user", flag, text, optional, "of this user's orders, the latest first"},
    VerbWord{"limit", flag, integer, optional, "how many of a user's orders, 20 if left out"},
    cursor};

constexpr auto verbs = std::to_array<Verb>({
    {"stock", "create", "PUT", "/v1/skus/{}", create_sku, Shows::deed,
     "Make a SKU, or change its buckets or its mode",
     "  gavel stock create tee\n  gavel stock create tee --buckets 8 --mode gated"},
    {"stock", "show", "GET", "/v1/stock", show_stock, Shows::stock,
     "Show what is available, reserved, sold and short",
     "  gavel stock show tee\n  gavel stock show tee cup --json"},
    {"stock", "short", "GET", "/v1/admin/shortages", list_shortages, Shows::stock,
     "List what is short: units that orders have and that are not there",
     "  gavel stock short\n  gavel stock short --limit 10 --cursor 17"},
    {"stock", "receive", "POST", "/v1/stock/{}/receive", receive, Shows::deed, "Take in units",
     "  gavel stock receive tee 100\n  gavel stock receive tee 100 --key inbound-17"},
    {"stock", "adjust", "POST", "/v1/stock/{}/adjust", adjust, Shows::deed, "Write down units found or lost",
     "  gavel stock adjust tee 5 --reason found\n  gavel stock adjust tee -5 --reason damaged"},
    {"stock", "count", "POST", "/v1/stock/{}/count", count, Shows::deed, "Write down a count",
     "  gavel stock count tee 97 --version 12"},

    {"order", "show", "GET", "/v1/orders/{}", one_order, Shows::order,
     "Show an order and where its units are", "  gavel order show 01a22942-705d-7d85-a8a4-b1e6f29d2bd5"},
    {"order", "list", "GET", "/v1/orders", list_orders, Shows::orders,
     "List a user's orders, the latest first",
     "  gavel order list --user ann\n  gavel order list --user ann --state held --limit 10"},
    {"order", "confirm", "POST", "/v1/orders/{}/confirm", confirm, Shows::deed, "Mark an order as paid",
     "  gavel order confirm 01a22942-705d-7d85-a8a4-b1e6f29d2bd5\n"
     "  gavel order confirm 01a22942-705d-7d85-a8a4-b1e6f29d2bd5 --lines tee=1"},
    {"order", "extend", "POST", "/v1/orders/{}/extend", extend, Shows::deed, "Let a hold last longer",
     "  gavel order extend 01a22942-705d-7d85-a8a4-b1e6f29d2bd5 --seconds 120"},
    {"order", "change", "PATCH", "/v1/orders/{}", change, Shows::deed, "Change what an unpaid order holds",
     "  gavel order change 01a22942-705d-7d85-a8a4-b1e6f29d2bd5 --lines tee=2 cup=1"},
    {"order", "cancel", "POST", "/v1/orders/{}/cancel", one_order, Shows::deed, "Cancel an unpaid order",
     "  gavel order cancel 01a22942-705d-7d85-a8a4-b1e6f29d2bd5"},
    {"order", "refund", "POST", "/v1/orders/{}/refund", refund, Shows::deed,
     "Take back units of a paid order",
     "  gavel order refund 01a22942-705d-7d85-a8a4-b1e6f29d2bd5 --restock yes\n"
     "  gavel order refund 01a22942-705d-7d85-a8a4-b1e6f29d2bd5 --restock no --lines tee=1 cup=2"},

    {"activity", "list", "GET", "/v1/activities", list_activities, Shows::activities,
     "List sales by their ids", "  gavel activity list\n  gavel activity list --limit 10 --cursor drop"},
    {"activity", "show", "GET", "/v1/activities/{}", one_activity, Shows::activity, "Show a sale",
     "  gavel activity show drop"},
    {"activity", "create", "POST", "/v1/activities", create_activity, Shows::deed, "Make a sale, as a draft",
     "  gavel activity create drop --name 'Friday drop' --lines tee=100 --limit-per-user 1\n"
     "  gavel activity create drop --name 'Friday drop' --lines tee=100 cup=50 --opens-at "
     "2026-11-29T20:00:00Z"},
    {"activity", "change", "PUT", "/v1/activities/{}", change_activity, Shows::deed,
     "Give a sale another mode or other buckets, also while it sells",
     "  gavel activity change drop --mode gated\n  gavel activity change drop --buckets 16"},
    {"activity", "warm", "POST", "/v1/activities/{}/warm", one_activity, Shows::deed,
     "Load the gate with a sale", "  gavel activity warm drop"},
    {"activity", "check", "POST", "/v1/activities/{}/check", one_activity, Shows::deed,
     "Compare the gate with the judge, before the sale opens", "  gavel activity check drop"},
    {"activity", "open", "POST", "/v1/activities/{}/open", one_activity, Shows::deed,
     "Open a sale: its units are set aside", "  gavel activity open drop"},
    {"activity", "close", "POST", "/v1/activities/{}/close", one_activity, Shows::deed,
     "Close a sale: what is unsold goes back", "  gavel activity close drop"},

    {"gate", "show", "GET", "/v1/admin/gate", show_gate, Shows::gate,
     "Show what the gate has of a SKU beside the judge", "  gavel gate show tee"},

    {"trace", "", "GET", "/v1/trace", trace, Shows::trace,
     "Show the whole chain behind an order, a request or a user",
     "  gavel trace --order 01a22942-705d-7d85-a8a4-b1e6f29d2bd5\n  gavel trace --request ann-1\n"
     "  gavel trace --user ann --limit 1"},
});

std::unexpected<Error> wrong(const VerbWord& word, const std::string& why) {
  const bool named = word.place == flag;
  return fail(ErrorCode::invalid, (named ? "--" + word.flag() : word.placeholder()) + ": " + why);
}

std::optional<std::int64_t> number_of(std::string_view digits) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = error == std::errc() && end == digits.data() + digits.size();
  return whole ? std::optional(number) : std::nullopt;
}

// What a path or a query may not hold as it is becomes %XX.
std::string percent(std::string_view plain) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string coded;
  for (const char c : plain) {
    const bool as_it_is = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                          std::string_view("-._~:").contains(c);
    if (as_it_is) {
      coded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    coded += '%';
    coded += digits[byte >> 4U];
    coded += digits[byte & 15U];
  }
  return coded;
}

Result<std::string> lines_of(const VerbWord& word, const std::vector<std::string>& said) {
  const char* of = word.kind == WordKind::lines ? R"(,"quantity":)" : R"(,"allotment":)";
  std::string json = "[";
  for (const std::string& line : said) {
    const std::size_t sign = line.rfind('=');
    const auto units =
        sign == std::string::npos ? std::nullopt : number_of(std::string_view(line).substr(sign + 1));
    if (!units || sign == 0) return wrong(word, "'" + line + "' is no SKU=N, such as tee=2");
    json += json.size() > 1 ? R"(,{"sku":)" : R"({"sku":)";
    append_json_text(json, line.substr(0, sign));
    json += of + std::to_string(*units) + "}";
  }
  return json + "]";
}

// The value as JSON.
Result<std::string> json_of(const VerbWord& word, const std::vector<std::string>& said) {
  const std::string& one = said.front();
  std::string json;
  switch (word.kind) {
    case WordKind::integer: {
      const auto number = number_of(one);
      if (!number) return wrong(word, "'" + one + "' is no integer");
      return std::to_string(*number);
    }
    case WordKind::yes_or_no:
      if (one == "yes") return "true";
      if (one == "no") return "false";
      return wrong(word, "must be yes or no, and is '" + one + "'");
    case WordKind::lines:
    case WordKind::allotments:
      return lines_of(word, said);
    case WordKind::text:
    case WordKind::texts:
      append_json_text(json, one);
      return json;
  }
  return json;
}

}  // namespace

std::string VerbWord::flag() const {
  std::string name(field);
  std::ranges::replace(name, '_', '-');
  return name;
}

std::string VerbWord::placeholder() const {
  if (kind == WordKind::yes_or_no) return "yes|no";
  if (kind == WordKind::lines || kind == WordKind::allotments) return "SKU=N";
  if (place == WordPlace::flag) return kind == WordKind::integer ? "N" : "TEXT";
  std::string name(field);
  for (char& c : name) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return name;
}

std::span<const Verb> all_verbs() { return verbs; }

Result<HttpRequest> request_of(const Verb& verb, const Words& words) {
  HttpRequest request{.method = std::string(verb.method), .target = std::string(verb.target)};
  std::string members;
  std::string query;
  for (const VerbWord& word : verb.words) {
    const auto said = words.find(word.field);
    if (said == words.end() || said->second.empty()) {
      if (word.need == required) return wrong(word, "is missing");
      continue;
    }
    if (word.place == in_path) {
      // An empty one would make another path.
      if (said->second.front().empty()) return wrong(word, "is empty");
      request.target.replace(request.target.find("{}"), 2, percent(said->second.front()));
      continue;
    }
    if (!verb.writes()) {
      for (const std::string& value : said->second) {
        query += (query.empty() ? "?" : "&") + std::string(word.field) + "=" + percent(value);
      }
      continue;
    }
    const auto json = json_of(word, said->second);
    if (!json) return std::unexpected(json.error());
    members += members.empty() ? "" : ",";
    append_json_text(members, word.field);
    members += ":" + *json;
  }
  request.target += query;
  if (!members.empty()) request.body = "{" + members + "}";
  return request;
}

}  // namespace gavel::app
