// One noun: the protocol that the model searches.
#include "protocol.h"

#include <algorithm>
#include <vector>

namespace model {
namespace {

int available(const Judge& judge) { return judge.available[0] + judge.available[1]; }

bool is_closed(const GateBucket& bucket) { return bucket.shut >= bucket.open; }

int left(const GateBucket& bucket) { return bucket.available - bucket.held[0] - bucket.held[1]; }

int user_of(const Scenario& s, int request) { return s.same_user ? 0 : request % users; }

bool has_key_of_first(const Scenario& s, int request) {
  return s.retry >= 0 && (request == 0 || request == s.retry);
}

bool is_in_process(const Request& request) {
  return request.stage != outside && request.stage != done && request.stage != gone &&
         request.stage != orphan;
}

// Small numbers overflow into nonsense; the scenarios stay far below this.
Small small(int number) { return static_cast<Small>(number); }

Statement merged(const Statement& one, const Statement& other) {
  Statement both = one;
  if (other.told == position && (one.told != position || other.seq >= one.seq)) {
    both.seq = other.seq;
    both.available = other.available;
  }
  both.told = std::max(one.told, other.told);
  both.open = std::max(one.open, other.open);
  both.shut = std::max(one.shut, other.shut);
  return both;
}

// ---- The gate: the one script.

enum Said { ok, stale, not_initialised };

struct Heard {
  Said said = not_initialised;
  std::vector<bool> granted;
};

Heard say(const Scenario& s, GateBucket& bucket, int instance, int op, int base, const Statement& judge,
          const std::vector<int>& wants) {
  const Mutation& m = s.mutation;
  if (!bucket.present) {
    if (judge.told != position) return {};
    bucket = {};
    bucket.present = 1;
  }
  if (judge.told == position && (judge.seq >= bucket.seq || m.no_seq_guard)) {
    bucket.seq = judge.seq;
    bucket.available = judge.available;
  }
  if (judge.told != nothing) {
    bucket.open = m.no_generations ? judge.open : std::max(bucket.open, judge.open);
    bucket.shut = m.no_generations ? judge.shut : std::max(bucket.shut, judge.shut);
  }
  const auto i = static_cast<std::size_t>(instance);
  if (op == 0 || (op <= bucket.op[i] && !m.no_op_guard)) return {stale, {}};
  bucket.op[i] = small(op);
  bucket.held[i] = small(base);
  Heard heard{ok, {}};
  for (const int want : wants) {
    const bool yes = !is_closed(bucket) && left(bucket) >= want;
    if (yes) bucket.held[i] = small(bucket.held[i] + want);
    heard.granted.push_back(yes);
  }
  return heard;
}

// ---- One successor under construction.

class Next {
 public:
  Next(const Scenario& scenario, const State& from) : s(scenario), state(from) {}

  const Scenario& s;
  State state;
  std::string wrong;

  Request& request(int r) { return state.request[static_cast<std::size_t>(r)]; }
  Side& side(int i, int b) { return state.side[static_cast<std::size_t>(i)][static_cast<std::size_t>(b)]; }
  GateBucket& gate(int b) { return state.gate[static_cast<std::size_t>(b)]; }

  int instance_of(int r) const { return s.instance[static_cast<std::size_t>(r)]; }
  int quantity_of(int r) const { return s.quantity[static_cast<std::size_t>(r)]; }
  int bucket_of(int r) const {
    const Request& q = state.request[static_cast<std::size_t>(r)];
    const int count = state.view[static_cast<std::size_t>(instance_of(r))];
    return (s.home[static_cast<std::size_t>(r)] + q.probe) % count;
  }

  void owe(int i, int b, const Statement& statement) { side(i, b).owed = merged(side(i, b).owed, statement); }

  // ---- Requests.

  void finish(int r, Outcome outcome) {
    Request& q = request(r);
    const auto took = q.took;
    q = {};
    q.stage = done;
    const bool cancelled_later = std::any_of(s.acts.begin(), s.acts.begin() + s.act_count, [&](const Act& a) {
      return a.kind == cancel && a.request == r;
    });
    if (has_key_of_first(s, r) || cancelled_later) q.outcome = outcome;
    if (cancelled_later) q.took = took;
  }

