#include "pipeline/lanes.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "base/check.h"

namespace gavel::pipeline {
namespace {

using rules::OrderId;
using rules::Outcome;
using rules::SkuCode;

std::size_t place_of(std::string_view name, std::size_t lanes) {
  return std::hash<std::string_view>()(name) % lanes;
}

std::size_t place_of(const SkuCode& sku, std::size_t lanes) { return place_of(sku.text(), lanes); }

std::size_t place_of(OrderId order, std::size_t lanes) {
  const auto& bytes = order.uuid.bytes;
  return place_of(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()), lanes);
}

// An act on an activity locks all of its items, whichever lane it is in, so that any lane will do as long as
// it is the same one each time.
struct Rule {
  std::size_t lanes;

  LaneRoute operator()(const rules::Reserve& act) const {
    CHECK(!act.lines.empty());
    return place_of(act.lines.begin()->sku, lanes);  // They stand in the order of their SKUs.
  }
  LaneRoute operator()(const rules::Confirm& act) const { return act.order; }
  LaneRoute operator()(const rules::Cancel& act) const { return act.order; }
  LaneRoute operator()(const rules::Extend& act) const { return act.order; }
  LaneRoute operator()(const rules::ChangeOrder& act) const { return act.order; }
  LaneRoute operator()(const rules::Refund& act) const { return act.order; }
  LaneRoute operator()(const rules::Ship& act) const { return act.order; }
  LaneRoute operator()(const rules::Expire& act) const { return act.order; }
  LaneRoute operator()(const rules::PutSku& act) const { return place_of(act.sku, lanes); }
  LaneRoute operator()(const rules::Receive& act) const { return place_of(act.sku, lanes); }
  LaneRoute operator()(const rules::Adjust& act) const { return place_of(act.sku, lanes); }
  LaneRoute operator()(const rules::Count& act) const { return place_of(act.sku, lanes); }
  LaneRoute operator()(const rules::CreateActivity& act) const {
    return place_of(act.activity.text(), lanes);
  }
  LaneRoute operator()(const rules::ChangeActivity& act) const {
    return place_of(act.activity.text(), lanes);
  }
  LaneRoute operator()(const rules::WarmActivity& act) const { return place_of(act.activity.text(), lanes); }
  LaneRoute operator()(const rules::CheckActivity& act) const { return place_of(act.activity.text(), lanes); }
  LaneRoute operator()(const rules::OpenActivity& act) const { return place_of(act.activity.text(), lanes); }
  LaneRoute operator()(const rules::CloseActivity& act) const { return place_of(act.activity.text(), lanes); }
  // Nothing else touches the row of a request that is old.
  LaneRoute operator()(const rules::Forget& act) const { return place_of(act.key.text(), lanes); }
  // It names the item by its number, and comes once a second and item at most.
  LaneRoute operator()(const rules::Rebalance& act) const {
    return static_cast<std::uint64_t>(act.item.value) % lanes;
  }
};

// A command that waits until the lane of its order is known.
struct WaitingCommand {
  rules::Command command;
  Lanes::Done done;
};

}  // namespace

LaneRoute lane_route_of(const rules::Command& command, std::size_t lanes) {
  CHECK(lanes >= 1);
  return std::visit(Rule{lanes}, command.act);
}

struct Lanes::Worker {
  Worker(LaneParts parts, std::size_t place, Lanes& lanes, const Clock& clock, Log& log)
      : store(std::move(parts.store)),
        judge(*store, log, parts.random, std::move(parts.pause), lanes.options_.policy,
              lanes.options_.judge_limits, lanes.options_.judge_metrics,
              [&lanes, &clock, place](const rules::State& state) {
                lanes.remember(state, place);
                lanes.sold_out_times_.note(state, clock.steady());
                if (lanes.options_.observer) lanes.options_.observer(state);
              }),
        lane(
            judge, lanes.options_.limits, clock, log,
            [&lanes](const std::string& why) { lanes.break_off(why); }, lanes.options_.metrics) {}

  const std::unique_ptr<judge::Store> store;
  judge::Judge judge;
  Lane lane;
};

Lanes::Lanes(Lane& lane) : options_(), lanes_{&lane} {}

Lanes::Lanes(std::vector<LaneParts> parts, LanesOptions options, std::unique_ptr<judge::OrdersReader> reader,
             const Clock& clock, Log& log, Lane::OnBroken on_broken)
    : log_(&log), options_(std::move(options)), on_broken_(std::move(on_broken)), reader_(std::move(reader)) {
  CHECK(!parts.empty() && parts.size() <= lanes_max);
  CHECK(on_broken_ != nullptr);
  for (LaneParts& part : parts) {
    CHECK(part.store != nullptr && part.pause != nullptr);
    workers_.push_back(std::make_unique<Worker>(std::move(part), workers_.size(), *this, clock, log));
    lanes_.push_back(&workers_.back()->lane);
  }
  if (lanes_.size() == 1) return;
  CHECK(reader_ != nullptr);
  remembered_.emplace(options_.remembered_max);
  look_up_.emplace(
      options_.limits, clock, [this](const std::vector<OrderId>& orders) { return places_of(orders); },
      [] { return Place(); });
}

Lanes::~Lanes() = default;

