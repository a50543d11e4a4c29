// What an outcome says beyond its word, in the order and by the names of the contract.
//
// Problems write it as text, recorded requests as a part of a tree. Pure; thread-safe.
#pragma once

#include "rules/verdict.h"

namespace gavel::http {

// Calls add(name, value) for each of these that is set: sku, available, allowed, claimed, order, state,
// opens_at, expires_at, version, shortage, bucket, at_gate, fields. `order` is the one acted upon, or of
// limit_reached the one that holds the latest claim. Values are std::string, std::int64_t, Time,
// rules::OrderId and std::vector<std::string>.
template <class Add>
void for_each_detail(const rules::Verdict& verdict, Add add) {
  const rules::Detail& detail = verdict.detail;
  if (detail.sku) add("sku", detail.sku->text());
  if (detail.available) add("available", detail.available->units);
  if (detail.allowed) add("allowed", detail.allowed->units);
  if (detail.claimed) add("claimed", detail.claimed->units);
  if (const auto order = verdict.order ? verdict.order : detail.order) add("order", *order);
  if (detail.state) add("state", *detail.state);
  if (detail.opens_at) add("opens_at", *detail.opens_at);
  if (detail.expires_at) add("expires_at", *detail.expires_at);
  if (detail.version) add("version", *detail.version);
  if (detail.shortage) add("shortage", detail.shortage->units);
  if (detail.bucket) add("bucket", std::int64_t{*detail.bucket});
  if (detail.at_gate) add("at_gate", detail.at_gate->units);
  if (!detail.fields.empty()) add("fields", detail.fields);
}

}  // namespace gavel::http
