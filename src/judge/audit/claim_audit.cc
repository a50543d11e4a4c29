#include "judge/audit/claim_audit.h"

#include "judge/audit/record_bytes.h"

namespace gavel::judge {
namespace {

std::string key_of(const rules::QuotaKey& key) {
  RecordWriter to;
  return to.number(key.activity.value).number(key.sku.value).text(key.user.text()).bytes();
}

}  // namespace

Result<void> ClaimAudit::add(const rules::QuotaKey& key, std::int64_t units, const rules::Order& order) {
  RecordWriter value;
  return records_.add(key_of(key), value.order(order.id).number(units).text(order.account.text()).bytes());
}

Result<bool> ClaimAudit::pass(const rules::QuotaKey& key) {
  if (records_.is_end() || records_.key() >= key_of(key)) return false;
  return take_alone();
}

Result<bool> ClaimAudit::pass_all() {
  if (records_.is_end()) return false;
  return take_alone();
}

Result<ClaimAudit::Claim> ClaimAudit::take(const std::string& key,
                                           const std::optional<rules::OrderId>& order) {
  Claim claim;
  while (!records_.is_end() && records_.key() == key) {
    RecordReader value(records_.value());
    const bool is_named = value.order() == order;
    claim.names_order = is_named || claim.names_order;
    const std::int64_t units = value.number();
    if (is_named) claim.account = value.text();
    claim.units += units;
    claim.has_some = claim.has_some || units != 0;
    if (const Result<void> next = records_.next(); !next) return std::unexpected(next.error());
  }
  return claim;
}

Result<bool> ClaimAudit::take_alone() {
  const std::string key(records_.key());
  const Result<Claim> claim = take(key, std::nullopt);
  if (!claim) return std::unexpected(claim.error());
  RecordReader from(key);
  const rules::Activity* activity = catalogue_.activity({from.number()});
  // Without a limit nothing is claimed, and the claims of a closed activity are deleted in time (B3).
  if (!claim->has_some || activity == nullptr || !activity->limit_per_user) return true;
  if (activity->state == rules::ActivityState::closed) return true;
  from.number();
  findings_.add(Subject::claim_without_row, "quotas",
                "user " + std::string(from.text()) + " has " + std::to_string(claim->units) + " units of " +
                    activity->code.text() + ", but no claim");
  return true;
}

Result<void> ClaimAudit::quota(const QuotaRow& row) {
  const Result<Claim> claim = take(key_of(row.key), row.quota.order);
  if (!claim) return std::unexpected(claim.error());
  const std::string who = "user " + row.key.user.text() + " in activity number " +
                          std::to_string(row.key.activity.value) + ", SKU number " +
                          std::to_string(row.key.sku.value);
  const auto found = [&](const std::string& what) { findings_.add(Subject::quota, "quotas", who + what); };
  if (row.quota.claimed.units != claim->units) {
    found(": the row says " + std::to_string(row.quota.claimed.units) + " claimed, the orders say " +
          std::to_string(claim->units));
    return {};
  }
  if (row.quota.claimed > row.quota.allowed) {
    found(": " + std::to_string(claim->units) + " claimed of " + std::to_string(row.quota.allowed.units) +
          " allowed");
    return {};
  }
  if (claim->names_order && (!row.quota.account || row.quota.account->text() != claim->account)) {
    found(": the claim is not of account " + claim->account + ", of which its order is");
    return {};
  }
  if (!row.quota.order || claim->names_order) return {};
  const auto order = find_(*row.quota.order);
  if (!order) return std::unexpected(order.error());
  if (!order->has_order) {
    found(": the claim names " + name_of(*row.quota.order) + ", which does not exist");
  }
  return {};
}

}  // namespace gavel::judge
