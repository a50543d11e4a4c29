// The rows of the SQLite store as values of the rules. Columns stand in the order in which sqlite_queries.cc
// selects them; a row that is not in the form it was written in is spoilt (Row::spoil).
#pragma once

#include "judge/reader.h"
#include "judge/sqlite/statement.h"
#include "judge/time.h"
#include "rules/state.h"

namespace gavel::judge::sqlite {

rules::Sku sku_of(Row& row);
rules::Activity activity_of(Row& row);  // Without its lines.
rules::AllottedLine line_of(Row& row);
rules::Item item_of(Row& row);  // Without its buckets.
rules::Bucket bucket_of(Row& row);
rules::Order order_of(Row& row);
// The rows of one action of an order in one bucket.
struct Occurrences {
  rules::ItemId item;
  rules::BucketNo bucket = 0;
  rules::Action action{};
  std::int32_t count = 0;
};
Occurrences occurrences_of(Row& row);
rules::IdempotencyRecord request_of(Row& row);
KeptTime kept_time_of(Row& row);
RequestAge age_of(Row& row);
rules::IdempotencyRecord request_of_order(Row& row);  // The order's row has one: its caller is set.
QuotaRow quota_of(Row& row);
FlowRow flow_of(Row& row);
HoldRow hold_of(Row& row);
BatchRow batch_of(Row& row);

}  // namespace gavel::judge::sqlite
