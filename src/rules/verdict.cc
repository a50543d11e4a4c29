#include "rules/verdict.h"

#include <utility>

namespace gavel::rules {

Verdict verdict_of(Outcome outcome, Detail detail) {
  return Verdict{.outcome = outcome,
                 .record = Record::no,
                 .at = {},
                 .order = {},
                 .detail = std::move(detail),
                 .short_of = {},
                 .retry_after = {}};
}

Verdict malformed(std::string explanation) {
  Detail detail;
  detail.explanation = std::move(explanation);
  return verdict_of(Outcome::malformed, std::move(detail));
}

std::string to_text(const Verdict& verdict) {
  std::string text(word(verdict.outcome));
  const auto add = [&text](std::string_view name, const std::string& value) {
    text.append(" ").append(name).append("=").append(value);
  };
  const Detail& detail = verdict.detail;
  if (detail.sku) add("sku", detail.sku->text());
  if (detail.available) add("available", std::to_string(detail.available->units));
  if (detail.allowed) add("allowed", std::to_string(detail.allowed->units));
  if (detail.claimed) add("claimed", std::to_string(detail.claimed->units));
  if (detail.order) add("claimed_by", to_text(detail.order->uuid));
  if (detail.state) add("state", *detail.state);
  if (detail.opens_at) add("opens_at", to_text(*detail.opens_at));
  if (detail.expires_at) add("expires_at", to_text(*detail.expires_at));
  for (const std::string& field : detail.fields) add("field", field);
  if (detail.explanation) add("explanation", "'" + *detail.explanation + "'");
  if (detail.version) add("version", std::to_string(*detail.version));
  if (detail.shortage) add("shortage", std::to_string(detail.shortage->units));
  if (detail.bucket) add("bucket", std::to_string(*detail.bucket));
  if (detail.at_gate) add("at_gate", std::to_string(detail.at_gate->units));
  if (verdict.order) add("order", to_text(verdict.order->uuid));
  return text;
}

}  // namespace gavel::rules
