// JudgeDriver: a judge with its store, and short words for commands and verdicts. For tests.
//
// Orders are spoken of by the key of the request that made them: "#k1" stands for the id of k1's order in
// what say() returns. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "judge/judge.h"
#include "judge/reader.h"
#include "judge/store.h"
#include "ops/log.h"
#include "rules/command.h"

namespace gavel::judge {

using Lines = std::vector<std::pair<std::string, std::int64_t>>;

struct ReserveOptions {
  std::optional<std::string> activity = std::nullopt;
  std::optional<std::chrono::seconds> hold = std::nullopt;
  rules::Payment payment = rules::Payment::later;
};

struct ActivityOptions {
  std::optional<std::int64_t> limit = std::nullopt;
  std::optional<Time> opens_at = std::nullopt;
  std::optional<Time> closes_at = std::nullopt;
  std::optional<std::chrono::seconds> hold = std::nullopt;
  std::optional<std::int32_t> buckets = std::nullopt;
  rules::Mode mode = rules::Mode::service;
};

// Commands of the caller "shop". The id of an order to be made is derived from its key.
rules::Command reserve(const std::string& key, const std::string& user, const Lines& lines,
                       ReserveOptions options = {});
rules::Command confirm(const std::string& key, rules::OrderId order, const Lines& lines = {});
rules::Command refund(const std::string& key, rules::OrderId order, const Lines& lines = {},
                      rules::Restock restock = rules::Restock::yes,
                      rules::RefundFrom from = rules::RefundFrom::both);
rules::Command ship(const std::string& key, rules::OrderId order, const Lines& lines = {});
rules::Command extend(const std::string& key, rules::OrderId order,
                      std::optional<std::chrono::seconds> seconds = std::nullopt);
rules::Command change(const std::string& key, rules::OrderId order, const Lines& lines);
rules::Command cancel(const std::string& key, rules::OrderId order);
rules::Command expire(rules::OrderId order);
rules::Command forget(const std::string& caller, const std::string& key);
rules::Command put_sku(const std::string& key, const std::string& sku, std::int32_t buckets = 1,
                       std::optional<rules::Mode> mode = std::nullopt);
rules::Command rebalance(rules::ItemId item);
rules::Command receive(const std::string& key, const std::string& sku, std::int64_t units);
rules::Command adjust(const std::string& key, const std::string& sku, std::int64_t difference);
rules::Command count(const std::string& key, const std::string& sku, std::int64_t counted,
                     std::int64_t version);
rules::Command create_activity(const std::string& key, const std::string& activity, const Lines& allotments,
                               ActivityOptions options = {});
rules::Command change_activity(const std::string& key, const std::string& activity,
                               std::optional<std::int32_t> buckets, std::optional<rules::Mode> mode);
rules::Command warm_activity(const std::string& key, const std::string& activity);
rules::Command check_activity(const std::string& key, const std::string& activity);
rules::Command open_activity(const std::string& key, const std::string& activity);
rules::Command close_activity(const std::string& key, const std::string& activity);
rules::Command by(const std::string& caller, rules::Command command);

// The order that a reserve under `key` makes.
rules::OrderId order_of(const std::string& key);

class JudgeDriver {
 public:
  // The store outlives the court. `pauses` of the judge pass at once.
  explicit JudgeDriver(Store& store, JudgeLimits limits = {}, rules::Policy policy = {});

  Result<std::vector<rules::Verdict>> apply(const std::vector<rules::Command>& commands);

  // The verdict on one command in words, or the error: "reserved expires_at=… order=#k1".
  std::string say(const rules::Command& command);

  // The verdicts on one batch, a line each.
  std::string say_all(const std::vector<rules::Command>& commands);

  // `text` with the ids of orders replaced by the keys that say() met.
  std::string by_keys(std::string text) const;

  Judge& judge() { return judge_; }
  int pauses() const { return pauses_; }

 private:
  void remember(const rules::Command& command);

  std::unique_ptr<Log> log_ = Log::silent();
  int pauses_ = 0;
  Judge judge_;
  std::map<std::string, std::string> names_;  // By the text of the order's id.
};

}  // namespace gavel::judge