  void refuse_unrecorded(int r) {
    if (!request(r).short_once) wrong = "refused, though enough was available ever since it was asked for";
    if (has_key_of_first(s, r) && is_recorded(sold)) wrong = "told sold out, though its key has a sale";
    finish(r, s.refusals_recorded && has_key_of_first(s, r) ? refused_recorded : refused_unrecorded);
  }

  // Whether the key of request 0 has that recorded result.
  bool is_recorded(Outcome outcome) const {
    if (s.retry < 0) return false;
    return state.request[0].outcome == outcome ||
           state.request[static_cast<std::size_t>(s.retry)].outcome == outcome;
  }

  bool over_limit(int r) const {
    if (s.limit == 0) return false;
    return state.judge.claimed[static_cast<std::size_t>(user_of(s, r))] + quantity_of(r) > s.limit;
  }

  // Every moment counts: called when a request comes and after every commit.
  void note_moment() {
    for (int r = 0; r < s.request_count; ++r) {
      if (!is_in_process(request(r))) continue;
      if (available(state.judge) < quantity_of(r)) request(r).short_once = 1;
      if (over_limit(r)) request(r).limited_once = 1;
    }
  }

  void ask(int r) {
    Request& q = request(r);
    q.stage = at_gate;
    note_moment();
    if (in_process_elsewhere_here(r)) return finish(r, none);  // key_in_flight
    const auto u = static_cast<std::size_t>(user_of(s, r));
    if (s.limit > 0 && state.hint[u].claimed + quantity_of(r) > s.limit) {
      q.stage = quota_confirm;
      if (s.mutation.hint_decides) refuse_by_limit(r);
      return;
    }
    if (s.direct[static_cast<std::size_t>(r)]) q.stage = to_judge;
  }

  bool in_process_elsewhere_here(int r) const {
    if (!has_key_of_first(s, r)) return false;
    const int other = r == 0 ? s.retry : 0;
    return instance_of(other) == instance_of(r) &&
           is_in_process(state.request[static_cast<std::size_t>(other)]);
  }

  void refuse_by_limit(int r) {
    if (!request(r).limited_once) wrong = "refused by the limit, though it was never reached";
    finish(r, none);
  }

  void confirm_quota(int r) {
    if (over_limit(r)) return refuse_by_limit(r);
    request(r).stage = s.direct[static_cast<std::size_t>(r)] ? to_judge : at_gate;
  }

  // ---- The instance's call, and what its reply does.

  std::vector<int> waiting(int i, int b) const {
    std::vector<int> all;
    for (int r = 0; r < s.request_count; ++r) {
      const Request& q = state.request[static_cast<std::size_t>(r)];
      if (q.stage == at_gate && instance_of(r) == i && bucket_of(r) == b) all.push_back(r);
    }
    return all;
  }

  // A call that is owed to a missing bucket is owed until there is one again.
  bool is_due(int i, int b) {
    return (side(i, b).owes_call && (gate(b).present || s.mutation.unheard)) ||
           side(i, b).owed.told != nothing || !waiting(i, b).empty();
  }

  // Whether a call takes effect at the gate, and whether its sender hears of it.
  void call(int i, int b, bool arrives, bool is_heard, bool again_later) {
    Side& mine = side(i, b);
    const std::vector<int> wanters = waiting(i, b);
    std::vector<int> wants;
    for (const int r : wanters) wants.push_back(quantity_of(r));
    const Statement judge = mine.owed;
    mine.op = small(mine.op + 1);
    mine.owes_call = 0;
    mine.owed = {};
    if (again_later) keep_late(i, b, judge, wants);
    const Heard heard = arrives ? say(s, gate(b), i, mine.op, mine.tokens, judge, wants) : Heard{};
    if (!is_heard) {
      mine.owes_call = 1;
      if (!s.mutation.owed_is_lost) mine.owed = judge;
      for (const int r : wanters) request(r).stage = to_judge;
      return;
    }
    if (heard.said == stale || (heard.said == not_initialised && !s.mutation.unheard)) mine.owes_call = 1;
    for (std::size_t w = 0; w < wanters.size(); ++w) {
      direct(wanters[w], b, heard, heard.said == ok && heard.granted[w]);
    }
  }

