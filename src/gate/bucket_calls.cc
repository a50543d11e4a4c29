#include "gate/bucket_calls.h"

#include <memory>
#include <utility>

#include "gate/when_all.h"

namespace gavel::gate {
namespace {

BucketKey key_of(rules::Incarnation incarnation, rules::ItemId item, std::size_t bucket) {
  return {incarnation, item, static_cast<rules::BucketNo>(bucket)};
}

}  // namespace

void read_buckets(Gate& gate, rules::Incarnation incarnation, rules::ItemId item, std::size_t count,
                  BucketsCallback done) {
  const auto all = std::make_shared<WhenAll<Result<std::optional<Bucket>>>>(count, std::move(done));
  for (std::size_t i = 0; i < count; ++i) {
    gate.read(key_of(incarnation, item, i),
              [all, i](Result<std::optional<Bucket>> bucket) { all->add(i, std::move(bucket)); });
  }
}

void erase_buckets(Gate& gate, rules::Incarnation incarnation, rules::ItemId item, std::size_t count,
                   ErasedCallback done) {
  const auto all = std::make_shared<WhenAll<Result<void>>>(count, std::move(done));
  for (std::size_t i = 0; i < count; ++i) {
    gate.erase(key_of(incarnation, item, i),
               [all, i](Result<void> erased) { all->add(i, std::move(erased)); });
  }
}

void state_buckets(Gate& gate, rules::Incarnation incarnation, rules::ItemId item,
                   std::span<const PendingStatement> statements, RepliesCallback done) {
  const auto all = std::make_shared<WhenAll<Result<Reply>>>(statements.size(), std::move(done));
  for (std::size_t i = 0; i < statements.size(); ++i) {
    gate.say({incarnation, item, statements[i].bucket}, to_state(statements[i].statement),
             [all, i](Result<Reply> reply) { all->add(i, std::move(reply)); });
  }
}

}  // namespace gavel::gate
