#include "judge/sqlite/rows.h"

#include <limits>

#include "judge/codec.h"

namespace gavel::judge::sqlite {
namespace {

std::int32_t small(Row& row, int column) {
  const std::int64_t value = row.integer(column);
  if (value < 0 || value > std::numeric_limits<std::int32_t>::max()) row.spoil();
  return static_cast<std::int32_t>(value);
}

rules::Detail detail_of(Row& row, int column) {
  if (row.is_null(column)) return {};
  const auto detail = parse_detail(row.text(column));
  if (!detail) row.spoil();
  return detail.value_or(rules::Detail{});
}

// The columns that both kinds of requests have: content, outcome, time, detail, from `column` on.
rules::IdempotencyRecord recorded(Row& row, rules::RequestKey key, int column) {
  rules::Verdict verdict;
  verdict.outcome = row.word(column + 1, rules::parse_outcome);
  verdict.record = rules::Record::fresh;
  verdict.at = row.time(column + 2);
  verdict.detail = detail_of(row, column + 3);
  return {.caller = row.code<rules::Caller>(0),
          .key = std::move(key),
          .content = std::string(row.text(column)),
          .verdict = std::move(verdict)};
}

// Where units come from; NULL is nothing.
std::vector<rules::Allocation> parts_of(Row& row, int column) {
  if (row.is_null(column)) return {};
  auto parts = parse_taken(row.text(column));
  if (!parts) row.spoil();
  return std::move(parts).value_or(std::vector<rules::Allocation>{});
}

}  // namespace

rules::Sku sku_of(Row& row) {
  return {.id = {row.integer(0)},
          .code = row.code<rules::SkuCode>(1),
          .bucket_count = small(row, 2),
          .free_item = {row.integer(3)},
          .mode = row.word(4, rules::parse_mode),
          .version = row.integer(5)};
}

rules::Activity activity_of(Row& row) {
  const auto hold = row.optional(7, &Row::integer);
  return {.id = {row.integer(0)},
          .code = row.code<rules::ActivityCode>(1),
          .name = std::string(row.text(2)),
          .state = row.word(3, rules::parse_activity_state),
          .limit_per_user = row.optional(4, &Row::quantity),
          .opens_at = row.optional(5, &Row::time),
          .closes_at = row.optional(6, &Row::time),
          .hold = hold ? std::optional(std::chrono::seconds(*hold)) : std::nullopt,
          .lines = {},
          .mode = row.word(8, rules::parse_mode),
          .version = row.integer(9)};
}

rules::AllottedLine line_of(Row& row) {
  return {.sku = {row.integer(0)},
          .code = row.code<rules::SkuCode>(1),
          .allotment = row.quantity(2),
          .item = {row.integer(3)}};
}

rules::Item item_of(Row& row) {
  return {.id = {row.integer(0)},
          .sku = {row.integer(1)},
          .activity = {row.integer(2)},
          .generation = row.integer(3),
          .refusals = row.integer(4),
          .buckets = {},
          .loaded = {},
          .retired = small(row, 5)};
}

rules::Bucket bucket_of(Row& row) {
  return {.available = row.quantity(1),
          .reserved = row.quantity(2),
          .sold = row.quantity(3),
          .seq = row.integer(4),
          .shortage = row.quantity(5),
          .shipped = row.quantity(6)};
}

rules::Order order_of(Row& row) {
  return {.id = row.order_id(0),
          .state = row.word(1, rules::parse_order_state),
          .account = row.code<rules::Caller>(13),
          .user = row.code<rules::UserId>(2),
          .activity = {row.integer(3)},
          .taken = parts_of(row, 4),
          .returned = parts_of(row, 8),
          .shipped = parts_of(row, 12),
          .created_at = row.time(5),
          .expires_at = row.optional(6, &Row::time),
          .first_expires_at = row.optional(10, &Row::time),
          .settled_at = row.optional(7, &Row::time),
          .extensions = small(row, 11),
          .revision = row.integer(9)};
}

Occurrences occurrences_of(Row& row) {
  return {.item = {row.integer(0)},
          .bucket = small(row, 1),
          .action = row.word(2, rules::parse_action),
          .count = small(row, 3)};
}

rules::IdempotencyRecord request_of(Row& row) {
  rules::IdempotencyRecord request = recorded(row, row.code<rules::RequestKey>(1), 2);
  request.verdict.order = row.optional(6, &Row::order_id);
  return request;
}

KeptTime kept_time_of(Row& row) {
  KeptTime kept{.at = row.time(0), .boot = "", .steady = std::nullopt};
  if (!row.is_null(1)) kept.boot = row.text(1);
  if (!row.is_null(2)) kept.steady = Duration(row.integer(2));
  return kept;
}

RequestAge age_of(Row& row) {
  return {.id = {row.code<rules::Caller>(0), row.code<rules::RequestKey>(1)}, .at = row.time(2)};
}

rules::IdempotencyRecord request_of_order(Row& row) {
  const rules::OrderId id = row.order_id(6);
  rules::RequestKey key = row.is_null(1) ? rules::RequestKey(id.uuid) : row.code<rules::RequestKey>(1);
  rules::IdempotencyRecord request = recorded(row, std::move(key), 2);
  // A refusal names no order; its row is there for the key's sake.
  if (row.word(7, rules::parse_order_state) != rules::OrderState::refused) request.verdict.order = id;
  return request;
}

QuotaRow quota_of(Row& row) {
  const rules::Quantity claimed = row.quantity(1);
  return {.key = {{row.integer(3)}, {row.integer(4)}, row.code<rules::UserId>(5)},
          .quota = {.allowed = row.quantity(0),
                    .claimed = claimed,
                    .order = row.optional(2, &Row::order_id),
                    .loaded = claimed,
                    .account = row.optional(6, &Row::code<rules::Caller>)}};
}

FlowRow flow_of(Row& row) {
  return {.flow = {.item = {row.integer(0)},
                   .bucket = small(row, 1),
                   .seq = row.integer(2),
                   .action = row.word(3, rules::parse_action),
                   .quantity = row.quantity(4),
                   .before = row.quantity(5),
                   .after = row.quantity(6),
                   .order = row.optional(7, &Row::order_id),
                   .occurrence = small(row, 8),
                   .caller = row.code<rules::Caller>(9),
                   .key = row.optional(10, &Row::code<rules::RequestKey>),
                   .source = std::string(row.text(11)),
                   .at = row.time(12)},
          .batch = {{row.integer(13)}, row.integer(14)},
          .i = row.integer(15)};
}

HoldRow hold_of(Row& row) {
  return {.item = {row.integer(0)}, .expires_at = row.time(1), .order = row.order_id(2)};
}

BatchRow batch_of(Row& row) {
  return {.batch = {{row.integer(0)}, row.integer(1)},
          .aborted = row.integer(2) != 0,
          .flows = row.integer(3),
          .at = row.time(4)};
}

}  // namespace gavel::judge::sqlite