  void direct(int r, int b, const Heard& heard, bool granted) {
    Request& q = request(r);
    if (granted) {
      Side& mine = side(instance_of(r), b);
      mine.tokens = small(mine.tokens + quantity_of(r));
      q.token = small(b + 1);
      q.stage = to_judge;
    } else if (heard.said == not_initialised) {
      q.asked = small(q.asked | 1 << b);
      q.stage = to_judge;
    } else if (heard.said == stale) {
      q.stage = to_judge;
    } else if (is_closed(gate(b))) {
      q.shut = gate(b).shut;
      q.stage = to_confirm;
      if (s.mutation.no_confirming_read) refuse_unrecorded(r);
    } else if (q.probe == 0 && state.view[static_cast<std::size_t>(instance_of(r))] == 2) {
      q.probe = 1;
    } else {
      q.stage = to_judge;
    }
  }

  void keep_late(int i, int b, const Statement& judge, const std::vector<int>& wants) {
    Late& late = state.late;
    late = {};
    late.present = 1;
    late.bucket = small(b);
    late.instance = small(i);
    late.op = side(i, b).op;
    late.base = side(i, b).tokens;
    late.judge = judge;
    for (std::size_t w = 0; w < wants.size(); ++w) late.wants[w] = small(wants[w]);
  }

  void deliver_late() {
    const Late late = state.late;
    std::vector<int> wants;
    for (const Small want : late.wants) {
      if (want > 0) wants.push_back(want);
    }
    say(s, gate(late.bucket), late.instance, late.op, late.base, late.judge, wants);
    state.late = {};
  }

  // ---- The confirming read.

  void confirm(int r) {
    Request& q = request(r);
    const int i = instance_of(r);
    const bool looks =
        has_key_of_first(s, r) && !s.first_attempt[static_cast<std::size_t>(r)] && !s.mutation.keys_unread;
    if (looks && (is_recorded(sold) || is_recorded(refused_recorded))) return finish(r, replayed);
    Small& remembered = state.read_generation[static_cast<std::size_t>(i)];
    const bool fresh = !s.mutation.remembered_read || remembered == 0;
    const Small generation = fresh ? state.judge.generation : remembered;
    if (s.mutation.remembered_read) remembered = generation;
    const bool is_empty = !s.reads_sum || s.mutation.remembered_read || available(state.judge) == 0;
    if (generation == q.shut && is_empty) return refuse_unrecorded(r);
    q.stage = to_judge;
    q.shut = 0;
    if (generation > 0) {
      for (int b = 0; b < state.judge.rows; ++b)
        owe(i, b, {generations, 0, 0, generation, small(generation - 1)});
    }
  }

  // ---- The judge. A transaction is one step; what it owes is told by verdict_of afterwards.

  struct Before {
    std::array<Small, buckets> seq;
    int available;
    Small rows;
  };

  Before begin() const { return {state.judge.seq, available(state.judge), state.judge.rows}; }

  void change(int b, int by) {
    const auto at = static_cast<std::size_t>(b);
    state.judge.available[at] = small(state.judge.available[at] + by);
    state.judge.seq[at] = small(state.judge.seq[at] + 1);
  }

  // Ends the transaction and returns what it owes to each bucket.
  std::array<Statement, buckets> commit(const Before& before, int asked) {
    Judge& judge = state.judge;
    const bool is_empty = available(judge) == 0;
    const bool is_raised = before.available == 0 && !is_empty;
    if (is_raised && !s.mutation.generation_stays) judge.generation = small(judge.generation + 1);
    const bool all = is_empty || (is_raised && !s.mutation.reopen_touched);
    std::array<Statement, buckets> owed{};
    for (int b = 0; b < judge.rows; ++b) {
      const auto at = static_cast<std::size_t>(b);
      const bool touched = judge.seq[at] != before.seq[at] || (asked >> b & 1) || b >= before.rows;
      if (!all && !touched) continue;
      owed[at] = {position, judge.seq[at], judge.available[at], judge.generation,
                  small(is_empty ? judge.generation : judge.generation - 1)};
    }
    note_moment();
    return owed;
  }

