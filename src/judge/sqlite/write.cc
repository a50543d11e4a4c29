#include "judge/sqlite/write.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "judge/codec.h"

namespace gavel::judge::sqlite {
namespace {

using rules::RowState;

// A guarded write concerns one row, and it must have been there as it was loaded.
Result<void> expect_one(const Result<std::int64_t>& changed, std::string_view what, const std::string& id) {
  if (!changed) return std::unexpected(changed.error());
  if (*changed == 1) return {};
  CHECK(*changed == 0);
  return fail(ErrorCode::conflict, "SQLite: " + std::string(what) + " " + id + " is not as it was loaded");
}

Result<void> expect_one(const Result<std::int64_t>& changed, std::string_view what, std::int64_t id) {
  return expect_one(changed, what, std::to_string(id));
}

std::optional<std::string_view> text_or_null(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional<std::string_view>(text);
}

}  // namespace

Result<void> Writing::everything() {
  using Step = Result<void> (Writing::*)();
  static constexpr Step steps[] = {
      &Writing::write_skus,     &Writing::write_items,  &Writing::write_activities,
      &Writing::write_quotas,   &Writing::write_orders, &Writing::write_guards,
      &Writing::write_requests, &Writing::write_flows,  &Writing::write_counters,
  };
  for (const Step step : steps) {
    if (Result<void> written = (this->*step)(); !written) return written;
  }
  const auto flows = static_cast<std::int64_t>(state_.flows.size());
  const auto inserted =
      queries_[Query::insert_batch].run(batch_.lane, batch_.n, 0, flows, time_.at, time_.steady->count());
  return expect_one(inserted, "batch", batch_.n);
}

Result<void> Writing::write_skus() {
  for (const auto& [code, sku] : state_.skus) {
    if (sku.row_state == RowState::clean) continue;
    const auto written =
        sku.row_state == RowState::inserted
            ? queries_[Query::insert_sku].run(sku.id, sku.code, sku.bucket_count, sku.free_item,
                                              word(sku.mode))
            : queries_[Query::update_sku].run(sku.id, sku.bucket_count, word(sku.mode), sku.version);
    if (auto done = expect_one(written, "SKU", sku.id.value); !done) return done;
  }
  return {};
}

Result<void> Writing::write_items() {
  for (const auto& [id, item] : state_.items) {
    if (item.row_state == RowState::inserted) {
      auto inserted = queries_[Query::insert_item].run(id, item.sku, item.activity, item.generation,
                                                       item.refusals, item.retired);
      if (auto done = expect_one(inserted, "item", id.value); !done) return done;
    }
    if (item.row_state == RowState::updated) {
      auto updated = queries_[Query::update_item].run(id, item.generation, item.refusals, item.retired);
      if (auto done = expect_one(updated, "item", id.value); !done) return done;
    }
    if (auto done = write_buckets(item); !done) return done;
  }
  return {};
}

Result<void> Writing::write_buckets(const rules::Item& item) {
  for (std::size_t i = 0; i < item.buckets.size(); ++i) {
    const rules::Bucket& bucket = item.buckets[i];
    if (item.row_state != RowState::inserted && i < item.loaded.size()) {
      if (bucket == item.loaded[i]) continue;
      if (auto done = update_bucket(item, i); !done) return done;
      continue;
    }
    auto inserted = queries_[Query::insert_bucket].run(item.id, static_cast<std::int64_t>(i),
                                                       bucket.available, bucket.reserved, bucket.sold,
                                                       bucket.seq, bucket.shortage, bucket.shipped);
    if (auto done = expect_one(inserted, "bucket of item", item.id.value); !done) return done;
  }
  return {};
}

// The difference is written, and only onto the very row that was loaded, and only where it leaves nothing
// negative (A2). Numbers below zero are no conflict: loading again would not help.
Result<void> Writing::update_bucket(const rules::Item& item, std::size_t bucket) {
  const rules::Bucket& from = item.loaded[bucket];
  const rules::Bucket& to = item.buckets[bucket];
  if (std::min({to.available, to.reserved, to.sold, to.shortage, to.shipped}) < rules::no_units) {
    return fail(ErrorCode::constraint, "SQLite: a bucket of item " + std::to_string(item.id.value) +
                                           " would have fewer than zero units");
  }
  const auto updated = queries_[Query::update_bucket].run(
      item.id, static_cast<std::int64_t>(bucket), to.available - from.available, to.reserved - from.reserved,
      to.sold - from.sold, to.seq, from.seq, to.shortage - from.shortage, to.shipped - from.shipped);
  return expect_one(updated, "bucket of item", item.id.value);
}

Result<void> Writing::write_activities() {
  for (const auto& [code, activity] : state_.activities) {
    if (activity.row_state == RowState::inserted) {
      if (auto done = insert_activity(activity); !done) return done;
    }
    if (activity.row_state == RowState::updated) {
      auto updated = queries_[Query::update_activity].run(activity.id, word(activity.state),
                                                          word(activity.mode), activity.version);
      if (auto done = expect_one(updated, "activity", activity.id.value); !done) return done;
    }
  }
  return {};
}

Result<void> Writing::insert_activity(const rules::Activity& activity) {
  auto inserted = queries_[Query::insert_activity].run(
      activity.id, activity.code, activity.name, word(activity.state), activity.limit_per_user,
      activity.opens_at, activity.closes_at, activity.hold, word(activity.mode));
  if (auto done = expect_one(inserted, "activity", activity.id.value); !done) return done;
  std::int64_t i = 0;
  for (const rules::AllottedLine& line : activity.lines) {
    auto added =
        queries_[Query::insert_activity_line].run(activity.id, i++, line.sku, line.allotment, line.item);
    if (auto done = expect_one(added, "line of activity", activity.id.value); !done) return done;
  }
  return {};
}

Result<void> Writing::write_quotas() {
  for (const auto& [key, quota] : state_.quotas) {
    if (quota.row_state == RowState::clean) continue;
    std::optional<std::string_view> account;
    if (quota.account) account = quota.account->text();
    auto written =
        quota.row_state == RowState::inserted
            ? queries_[Query::insert_quota].run(quota.allowed, quota.claimed, quota.order, key.activity,
                                                key.sku, key.user, account)
            : queries_[Query::update_quota].run(quota.allowed, quota.claimed, quota.order, key.activity,
                                                key.sku, key.user, account, quota.loaded);
    if (auto done = expect_one(written, "quota of activity", key.activity.value); !done) return done;
  }
  return {};
}

// Orders and the requests that share their row stand in two maps with one order of keys, which are walked
// side by side.
Result<void> Writing::write_orders() {
  auto request = state_.orders_as_requests.begin();
  const auto requests_end = state_.orders_as_requests.end();
  const auto skip_to = [&](auto is_reached) {
    for (; request != requests_end && !is_reached(request->first); ++request) {
      CHECK(request->second.row_state != RowState::inserted);  // Its order is inserted with it.
    }
  };
  for (const auto& [id, order] : state_.orders) {
    Result<void> done;
    if (order.row_state == RowState::inserted) {
      skip_to([&](const rules::OrderId& at) { return at >= id; });
      const bool shared = request != requests_end && request->first == id;
      done = insert_order(order, shared ? &request->second : nullptr);
      if (shared) ++request;
    } else if (order.row_state == RowState::updated) {
      done = update_order(order);
    }
    if (!done) return done;
  }
  skip_to([](const rules::OrderId&) { return false; });
  return {};
}

Result<void> Writing::insert_order(const rules::Order& order, const rules::IdempotencyRecord* request) {
  taken_.clear();
  append_taken(taken_, order.taken);
  std::optional<std::string_view> caller, key, content, outcome, detail;
  std::optional<Time> answered_at;
  if (request != nullptr) {
    const rules::Verdict& verdict = request->verdict;
    // The row says by its state whether the verdict named the order: a refusal never does.
    CHECK(verdict.order ==
          (order.state == rules::OrderState::refused ? std::nullopt : std::optional(order.id)));
    caller = request->caller.text();
    if (request->key != rules::RequestKey(order.id.uuid)) key = request->key.text();
    content = request->content;
    outcome = word(verdict.outcome);
    answered_at = verdict.at;
    detail_.clear();
    append_detail(detail_, verdict.detail);
    detail = text_or_null(detail_);
  }
  const auto inserted = queries_[Query::insert_order].run(
      order.id, word(order.state), order.user, order.activity, taken_, order.created_at, order.expires_at,
      order.settled_at, parts_or_null(returned_, order.returned), order.revision, order.first_expires_at,
      order.extensions, parts_or_null(shipped_, order.shipped), order.account, caller, key, content, outcome,
      answered_at, detail);
  if (!inserted) return std::unexpected(inserted.error());
  return order.state == rules::OrderState::held ? insert_holds(order) : Result<void>{};
}

std::optional<std::string_view> Writing::parts_or_null(std::string& text,
                                                       const std::vector<rules::Allocation>& parts) {
  if (parts.empty()) return std::nullopt;
  text.clear();
  append_taken(text, parts);
  return text;
}

Result<void> Writing::update_order(const rules::Order& order) {
  CHECK(order.loaded);
  taken_.clear();
  append_taken(taken_, order.taken);
  const auto updated = queries_[Query::update_order].run(
      order.id, word(order.state), taken_, parts_or_null(returned_, order.returned), order.expires_at,
      order.settled_at, order.revision, order.loaded->revision, order.first_expires_at, order.extensions,
      parts_or_null(shipped_, order.shipped));
  if (auto done = expect_one(updated, "order", to_text(order.id.uuid)); !done) return done;
  if (order.loaded->state != rules::OrderState::held) return {};
  if (auto done = delete_holds(order); !done) return done;
  return order.state == rules::OrderState::held ? insert_holds(order) : Result<void>{};
}

namespace {

// Calls `write` once for each stock item among the parts; parts of one item stand together.
template <class Write>
Result<void> for_each_item(const std::vector<rules::Allocation>& parts, Write write) {
  std::optional<rules::ItemId> last;
  for (const rules::Allocation& part : parts) {
    if (last == part.item) continue;
    last = part.item;
    if (auto done = expect_one(write(part.item), "hold on item", part.item.value); !done) return done;
  }
  return {};
}

}  // namespace

Result<void> Writing::insert_holds(const rules::Order& order) {
  CHECK(order.expires_at);
  return for_each_item(order.taken, [&](rules::ItemId item) {
    return queries_[Query::insert_hold].run(item, *order.expires_at, order.id, order.user);
  });
}

// Those that stand for the order as it was loaded.
Result<void> Writing::delete_holds(const rules::Order& order) {
  CHECK(order.loaded->expires_at);
  return for_each_item(order.loaded->taken, [&](rules::ItemId item) {
    return queries_[Query::delete_hold].run(item, *order.loaded->expires_at, order.id);
  });
}

// A record from before schema 5 has no guard to be freed.
Result<void> Writing::write_guards() {
  for (const rules::OrderId& id : state_.key_guards_freed) {
    if (auto freed = queries_[Query::delete_guard].run(id); !freed) return std::unexpected(freed.error());
  }
  for (const rules::OrderId& id : state_.key_guards) {
    const auto inserted = queries_[Query::insert_guard].run(id, time_.at);
    if (!inserted) return std::unexpected(inserted.error());
  }
  return {};
}

Result<void> Writing::write_requests() {
  for (const auto& [caller, key] : state_.forgotten) {
    const auto deleted = queries_[Query::delete_request].run(caller, key);
    if (auto done = expect_one(deleted, "request", caller.text() + "/" + std::string(key.text())); !done)
      return done;
  }
  for (const auto& [id, request] : state_.requests) {
    if (request.row_state == RowState::clean) continue;
    const rules::Verdict& verdict = request.verdict;
    detail_.clear();
    append_detail(detail_, verdict.detail);
    auto inserted = queries_[Query::insert_request].run(request.caller, request.key, request.content,
                                                        word(verdict.outcome), verdict.at,
                                                        text_or_null(detail_), verdict.order);
    if (!inserted) return std::unexpected(inserted.error());
  }
  return {};
}

Result<void> Writing::write_flows() {
  Statement& insert = queries_[Query::insert_flow];
  std::int64_t i = 0;
  for (const rules::Flow& flow : state_.flows) {
    const auto inserted = insert.run(flow.item, flow.bucket, flow.seq, word(flow.action), flow.quantity,
                                     flow.before, flow.after, flow.order, flow.occurrence, flow.caller,
                                     flow.key, flow.source, flow.at, batch_.lane, batch_.n, i++);
    if (!inserted) return std::unexpected(inserted.error());
  }
  return {};
}

Result<void> Writing::write_counters() {
  const rules::Counters& counters = state_.counters;
  if (counters.row_state == RowState::clean) return {};
  const std::pair<std::string_view, std::int64_t> rows[] = {
      {"sku", counters.next_sku}, {"item", counters.next_item}, {"activity", counters.next_activity}};
  for (const auto& [name, next] : rows) {
    if (auto done = expect_one(queries_[Query::update_counter].run(name, next), name, next); !done)
      return done;
  }
  return {};
}

}  // namespace gavel::judge::sqlite
