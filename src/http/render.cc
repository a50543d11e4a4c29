// One noun: the rendering of answers.
#include "http/render.h"

#include <algorithm>
#include <map>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "base/check.h"
#include "base/percent_text.h"
#include "http/details.h"
#include "http/json_writer.h"
#include "http/problem.h"
#include "rules/outcome.h"

namespace gavel::http {
namespace {

using boost::json::array;
using boost::json::object;
using rules::Command;
using rules::Outcome;
using rules::Verdict;

boost::json::string_view as_json(std::string_view text) { return {text.data(), text.size()}; }
std::string as_json(Time time) { return to_text(time); }
std::string as_json(rules::OrderId id) { return to_text(id.uuid); }

Response json_response(unsigned status, const object& body) {
  Response response;
  response.status = status;
  response.body = boost::json::serialize(body);
  return response;
}

void add_time(object& to, std::string_view name, std::optional<Time> time) {
  if (time) to[as_json(name)] = as_json(*time);
}

// What was asked, in the words of the answer: the middle of a success body.
struct AddAsked {
  JsonWriter& to;
  const Verdict& verdict;

  void operator()(const rules::Reserve& act) const {
    add_order(verdict.outcome == Outcome::reserved ? "held" : "paid");
    to.member("user", act.user.text());
    if (act.activity) to.member("activity", act.activity->text());
    add_lines(act.lines);
  }
  void operator()(const rules::Confirm& act) const {
    add_order("paid");
    if (!act.lines.empty()) add_lines(act.lines);
  }
  void operator()(const rules::Cancel&) const { add_order("cancelled"); }
  void operator()(const rules::Extend&) const { add_order("held"); }
  void operator()(const rules::ChangeOrder& act) const {
    add_order("held");
    add_lines(act.lines);
  }
  void operator()(const rules::Refund& act) const {
    CHECK(verdict.detail.state.has_value());
    add_order(*verdict.detail.state);
    if (!act.lines.empty()) add_lines(act.lines);
    to.member("restock", act.restock == rules::Restock::yes);
    if (act.from != rules::RefundFrom::both)
      to.member("from", act.from == rules::RefundFrom::shelf ? "shelf" : "buyer");
  }
  void operator()(const rules::Ship& act) const {
    CHECK(verdict.detail.state.has_value());
    add_order(*verdict.detail.state);
    if (!act.lines.empty()) add_lines(act.lines);
  }
  void operator()(const rules::Expire&) const { add_order("expired"); }
  void operator()(const rules::Forget& act) const { to.member("key", act.key.text()); }
  void operator()(const rules::Rebalance&) const {}
  void operator()(const rules::PutSku& act) const {
    to.member("sku", act.sku.text());
    const bool made = verdict.outcome == Outcome::created;
    add_setting(made ? act.buckets.value_or(1) : act.buckets, act.mode);
  }
  void operator()(const rules::Receive& act) const {
    to.member("sku", act.sku.text());
    to.member("quantity", act.quantity.units);
  }
  void operator()(const rules::Adjust& act) const {
    to.member("sku", act.sku.text());
    to.member("difference", act.difference.units);
    to.member("reason", act.reason);
    add_version();
  }
  void operator()(const rules::Count& act) const {
    to.member("sku", act.sku.text());
    to.member("counted", act.counted.units);
    add_version();
  }
  void operator()(const rules::CreateActivity& act) const {
    add_activity(act.activity, "draft");
    to.member("name", act.name);
  }
  void operator()(const rules::ChangeActivity& act) const {
    to.member("activity", act.activity.text());
    // A record made before this was said has no state.
    if (verdict.detail.state) to.member("state", *verdict.detail.state);
    add_setting(act.buckets, act.mode);
  }
  void operator()(const rules::WarmActivity& act) const { add_activity(act.activity, "warmed"); }
  void operator()(const rules::CheckActivity& act) const { add_activity(act.activity, "verified"); }
  void operator()(const rules::OpenActivity& act) const { add_activity(act.activity, "open"); }
  void operator()(const rules::CloseActivity& act) const { add_activity(act.activity, "closed"); }