  // Returns what the commit owes; the request's outcome is set.
  std::array<Statement, buckets> judge(int r) {
    Request& q = request(r);
    const Before before = begin();
    const int asked = q.asked | (q.token ? 1 << (q.token - 1) : 0);
    const bool known = has_key_of_first(s, r) && (is_recorded(sold) || is_recorded(refused_recorded));
    if (known) {
      q.outcome = replayed;
    } else if (over_limit(r) || available(state.judge) < quantity_of(r)) {
      q.outcome = refused_recorded;
    } else {
      sell(r);
    }
    return commit(before, asked);
  }

  void sell(int r) {
    Request& q = request(r);
    if (has_key_of_first(s, r) && is_recorded(refused_recorded)) {
      wrong = "sold, though its key has a recorded refusal";
    }
    q.outcome = sold;
    const int first = q.token ? q.token - 1 : s.home[static_cast<std::size_t>(r)] % state.judge.rows;
    int units = quantity_of(r);
    for (int n = 0; n < buckets && units > 0; ++n) {
      const int b = (first + n) % buckets;
      const int taken = std::min<int>(units, state.judge.available[static_cast<std::size_t>(b)]);
      if (taken == 0) continue;
      change(b, -taken);
      q.took[static_cast<std::size_t>(b)] = small(taken);
      units -= taken;
    }
    const auto u = static_cast<std::size_t>(user_of(s, r));
    if (s.limit > 0) state.judge.claimed[u] = small(state.judge.claimed[u] + quantity_of(r));
  }

  // The verdict is known to the instance: tokens are dropped, the statements are owed.
  void after_commit(int r, const std::array<Statement, buckets>& owed) {
    const int i = instance_of(r);
    Request& q = request(r);
    if (q.token) {
      Side& mine = side(i, q.token - 1);
      mine.tokens = small(mine.tokens - quantity_of(r));
      mine.owes_call = 1;
    }
    for (int b = 0; b < buckets; ++b) {
      if (owed[static_cast<std::size_t>(b)].told != nothing) owe(i, b, owed[static_cast<std::size_t>(b)]);
    }
    owe_hint(i, user_of(s, r));
    finish(r, static_cast<Outcome>(q.outcome));
  }

  void owe_hint(int i, int user) {
    if (s.limit == 0) return;
    const auto u = static_cast<std::size_t>(user);
    state.hint[u].owed[static_cast<std::size_t>(i)] = small(state.judge.claimed[u] + 1);
  }

  // ---- Everything else that commits.

  bool may_act(const Act& act) const {
    if (state.dead[static_cast<std::size_t>(act.instance)]) return false;
    const auto other = static_cast<std::size_t>(1 - act.bucket);
    switch (act.kind) {
      case release:
        return act.bucket < state.judge.rows;
      case move:
        return state.judge.rows == 2 && state.judge.available[other] >= act.quantity;
      case cancel:
        return state.request[static_cast<std::size_t>(act.request)].outcome == sold &&
               state.request[static_cast<std::size_t>(act.request)].stage == done;
      case grow:
        return state.judge.count == 1 && state.judge.available[0] >= act.quantity;
      case shrink:
        return state.judge.count == 2;
    }
    return false;
  }