bool Lanes::offer(rules::Command& command, Duration deadline, Done& done, stage::Rank rank) {
  if (lanes_.size() == 1) return lanes_.front()->offer(command, deadline, done, rank);
  const LaneRoute route = lane_route_of(command, lanes_.size());
  Place place;
  if (const auto* known = std::get_if<std::size_t>(&route)) {
    place = *known;
  } else {
    place = remembered_->find(std::get<OrderId>(route));
  }
  if (!place) return offer_after_look_up(std::get<OrderId>(route), command, deadline, done, rank);
  CHECK(*place < lanes_.size());
  return lanes_[*place]->offer(command, deadline, done, rank);
}

bool Lanes::offer_after_look_up(OrderId order, rules::Command& command, Duration deadline, Done& done,
                                stage::Rank rank) {
  const auto waiting = std::make_shared<WaitingCommand>(std::move(command), std::move(done));
  stage::Stage<OrderId, Place>::Done found = [this, waiting, deadline, rank](Place place) {
    if (place && lanes_[*place]->offer(waiting->command, deadline, waiting->done, rank)) return;
    options_.metrics.verdicts.add(Outcome::overloaded);
    waiting->done(rules::verdict_of(Outcome::overloaded));
  };
  if (look_up_->offer(order, deadline, found, rank)) return true;
  command = std::move(waiting->command);
  done = std::move(waiting->done);
  return false;
}

// An order that nobody can find, or that cannot be read, goes to a lane by its own id: the judge will say
// what is to be said of it.
std::vector<Lanes::Place> Lanes::places_of(const std::vector<OrderId>& orders) {
  std::vector<Place> places;
  places.reserve(orders.size());
  for (const OrderId order : orders) places.emplace_back(place_of(order, lanes_.size()));
  const std::set<OrderId> once(orders.begin(), orders.end());
  const auto rows = reader_->orders(std::vector<OrderId>(once.begin(), once.end()));
  looked_up_ += orders.size();
  if (!rows) {
    log_->write(Level::warn, "order_look_up_failed", {{"why", rows.error().message}});
    return places;
  }
  std::map<OrderId, std::size_t> found;
  for (const judge::OrderRow& row : *rows) {
    const auto lowest = std::ranges::min_element(row.parts, {}, &judge::OrderRow::Part::sku);
    if (lowest != row.parts.end()) found.emplace(row.order.id, place_of(lowest->sku, lanes_.size()));
  }
  for (std::size_t i = 0; i < orders.size(); ++i) {
    if (const auto known = found.find(orders[i]); known != found.end()) places[i] = known->second;
  }
  return places;
}

// Orders that are held, for these are asked about again soon.
void Lanes::remember(const rules::State& state, std::size_t place) {
  CHECK(place < lanes_.size());
  if (!remembered_) return;
  std::vector<OrderId> made;
  for (const auto& [id, order] : state.orders) {
    if (order.row_state == rules::RowState::inserted && order.state == rules::OrderState::held)
      made.push_back(id);
  }
  if (!made.empty()) remembered_->put(made, place);
}

void Lanes::stop_acknowledging() {
  for (Lane* lane : lanes_) lane->stop_acknowledging();
}

void Lanes::break_off(const std::string& why) {
  stop_acknowledging();
  on_broken_(why);
}

std::size_t Lanes::step_look_up() { return look_up_ ? look_up_->step() : 0; }

void Lanes::run_look_up() {
  if (look_up_) look_up_->run();
}

void Lanes::close_look_up() {
  if (look_up_) look_up_->close();
}

std::size_t Lanes::waiting_look_ups() const { return look_up_ ? look_up_->waiting() : 0; }

void Lanes::answer_late() {
  if (look_up_) look_up_->answer_late();
  for (Lane* lane : lanes_) lane->answer_late();
}

std::optional<std::string> Lanes::why_stuck() const {
  std::optional<std::string> why;
  for (const Lane* lane : lanes_) {
    why = lane->why_stuck();
    if (!why) break;
  }
  return why;
}

std::size_t Lanes::waiting() const {
  std::size_t waiting = waiting_look_ups();
  for (const Lane* lane : lanes_) waiting += lane->waiting();
  return waiting;
}

std::uint64_t Lanes::decided() const {
  std::uint64_t decided = 0;
  for (const Lane* lane : lanes_) decided += lane->decided();
  return decided;
}

void watch(MetricsRegistry& metrics, const Lanes& lanes) {
  metrics.watch_gauge("gavel_pipeline_queue_commands", "Commands that wait for the judge, in all lanes.",
                      [&lanes] { return static_cast<double>(lanes.waiting()); });
  for (std::size_t place = 0; place < lanes.size(); ++place) {
    const Labels labels{{"lane", std::to_string(place + 1)}};
    const Lane& lane = lanes.at(place);
    metrics.watch_gauge(
        "gavel_pipeline_lane_queue_commands", "Commands that wait in the lane's queue.",
        [&lane] { return static_cast<double>(lane.waiting()); }, labels);
    metrics.watch_gauge(
        "gavel_pipeline_lane_stuck", "1 while the lane's judge can decide nothing, else 0.",
        [&lane] { return lane.why_stuck() ? 1.0 : 0.0; }, labels);
    metrics.watch_counter(
        "gavel_pipeline_lane_commands_total", "Commands that the lane's judge was given.",
        [&lane] { return lane.decided(); }, labels);
  }
  metrics.watch_counter("gavel_pipeline_orders_looked_up_total",
                        "Orders whose lane was found by a read, since this process does not remember them.",
                        [&lanes] { return lanes.looked_up(); });
}

}  // namespace gavel::pipeline
