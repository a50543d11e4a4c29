// The answer to the question of undersell.h by trying every order; it shares nothing with the clever one but
// the rows that it reads.
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/check.h"
#include "oracle/undersell.h"

namespace gavel::oracle {
namespace {

struct Call {
  Moment begun = 0;
  Moment returned = never;
};

struct Act : Call {
  std::int64_t available = 0;  // What it does to the number.
};

struct No : Call {
  std::int64_t quantity = 0;
  std::int64_t before_act = never;  // It cannot stand behind this act, which is of its own key.
};

// A history as a list of acts in their order and a set of refusals that are somewhere between them.
struct Puzzle {
  std::vector<Act> acts;
  std::vector<No> refusals;
};

// The earliest call that was not told no.
Moment first_possible(const Asked& asked) {
  Moment first = never;
  for (const Attempt& attempt : asked.attempts) {
    if (!attempt.reply || !is_refusal(*attempt.reply)) first = std::min(first, attempt.call);
  }
  return first;
}

Puzzle puzzle_of(const World& world) {
  Puzzle puzzle;
  std::map<RequestId, std::int64_t> act_of;
  for (const Flow& flow : world.ledger.flows) {
    Act act;
    act.available = effect_of(flow.action).available * flow.quantity;
    const auto asked = world.history.asked().find({flow.caller, flow.key});
    if (asked != world.history.asked().end()) {
      act.begun = first_possible(asked->second);
      if (const Attempt* answer = asked->second.answer()) act.returned = answer->answered;
      act_of.try_emplace(asked->first, static_cast<std::int64_t>(puzzle.acts.size()));
    } else if (flow.action == "expire" && world.terms.release_within_ms) {
      const std::int64_t deadline = world.ledger.orders.at(flow.order).expires_at.value();
      act.returned = world.terms.clock.of(deadline + *world.terms.release_within_ms);
    }
    puzzle.acts.push_back(act);
  }
  for (const auto& [id, asked] : world.history.asked()) {
    for (const Attempt& attempt : asked.attempts) {
      if (!attempt.reply ||
          (attempt.reply->outcome != "sold_out" && attempt.reply->outcome != "insufficient"))
        continue;
      CHECK(!attempt.reply->replayed);
      No no;
      no.begun = attempt.call;
      no.returned = attempt.answered;
      no.quantity = asked.request(attempt).lines.at(0).quantity;
      if (const auto own = act_of.find(id); own != act_of.end()) no.before_act = own->second;
      puzzle.refusals.push_back(no);
    }
  }
  CHECK(puzzle.refusals.size() < 32);
  return puzzle;
}

class Search {
 public:
  explicit Search(Puzzle puzzle) : puzzle_(std::move(puzzle)) {}

  bool succeeds() { return go_on(0, 0, 0); }

 private:
  // `acts` have been placed, and the refusals in `placed`; `available` is what that leaves.
  bool go_on(std::size_t acts, std::uint32_t placed, std::int64_t available) {
    if (acts == puzzle_.acts.size() && placed == (std::uint64_t{1} << puzzle_.refusals.size()) - 1)
      return true;
    if (!tried_.emplace(acts, placed).second) return false;
    if (acts < puzzle_.acts.size()) {
      const Act& next = puzzle_.acts[acts];
      if (may_come(next, acts, placed) && go_on(acts + 1, placed, available + next.available)) return true;
    }
    for (std::size_t i = 0; i < puzzle_.refusals.size(); ++i) {
      const std::uint32_t bit = std::uint32_t{1} << i;
      const No& no = puzzle_.refusals[i];
      if ((placed & bit) != 0 || available >= no.quantity) continue;
      if (static_cast<std::int64_t>(acts) > no.before_act) continue;
      if (may_come(no, acts, placed) && go_on(acts, placed | bit, available)) return true;
    }
    return false;
  }

  // Nothing that is still to come had returned before this was begun.
  bool may_come(const Call& call, std::size_t acts, std::uint32_t placed) const {
    for (std::size_t i = acts; i < puzzle_.acts.size(); ++i) {
      if (puzzle_.acts[i].returned < call.begun) return false;
    }
    for (std::size_t i = 0; i < puzzle_.refusals.size(); ++i) {
      if ((placed >> i & 1U) == 0 && puzzle_.refusals[i].returned < call.begun) return false;
    }
    return true;
  }

  const Puzzle puzzle_;
  std::set<std::pair<std::size_t, std::uint32_t>> tried_;
};

}  // namespace

bool brute_force(const World& world) { return Search(puzzle_of(world)).succeeds(); }

}  // namespace gavel::oracle
