#include "gate/token_book.h"

#include <algorithm>

#include "base/check.h"

namespace gavel::gate {
namespace {

// A second stale reply in a row cannot come from a repeated message: our calls follow one another.
constexpr int stale_replies_max = 1;

}  // namespace

void TokenBook::want(const BucketKey& key, TokenRequestId wanter, rules::Quantity units) {
  Entry& entry = buckets_[key];
  entry.tokens.want(wanter, units);
  list_if_due(key, entry);
}

void TokenBook::owe(const BucketKey& key, const Statement& statement) {
  Entry& entry = buckets_[key];
  entry.tokens.owe(statement);
  list_if_due(key, entry);
}

void TokenBook::owe(rules::Incarnation incarnation, rules::ItemId item,
                    std::span<const PendingStatement> all) {
  for (const PendingStatement& owed : all) owe({incarnation, item, owed.bucket}, owed.statement);
}

void TokenBook::owe_call(const BucketKey& key) {
  Entry& entry = buckets_[key];
  entry.tokens.owe_call();
  list_if_due(key, entry);
}

void TokenBook::drop(const BucketKey& key, rules::Quantity units) {
  Entry& entry = buckets_[key];
  entry.tokens.drop(units);
  list_if_due(key, entry);
}

void TokenBook::hand_over(const BucketKey& key, rules::Quantity units) {
  buckets_[key].tokens.hand_over(units);
}

void TokenBook::count_tickets(const BucketKey& key, rules::Quantity units) {
  const auto bucket = buckets_.try_emplace(key).first;
  bucket->second.tokens.count_tickets(units);
  list_if_due(key, bucket->second);
  tidy(bucket);
}

std::optional<GateCall> TokenBook::next(const std::function<bool(const BucketKey&)>& reachable) {
  const auto found = std::ranges::find_if(due_, reachable);
  if (found == due_.end()) return std::nullopt;
  const BucketKey key = *found;
  due_.erase(found);
  Entry& entry = buckets_.at(key);
  entry.listed = false;
  return GateCall{key, entry.tokens.begin(instance_, ++last_op_)};
}

std::vector<RoutingResult> TokenBook::heard(const BucketKey& key, std::int64_t op,
                                            const Result<Reply>& reply) {
  const auto found = buckets_.find(key);
  if (found == buckets_.end()) return {};
  Entry& entry = found->second;
  std::vector<RoutingResult> directed = entry.tokens.end(op, reply);
  if (entry.tokens.stale_in_a_row() > stale_replies_max) spent_ = true;
  list_if_due(key, entry);
  tidy(found);
  return directed;
}

std::vector<RoutingResult> TokenBook::abandon(const BucketKey& key) {
  const auto found = buckets_.find(key);
  if (found == buckets_.end()) return {};
  std::vector<RoutingResult> directed = found->second.tokens.abandon();
  tidy(found);
  return directed;
}

void TokenBook::forgive(const BucketKey& key) {
  const auto found = buckets_.find(key);
  if (found == buckets_.end()) return;
  found->second.tokens.forgive();
  tidy(found);
}

void TokenBook::wake() {
  for (auto& [key, entry] : buckets_) {
    entry.tokens.wake();
    list_if_due(key, entry);
  }
}

// Takes a bucket off the list that has nothing to say any more, and forgets one that rests.
void TokenBook::tidy(std::map<BucketKey, Entry>::iterator bucket) {
  Entry& entry = bucket->second;
  if (entry.listed && !entry.tokens.due()) {
    std::erase(due_, bucket->first);
    entry.listed = false;
  }
  if (entry.tokens.resting()) buckets_.erase(bucket);
}

void TokenBook::renew(rules::InstanceId instance) {
  CHECK(instance != instance_);
  instance_ = instance;
  spent_ = false;
  for (auto& [key, entry] : buckets_) {
    entry.tokens.renew();
    list_if_due(key, entry);
  }
}

rules::Quantity TokenBook::held(const BucketKey& key) const {
  const auto found = buckets_.find(key);
  return found == buckets_.end() ? rules::no_units : found->second.tokens.held();
}

std::size_t TokenBook::unsettled() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(buckets_, [](const auto& bucket) { return !bucket.second.tokens.settled(); }));
}

void TokenBook::list_if_due(const BucketKey& key, Entry& entry) {
  if (entry.listed || !entry.tokens.due()) return;
  due_.push_back(key);
  entry.listed = true;
}

}  // namespace gavel::gate
