#include "judge/audit/order_requests.h"

#include <string>

#include "judge/audit/record_bytes.h"

namespace gavel::judge {
namespace {

enum class Kind : std::uint8_t { entry, request };

RecordWriter key_of(rules::OrderId order, Kind kind, const rules::Caller& caller,
                    const rules::RequestKey& key) {
  RecordWriter to;
  to.order(order).byte(static_cast<std::uint8_t>(kind)).text(caller.text()).text(key.text());
  return to;
}

rules::IdempotencyRecord request_of(rules::RequestId id, RecordReader& from) {
  rules::IdempotencyRecord row{
      .caller = std::move(id.first), .key = id.second, .content = std::string(from.block()), .verdict = {}};
  row.verdict.outcome = static_cast<rules::Outcome>(from.number());
  row.verdict.at = from.time();
  row.verdict.order = from.optional_order();
  row.verdict.detail.order = from.optional_order();
  row.verdict.detail.expires_at = from.optional_time();
  return row;
}

}  // namespace

Effects effects_of(const std::vector<std::pair<Time, EffectPart>>& entries, const Catalogue& catalogue) {
  Effects effects;
  for (const auto& [at, part] : entries) part.add_to(effects[at], catalogue);
  return effects;
}

Result<void> OrderRequests::add(rules::OrderId order, const KeyEntry& entry) {
  RecordWriter key = key_of(order, Kind::entry, entry.id.first, entry.id.second);
  return records_.add(key.time(entry.at).bytes(), entry.part.bytes());
}

Result<void> OrderRequests::add(rules::OrderId order, const NamingRequest& request) {
  const rules::IdempotencyRecord& row = request.row;
  RecordWriter value;
  value.block(row.content).number(static_cast<std::int64_t>(row.verdict.outcome)).time(row.verdict.at);
  value.optional_order(row.verdict.order).optional_order(row.verdict.detail.order);
  value.optional_time(row.verdict.detail.expires_at);
  for (const auto& [at, part] : request.entries) value.time(at).block(part.bytes());
  return records_.add(key_of(order, Kind::request, row.caller, row.key).bytes(), value.bytes());
}

rules::OrderId OrderRequests::order() const { return RecordReader(records_.key()).order(); }

Result<std::variant<KeyEntry, NamingRequest>> OrderRequests::take() {
  RecordReader key(records_.key());
  RecordReader value(records_.value());
  key.order();
  const auto kind = static_cast<Kind>(key.byte());
  const rules::Caller caller(key.text());
  rules::RequestId id{caller, rules::RequestKey(key.text())};
  std::variant<KeyEntry, NamingRequest> taken{std::in_place_type<KeyEntry>, KeyEntry{id, {}, {}}};
  if (kind == Kind::entry) {
    taken = KeyEntry{id, key.time(), EffectPart::parse(records_.value())};
  } else {
    NamingRequest request{request_of(std::move(id), value), {}};
    while (!value.at_end()) {
      const Time at = value.time();
      request.entries.emplace_back(at, EffectPart::parse(value.block()));
    }
    taken = std::move(request);
  }
  if (const Result<void> next = records_.next(); !next) return std::unexpected(next.error());
  return taken;
}

}  // namespace gavel::judge
