// GateModes: which stock goes through the gate (D1).
//
// Holds the modes that operators have set for SKUs and activities beside the service's own. They are read
// once at the start and change with the commit of the act that sets them. One thread (the pipeline's
// executor) but for any_gated().
#pragma once

#include <atomic>
#include <compare>
#include <optional>

#include "judge/reader.h"
#include "rules/ids.h"
#include "rules/mode.h"

namespace gavel::pipeline {

// Where units are sold from: the free stock of a SKU, or what an activity has set aside of it.
struct StockPool {
  rules::SkuCode sku;
  std::optional<rules::ActivityCode> activity;
  friend auto operator<=>(const StockPool&, const StockPool&) = default;
};

// The pool that a row of a SKU's stock is of.
StockPool pool_of(const rules::SkuCode& sku, const judge::StockRow& row);

class GateModes {
 public:
  // `service` is the service's own mode, direct or gated (CHECKed); `set` is what operators have set.
  GateModes(rules::Mode service, judge::Modes set);

  // direct or gated.
  rules::Mode mode_of(const StockPool& pool) const;
  bool is_gated(const StockPool& pool) const { return mode_of(pool) == rules::Mode::gated; }

  // What a batch has set, `service` included; it holds from here on.
  void apply(const judge::Modes& changes);

  // False as long as no item can be at the gate: then a sale costs the gate's side nothing. It becomes true
  // before the first such item is read, and stays so, so that no batch goes untold that such a read has not
  // seen. Any thread.
  bool any_gated() const { return any_gated_.load(std::memory_order_acquire); }

 private:
  const rules::Mode service_;
  judge::Modes set_;
  std::atomic<bool> any_gated_;
};

}  // namespace gavel::pipeline