  void add_setting(std::optional<std::int32_t> buckets, std::optional<rules::Mode> mode) const {
    if (buckets) to.member("buckets", *buckets);
    if (mode) to.member("mode", rules::word(*mode));
  }
  // Of the stock after the act: the next count may go on from there.
  void add_version() const {
    CHECK(verdict.detail.version.has_value());
    to.member("version", *verdict.detail.version);
    if (verdict.detail.shortage) to.member("shortage", verdict.detail.shortage->units);
  }
  void add_order(std::string_view state) const {
    CHECK(verdict.order.has_value());
    to.member("order", *verdict.order);
    to.member("state", state);
  }
  void add_lines(const rules::Lines& lines) const {
    to.begin_array("lines");
    for (const rules::Line& line : lines) {
      to.begin_object().member("sku", line.sku.text()).member("quantity", line.quantity.units).end_object();
    }
    to.end_array();
  }
  void add_activity(const rules::ActivityCode& activity, std::string_view state) const {
    to.member("activity", activity.text());
    to.member("state", state);
  }
};

// Where the thing that was made is shown.
std::optional<std::string> location_of(const Command& command, const Verdict& verdict) {
  if (std::holds_alternative<rules::Reserve>(command.act)) return "/v1/orders/" + as_json(*verdict.order);
  if (const auto* act = std::get_if<rules::CreateActivity>(&command.act)) {
    return "/v1/activities/" + percent_encoded(act->activity.text());
  }
  return std::nullopt;
}

}  // namespace

Response success(const Command& command, const Verdict& verdict) {
  CHECK(rules::traits(verdict.outcome).act);
  constexpr std::size_t usual_bytes = 384;
  Response response;
  response.status = http_status(verdict.outcome);
  response.body.reserve(usual_bytes);
  JsonWriter body(response.body);
  body.begin_object().member("code", rules::word(verdict.outcome));
  std::visit(AddAsked{body, verdict}, command.act);
  body.member("at", verdict.at);
  if (verdict.detail.expires_at) body.member("expires_at", *verdict.detail.expires_at);
  body.end_object();
  if (auto location = location_of(command, verdict)) {
    response.headers.emplace_back("Location", *std::move(location));
  }
  if (verdict.record == rules::Record::replayed) {
    response.headers.emplace_back("Idempotency-Replayed", "true");
  }
  return response;
}

namespace {

object order_object(const queries::OrderView& view) {
  const rules::Order& order = view.order;
  struct Line {
    rules::Quantity quantity;
    rules::Quantity returned;
    rules::Quantity shipped;
    array taken;
  };
  std::map<rules::SkuCode, Line> lines;
  for (const queries::OrderView::Part& part : view.parts) {
    Line& line = lines[part.sku];
    line.quantity += part.quantity;
    line.returned += part.returned;
    line.shipped += part.shipped;
    object from;
    from["warehouse"] = part.warehouse;
    from["bucket"] = part.bucket;
    from["quantity"] = part.quantity.units;
    line.taken.push_back(std::move(from));
  }
  object body;
  body["id"] = as_json(order.id);
  body["state"] = as_json(rules::word(order.state));
  body["user"] = order.user.text();
  if (view.activity) body["activity"] = view.activity->text();
  array& all = body["lines"].emplace_array();
  for (auto& [sku, line] : lines) {
    object one;
    one["sku"] = sku.text();
    one["quantity"] = line.quantity.units;
    if (line.returned > rules::no_units) one["returned"] = line.returned.units;
    if (line.shipped > rules::no_units) one["shipped"] = line.shipped.units;
    one["taken"] = std::move(line.taken);
    all.push_back(std::move(one));
  }
  body["created_at"] = as_json(order.created_at);
  add_time(body, "expires_at", order.expires_at);
  add_time(body, "settled_at", order.settled_at);
  return body;
}

// Where the page ends, and what it cannot know of.
template <class Page>
void add_page(object& body, const Page& page) {
  if (page.next) body["next"] = rules::to_text(*page.next);
  body["lag_batches"] = page.lag_batches;
  body["lag_ms"] = page.lag.count();
}

}  // namespace

Response show(const queries::OrderView& order) { return json_response(200, order_object(order)); }

Response show(const queries::OrdersPage& page) {
  object body;
  array& all = body["orders"].emplace_array();
  for (const queries::OrderView& order : page.orders) all.push_back(order_object(order));
  add_page(body, page);
  return json_response(200, body);
}

namespace {

object stock_object(const std::vector<queries::StockView>& items) {
  object body;
  array& all = body["stock"].emplace_array();
  for (const queries::StockView& item : items) {
    object one;
    one["sku"] = item.sku.text();
    one["warehouse"] = item.warehouse;
    one["lot"] = item.lot;
    one["pool"] = item.pool;
    one["available"] = item.sum.available.units;
    one["reserved"] = item.sum.reserved.units;
    one["sold"] = item.sum.sold.units;
    one["shipped"] = item.sum.shipped.units;
    one["shortage"] = item.sum.shortage.units;
    one["version"] = item.sum.seq;
    one["generation"] = item.generation;
    all.push_back(std::move(one));
  }
  return body;
}

// The judge itself was asked, just now.
void add_source(object& body) {
  body["source"] = "judge";
  body["age_ms"] = 0;
}

}  // namespace

Response show(const std::vector<queries::StockView>& items) {
  object body = stock_object(items);
  add_source(body);
  return json_response(200, body);
}

Response show(const queries::ShortagesPage& page) {
  object body = stock_object(page.items);
  if (page.next) body["next"] = std::to_string(page.next->value);
  add_source(body);
  return json_response(200, body);
}

namespace {

object activity_object(const rules::Activity& activity) {
  object body;
  body["id"] = activity.code.text();
  body["name"] = activity.name;
  body["state"] = as_json(rules::word(activity.state));
  array& lines = body["lines"].emplace_array();
  for (const rules::AllottedLine& line : activity.lines) {
    object one;
    one["sku"] = line.code.text();
    one["warehouse"] = "main";
    one["allotment"] = line.allotment.units;
    lines.push_back(std::move(one));
  }
  if (activity.limit_per_user) body["limit_per_user"] = activity.limit_per_user->units;
  add_time(body, "opens_at", activity.opens_at);
  add_time(body, "closes_at", activity.closes_at);
  if (activity.hold) body["hold_seconds"] = activity.hold->count();
  body["mode"] = as_json(rules::word(activity.mode));
  return body;
}

boost::json::value detail_as_json(std::int64_t number) { return number; }
boost::json::value detail_as_json(const std::string& text) { return boost::json::value(text); }
boost::json::value detail_as_json(const auto& time_or_order) {
  return boost::json::value(as_json(time_or_order));
}
boost::json::value detail_as_json(const std::vector<std::string>& texts) {
  return array(texts.begin(), texts.end());
}

object request_object(const rules::IdempotencyRecord& recorded) {
  object body;
  body["key"] = as_json(recorded.key.text());
  body["status"] = "done";
  body["code"] = as_json(rules::word(recorded.verdict.outcome));
  body["http_status"] = http_status(recorded.verdict.outcome);
  body["at"] = as_json(recorded.verdict.at);
  for_each_detail(recorded.verdict, [&](std::string_view name, const auto& value) {
    body[as_json(name)] = detail_as_json(value);
  });
  return body;
}

object step_object(const queries::TraceView::Step& step) {
  const rules::Flow& flow = step.flow;
  object body;
  body["at"] = as_json(flow.at);
  body["action"] = as_json(rules::word(flow.action));
  body["sku"] = step.sku.text();
  body["warehouse"] = step.warehouse;
  body["bucket"] = flow.bucket;
  body["quantity"] = flow.quantity.units;
  body["seq"] = flow.seq;
  body["before"] = flow.before.units;
  body["after"] = flow.after.units;
  body["caller"] = flow.caller.text();
  if (flow.key) body["key"] = as_json(flow.key->text());
  body["source"] = flow.source;
  body["lane"] = step.lane;
  body["batch"] = step.n;
  return body;
}

object trace_object(const queries::TraceView& trace) {
  object body;
  array& requests = body["requests"].emplace_array();
  for (const rules::IdempotencyRecord& recorded : trace.requests) {
    object request = request_object(recorded);
    request["caller"] = recorded.caller.text();
    requests.push_back(std::move(request));
  }
  if (trace.order) body["order"] = order_object(*trace.order);
  array& steps = body["flows"].emplace_array();
  for (const queries::TraceView::Step& step : trace.steps) steps.push_back(step_object(step));
  return body;
}

}  // namespace

Response show(const rules::Activity& activity) { return json_response(200, activity_object(activity)); }

Response show(const queries::ActivitiesPage& page) {
  object body;
  array& all = body["activities"].emplace_array();
  for (const rules::Activity& activity : page.activities) all.push_back(activity_object(activity));
  if (page.next) body["next"] = page.next->text();
  return json_response(200, body);
}

Response show(const rules::IdempotencyRecord& recorded, Time kept_until) {
  object body = request_object(recorded);
  body["kept_until"] = as_json(kept_until);
  return json_response(200, body);
}

Response show(const queries::TraceView& trace) { return json_response(200, trace_object(trace)); }

Response show(const queries::TracesPage& page) {
  object body;
  array& all = body["traces"].emplace_array();
  for (const queries::TraceView& trace : page.traces) all.push_back(trace_object(trace));
  add_page(body, page);
  return json_response(200, body);
}

// "left" is the sum over the buckets, and nothing where one is missing: what is not there is no zero (A24).
Response show(const std::vector<queries::GateView>& items) {
  object body;
  array& all = body["gate"].emplace_array();
  for (const queries::GateView& item : items) {
    object one;
    one["sku"] = item.sku.text();
    one["pool"] = item.pool;
    one["mode"] = as_json(rules::word(item.mode));
    const bool whole = std::ranges::all_of(item.buckets, [](const auto& b) { return b.gate.has_value(); });
    std::int64_t left = 0;
    std::int64_t available = 0;
    array buckets;
    for (const queries::GateView::Bucket& bucket : item.buckets) {
      object shown;
      shown["bucket"] = static_cast<std::int64_t>(buckets.size());
      shown["available"] = bucket.judge.available.units;
      shown["seq"] = bucket.judge.seq;
      available += bucket.judge.available.units;
      if (bucket.gate) {
        left += std::max<std::int64_t>(bucket.gate->available.units - bucket.gate->held.units, 0);
        shown["at_gate"] = bucket.gate->available.units;
        shown["held_at_gate"] = bucket.gate->held.units;
        shown["seq_at_gate"] = bucket.gate->seq;
        shown["closed_at_gate"] = bucket.gate->closed;
      }
      buckets.push_back(std::move(shown));
    }
    one["available"] = available;
    if (whole) one["left_at_gate"] = left;
    one["buckets"] = std::move(buckets);
    all.push_back(std::move(one));
  }
  return json_response(200, body);
}

Response show_processing(const rules::RequestKey& key) {
  object body;
  body["key"] = as_json(key.text());
  body["status"] = "processing";
  return json_response(200, body);
}

Response show(const queries::AuditView& audit) {
  object body;
  body["clean"] = audit.findings_total == 0;
  body["items"] = audit.items;
  body["flows"] = audit.flows;
  body["orders"] = audit.orders;
  body["batches"] = audit.batches;
  body["findings_total"] = audit.findings_total;
  array& findings = body["findings"].emplace_array();
  for (const queries::AuditView::Finding& found : audit.findings) {
    object one;
    one["invariant"] = found.invariant;
    one["what"] = found.what;
    findings.push_back(std::move(one));
  }
  return json_response(200, body);
}

Response show(const queries::ClocksView& clocks) {
  object body;
  body["judge"] = as_json(clocks.judge);
  body["wall"] = as_json(clocks.wall);
  body["difference_ms"] = (clocks.wall - clocks.judge).count();
  return json_response(200, body);
}

Response show_ready(const std::vector<std::string>& warnings) {
  object body;
  body["status"] = "ready";
  array& all = body["warnings"].emplace_array();
  for (const std::string& warning : warnings) all.push_back(as_json(warning));
  return json_response(200, body);
}

Response show_status(std::string_view status) {
  object body;
  body["status"] = as_json(status);
  return json_response(200, body);
}

}  // namespace gavel::http