  void act(int k) {
    const Act& a = s.acts[static_cast<std::size_t>(k)];
    const Before before = begin();
    switch (a.kind) {
      case release:
        change(a.bucket, a.quantity);
        break;
      case move:
        change(a.bucket, a.quantity);
        change(1 - a.bucket, -a.quantity);
        break;
      case cancel:
        give_back(a.request);
        break;
      case grow:
        state.judge.rows = state.judge.count = 2;
        if (a.quantity > 0) {
          change(0, -a.quantity);
          change(1, a.quantity);
        }
        break;
      case shrink: {
        const int units = state.judge.available[1];
        state.judge.count = 1;
        if (units > 0) {
          change(1, -units);
          change(0, units);
        }
        break;
      }
    }
    const auto owed = commit(before, 0);
    for (int b = 0; b < buckets; ++b) {
      if (owed[static_cast<std::size_t>(b)].told != nothing)
        owe(a.instance, b, owed[static_cast<std::size_t>(b)]);
    }
    if (a.kind == grow || a.kind == shrink) {
      state.view[static_cast<std::size_t>(a.instance)] = state.judge.count;
    }
    state.act_done[static_cast<std::size_t>(k)] = 1;
  }

  void give_back(int r) {
    Request& q = request(r);
    for (int b = 0; b < buckets; ++b) {
      if (q.took[static_cast<std::size_t>(b)] > 0) change(b, q.took[static_cast<std::size_t>(b)]);
    }
    q.took = {};
    q.outcome = has_key_of_first(s, r) ? sold : none;
    const auto u = static_cast<std::size_t>(user_of(s, r));
    if (s.limit == 0) return;
    state.judge.claimed[u] = small(state.judge.claimed[u] - quantity_of(r));
    owe_hint(instance_of(r), user_of(s, r));
  }

  // ---- Jobs and faults.

  void read_for_refresh(int k) {
    Refresh& refresh = state.refresh[static_cast<std::size_t>(k)];
    const Judge& judge = state.judge;
    refresh.stage = 1;
    refresh.pending = small((1 << judge.rows) - 1);
    for (int b = 0; b < judge.rows; ++b) {
      const auto at = static_cast<std::size_t>(b);
      refresh.read[at] = {position, judge.seq[at], judge.available[at], judge.generation,
                          small(available(judge) == 0 ? judge.generation : judge.generation - 1)};
    }
    state.unhealed = 0;
  }

  void state_by_refresh(int k, int b) {
    Refresh& refresh = state.refresh[static_cast<std::size_t>(k)];
    say(s, gate(b), 0, 0, 0, refresh.read[static_cast<std::size_t>(b)], {});
    refresh.pending = small(refresh.pending & ~(1 << b));
    if (refresh.pending == 0) {
      refresh = {};
      refresh.stage = 2;
    }
  }

  void crash(int i) {
    const auto at = static_cast<std::size_t>(i);
    state.dead[at] = 1;
    state.unhealed = 1;
    state.side[at] = {};
    state.view[at] = 1;
    state.read_generation[at] = 0;
    for (Hint& hint : state.hint) hint.owed[at] = 0;
    for (int r = 0; r < s.request_count; ++r) {
      Request& q = request(r);
      if (instance_of(r) != i || q.stage == done) continue;
      const Small outcome = q.stage == in_doubt ? q.outcome : small(none);
      const bool may_commit = s.late_commit && q.stage == to_judge;
      q = {};
      q.stage = may_commit ? orphan : gone;
      q.outcome = has_key_of_first(s, r) ? outcome : small(none);
    }
  }

  void orphan_commits(int r) {
    judge(r);
    const Small outcome = request(r).outcome;
    request(r) = {};
    request(r).stage = gone;
    if (has_key_of_first(s, r)) request(r).outcome = outcome;
  }

  void reap(int i, int b) {
    const auto at = static_cast<std::size_t>(i);
    gate(b).held[at] = 0;
    if (!s.mutation.no_tombstone) gate(b).op[at] = tombstone;
    state.reaped[at][static_cast<std::size_t>(b)] = 1;
  }

  // The dead are reaped once more, for their tombstones are gone too.
  void every_instance_owes(int first, int last) {
    for (int i = 0; i < instances; ++i) {
      for (int b = first; b <= last; ++b)
        state.reaped[static_cast<std::size_t>(i)][static_cast<std::size_t>(b)] = 0;
      for (int b = first; b <= last && !state.dead[static_cast<std::size_t>(i)]; ++b)
        side(i, b).owes_call = 1;
    }
  }
};

// ---- Which steps are possible.

class Steps {
 public:
  Steps(const Scenario& scenario, const State& state, const Emit& emit)
      : s(scenario), from(state), emit_(emit) {}

