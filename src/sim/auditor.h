// Auditor: keeps what the oracles judge by, and has them judge.
//
// It sees each attempt and each reply as the callers do, and each commit in the very order of the commits. It
// gives every event a moment of its own, so that the checks of refusals are exact. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "jobs/user_orders.h"
#include "judge/order_index.h"
#include "judge/reader.h"
#include "oracle/check.h"
#include "oracle/left.h"
#include "rules/state.h"
#include "sim/rare.h"
#include "sim/scheduler.h"

namespace gavel::sim {

class Auditor {
 public:
  Auditor(const Scheduler& scheduler, CoverageMarks& sightings)
      : scheduler_(scheduler), sightings_(sightings) {}

  // Later than every moment before.
  oracle::Moment moment();

  void committed(const rules::State& state, judge::BatchId batch, Time now);

  oracle::History& history() { return history_; }

  // The database as it is, with all flows so far.
  oracle::Ledger ledger(judge::Reader& reader) const;

  // A user was shown his orders.
  void was_shown(const rules::UserId& user, oracle::Moment call, const jobs::UserOrders& shown);

  // What is wrong with the pages of an index that has followed everything.
  std::vector<std::string> compare(judge::OrderIndex& index, judge::Reader& reader) const;

  // What is wrong, a line each. Holds past their time have been free within `release_within_ms`, if that was
  // promised.
  std::vector<std::string> findings(judge::Reader& reader,
                                    std::optional<std::int64_t> release_within_ms) const;

 private:
  void watch(const rules::State& state);
  void watch(const rules::Order& order);
  void count_generations(const rules::State& state);
  void check_lists(std::vector<std::string>& lines) const;

  const Scheduler& scheduler_;
  CoverageMarks& sightings_;
  oracle::Moment latest_ = 0;
  oracle::History history_;
  std::set<rules::LaneId> lanes_;    // That committed something.
  std::vector<oracle::Flow> flows_;  // In the order of their commits.
  struct Shown {
    std::string user;
    oracle::Moment call;
    bool complete;  // It says so of itself.
    std::set<std::string> orders;
  };
  std::vector<Shown> shown_;
  std::map<rules::ItemId, std::int64_t> generations_;  // As they must be, by the order of the commits.
};

}  // namespace gavel::sim
