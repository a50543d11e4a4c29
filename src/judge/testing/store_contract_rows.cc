// The fixture of the store contract: its first rows, and the words that its tests are written in.
#include <span>
#include <sstream>
#include <utility>

#include "judge/testing/store_contract.h"

namespace gavel::judge {

using namespace std::chrono_literals;
using rules::ItemId;
using rules::Quantity;
using rules::RowState;
using rules::State;

rules::OrderId order_id(std::uint8_t number) {
  Uuid uuid{{0x01, 0xa3, 0x13, 0x4c, 0x90, 0x00, 0x70, 0x00, 0x80, 0, 0, 0, 0, 0, 0, number}};
  return rules::OrderId{uuid};
}

rules::RequestId request_id(const std::string& caller, const std::string& key) {
  return {rules::Caller(caller), rules::RequestKey(key)};
}

rules::Order make_order(std::uint8_t number, const std::string& user, std::vector<rules::Allocation> taken,
                        Time expires_at) {
  return rules::Order{.id = order_id(number),
                      .state = rules::OrderState::held,
                      .account = rules::Caller("of-" + user),
                      .user = rules::UserId(user),
                      .activity = rules::free_pool,
                      .taken = std::move(taken),
                      .created_at = expires_at - 10s,
                      .expires_at = expires_at,
                      .settled_at = std::nullopt,
                      .row_state = RowState::inserted};
}

rules::Flow make_flow(std::int64_t item, rules::BucketNo bucket, std::int64_t seq,
                      std::optional<rules::OrderId> order) {
  return rules::Flow{.item = ItemId{item},
                     .bucket = bucket,
                     .seq = seq,
                     .action = order ? rules::Action::reserve : rules::Action::receive,
                     .quantity = Quantity{1},
                     .before = Quantity{order ? 1 : 0},
                     .after = Quantity{order ? 0 : 1},
                     .order = order,
                     .occurrence = 1,
                     .caller = rules::Caller("shop"),
                     .key = rules::RequestKey("k-" + std::to_string(seq)),
                     .source = order ? "order" : "inbound",
                     .at = Time(1'800'000'000'000ms)};
}

rules::IdempotencyRecord make_recorded(const std::string& caller, const std::string& key,
                                       rules::Outcome outcome) {
  rules::Verdict verdict;
  verdict.outcome = outcome;
  verdict.record = rules::Record::fresh;
  verdict.at = Time(1'800'000'000'123ms);
  return rules::IdempotencyRecord{rules::Caller(caller), rules::RequestKey(key),
                                  "act=receive;sku=tee;quantity=7", verdict, RowState::inserted};
}

void StoreContract::SetUp() {
  world_ = GetParam().make();
  reopen();
  post_first_rows();
}

void StoreContract::reopen() {
  reader_.reset();
  store_.reset();
  store_ = world_->open_store();
  reader_ = world_->open_reader();
  const auto lane = store_->open_lane();
  ASSERT_TRUE(lane) << lane.error().message;
  lane_ = *lane;
  n_ = 1;
}

Result<void> StoreContract::post(const State& state) {
  const auto all = [&]() -> Result<void> {
    if (auto begun = store_->begin(); !begun) return begun;
    const auto now = store_->now();
    if (!now) return std::unexpected(now.error());
    if (auto written = store_->write(state, BatchId{lane_, n_}, *now); !written) return written;
    return store_->commit();
  };
  Result<void> done = all();
  if (done) {
    ++n_;
  } else {
    store_->rollback();
  }
  return done;
}

namespace {

rules::Item item_of(std::int64_t id, std::int64_t sku, std::int64_t activity,
                    const std::vector<rules::Bucket>& buckets) {
  return rules::Item{.id = ItemId{id},
                     .sku = rules::SkuId{sku},
                     .activity = rules::ActivityId{activity},
                     .generation = id,
                     .buckets = buckets,
                     .loaded = std::vector<rules::Bucket>(buckets.size()),
                     .row_state = RowState::inserted};
}

rules::Bucket bucket_of(std::int64_t available, std::int64_t reserved, std::int64_t sold, std::int64_t seq) {
  return {Quantity{available}, Quantity{reserved}, Quantity{sold}, seq};
}

void add_stock(State& state) {
  const auto add_sku = [&](const char* code, std::int64_t id, std::int32_t buckets) {
    state.skus.emplace(
        code, rules::Sku{rules::SkuId{id}, rules::SkuCode(code), buckets, ItemId{id}, RowState::inserted});
  };
  add_sku("tee", 1, 2);
  add_sku("cap", 2, 1);
  const auto add_item = [&](const rules::Item& item) { state.items.emplace(item.id, item); };
  add_item(item_of(1, 1, 0, {bucket_of(4, 2, 0, 3), bucket_of(5, 1, 1, 1)}));
  add_item(item_of(2, 2, 0, {bucket_of(7, 1, 0, 1)}));
  add_item(item_of(3, 1, 1, {bucket_of(3, 0, 0, 0)}));
  state.counters = rules::Counters{3, 4, 2, RowState::updated};
}

void add_activity(State& state) {
  const rules::ActivityCode code("sale");
  state.activities.emplace(
      code, rules::Activity{.id = rules::ActivityId{1},
                            .code = code,
                            .name = "Été; \"one\"\n两",
                            .state = rules::ActivityState::open,
                            .limit_per_user = Quantity{2},
                            .opens_at = Time(1'800'000'000'000ms),
                            .closes_at = Time(1'800'000'999'999ms),
                            .hold = 90s,
                            .lines = {{rules::SkuId{1}, rules::SkuCode("tee"), Quantity{3}, ItemId{3}}},
                            .row_state = RowState::inserted});
}

// Orders 1 to 3 are held until 10 s, 20 s and 30 s after the start; order 1 takes from two items, one of them
// twice.
void add_orders(State& state, Time start) {
  const auto add = [&](const rules::Order& order) { state.orders.emplace(order.id, order); };
  add(make_order(1, "ann", {{ItemId{1}, 0, {1}}, {ItemId{1}, 1, {1}}, {ItemId{2}, 0, {1}}}, start + 10s));
  add(make_order(2, "bob", {{ItemId{1}, 0, {1}}}, start + 20s));
  add(make_order(3, "ann", {{ItemId{1}, 0, {1}}}, start + 30s));
  state.flows = {make_flow(1, 0, 1, std::nullopt), make_flow(1, 0, 2, order_id(1)),
                 make_flow(1, 1, 1, order_id(1)), make_flow(2, 0, 1, order_id(1)),
                 make_flow(1, 0, 3, order_id(2))};
  rules::IdempotencyRecord sold =
      make_recorded("shop", gavel::to_text(order_id(2).uuid), rules::Outcome::reserved);
  sold.verdict.order = order_id(2);
  sold.verdict.detail.expires_at = start + 20s;
  state.orders_as_requests.emplace(order_id(2), sold);
  state.requests.emplace(request_id("shop", "k-1"), make_recorded("shop", "k-1", rules::Outcome::received));
  const rules::QuotaKey key{rules::ActivityId{1}, rules::SkuId{1}, rules::UserId("ann")};
  state.quotas.emplace(key, rules::Quota{Quantity{2}, Quantity{1}, order_id(3), Quantity{0},
                                         RowState::inserted, rules::Caller("of-ann")});
}

}  // namespace

void StoreContract::post_first_rows() {
  State state;
  add_stock(state);
  add_activity(state);
  add_orders(state, clock().now());
  const auto posted = post(state);
  ASSERT_TRUE(posted) << posted.error().message;
}

State StoreContract::loaded(const std::function<Result<void>(State&)>& load) {
  State state;
  EXPECT_TRUE(store_->begin());
  const auto done = load(state);
  EXPECT_TRUE(done) << done.error().message;
  store_->rollback();
  return state;
}

State StoreContract::loaded_item(std::int64_t item) {
  return loaded([&](State& state) { return store_->load_items({ItemId{item}}, state); });
}

std::vector<rules::OrderId> StoreContract::due_of(const DueQuestion& question, Time now) {
  const auto due = store_->find_due(std::span(&question, 1), now);
  EXPECT_TRUE(due) << due.error().message;
  return due ? due->at(0) : std::vector<rules::OrderId>();
}

ActivityKeys StoreContract::sale_for_update() {
  const rules::ActivityCode sale("sale");
  return {.codes = {sale}, .ids = {}, .written = {sale}};
}

std::string StoreContract::dump() {
  const auto text = canonical_dump(*reader_);
  EXPECT_TRUE(text) << text.error().message;
  return text.value_or("");
}

std::string StoreContract::dump_of(const std::string& table) {
  std::istringstream lines(dump());
  std::string found;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(table + " ")) found += line + "\n";
  }
  return found;
}

}  // namespace gavel::judge
