#include "plain/plain_words.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/check.h"

namespace gavel::plain {
namespace {

using rules::Command;

std::vector<oracle::Line> plain_lines(const rules::Lines& lines) {
  std::vector<oracle::Line> plain;
  for (const rules::Line& line : lines) plain.push_back({line.sku.text(), line.quantity.units});
  return oracle::merged(plain);
}

struct Acts {
  oracle::Request& request;

  void operator()(const rules::Reserve& act) const {
    request.user = act.user.text();
    if (act.activity) request.activity = act.activity->text();
    request.lines = plain_lines(act.lines);
    request.at_once = act.payment == rules::Payment::none;
  }
  void operator()(const rules::Confirm& act) const { of_order(act.order, act.lines); }
  void operator()(const rules::Cancel& act) const { of_order(act.order, {}); }
  void operator()(const rules::Extend& act) const { of_order(act.order, {}); }
  void operator()(const rules::ChangeOrder& act) const { of_order(act.order, act.lines); }
  void operator()(const rules::Refund& act) const {
    of_order(act.order, act.lines);
    request.restocks = act.restock == rules::Restock::yes;
    if (act.from != rules::RefundFrom::both)
      request.from = act.from == rules::RefundFrom::shelf ? "shelf" : "buyer";
  }
  void operator()(const rules::Ship& act) const { of_order(act.order, act.lines); }
  void operator()(const rules::PutSku& act) const { request.lines = {{act.sku.text(), 0}}; }
  void operator()(const rules::Receive& act) const { request.lines = {{act.sku.text(), act.quantity.units}}; }
  void operator()(const rules::Adjust& act) const {
    request.lines = {{act.sku.text(), act.difference.units}};
  }
  void operator()(const rules::Count& act) const { request.lines = {{act.sku.text(), act.counted.units}}; }
  void operator()(const rules::CreateActivity& act) const {
    request.activity = act.activity.text();
    for (const rules::ActivityLine& line : act.lines) {
      request.lines.push_back({line.sku.text(), line.allotment.units});
    }
    request.limit = act.limit_per_user ? act.limit_per_user->units : 0;
  }
  void operator()(const rules::ChangeActivity& act) const { request.activity = act.activity.text(); }
  void operator()(const rules::WarmActivity& act) const { request.activity = act.activity.text(); }
  void operator()(const rules::CheckActivity& act) const { request.activity = act.activity.text(); }
  void operator()(const rules::OpenActivity& act) const { request.activity = act.activity.text(); }
  void operator()(const rules::CloseActivity& act) const { request.activity = act.activity.text(); }
  template <class Other>
  void operator()(const Other&) const {}  // Of others only the answers are compared.

