// Undersell: whether a refusal was right (proof.md). The half that nobody tests.
//
// A definite refusal for q units is justified only if A < q at some position between the last effect whose
// call had returned before the refusal was asked for and the first effect whose call began after it was
// answered: min A(k) < q over lo <= k <= hi. A replayed answer counts as a return. What the service does of
// itself counts from its deadline plus the promised bound. A refusal for a limit is judged alike, by what the
// user may still claim. Where the moment of a commit is known, what was committed before the call counts as
// returned, and what was committed after the answer as begun later.
//
// One query of a range minimum per refusal: O((flows + refusals) log flows).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "oracle/check.h"

namespace gavel::oracle {

// The least of any range of a list, in constant time after n log n of preparation.
class RangeMinimum {
 public:
  explicit RangeMinimum(std::vector<std::int64_t> values);
  // Of [first, last], both within the list.
  std::int64_t least(std::size_t first, std::size_t last) const;

 private:
  std::vector<std::vector<std::int64_t>> levels_;  // levels_[j][i]: the least of 2^j values from i on.
};

// How a number changes over the positions of the ledger: what is available of an item, what a user may claim.
class Series {
 public:
  explicit Series(std::int64_t at_start = 0) : positions_{0}, values_{at_start} {}

  // `position` is not before that of the latest step; a second step at one position takes the place of the
  // first.
  void step(std::int64_t position, std::int64_t difference);
  void prepare();  // After the last step, before the first question.

  std::int64_t least(std::int64_t low, std::int64_t high) const;  // At the positions low to high.
  bool was(std::int64_t value, std::int64_t low, std::int64_t high) const;
  std::int64_t at(std::int64_t position) const;
  std::int64_t last() const { return values_.back(); }

 private:
  std::size_t index_of(std::int64_t position) const;

  std::vector<std::int64_t> positions_;
  std::vector<std::int64_t> values_;
  std::vector<RangeMinimum> minimum_;                          // None before prepare().
  std::map<std::int64_t, std::vector<std::int64_t>> indexes_;  // value -> where it stands in `values_`
};

// Which positions of the ledger a call may have seen.
struct Window {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

class Windows {
 public:
  explicit Windows(const World& world);
  Window of(Moment call, Moment answered) const;
  // The same for a question about one pool, and one user's claim on it (empty: its stock), which also sees
  // the holds that are free by promise.
  Window of(Moment call, Moment answered, const std::string& sku, const std::string& activity,
            const std::string& user) const;

 private:
  using Returns = std::vector<std::pair<Moment, std::int64_t>>;
  using Asker = std::tuple<std::string, std::string, std::string>;  // SKU, activity, user

  void promise(const World& world, const Flow& flow, std::int64_t position);
  static void accumulate(Returns& returns);
  static std::int64_t reached(const Returns& returns, Moment call);

  std::int64_t last_ = 0;
  Returns returned_;  // By moment: no position below the second is seen after.
  std::map<Asker, Returns> promised_;
  // By moment: no position from the second on is seen before.
  std::vector<std::pair<Moment, std::int64_t>> begun_;
};

// (item's SKU, activity) -> what was available of it, prepared.
std::map<std::pair<std::string, std::string>, Series> availability(const Ledger& ledger);

// The checks U1 and U3 of check.h: a refusal that was wrong is U3 if what would have served it came back by a
// release that had been acknowledged, else U1.
void check_refusals(const World& world, Findings& findings);
void check_refusals_after_release(const World& world, Findings& findings);

// The same question answered by trying: whether the refusals of a small history of one stock item can be put
// in line with its effects, which stand in the order of the ledger, so that nothing is before what had
// returned before it was asked for and each refusal finds too little. At most about 20 calls; its only use is
// to check the check.
bool brute_force(const World& world);

}  // namespace gavel::oracle