  void all() {
    for (int r = 0; r < s.request_count; ++r) of_request(r);
    for (int i = 0; i < instances; ++i) {
      if (!is_dead(i)) of_instance(i);
    }
    for (int k = 0; k < s.act_count; ++k) {
      if (!from.act_done[static_cast<std::size_t>(k)] &&
          Next(s, from).may_act(s.acts[static_cast<std::size_t>(k)])) {
        to(Step::act, k, 0, [&](Next& n) { n.act(k); });
      }
    }
    of_jobs();
    of_faults();
  }

 private:
  bool is_dead(int i) const { return from.dead[static_cast<std::size_t>(i)]; }

  template <class Change>
  void to(Step step, int x, int y, Change change) {
    Next next(s, from);
    change(next);
    emit_(next.state, {step, small(x), small(y)}, next.wrong);
  }

  void of_request(int r) {
    const Request& q = from.request[static_cast<std::size_t>(r)];
    const bool alive = !is_dead(s.instance[static_cast<std::size_t>(r)]);
    switch (q.stage) {
      case outside:
        if (alive) to(Step::ask, r, 0, [&](Next& n) { n.ask(r); });
        break;
      case to_judge:
        to(Step::judge, r, 0, [&](Next& n) { n.after_commit(r, n.judge(r)); });
        if (from.doubts < s.doubts) {
          to(Step::judge_in_doubt, r, 0, [&](Next& n) {
            ++n.state.doubts;
            n.request(r).verdict = n.judge(r);
            n.request(r).stage = in_doubt;
          });
        }
        break;
      case to_confirm:
        to(Step::confirm, r, 0, [&](Next& n) { n.confirm(r); });
        break;
      case quota_confirm:
        to(Step::confirm_quota, r, 0, [&](Next& n) { n.confirm_quota(r); });
        break;
      case in_doubt:
        to(Step::settle, r, 0, [&](Next& n) {
          const auto owed = n.request(r).verdict;
          n.after_commit(r, owed);
        });
        break;
      case orphan:
        to(Step::orphan_commits, r, 0, [&](Next& n) { n.orphan_commits(r); });
        break;
      default:
        break;
    }
  }

  void of_instance(int i) {
    for (int b = 0; b < buckets; ++b) {
      if (!Next(s, from).is_due(i, b)) continue;
      to(Step::call, i, b, [&](Next& n) { n.call(i, b, true, true, false); });
      if (from.losses < s.losses) {
        to(Step::call_reply_lost, i, b, [&](Next& n) { ++n.state.losses, n.call(i, b, true, false, false); });
        to(Step::call_lost, i, b, [&](Next& n) { ++n.state.losses, n.call(i, b, false, false, false); });
      }
      if (from.lates < s.lates && !from.late.present) {
        to(Step::call_late, i, b, [&](Next& n) { ++n.state.lates, n.call(i, b, false, false, true); });
        to(Step::call_repeated, i, b, [&](Next& n) { ++n.state.lates, n.call(i, b, true, true, true); });
      }
    }
    if (from.view[static_cast<std::size_t>(i)] != from.judge.count) {
      to(Step::learn_count, i, 0,
         [&](Next& n) { n.state.view[static_cast<std::size_t>(i)] = n.state.judge.count; });
    }
    for (int u = 0; u < users; ++u) {
      if (from.hint[static_cast<std::size_t>(u)].owed[static_cast<std::size_t>(i)] == 0) continue;
      to(Step::write_hint, i, u, [&](Next& n) {
        Hint& hint = n.state.hint[static_cast<std::size_t>(u)];
        Small& owed = hint.owed[static_cast<std::size_t>(i)];
        hint.claimed = small(owed - 1);
        owed = 0;
      });
    }
  }

