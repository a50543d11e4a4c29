// The world of the model: judge, gate, instances, requests, messages; and what a scenario may vary in it.
//
// Everything is small and plain bytes, so that a state is compared and hashed as memory. Two instances, at
// most two buckets of one item, at most four requests.
#pragma once

#include <array>
#include <cstdint>

namespace model {

using Small = std::int8_t;

inline constexpr int buckets = 2;
inline constexpr int instances = 2;
inline constexpr int requests_max = 4;
inline constexpr int acts_max = 3;
inline constexpr int refreshes_max = 2;
inline constexpr int users = 2;
inline constexpr Small tombstone = 127;

// A judge's statement: nothing, the generations alone, or with a position.
enum Told : Small { nothing, generations, position };

struct Statement {
  Small told;
  Small seq, available;
  Small open, shut;
};

struct GateBucket {
  Small present;
  Small seq, available;
  Small open, shut;
  std::array<Small, instances> held, op;
};

struct Judge {
  std::array<Small, buckets> available, seq;
  Small generation;
  Small rows;   // Bucket rows that exist; a row is never deleted.
  Small count;  // Buckets that requests are spread over.
  std::array<Small, users> claimed;
};

// One bucket as one instance sees it.
struct Side {
  Small tokens, op;
  Small owes_call;
  Statement owed;
};

enum Stage : Small {
  outside,        // Not asked yet.
  at_gate,        // Waits for the next call of its instance to the bucket of its probe.
  to_judge,       // With or without a token.
  to_confirm,     // Closed at the gate: a read decides.
  quota_confirm,  // The hint says that the user has all that is allowed: a read decides.
  in_doubt,       // Committed, but the instance does not know.
  orphan,         // Its instance is dead, its commit may still come.
  done,
  gone,  // With its instance.
};

enum Outcome : Small { none, sold, refused_recorded, refused_unrecorded, replayed };

struct Request {
  Small stage;
  Small probe;         // 0 home, 1 the other bucket.
  Small token;         // 1 + the bucket it is of.
  Small asked;         // Bits of the buckets whose state the judge is asked for.
  Small shut;          // As the closed gate said.
  Small short_once;    // Less than it wants was available at some moment since it was asked for.
  Small limited_once;  // Its user had claimed too much for it at some moment since then.
  Small outcome;
  std::array<Small, buckets> took;
  std::array<Statement, buckets> verdict;  // Of in_doubt: what its commit will owe.
};

struct Refresh {
  Small stage;  // 0 not begun, 1 has read, 2 done.
  Small pending;
  std::array<Statement, buckets> read;
};

// A call that its sender has given up, or that the network will deliver once more.
struct Late {
  Small present;
  Small bucket, instance, op, base;
  Statement judge;
  std::array<Small, requests_max> wants;  // In order; 0 ends them.
};

struct Hint {
  Small claimed;                      // As the gate says.
  std::array<Small, instances> owed;  // 1 + the claim that the instance will write.
};

struct State {
  Judge judge;
  std::array<GateBucket, buckets> gate;
  std::array<GateBucket, buckets> replica;  // What a failover brings back.
  std::array<std::array<Side, buckets>, instances> side;
  std::array<Small, instances> dead, view, read_generation;
  std::array<std::array<Small, buckets>, instances> reaped;
  std::array<Request, requests_max> request;
  std::array<Small, acts_max> act_done;
  std::array<Refresh, refreshes_max> refresh;
  Late late;
  std::array<Hint, users> hint;
  Small crashes, losses, lates, doubts, failovers, replicas, wipes,
      corruptions;  // Faults that have happened.
  Small unhealed;   // A fault that only a refresh heals, since the last one read.
};

enum ActKind : Small {
  release,  // Units come back, or in.
  move,     // From the other bucket to this one.
  cancel,   // Of a request's order: its units and its claim come back.
  grow,     // From one bucket to two; `quantity` units move along.
  shrink,   // From two to one; all units move.
};

struct Act {
  ActKind kind = release;
  Small instance = 0, bucket = 0, quantity = 1, request = 0;
};

// What is taken out of the protocol, to see that the search notices.
struct Mutation {
  bool no_seq_guard = false;        // An older position overwrites a newer one.
  bool no_op_guard = false;         // A late call is taken for a new one.
  bool no_generations = false;      // Closed is what the last message said.
  bool no_confirming_read = false;  // A closed bucket refuses by itself.
  bool remembered_read = false;     // The confirming read is answered from an earlier one.
  bool generation_stays = false;    // The judge does not raise it.
  bool owed_is_lost = false;        // A statement of a call that failed is not owed.
  bool reopen_touched = false;      // A reopening is stated to the touched buckets alone.
  bool no_tombstone = false;        // Reaping does not bar late calls.
  bool unheard = false;             // A call that found the bucket missing is not owed any more.
  bool keys_unread = false;         // The confirming read looks up no key.
  bool hint_decides = false;        // A quota hint refuses by itself.
};

struct Scenario {
  const char* name = "";
  const char* what = "";
  bool in_short_set = true;
  bool must_fail = false;
  double millions = 12;  // States to look at, at most.

  std::array<Small, buckets> available{1, 0};
  Small bucket_rows = 2;
  int request_count = 2;
  std::array<Small, requests_max> quantity{1, 1, 1, 1}, instance{0, 1, 0, 1}, home{0, 1, 0, 1};
  std::array<bool, requests_max> direct{};         // Judged without asking the gate.
  std::array<bool, requests_max> first_attempt{};  // Its client said so: its key is not looked up.
  int retry = -1;                                  // This request has the key of request 0.
  bool refusals_recorded = false;                  // Keys that are not first attempts, by one insert.
  int limit = 0;                                   // Units per user; 0: no quota. Request r is of user r % 2.
  bool same_user = false;                          // All requests are of user 0.
  int act_count = 0;
  std::array<Act, acts_max> acts{};
  int refreshes = 0;
  bool starts_missing = false;  // The gate has no bucket yet.
  bool reads_sum = false;       // The confirming read also says whether anything is available.

  // Faults: how often each may happen.
  int crashes = 0, losses = 0, lates = 0, doubts = 0, failovers = 0, wipes = 0, corruptions = 0;
  bool late_commit = false;  // A commit may come after its instance died.

  Mutation mutation;
};

}  // namespace model
