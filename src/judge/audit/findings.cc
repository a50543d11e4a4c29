#include "judge/audit/findings.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace gavel::judge {

void Findings::add(Subject subject, std::string_view invariant, std::string what, std::string key) {
  ++total_;
  const auto place = [](const Told& told) { return std::tie(told.subject, told.key); };
  const auto at = std::ranges::upper_bound(first_, std::tie(subject, key), {}, place);
  if (at == first_.end() && first_.size() == findings_max) return;
  first_.insert(at, Told{subject, std::move(key), {std::string(invariant), std::move(what)}});
  if (first_.size() > findings_max) first_.pop_back();
}

void Findings::report_to(AuditReport& report) const {
  report.findings_total = total_;
  report.findings.clear();
  for (const Told& told : first_) report.findings.push_back(told.finding);
}

std::string name_of(rules::ItemId item, rules::BucketNo bucket) {
  return "bucket " + std::to_string(item.value) + "/" + std::to_string(bucket);
}

std::string name_of(rules::OrderId order) { return "order " + to_text(order.uuid); }

std::string name_of(BatchId batch) {
  return "batch " + std::to_string(batch.lane.value) + "." + std::to_string(batch.n);
}

std::string name_of(const rules::Flow& flow) {
  return "seq " + std::to_string(flow.seq) + " of " + name_of(flow.item, flow.bucket);
}

}  // namespace gavel::judge
