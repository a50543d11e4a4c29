#include "rules/taking.h"

#include <algorithm>

#include "base/check.h"

namespace gavel::rules {
namespace {

// A token that names no bucket of this item comes from a wrong gate, and changes no answer.
BucketNo first_bucket(const DecisionContext& c, const Item& item, const UserId& user) {
  const std::optional<BucketNo> token = c.command.token;
  const auto buckets = static_cast<BucketNo>(item.buckets.size());
  return token && *token >= 0 && *token < buckets ? *token : home_bucket(user, item.in_use());
}

// Claims of one user count over all accounts, but an account is told of its own orders alone.
bool is_told(const DecisionContext& c, const Quota& quota) {
  return quota.account && is_in_scope(c.command, *quota.account);
}

void claim(DecisionContext& c, const Activity& activity, const RequestedLine& line, OrderId order,
           const Caller& account) {
  const auto [quota, made] = c.state.quotas.try_emplace(*line.quota);
  if (made) {
    quota->second.allowed = *activity.limit_per_user;
    quota->second.row_state = RowState::inserted;
  } else if (quota->second.row_state == RowState::clean) {
    quota->second.row_state = RowState::updated;
  }
  quota->second.claimed += line.quantity;
  CHECK(quota->second.claimed <= quota->second.allowed);
  quota->second.order = order;
  quota->second.account = account;
}

}  // namespace

std::optional<RequestedLine> find_line(const DecisionContext& c, const Activity* activity, const Line& line,
                                       const UserId& user) {
  if (activity == nullptr) {
    const Sku* sku = c.state.find_sku(line.sku);
    if (sku == nullptr) return std::nullopt;
    return RequestedLine{line.sku, sku->free_item, line.quantity, std::nullopt};
  }
  const auto found = std::ranges::find(activity->lines, line.sku, &AllottedLine::code);
  if (found == activity->lines.end()) return std::nullopt;
  return RequestedLine{line.sku, found->item, line.quantity, QuotaKey{activity->id, found->sku, user}};
}

std::optional<Verdict> refuse_frozen(const DecisionContext& c, const Activity* activity,
                                     const std::vector<RequestedLine>& lines) {
  for (const RequestedLine& line : lines) {
    if (is_unsound(c.state.item(line.item))) return verdict_of(Outcome::frozen, of_sku(line.code));
    if (activity == nullptr) continue;
    const auto quota = c.state.quotas.find(*line.quota);
    if (quota != c.state.quotas.end() && is_unsound(quota->second, *activity)) {
      return verdict_of(Outcome::frozen, of_sku(line.code));
    }
  }
  return std::nullopt;
}

std::optional<Verdict> refuse_window(const DecisionContext& c, const Activity& activity) {
  if (activity.state == ActivityState::closed || (activity.closes_at && c.now >= *activity.closes_at)) {
    return verdict_of(Outcome::over);
  }
  if (is_before_open(activity.state) || (activity.opens_at && c.now < *activity.opens_at)) {
    Detail detail;
    detail.opens_at = activity.opens_at;
    return verdict_of(Outcome::not_open, detail);
  }
  return std::nullopt;
}

std::optional<Verdict> refuse_claims(DecisionContext& c, const Activity& activity,
                                     const std::vector<RequestedLine>& lines) {
  if (!activity.limit_per_user) return std::nullopt;
  for (const RequestedLine& line : lines) {
    if (make_room_for_claim(c, line, *activity.limit_per_user)) continue;
    if (c.state.due_unseen.contains(line.item)) return verdict_of(Outcome::overloaded);
    Detail detail = of_sku(line.code);
    const auto quota = c.state.quotas.find(*line.quota);
    detail.allowed = *activity.limit_per_user;
    detail.claimed = claimed_of(c, *line.quota);
    if (quota != c.state.quotas.end() && is_told(c, quota->second)) detail.order = quota->second.order;
    return verdict_of(Outcome::limit_reached, detail);
  }
  return std::nullopt;
}

std::vector<Allocation> take(DecisionContext& c, const Activity* activity, const RequestedLine& line,
                             const Buyer& buyer, Action action, const Reason& reason) {
  CHECK(is_line_quantity(line.quantity) && reason.order);
  const Item& item = c.state.item(line.item);
  std::vector<Allocation> parts = choose(item, line.quantity, first_bucket(c, item, buyer.user));
  for (const Allocation& part : parts) {
    post(c.state, part.item, part.bucket, action, part.quantity, reason);
  }
  if (activity != nullptr && activity->limit_per_user) {
    claim(c, *activity, line, *reason.order, buyer.account);
  }
  return parts;
}

}  // namespace gavel::rules