  void of_jobs() {
    for (int k = 0; k < s.refreshes; ++k) {
      const Refresh& refresh = from.refresh[static_cast<std::size_t>(k)];
      const bool in_turn = k == 0 || from.refresh[static_cast<std::size_t>(k - 1)].stage != 0;
      if (refresh.stage == 0 && in_turn) {
        to(Step::refresh_reads, k, 0, [&](Next& n) { n.read_for_refresh(k); });
      }
      for (int b = 0; b < buckets; ++b) {
        if (refresh.pending >> b & 1) {
          to(Step::refresh_states, k, b, [&](Next& n) { n.state_by_refresh(k, b); });
        }
      }
    }
    for (int i = 0; i < instances; ++i) {
      for (int b = 0; b < buckets; ++b) {
        const GateBucket& bucket = from.gate[static_cast<std::size_t>(b)];
        const bool reaped = from.reaped[static_cast<std::size_t>(i)][static_cast<std::size_t>(b)];
        if (is_dead(i) && bucket.present && !reaped) {
          to(Step::reap, i, b, [&](Next& n) { n.reap(i, b); });
        }
      }
    }
  }

  void of_faults() {
    if (from.late.present) to(Step::late_arrives, 0, 0, [&](Next& n) { n.deliver_late(); });
    for (int i = 0; i < instances; ++i) {
      if (from.crashes < s.crashes && !is_dead(i)) {
        to(Step::crash, i, 0, [&](Next& n) { ++n.state.crashes, n.crash(i); });
      }
    }
    if (from.failovers < s.failovers) {
      if (from.replicas == 0) {
        to(Step::replica, 0, 0, [&](Next& n) { ++n.state.replicas, n.state.replica = n.state.gate; });
      }
      to(Step::failover, 0, 0, [&](Next& n) {
        ++n.state.failovers;
        n.state.gate = n.state.replica;
        n.state.replica = {};
        n.state.unhealed = 1;
        n.every_instance_owes(0, buckets - 1);
      });
    }
    for (int b = 0; b < buckets; ++b) {
      if (!from.gate[static_cast<std::size_t>(b)].present) continue;
      if (from.wipes < s.wipes) {
        to(Step::wipe, b, 0, [&](Next& n) {
          ++n.state.wipes;
          n.gate(b) = {};
          n.state.unhealed = 1;
          n.every_instance_owes(b, b);
        });
      }
      if (from.corruptions < s.corruptions) {
        to(Step::corrupt, b, 0, [&](Next& n) {
          ++n.state.corruptions;
          n.gate(b).shut = n.state.judge.generation;
        });
      }
    }
  }

