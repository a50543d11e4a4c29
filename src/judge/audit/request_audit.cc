#include "judge/audit/request_audit.h"

#include <utility>

#include "judge/audit/record_bytes.h"

namespace gavel::judge {
namespace {

RecordWriter key_of(const rules::Caller& caller, const rules::RequestKey& key) {
  RecordWriter to;
  to.text(caller.text()).text(key.text());
  return to;
}

KeyEntry entry_of(const SortedRecords& records) {
  RecordReader key(records.key());
  const rules::Caller caller(key.text());
  const rules::RequestKey text(key.text());
  return {{caller, text}, key.time(), EffectPart::parse(records.value())};
}

}  // namespace

// What stands under the key of its order stays with the order.
Result<void> RequestAudit::flow(const FlowRow& row) {
  const rules::Flow& flow = row.flow;
  if (!flow.key || is_own(flow)) return {};
  return entries_.add(key_of(flow.caller, *flow.key).time(flow.at).bytes(), EffectPart::of(flow).bytes());
}

Result<bool> RequestAudit::pass(const rules::RequestId& id) {
  const std::string key = key_of(id.first, id.second).bytes();
  if (entries_.is_end() || entries_.key().substr(0, key.size()) >= key) return false;
  return take_alone();
}

Result<bool> RequestAudit::pass_all() {
  if (entries_.is_end()) return false;
  return take_alone();
}

// Of a request that was forgotten, or that an order's row carries, where the key is the order's id.
Result<bool> RequestAudit::take_alone() {
  const KeyEntry entry = entry_of(entries_);
  const auto order = order_under(entry.id.second);
  if (!order) return std::unexpected(order.error());
  Result<void> done;
  if (*order != nullptr && (*order)->has_order) done = handed_on_.add(*found_id_, entry);
  if (done) done = entries_.next();
  if (!done) return std::unexpected(done.error());
  return true;
}

Result<void> RequestAudit::request(const rules::IdempotencyRecord& row) {
  const auto order = order_under(row.key);
  if (!order) return std::unexpected(order.error());
  NamingRequest request{row, {}};
  const auto add = [&](Time at, const EffectPart& part) {
    if (can_matter(at, row.verdict.at)) request.entries.emplace_back(at, part);
  };
  const std::string key = key_of(row.caller, row.key).bytes();
  while (!entries_.is_end() && entries_.key().starts_with(key)) {
    const KeyEntry entry = entry_of(entries_);
    add(entry.at, entry.part);
    Result<void> done;
    if (*order != nullptr && (*order)->has_order) done = handed_on_.add(*found_id_, entry);
    if (done) done = entries_.next();
    if (!done) return done;
  }
  if (*order != nullptr) {
    for (const FlowRow& own : (*order)->flows) {
      const rules::Flow& flow = own.flow;
      if (flow.caller == row.caller && flow.key == row.key) add(flow.at, EffectPart::of(flow));
    }
  }
  const auto& named = row.verdict.order ? row.verdict.order : row.verdict.detail.order;
  if (named) return handed_on_.add(*named, request);
  if (const Wrong wrong = check_.wrong_request(row, effects_of(request.entries, catalogue_), nullptr)) {
    findings_.add(Subject::request, "requests", finding_of(row, *wrong), key);
  }
  return {};
}

// Of the order whose id is the key; null if the key is no id.
Result<const TablesReader::OrderRows*> RequestAudit::order_under(const rules::RequestKey& key) {
  const auto& uuid = key.uuid7();
  if (!uuid) return nullptr;
  if (found_id_ != rules::OrderId{*uuid}) {
    auto found = find_({*uuid});
    if (!found) return std::unexpected(found.error());
    found_id_ = {*uuid};
    found_ = *std::move(found);
  }
  return &found_;
}

}  // namespace gavel::judge
