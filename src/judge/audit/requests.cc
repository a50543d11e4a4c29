#include "judge/audit/requests.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/uuid.h"
#include "judge/audit/findings.h"
#include "rules/command.h"

namespace gavel::judge {
namespace {

using rules::Action;
using rules::IdempotencyRecord;
using rules::Outcome;

// No request is forgotten earlier (A28: 48 hours, and the hour by which keys may run ahead).
constexpr std::chrono::hours forgotten_after{49};

// True if `content` is `beginning`, or goes on with another field after it.
bool asks_for(const std::string& content, const std::string& beginning) {
  return content.starts_with(beginning) &&
         (content.size() == beginning.size() || content[beginning.size()] == ';');
}

// The value of the field that `name` ("sku=") begins; empty if there is none.
std::string field_of(const std::string& content, const std::string& name) {
  const std::size_t at = content.find(";" + name);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + 1 + name.size();
  return content.substr(begin, content.find(';', begin) - begin);
}

// Whether the order had these lines at that time. Of several changes in one batch each one's are possible.
bool had(const KnownOrder& order, Time at, const std::string& lines) {
  std::string before = text_of(order.units);
  for (const auto& [changed_at, changed_to] : order.changes) {
    if (changed_at < at) before = changed_to;
    if (changed_at == at && changed_to == lines) return true;
  }
  return before == lines;
}

}  // namespace

std::string name_of(const IdempotencyRecord& row) {
  return "request " + row.caller.text() + "/" + std::string(row.key.text());
}

std::string finding_of(const IdempotencyRecord& row, const std::string& wrong) {
  return name_of(row) + " says " + std::string(word(row.verdict.outcome)) + ", " + wrong;
}

std::string text_of(const UnitsBySku& units) {
  std::string lines;
  for (const auto& [code, count] : units) {
    if (count != 0)
      lines += (lines.empty() ? "" : ",") + rules::escaped_code(code.text()) + "*" + std::to_string(count);
  }
  return lines;
}

bool can_matter(Time at, Time answered_at) { return at == answered_at || at > answered_at - forgotten_after; }

Wrong RequestCheck::wrong_request(const IdempotencyRecord& row, const Effects& effects,
                                  const KnownOrder* order) const {
  const auto found = effects.find(row.verdict.at);
  if (Wrong wrong = wrong_effect(row, found == effects.end() ? Effect{} : found->second, order)) return wrong;
  for (const auto& [at, effect] : effects) {
    if (at == row.verdict.at || !can_matter(at, row.verdict.at)) continue;
    return "but something happened under its key at " + to_text(at);
  }
  return std::nullopt;
}

Wrong RequestCheck::wrong_effect(const IdempotencyRecord& row, const Effect& effect,
                                 const KnownOrder* order) const {
  switch (row.verdict.outcome) {
    case Outcome::reserved:
    case Outcome::sold:
      return wrong_sale(row, effect, order);
    case Outcome::extended:
      return wrong_extension(row, effect, order);
    case Outcome::confirmed:
    case Outcome::cancelled:
      return wrong_settling(row, effect);
    case Outcome::refunded:
      return wrong_refund(row, effect);
    case Outcome::shipped:
      return wrong_shipping(row, effect);
    case Outcome::received:
      return wrong_inbound(row, effect);
    case Outcome::adjusted:
    case Outcome::counted:
      return wrong_correction(row, effect);
    case Outcome::changed:
      return row.content.starts_with("act=change;") ? wrong_change(row, effect, order)
                                                    : wrong_administration(row, effect);
    case Outcome::created:
    case Outcome::warmed:
    case Outcome::verified:
    case Outcome::opened:
    case Outcome::closed:
      return wrong_administration(row, effect);
    default:
      if (effect.units.sum() != 0) return "but something happened under its key";
      return std::nullopt;
  }
}

// The order is the one asked for: its user, its units of each SKU, taken under this very key.
Wrong RequestCheck::wrong_sale(const IdempotencyRecord& row, const Effect& effect, const KnownOrder* order) {
  if (!row.verdict.order) return "but names no order";
  const Action action = row.verdict.outcome == Outcome::sold ? Action::sell : Action::reserve;
  const std::int64_t units = effect.units[action];
  if (units == 0 || units != effect.units.sum() || effect.orders != std::set{*row.verdict.order}) {
    return "but its key did not take the units of its order";
  }
  const std::string lines = text_of(order->units);
  if (!asks_for(row.content,
                "act=reserve;user=" + rules::escaped_code(order->user.text()) + ";lines=" + lines)) {
    return "but its order is of user " + order->user.text() + " and has " +
           (lines.empty() ? "nothing" : lines);
  }
  return std::nullopt;
}

// A hold is never made shorter, so the order's lasts at least as long as any answer said.
Wrong RequestCheck::wrong_extension(const IdempotencyRecord& row, const Effect& effect,
                                    const KnownOrder* order) {
  if (!row.verdict.order) return "but names no order";
  if (effect.units.sum() != 0) return "but something moved under its key";
  if (!asks_for(row.content, "act=extend;order=" + gavel::to_text(row.verdict.order->uuid))) {
    return "but another order was meant";
  }
  const std::optional<Time> until = row.verdict.detail.expires_at;
  if (!until || order->expires_at < until) return "but its order's hold is shorter";
  return std::nullopt;
}

// What falls is cancelled and what rises is reserved, and the order has what was asked for then. Units that
// return may move on, when the activity is closed. A change to what is there moves nothing.
Wrong RequestCheck::wrong_change(const IdempotencyRecord& row, const Effect& effect,
                                 const KnownOrder* order) {
  if (!row.verdict.order) return "but names no order";
  const std::int64_t fell = effect.units[Action::cancel];
  const std::int64_t moved = effect.units[Action::move_out] + effect.units[Action::move_in];
  const std::int64_t units = fell + effect.units[Action::reserve];
  if (units + (fell > 0 ? moved : 0) != effect.units.sum()) return "but its key did not change an order";
  if (!asks_for(row.content, "act=change;order=" + gavel::to_text(row.verdict.order->uuid))) {
    return "but another order was meant";
  }
  if (order->unordered) return std::nullopt;
  const bool moved_nothing = units == 0;
  if (moved_nothing && had(*order, row.verdict.at, field_of(row.content, "lines="))) return std::nullopt;
  if (moved_nothing) return "but its order had other lines, and nothing moved";
  if (effect.orders != std::set{*row.verdict.order}) return "but its key changed another order";
  const auto lines = order->changed_to.find({row.caller, row.key});
  const bool has_none = lines == order->changed_to.end() || lines->second.empty();
  const std::string after = has_none ? "nothing" : lines->second;
  if (field_of(row.content, "lines=") != after) return "but its order had " + after + " after it";
  return std::nullopt;
}

// Units of a cancelled order may move on, when its activity is closed; so may the rest of one that was paid
// in part.
Wrong RequestCheck::wrong_settling(const IdempotencyRecord& row, const Effect& effect) const {
  if (!row.verdict.order) return "but names no order";
  const bool confirms = row.verdict.outcome == Outcome::confirmed;
  const std::string order = gavel::to_text(row.verdict.order->uuid);
  const bool in_part = confirms && row.content.starts_with("act=confirm;order=" + order + ";lines=");
  const std::int64_t units = effect.units[confirms ? Action::confirm : Action::cancel];
  const std::int64_t moved = effect.units[Action::move_out] + effect.units[Action::move_in];
  const std::int64_t besides =
      confirms ? (in_part ? effect.units[Action::cancel] + moved : std::int64_t{0}) : moved;
  if (units == 0 || units + besides != effect.units.sum() || effect.orders != std::set{*row.verdict.order}) {
    return "but its key did not settle its order";
  }
  if (!asks_for(row.content, std::string("act=") + (confirms ? "confirm" : "cancel") + ";order=" + order)) {
    return "but another order was meant";
  }
  if (in_part && field_of(row.content, "lines=") != lines_of(effect)) {
    return "but its key confirmed " + lines_of(effect);
  }
  return std::nullopt;
}

// Units that are restocked may move on, when the order's activity is closed.
Wrong RequestCheck::wrong_refund(const IdempotencyRecord& row, const Effect& effect) const {
  if (!row.verdict.order) return "but names no order";
  const bool restocks = field_of(row.content, "restock=") == "true";
  // What was never there is not written off: it pays what is owed.
  const std::int64_t given_up = restocks ? 0 : std::min(effect.units[Action::refund], effect.paid);
  const std::int64_t here = effect.units[restocks ? Action::refund : Action::write_off] + given_up;
  const std::int64_t back = effect.units[restocks ? Action::take_back : Action::write_off_shipped];
  const std::int64_t units = here + back;
  const std::string from = field_of(row.content, "from=");
  const std::int64_t moved = effect.units[Action::move_out] + effect.units[Action::move_in];
  if (units == 0 || units + (restocks ? moved : 0) != effect.units.sum() ||
      effect.orders != std::set{*row.verdict.order}) {
    return "but its key did not refund its order";
  }
  if (!asks_for(row.content, "act=refund;order=" + gavel::to_text(row.verdict.order->uuid))) {
    return "but another order was meant";
  }
  if ((from == "shelf" && back != 0) || (from == "buyer" && here != 0)) {
    return "but its key refunded " + std::to_string(here) + " from the shelf and " + std::to_string(back) +
           " from the buyer";
  }
  const std::string lines = field_of(row.content, "lines=");
  if (!lines.empty() && lines != lines_of(effect)) return "but its key refunded " + lines_of(effect);
  return std::nullopt;
}

// Units that turned out to be there come in beside it (E22).
Wrong RequestCheck::wrong_shipping(const IdempotencyRecord& row, const Effect& effect) const {
  if (!row.verdict.order) return "but names no order";
  const std::int64_t units = effect.units[Action::ship];
  const std::int64_t found = effect.units[Action::adjust_in];
  if (units == 0 || found > units || units + found != effect.units.sum() ||
      effect.orders != std::set{*row.verdict.order}) {
    return "but its key did not ship its order";
  }
  if (!asks_for(row.content, "act=ship;order=" + gavel::to_text(row.verdict.order->uuid))) {
    return "but another order was meant";
  }
  const std::string lines = field_of(row.content, "lines=");
  if (!lines.empty() && lines != lines_of(effect)) return "but its key shipped " + lines_of(effect);
  return std::nullopt;
}

// What left an order, in the words of a request's content.
std::string RequestCheck::lines_of(const Effect& effect) const {
  UnitsBySku units;
  for (const auto& [sku, count] : effect.skus) {
    const rules::SkuCode* code = catalogue_.code_of(sku);
    if (code != nullptr) units[*code] += count;
  }
  const std::string lines = text_of(units);
  return lines.empty() ? "nothing" : lines;
}

Wrong RequestCheck::wrong_inbound(const IdempotencyRecord& row, const Effect& effect) const {
  const std::int64_t units = effect.units[Action::receive];
  const rules::SkuCode* code =
      effect.skus.size() == 1 ? catalogue_.code_of(effect.skus.begin()->first) : nullptr;
  if (units != effect.units.sum() || code == nullptr) return "but its key did not receive units of one SKU";
  const std::string& sku = code->text();
  if (!asks_for(row.content,
                "act=receive;sku=" + rules::escaped_code(sku) + ";quantity=" + std::to_string(units))) {
    return "but its key received " + std::to_string(units) + " of " + sku;
  }
  return std::nullopt;
}

// A difference is the one that was asked for; a count says nothing of what was there, and moves one way.
Wrong RequestCheck::wrong_correction(const IdempotencyRecord& row, const Effect& effect) const {
  const std::int64_t in = effect.units[Action::adjust_in];
  const std::int64_t out = effect.units[Action::adjust_out] + effect.units[Action::fall_short];
  if (in + out != effect.units.sum() || (in != 0 && out != 0)) return "but its key did not correct stock";
  const std::string sku = field_of(row.content, "sku=");
  if (!catalogue_.has_sku(sku)) return "but SKU " + sku + " does not exist";
  const bool moves = in + out != 0;
  const rules::SkuCode* code =
      effect.skus.size() == 1 ? catalogue_.code_of(effect.skus.begin()->first) : nullptr;
  if (moves && (code == nullptr || rules::escaped_code(code->text()) != sku)) {
    return "but its key corrected another SKU";
  }
  const std::string asked = field_of(row.content, "difference=");
  if (row.verdict.outcome == Outcome::adjusted && asked != std::to_string(in - out)) {
    return "but its key corrected by " + std::to_string(in - out);
  }
  return std::nullopt;
}

Wrong RequestCheck::wrong_administration(const IdempotencyRecord& row, const Effect& effect) const {
  const std::int64_t moved = effect.units[Action::move_out] + effect.units[Action::move_in];
  const std::set<Outcome> movers{Outcome::opened, Outcome::closed, Outcome::changed};
  const bool moves = movers.contains(row.verdict.outcome);
  if (effect.units.sum() != (moves ? moved : 0)) return "but more happened under its key";
  if (row.verdict.outcome == Outcome::opened && moved == 0) return "but its key moved nothing";
  if (row.content.starts_with("act=put_sku;")) {
    const std::string sku = field_of(row.content, "sku=");
    return catalogue_.has_sku(sku) ? std::nullopt : Wrong("but SKU " + sku + " does not exist");
  }
  const std::string code = field_of(row.content, "activity=");
  const rules::ActivityState* state = catalogue_.state_of(code);
  if (state == nullptr) return "but activity " + code + " does not exist";
  if ((row.verdict.outcome == Outcome::opened && rules::is_before_open(*state)) ||
      (row.verdict.outcome == Outcome::closed && *state != rules::ActivityState::closed)) {
    return "but activity " + code + " is " + std::string(word(*state));
  }
  return std::nullopt;
}

}  // namespace gavel::judge