  void of_order(rules::OrderId order, const rules::Lines& lines) const {
    request.order = to_text(order.uuid);
    request.lines = plain_lines(lines);
  }
};

std::vector<oracle::Part> plain_parts(const std::vector<rules::Allocation>& parts) {
  std::vector<oracle::Part> plain;
  for (const rules::Allocation& part : parts)
    plain.push_back({{part.item.value, part.bucket}, part.quantity.units});
  return plain;
}

std::optional<std::int64_t> plain_time(std::optional<Time> time) {
  return time ? std::optional(ms_of(*time)) : std::nullopt;
}

void keep(const rules::IdempotencyRecord& recorded, oracle::Ledger& ledger) {
  const rules::Verdict& verdict = recorded.verdict;
  ledger.requests[{recorded.caller.text(), std::string(recorded.key.text())}] = {
      std::string(word(verdict.outcome)), verdict.order ? to_text(verdict.order->uuid) : ""};
}

// The words behind the numbers that rows name.
struct Names {
  std::map<rules::SkuId, std::string> skus;
  std::map<rules::ActivityId, std::string> activities{{rules::free_pool, ""}};
};

// Fills `ledger` with everything but flows. Both outlive the visit.
judge::TablesReader::Visitor visitor_of(Names& names, oracle::Ledger& ledger) {
  judge::TablesReader::Visitor visitor;
  visitor.sku = [&](const rules::Sku& sku) { names.skus[sku.id] = sku.code.text(); };
  visitor.activity = [&](const rules::Activity& row) {
    names.activities[row.id] = row.code.text();
    ledger.activities[row.code.text()] = {std::string(word(row.state)),
                                          row.limit_per_user ? row.limit_per_user->units : 0,
                                          plain_time(row.opens_at), plain_time(row.closes_at)};
  };
  visitor.item = [&](const rules::Item& item) {
    ledger.items[item.id.value] = {names.skus.at(item.sku), names.activities.at(item.activity),
                                   item.generation};
    for (std::size_t no = 0; no < item.buckets.size(); ++no) {
      const rules::Bucket& bucket = item.buckets[no];
      ledger.buckets[{item.id.value, static_cast<std::int64_t>(no)}] = {
          bucket.available.units, bucket.reserved.units, bucket.sold.units, bucket.seq,
          bucket.shortage.units,  bucket.shipped.units};
    }
  };
  visitor.order = [&](const rules::Order& order) {
    ledger.orders[to_text(order.id.uuid)] = {
        std::string(word(order.state)), order.user.text(),           names.activities.at(order.activity),
        plain_parts(order.taken),       plain_parts(order.returned), plain_time(order.expires_at),
        plain_time(order.settled_at),   ms_of(order.created_at),     plain_time(order.first_expires_at),
        plain_parts(order.shipped),     order.account.text()};
  };
  visitor.request = [&](const rules::IdempotencyRecord& recorded) { keep(recorded, ledger); };
  visitor.order_as_request = [&](const rules::IdempotencyRecord& recorded) { keep(recorded, ledger); };
  visitor.quota = [&](const judge::QuotaRow& row) {
    ledger.quotas.push_back({names.activities.at(row.key.activity), names.skus.at(row.key.sku),
                             row.key.user.text(), row.quota.claimed.units});
  };
  visitor.batch = [&](const judge::BatchRow& row) {
    ledger.batches.push_back({row.batch.lane.value, row.batch.n, row.aborted, row.flows});
  };
  return visitor;
}

}  // namespace

std::int64_t ms_of(Time time) { return time.time_since_epoch().count(); }

oracle::Request in_plain_words(const Command& command) {
  CHECK(command.key.has_value());
  oracle::Request request;
  request.caller = command.caller.text();
  request.key = std::string(command.key->text());
  request.act = word(command.act);
  std::visit(Acts{request}, command.act);
  return request;
}

oracle::Reply in_plain_words(const rules::Verdict& verdict) {
  const rules::Detail& detail = verdict.detail;
  const auto units = [](const std::optional<rules::Quantity>& quantity) {
    return quantity ? std::optional(quantity->units) : std::nullopt;
  };
  oracle::Reply reply;
  reply.outcome = word(verdict.outcome);
  reply.recorded = verdict.record != rules::Record::no;
  reply.replayed = verdict.record == rules::Record::replayed;
  if (verdict.order) reply.order = to_text(verdict.order->uuid);
  if (detail.sku) reply.sku = detail.sku->text();
  reply.available = units(detail.available);
  reply.allowed = units(detail.allowed);
  reply.claimed = units(detail.claimed);
  reply.expires_at = plain_time(detail.expires_at);
  reply.state = detail.state.value_or("");
  reply.text = to_text(verdict) + " at=" + to_text(verdict.at);
  return reply;
}

oracle::Flow in_plain_words(const rules::Flow& flow, judge::BatchId batch, std::int64_t i) {
  oracle::Flow plain;
  plain.place = {flow.item.value, flow.bucket};
  plain.seq = flow.seq;
  plain.action = word(flow.action);
  plain.quantity = flow.quantity.units;
  plain.before = flow.before.units;
  plain.after = flow.after.units;
  if (flow.order) plain.order = to_text(flow.order->uuid);
  plain.caller = flow.caller.text();
  if (flow.key) plain.key = std::string(flow.key->text());
  plain.lane = batch.lane.value;
  plain.n = batch.n;
  plain.i = i;
  plain.at = ms_of(flow.at);
  return plain;
}

Result<void> read_rows(judge::TablesReader& reader, oracle::Ledger& ledger) {
  Names names;
  return reader.visit(visitor_of(names, ledger));
}

// In one visit, so that all rows are of one moment.
Result<oracle::Ledger> read_ledger(judge::TablesReader& reader) {
  Names names;
  oracle::Ledger ledger;
  judge::TablesReader::Visitor visitor = visitor_of(names, ledger);
  visitor.flow_by_batch = [&](const judge::FlowRow& row) {
    ledger.flows.push_back(in_plain_words(row.flow, row.batch, row.i));
  };
  if (const auto read = reader.visit(visitor); !read) return std::unexpected(read.error());
  oracle::put_in_order(ledger.flows);
  return ledger;
}

}  // namespace gavel::plain
