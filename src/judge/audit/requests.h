// What was answered, against what happened: a yes has its effect and no other, a recorded no has none (I5,
// I6).
//
// Private to audit/. Pure; one thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "judge/audit/catalogue.h"
#include "judge/audit/effects.h"
#include "rules/state.h"

namespace gavel::judge {

// What is wrong with a row, in words that go on from its name; nothing if it is right.
using Wrong = std::optional<std::string>;

using UnitsBySku = std::map<rules::SkuCode, std::int64_t>;
std::string text_of(const UnitsBySku& units);  // "cap*1,tee*2"

// What the ledger and its row say of the order that a request names.
struct KnownOrder {
  rules::OrderId id;
  rules::OrderState state = rules::OrderState::held;
  rules::Caller account;
  rules::UserId user;
  UnitsBySku units;  // That it took when it was made, as its flows say.
  std::optional<Time> expires_at;
  std::vector<std::pair<Time, std::string>> changes;        // What it had after each, as lines.
  std::map<rules::RequestId, std::string> changed_to = {};  // What it had after the change, as lines.
  // Several lanes changed it at one time and in different buckets: no row says which was first.
  bool unordered = false;
};

class RequestCheck {
 public:
  explicit RequestCheck(const Catalogue& catalogue) : catalogue_(catalogue) {}

  // `effects` are those of the request's key that can_matter to it; `order` is the one that the answer names,
  // null if it names none. The orders that the row names exist.
  Wrong wrong_request(const rules::IdempotencyRecord& row, const Effects& effects,
                      const KnownOrder* order) const;

 private:
  using IdempotencyRecord = rules::IdempotencyRecord;

  Wrong wrong_effect(const IdempotencyRecord& row, const Effect& effect, const KnownOrder* order) const;
  static Wrong wrong_sale(const IdempotencyRecord& row, const Effect& effect, const KnownOrder* order);
  static Wrong wrong_extension(const IdempotencyRecord& row, const Effect& effect, const KnownOrder* order);
  static Wrong wrong_change(const IdempotencyRecord& row, const Effect& effect, const KnownOrder* order);
  Wrong wrong_settling(const IdempotencyRecord& row, const Effect& effect) const;
  Wrong wrong_refund(const IdempotencyRecord& row, const Effect& effect) const;
  Wrong wrong_shipping(const IdempotencyRecord& row, const Effect& effect) const;
  Wrong wrong_correction(const IdempotencyRecord& row, const Effect& effect) const;
  Wrong wrong_inbound(const IdempotencyRecord& row, const Effect& effect) const;
  Wrong wrong_administration(const IdempotencyRecord& row, const Effect& effect) const;
  std::string lines_of(const Effect& effect) const;

  const Catalogue& catalogue_;
};

// Whether what happened at `at` may stand against a request that was answered at `answered_at`: under a key
// that was forgotten before, something else may have happened.
bool can_matter(Time at, Time answered_at);

std::string name_of(const rules::IdempotencyRecord& row);  // "request shop/pay"
// The finding about a row: "request shop/pay says confirmed, but …".
std::string finding_of(const rules::IdempotencyRecord& row, const std::string& wrong);

}  // namespace gavel::judge
