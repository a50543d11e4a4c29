#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/json_text.h"
#include "judge/audit/audit.h"

namespace gavel::judge {
namespace {

using rules::Quantity;

// One line of the dump: the table, the key, then every other column under its name.
class Line {
 public:
  Line(std::string_view table, const std::string& key) { text_.append(table).append(" ").append(key); }

  Line& add(std::string_view name, const std::string& value) {
    text_.append(" ").append(name).append("=").append(value);
    return *this;
  }
  Line& add(std::string_view name, std::int64_t value) { return add(name, std::to_string(value)); }
  Line& add(std::string_view name, Quantity value) { return add(name, value.units); }
  Line& add(std::string_view name, Time value) { return add(name, gavel::to_text(value)); }
  Line& add(std::string_view name, rules::OrderId value) { return add(name, gavel::to_text(value.uuid)); }
  Line& add(std::string_view name, std::chrono::seconds value) { return add(name, value.count()); }

  template <class T>
  Line& add(std::string_view name, const std::optional<T>& value) {
    return value ? add(name, *value) : add(name, std::string("-"));
  }

  // Text that may hold spaces or line ends, quoted.
  Line& quote(std::string_view name, const std::string& value) {
    std::string quoted;
    append_json_text(quoted, value);
    return add(name, quoted);
  }

  std::string take() { return std::move(text_) + "\n"; }

 private:
  std::string text_;
};

std::string number(std::int64_t value) { return std::to_string(value); }

std::string bucket_name(rules::ItemId item, rules::BucketNo bucket) {
  return number(item.value) + "/" + number(bucket);
}

// What operators set is named where they did.
void add_mode(Line& line, rules::Mode mode) {
  if (mode != rules::Mode::service) line.add("mode", std::string(word(mode)));
}

std::string text_of(const rules::Sku& sku) {
  Line line("sku", sku.code.text());
  line.add("id", sku.id.value).add("buckets", sku.bucket_count).add("item", sku.free_item.value);
  add_mode(line, sku.mode);
  return line.take();
}

std::string text_of(const rules::Activity& activity) {
  Line line("activity", activity.code.text());
  line.add("id", activity.id.value)
      .quote("name", activity.name)
      .add("state", std::string(word(activity.state)));
  line.add("limit_per_user", activity.limit_per_user);
  line.add("opens_at", activity.opens_at).add("closes_at", activity.closes_at).add("hold", activity.hold);
  add_mode(line, activity.mode);
  for (const rules::AllottedLine& part : activity.lines) {
    line.add("line", part.code.text() + "*" + number(part.allotment.units) + "@" + number(part.item.value) +
                         "/" + number(part.sku.value));
  }
  return line.take();
}

std::string text_of(const rules::Item& item) {
  Line line("item", number(item.id.value));
  line.add("sku", item.sku.value).add("activity", item.activity.value).add("generation", item.generation);
  if (item.refusals > 0) line.add("refusals", item.refusals);
  if (item.retired != 0) line.add("retired", item.retired);
  for (const rules::Bucket& bucket : item.buckets) {
    const std::string shipped = bucket.shipped == rules::no_units ? "" : "/" + number(bucket.shipped.units);
    const std::string shortage =
        bucket.shortage == rules::no_units ? "" : "-" + number(bucket.shortage.units);
    line.add("bucket", number(bucket.available.units) + "/" + number(bucket.reserved.units) + "/" +
                           number(bucket.sold.units) + shipped + shortage + "#" + number(bucket.seq));
  }
  return line.take();
}

std::string text_of(const rules::Order& order) {
  Line line("order", to_text(order.id.uuid));
  line.add("state", std::string(word(order.state)))
      .add("account", order.account.text())
      .add("user", order.user.text());
  line.add("activity", order.activity.value);
  for (const rules::Allocation& taken : order.taken) {
    line.add("taken", bucket_name(taken.item, taken.bucket) + "*" + number(taken.quantity.units));
  }
  for (const rules::Allocation& back : order.returned) {
    line.add("returned", bucket_name(back.item, back.bucket) + "*" + number(back.quantity.units));
  }
  for (const rules::Allocation& gone : order.shipped) {
    line.add("shipped", bucket_name(gone.item, gone.bucket) + "*" + number(gone.quantity.units));
  }
  line.add("created_at", order.created_at)
      .add("expires_at", order.expires_at)
      .add("settled_at", order.settled_at)
      .add("revision", order.revision);
  if (order.first_expires_at) {
    line.add("first_expires_at", order.first_expires_at).add("extensions", std::int64_t{order.extensions});
  }
  return line.take();
}

std::string text_of(std::string_view table, const rules::IdempotencyRecord& recorded) {
  return Line(table, recorded.caller.text() + "/" + std::string(recorded.key.text()))
      .quote("content", recorded.content)
      .quote("verdict", to_text(recorded.verdict))
      .add("at", recorded.verdict.at)
      .take();
}

std::string text_of(const QuotaRow& row) {
  const rules::QuotaKey& key = row.key;
  return Line("quota", number(key.activity.value) + "/" + number(key.sku.value) + "/" + key.user.text())
      .add("allowed", row.quota.allowed)
      .add("claimed", row.quota.claimed)
      .add("order", row.quota.order)
      .add("account", row.quota.account ? row.quota.account->text() : "-")
      .take();
}

std::string text_of(const HoldRow& hold) {
  return Line("hold", number(hold.item.value))
      .add("expires_at", hold.expires_at)
      .add("order", hold.order)
      .take();
}

// Lanes by their rank among those that wrote: their numbers say how often a process was started, which is
// nobody's business but its own.
class Lanes {
 public:
  void add(rules::LaneId lane) { ranks_.try_emplace(lane, ranks_.size() + 1); }

