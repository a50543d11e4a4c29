#include "judge/audit/hold_audit.h"

#include "judge/audit/record_bytes.h"

namespace gavel::judge {
namespace {

std::string key_of(const HoldRow& row) {
  RecordWriter to;
  return to.number(row.item.value).time(row.expires_at).order(row.order).bytes();
}

}  // namespace

Result<void> HoldAudit::add(const HoldRow& row) { return records_.add(key_of(row), {}); }

Result<bool> HoldAudit::pass(const HoldRow& row) {
  if (records_.is_end() || records_.key() >= key_of(row)) return false;
  return take_alone();
}

Result<bool> HoldAudit::pass_all() {
  if (records_.is_end()) return false;
  return take_alone();
}

Result<bool> HoldAudit::take_alone() {
  RecordReader from(records_.key());
  const std::int64_t item = from.number();
  const Time expires_at = from.time();
  findings_.add(Subject::hold_without_row, "holds",
                name_of(from.order()) + " holds item " + std::to_string(item) + " until " +
                    to_text(expires_at) + ", but has no hold row");
  if (const Result<void> next = records_.next(); !next) return std::unexpected(next.error());
  return true;
}

Result<void> HoldAudit::hold(const HoldRow& row) {
  if (!records_.is_end() && records_.key() == key_of(row)) return records_.next();
  findings_.add(Subject::hold, "holds",
                name_of(row.order) + " has a hold row on item " + std::to_string(row.item.value) + " until " +
                    to_text(row.expires_at) + ", but the order does not hold it so");
  return {};
}

}  // namespace gavel::judge
