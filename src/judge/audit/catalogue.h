// Catalogue: the SKUs, activities and stock items of a database, which an audit keeps while it lives.
//
// A shop has as many of them as it offers, however much it sells. Private to audit/. One thread.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "rules/command.h"
#include "rules/state.h"

namespace gavel::judge {

class Catalogue {
 public:
  void add(const rules::Sku& row) {
    skus_.emplace(row.id, row.code);
    sku_codes_.insert(rules::escaped_code(row.code.text()));
  }
  void add(const rules::Activity& row) {
    activities_.emplace(row.id, row);
    activity_states_.emplace(rules::escaped_code(row.code.text()), row.state);
  }
  void add(const rules::Item& row) { items_.emplace(row.id, Pool{row.sku, row.activity}); }

  struct Pool {
    rules::SkuId sku;
    rules::ActivityId activity;
  };
  // Null where there is none of this number.
  const Pool* pool_of(rules::ItemId item) const { return find(items_, item); }
  const rules::SkuCode* code_of(rules::SkuId sku) const { return find(skus_, sku); }
  const rules::Activity* activity(rules::ActivityId id) const { return find(activities_, id); }
  const rules::ActivityState* state_of(const std::string& activity) const {
    return find(activity_states_, activity);
  }
  bool has_sku(const std::string& code) const { return sku_codes_.contains(code); }

  // Of an item that is there.
  rules::SkuCode sku_of(rules::ItemId item) const {
    const rules::SkuCode* code = code_of(items_.at(item).sku);
    return code == nullptr ? rules::SkuCode("unknown") : *code;
  }

 private:
  template <class Table, class Key>
  static const typename Table::mapped_type* find(const Table& table, const Key& key) {
    const auto found = table.find(key);
    return found == table.end() ? nullptr : &found->second;
  }

  std::map<rules::SkuId, rules::SkuCode> skus_;
  // By the code as contents have it (rules::escaped_code).
  std::set<std::string> sku_codes_;
  std::map<std::string, rules::ActivityState> activity_states_;
  std::map<rules::ActivityId, rules::Activity> activities_;
  std::map<rules::ItemId, Pool> items_;
};

}  // namespace gavel::judge