  std::string text_of(BatchId batch) const {
    const auto rank = ranks_.find(batch.lane);
    return (rank == ranks_.end() ? "?" : std::to_string(rank->second)) + "." + number(batch.n);
  }

 private:
  std::map<rules::LaneId, std::size_t> ranks_;
};

std::string text_of(const FlowRow& row, const Lanes& lanes) {
  const rules::Flow& flow = row.flow;
  Line line("flow", bucket_name(flow.item, flow.bucket) + "#" + number(flow.seq));
  line.add("action", std::string(word(flow.action))).add("quantity", flow.quantity);
  line.add("before", flow.before).add("after", flow.after);
  line.add("order", flow.order).add("occurrence", flow.occurrence).add("caller", flow.caller.text());
  line.add("key", std::string(flow.key ? flow.key->text() : "-"))
      .add("source", flow.source)
      .add("at", flow.at);
  return line.add("batch", lanes.text_of(row.batch)).add("i", row.i).take();
}

std::string text_of(const BatchRow& row, const Lanes& lanes) {
  return Line("batch", lanes.text_of(row.batch))
      .add("aborted", row.aborted)
      .add("flows", row.flows)
      .add("at", row.at)
      .take();
}

}  // namespace

Result<std::string> canonical_dump(TablesReader& reader) {
  // The batches come after the flows by bucket in a visit, but their lanes are needed for these.
  Lanes lanes;
  TablesReader::Visitor of_lanes;
  of_lanes.batch = [&](const BatchRow& row) { lanes.add(row.batch.lane); };
  if (auto visited = reader.visit(std::move(of_lanes)); !visited) return std::unexpected(visited.error());

  // The tables one after the other, although a visit shows the rows of an order together.
  std::string catalogue, flows, orders, requests, carried, claims, batches;
  TablesReader::Visitor visitor;
  visitor.sku = [&](const rules::Sku& row) { catalogue += text_of(row); };
  visitor.activity = [&](const rules::Activity& row) { catalogue += text_of(row); };
  visitor.item = [&](const rules::Item& row) { catalogue += text_of(row); };
  visitor.flow_by_bucket = [&](const FlowRow& row) { flows += text_of(row, lanes); };
  visitor.order = [&](const rules::Order& row) { orders += text_of(row); };
  visitor.request = [&](const rules::IdempotencyRecord& row) { requests += text_of("request", row); };
  visitor.order_as_request = [&](const rules::IdempotencyRecord& row) {
    carried += text_of("order_as_request", row);
  };
  visitor.quota = [&](const QuotaRow& row) { claims += text_of(row); };
  visitor.hold = [&](const HoldRow& row) { claims += text_of(row); };
  visitor.batch = [&](const BatchRow& row) { batches += text_of(row, lanes); };
  if (auto visited = reader.visit(std::move(visitor)); !visited) return std::unexpected(visited.error());
  return catalogue + flows + orders + requests + carried + claims + batches;
}

}  // namespace gavel::judge
