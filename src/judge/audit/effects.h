// Effects: what the ledger says that happened under one request key.
//
// Private to audit/. One thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/time.h"
#include "judge/audit/catalogue.h"
#include "judge/reader.h"

namespace gavel::judge {

// Units that moved, by action.
class Units {
 public:
  std::int64_t& operator[](rules::Action action) { return units_[static_cast<std::size_t>(action)]; }
  std::int64_t operator[](rules::Action action) const { return units_[static_cast<std::size_t>(action)]; }
  std::int64_t sum() const;
  std::string text() const;  // "reserve 2, confirm 2"

 private:
  std::array<std::int64_t, rules::actions_count> units_{};
};

// What happened under a key at one time.
struct Effect {
  Units units;
  std::set<rules::OrderId> orders;
  std::map<rules::SkuId, std::int64_t> skus;  // With how many were paid, shipped or refunded.
  std::int64_t paid = 0;                      // Of `units`, what paid a shortage at once (E7).
};
using Effects = std::map<Time, Effect>;

// What one entry of the ledger adds to an effect.
struct EffectPart {
  rules::ItemId item;
  rules::Action action = rules::Action::receive;
  std::int64_t units = 0;
  std::optional<rules::OrderId> order;
  bool follows_shortage = false;

  static EffectPart of(const rules::Flow& flow);
  static EffectPart parse(std::string_view bytes);
  std::string bytes() const;

  void add_to(Effect& effect, const Catalogue& catalogue) const;
};

// An entry of an order under the key that is the order's own id: it stands with its order, and no audit needs
// to look for it elsewhere.
bool is_own(const rules::Flow& flow);

}  // namespace gavel::judge