  const Scenario& s;
  const State& from;
  const Emit& emit_;
};

// Nothing is on its way, in process or owed.
bool is_at_rest(const Scenario& s, const State& state) {
  for (int r = 0; r < s.request_count; ++r) {
    const Small stage = state.request[static_cast<std::size_t>(r)].stage;
    if (stage != outside && stage != done && stage != gone) return false;
  }
  for (const Refresh& refresh : state.refresh) {
    if (refresh.stage == 1) return false;
  }
  for (int i = 0; i < instances; ++i) {
    for (int b = 0; b < buckets; ++b) {
      const auto at = static_cast<std::size_t>(i);
      const auto bucket = static_cast<std::size_t>(b);
      const Side& side = state.side[at][bucket];
      const bool sleeps = !state.gate[bucket].present && !s.mutation.unheard;
      if ((side.owes_call && !sleeps) || side.owed.told != nothing) return false;
      if (state.dead[at] && state.gate[bucket].present && !state.reaped[at][bucket]) return false;
    }
  }
  return !state.late.present && !state.unhealed;
}

std::string wrong_at_rest(const State& state, std::size_t b) {
  const GateBucket& gate = state.gate[b];
  const bool is_empty = available(state.judge) == 0;
  if (gate.available != state.judge.available[b] || gate.seq != state.judge.seq[b]) {
    return "at rest the gate does not say what the judge says";
  }
  if (is_closed(gate) && !is_empty)
    return "at rest a bucket is closed though something is available: stranded";
  if (!is_closed(gate) && is_empty) return "at rest a bucket is open though nothing is available";
  for (const Small held : gate.held) {
    if (held != 0) return "at rest tokens are held at the gate";
  }
  return "";
}

}  // namespace

void for_each_next(const Scenario& scenario, const State& state, const Emit& emit) {
  Steps(scenario, state, emit).all();
}

State first_state(const Scenario& s) {
  State state{};
  state.judge.available = s.available;
  state.judge.rows = state.judge.count = s.bucket_rows;
  state.judge.generation = 1;
  state.view = {s.bucket_rows, s.bucket_rows};
  const bool is_empty = available(state.judge) == 0;
  for (int b = 0; b < s.bucket_rows && !s.starts_missing; ++b) {
    GateBucket& bucket = state.gate[static_cast<std::size_t>(b)];
    bucket.present = 1;
    bucket.available = s.available[static_cast<std::size_t>(b)];
    bucket.open = 1;
    bucket.shut = is_empty ? 1 : 0;
  }
  if (s.failovers > 0) state.replica = state.gate;
  return state;
}

std::string wrong_with(const Scenario& s, const State& state) {
  for (std::size_t b = 0; b < buckets; ++b) {
    if (state.judge.available[b] < 0) return "oversold";
    const GateBucket& gate = state.gate[b];
    if (gate.held[0] < 0 || gate.held[1] < 0) return "tokens at the gate are negative";
    if (state.side[0][b].tokens < 0 || state.side[1][b].tokens < 0) return "tokens are negative";
    if (gate.present && s.corruptions == 0) {
      if (gate.open > state.judge.generation) return "a generation is open that never began";
      if (gate.shut == state.judge.generation && available(state.judge) > 0 && !s.mutation.generation_stays) {
        return "the present generation is known to be empty and is not";
      }
    }
  }
  for (const Small claimed : state.judge.claimed) {
    if (claimed < 0 || (s.limit > 0 && claimed > s.limit))
      return "a user has more than the limit, or less than none";
  }
  if (!is_at_rest(s, state) || s.corruptions > 0) return "";
  for (std::size_t b = 0; b < buckets; ++b) {
    if (!state.gate[b].present) continue;
    const std::string wrong = wrong_at_rest(state, b);
    if (!wrong.empty()) return wrong + ": bucket " + std::to_string(b);
  }
  return "";
}

void make_canonical(const Scenario& s, State& state) {
  // Requests that are alike and neither share a key nor are cancelled later may change places.
  for (int x = 0; x + 2 < s.request_count && s.act_count <= acts_max; ++x) {
    const auto a = static_cast<std::size_t>(x);
    const std::size_t b = a + 2;
    const bool alike = s.quantity[a] == s.quantity[b] && s.instance[a] == s.instance[b] &&
                       s.home[a] == s.home[b] && s.direct[a] == s.direct[b] && s.retry < 0;
    const bool cancels = std::any_of(s.acts.begin(), s.acts.begin() + s.act_count,
                                     [](const Act& act) { return act.kind == cancel; });
    if (!alike || cancels) continue;
    const auto bytes = [](const Request& q) {
      const auto* begin = reinterpret_cast<const unsigned char*>(&q);
      return std::string(begin, begin + sizeof q);
    };
    if (bytes(state.request[a]) > bytes(state.request[b])) std::swap(state.request[a], state.request[b]);
  }
  for (std::size_t i = 0; i < instances; ++i) {
    for (std::size_t b = 0; b < buckets; ++b) {
      std::vector<Small*> ops{&state.gate[b].op[i], &state.replica[b].op[i], &state.side[i][b].op};
      if (state.late.present && state.late.bucket == small(static_cast<int>(b)) &&
          state.late.instance == small(static_cast<int>(i))) {
        ops.push_back(&state.late.op);
      }
      std::vector<Small> order{0};
      for (const Small* op : ops) {
        if (*op != tombstone) order.push_back(*op);
      }
      std::sort(order.begin(), order.end());
      order.erase(std::unique(order.begin(), order.end()), order.end());
      for (Small* op : ops) {
        if (*op == tombstone) continue;
        *op = small(static_cast<int>(std::lower_bound(order.begin(), order.end(), *op) - order.begin()));
      }
    }
  }
}

}  // namespace model
