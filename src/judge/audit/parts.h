// The two halves of an audit: what the ledger says of stock, and what it says of orders and requests.
//
// Private to audit*.cc. Each takes the rows of one visit, in the order in which Reader::Visitor names the
// tables, and adds its findings to a report; finish() is called when all rows were seen. One thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "judge/audit/audit.h"
#include "judge/audit/generation.h"
#include "judge/reader.h"

namespace gavel::judge {

void add_finding(AuditReport& report, std::string_view invariant, std::string what);

std::string name_of(rules::ItemId item, rules::BucketNo bucket);  // "bucket 12/0"
std::string name_of(rules::OrderId order);
std::string name_of(BatchId batch);
std::string name_of(const rules::Flow& flow);  // "seq 7 of bucket 12/0"

// chain, buckets, conservation, moves, batches, generation.
class StockAudit {
 public:
  explicit StockAudit(AuditReport& report) : report_(report) {}

  void item(const rules::Item& row);
  void flow_by_bucket(const FlowRow& row);
  void flow_by_batch(const FlowRow& row);
  void batch(const BatchRow& row);
  void finish();

 private:
  // A bucket as its row says, and as its flows say.
  struct Chain {
    rules::Bucket row;
    rules::Bucket replayed;
    std::int64_t last_after = 0;
    bool broken = false;  // The first entry that breaks a chain is named; what follows from it is not.
  };
  struct Stock {
    rules::SkuId sku;
    std::int64_t generation = 0;
    std::vector<Chain> chains;
    std::int64_t came_in = 0;
    Returns returns;
  };

  void check_link(const rules::Flow& flow, Chain& chain);
  void check_stock(rules::ItemId id, const Stock& stock);
  void end_batch();

  AuditReport& report_;
  std::map<rules::ItemId, Stock> stocks_;
  std::int64_t flows_by_batch_ = 0;

  // Of the batch whose flows are being seen.
  std::optional<BatchId> current_;
  std::int64_t next_i_ = 0;
  std::map<rules::SkuId, std::pair<std::int64_t, std::int64_t>> moved_;  // out, in

  std::map<BatchId, std::int64_t> flows_of_batches_;  // Not yet met by a batch row.
  BatchId previous_{rules::LaneId{0}, 0};
};

// Units that moved, by action.
class Units {
 public:
  std::int64_t& operator[](rules::Action action) { return units_[static_cast<std::size_t>(action)]; }
  std::int64_t operator[](rules::Action action) const { return units_[static_cast<std::size_t>(action)]; }
  std::int64_t sum() const;
  std::string text() const;  // "reserve 2, confirm 2"

 private:
  std::array<std::int64_t, rules::actions_count> units_{};
};

// orders, holds, quotas, requests.
class OrderAudit {
 public:
  explicit OrderAudit(AuditReport& report) : report_(report) {}

  void sku(const rules::Sku& row);
  void activity(const rules::Activity& row);
  void item(const rules::Item& row);
  void flow_by_batch(const FlowRow& row);
  void flow_by_order(const FlowRow& row);
  void order(const rules::Order& row);
  void request(const rules::IdempotencyRecord& row);
  void order_as_request(const rules::IdempotencyRecord& row);
  void quota(const QuotaRow& row);
  void hold(const HoldRow& row);
  void finish();

