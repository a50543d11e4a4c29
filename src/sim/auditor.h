// Auditor: collects what the oracles need, and runs them.
//
// It sees each attempt and each reply as the callers do, and each commit in the order of the commits. It
// gives every event its own moment, so that the checks of refusals are exact. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "judge/order_index.h"
#include "judge/reader.h"
#include "oracle/check.h"
#include "oracle/left.h"
#include "queries/user_orders.h"
#include "rules/state.h"
#include "sim/rare.h"
#include "sim/scheduler.h"

namespace gavel::sim {

class Auditor {
 public:
  Auditor(const Scheduler& scheduler, CoverageMarks& sightings)
      : scheduler_(scheduler), sightings_(sightings) {}

  // Later than every earlier moment.
  oracle::Moment moment();

  void committed(const rules::State& state, judge::BatchId batch, Time now);

  oracle::History& history() { return history_; }

  // The present database, with all flows so far.
  oracle::Ledger ledger(judge::TablesReader& reader) const;

  // A user was shown a list of orders.
  void was_shown(const rules::UserId& user, oracle::Moment call, const queries::UserOrders& shown);

  // What is wrong with the pages of an index that has followed the whole ledger.
  std::vector<std::string> compare(judge::OrderIndex& index, judge::TablesReader& reader) const;

  // What is wrong, one line each. If `release_within_ms` is given, due holds must have been released within
  // that time.
  std::vector<std::string> findings(judge::TablesReader& reader,
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
  std::set<rules::LaneId> lanes_;    // Lanes that committed something.
  std::vector<oracle::Flow> flows_;  // In the order of the commits.
  struct Shown {
    std::string user;
    oracle::Moment call;
    bool complete;  // Whether the list says that it is complete.
    std::set<std::string> orders;
  };
  std::vector<Shown> shown_;
  std::map<rules::ItemId, std::int64_t> generations_;  // What they must be, by the order of the commits.
};

}  // namespace gavel::sim