 private:
  // What the ledger says of one order.
  using Place = std::pair<rules::ItemId, rules::BucketNo>;
  using Occurrence = std::tuple<rules::ItemId, rules::BucketNo, rules::Action>;
  struct Step {  // One entry of a change of the held order (E5).
    Time at;
    BatchId batch;
    std::int64_t i;
    rules::RequestId request;
    Place place;
    std::int64_t seq;
    std::int64_t units;  // That the order has more after it.
  };
  struct Story {
    std::map<Place, Units> parts;
    std::map<Place, Units> changed;  // Of `parts`, what changes of the held order took and gave back.
    std::vector<Step> changes;
    std::map<Occurrence, std::int32_t> rows;  // How many of each kind.
    Units units;
    std::optional<Time> taken_at;    // The first time.
    std::optional<Time> settled_at;  // When it was paid, cancelled or expired.
    std::string first;               // The entry that began it, in words.
    std::string strange;             // The first entry whose occurrence is not the next one, in words.
  };
  // What the ledger says of one request.
  struct Effect {
    Units units;
    std::set<rules::OrderId> orders;
    std::map<rules::SkuId, std::int64_t> skus;  // With how many were confirmed, refunded or written off.
    std::int64_t paid = 0;                      // Of `units`, what paid a shortage at once (E7).
  };
  using UnitsBySku = std::map<rules::SkuCode, std::int64_t>;
  struct Known {
    rules::OrderState state;
    rules::UserId user;
    UnitsBySku units;  // That it took when it was made, as its flows say.
    std::optional<Time> expires_at;
    std::vector<std::pair<Time, std::string>> changes;  // What it had after each, as lines.
    // Several lanes changed it at one time and in different buckets: no row says which was first.
    bool unordered = false;
  };
  using Wrong = std::optional<std::string>;

  Wrong wrong_parts(const rules::Order& row, const Story& story) const;
  Wrong wrong_state(const rules::Order& row) const;
  Wrong wrong_times(const rules::Order& row, const Story& story) const;
  Wrong wrong_pool(const rules::Order& row, const Story& story) const;
  Wrong wrong_request(const rules::IdempotencyRecord& row) const;
  Wrong wrong_effect(const rules::IdempotencyRecord& row, const Effect& effect) const;
  Wrong wrong_sale(const rules::IdempotencyRecord& row, const Effect& effect) const;
  Wrong wrong_extension(const rules::IdempotencyRecord& row, const Effect& effect) const;
  Wrong wrong_change(const rules::IdempotencyRecord& row, const Effect& effect) const;
  Wrong wrong_settling(const rules::IdempotencyRecord& row, const Effect& effect) const;
  Wrong wrong_refund(const rules::IdempotencyRecord& row, const Effect& effect) const;
  Wrong wrong_correction(const rules::IdempotencyRecord& row, const Effect& effect) const;
  Wrong wrong_inbound(const rules::IdempotencyRecord& row, const Effect& effect) const;
  Wrong wrong_administration(const rules::IdempotencyRecord& row, const Effect& effect) const;
  std::string lines_of(const Effect& effect) const;
  static std::string text_of(const UnitsBySku& units);  // "cap*1,tee*2"
  static bool put_in_order(std::vector<Step>& changes);
  void replay_changes(Story& story, Known& known);
  static bool had(const Known& known, Time at, const std::string& lines);
  void count_claims(const rules::Order& row, const Story& story);
  rules::SkuCode code_of(rules::ItemId item) const;

  AuditReport& report_;
  std::map<rules::SkuId, rules::SkuCode> skus_;
  // By the code as contents have it (rules::escaped_code).
  std::set<std::string> sku_codes_;
  std::map<std::string, rules::ActivityState> activity_states_;
  std::map<rules::ActivityId, rules::Activity> activities_;
  std::map<rules::ItemId, std::pair<rules::SkuId, rules::ActivityId>> items_;
  std::map<std::pair<rules::RequestId, Time>, Effect> effects_;  // By when it happened.
  std::map<rules::OrderId, Story> stories_;                      // Not yet met by an order row.
  std::map<rules::OrderId, Known> orders_;
  std::map<rules::RequestId, std::string> changed_to_;  // What an order had after the change, as lines.
  std::map<rules::QuotaKey, std::int64_t> claims_;      // Not yet met by a quota row.
  std::set<std::tuple<rules::ItemId, Time, rules::OrderId>> holds_;  // Not yet met by a hold row.
};

}  // namespace gavel::judge
