// Random interleavings: several instances, a judge in memory, and a network that loses, repeats and delays.
//
// After every step the invariants of bucket.h hold against the judge's whole history, and no refusal that a
// read confirmed was wrong. At rest the gate says what the judge says.
// One noun: random interleavings at a gate.
#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <utility>

#include "base/random.h"
#include "gate/gate_contract.h"
#include "gate/probes.h"
#include "gate/statements.h"
#include "gate/token_book.h"
#include "rules/state.h"

namespace gavel::gate {
namespace {

using rules::BucketNo;
using rules::no_units;
using rules::Quantity;

constexpr rules::ItemId item_id{7};
constexpr rules::Incarnation incarnation{Uuid{{1}}};

// One item at the judge, with everything that it ever was.
class ScriptedJudge {
 public:
  explicit ScriptedJudge(std::size_t buckets) {
    item_.id = item_id;
    item_.buckets.resize(buckets);
    history_.resize(buckets);
    begin();
    commit();
  }

  const rules::Item& item() const { return item_; }
  Quantity available() const { return item_.available(); }

  // One act is one batch: begin, any changes, commit.
  void begin() { item_.loaded = item_.buckets; }
  void change(std::size_t bucket, Quantity by) {
    item_.buckets[bucket].available += by;
    ++item_.buckets[bucket].seq;
  }
  void add_bucket() {
    item_.buckets.emplace_back();
    history_.emplace_back();
    change(item_.buckets.size() - 1, no_units);
  }
  void commit() {
    Quantity before;
    for (const rules::Bucket& bucket : item_.loaded) before += bucket.available;
    if (before == no_units && available() > no_units) ++item_.generation;
    if (available() == no_units) empty_.insert(item_.generation);
    for (std::size_t b = 0; b < item_.buckets.size(); ++b) {
      history_[b][item_.buckets[b].seq] = item_.buckets[b].available;
    }
  }

  // Takes from the token's bucket first, then from the others; false, and nothing, if there is too little.
  bool sell(Quantity units, std::size_t first) {
    begin();
    if (available() < units) return false;
    for (std::size_t i = 0; i < item_.buckets.size() && units > no_units; ++i) {
      const std::size_t bucket = (first + i) % item_.buckets.size();
      const Quantity taken = std::min(units, item_.buckets[bucket].available);
      if (taken > no_units) change(bucket, -taken);
      units -= taken;
    }
    commit();
    return true;
  }

  bool was(std::size_t bucket, std::int64_t seq, Quantity available) const {
    const auto found = history_.at(bucket).find(seq);
    return found != history_.at(bucket).end() && found->second == available;
  }
  bool was_empty(std::int64_t generation) const { return empty_.contains(generation); }

 private:
  rules::Item item_;
  std::vector<std::map<std::int64_t, Quantity>> history_;
  std::set<std::int64_t> empty_;
};

struct Asked {
  std::size_t instance;
  Quantity units;
  BucketNo home;
  int probes = 0;
  std::optional<BucketNo> token;
  std::set<BucketNo> asked_for;  // Buckets that were missing.
};

struct Message {
  BucketKey key;
  Say say;
};

struct Script {
  std::size_t buckets;
  bool crashes;  // Instances die and keys are lost: only then is a refresh needed.
  bool plenty;   // More comes in than is asked for.
};

class Scene {
 public:
  Scene(Gate& gate, std::uint64_t seed, Script script)
      : gate_(gate), random_(seed), script_(script), judge_(script.buckets), counts_(3, script.buckets) {
    for (std::int64_t number = 1; number <= 3; ++number) books_.emplace_back(rules::InstanceId{number});
    next_instance_ = 4;
    receive(Quantity{3});
  }

  void step();
  void come_to_rest();

 private:
  BucketKey key(BucketNo bucket) const { return {incarnation, item_id, bucket}; }
  std::size_t any(std::size_t count) { return static_cast<std::size_t>(random_.below(count)); }

  void ask();
  void send(std::size_t instance, bool faults);
  void direct(std::size_t instance, BucketNo bucket, const std::vector<RoutingResult>& all);
  void confirm(TokenRequestId wanter, std::int64_t shut);
  void judge_one();
  void receive(Quantity units);
  void rebalance();
  void grow();
  void read_for_refresh();
  void write_of_refresh();
  void arrive();
  void crash();
  void lose_keys();
  void owe(std::size_t instance, const std::set<BucketNo>& asked);
  void check();
  void expect_equal();

  Gate& gate_;
  Random random_;
  const Script script_;
  ScriptedJudge judge_;
  std::vector<TokenBook> books_;
  std::vector<std::size_t> counts_;  // What each instance believes to be the number of buckets.
  std::int64_t next_instance_;
  TokenRequestId next_wanter_ = 1;
  std::map<TokenRequestId, Asked> asked_;
  std::vector<TokenRequestId> to_judge_;
  std::deque<Message> late_;
  std::deque<PendingStatement> refresh_;  // Read, and not yet stated.
  std::vector<rules::InstanceId> dead_;
  std::map<BucketNo, std::pair<std::int64_t, std::int64_t>> highest_;  // open and shut as seen last
};

void Scene::step() {
  switch (random_.below(16)) {
    case 0:
    case 1:
    case 2:
    case 3:
      ask();
      break;
    case 4:
    case 5:
    case 6:
    case 7:
    case 8:
      send(any(books_.size()), true);
      break;
    case 9:
    case 10:
      judge_one();
      break;
    case 11:
      receive(Quantity{1 + static_cast<std::int64_t>(random_.below(script_.plenty ? 12 : 2))});
      break;
    case 12:
      random_.chance(1, 8) ? grow() : rebalance();
      break;
    case 13:
      if (script_.crashes) random_.chance(1, 2) ? read_for_refresh() : write_of_refresh();
      break;
    case 14:
      arrive();
      break;
    default:
      if (script_.crashes && random_.chance(1, 12)) crash();
      if (script_.crashes && random_.chance(1, 12)) lose_keys();
      break;
  }
  check();
}

void Scene::ask() {
  const std::size_t instance = any(books_.size());
  const auto home = static_cast<BucketNo>(any(counts_[instance]));
  const Quantity units{1 + static_cast<std::int64_t>(random_.below(2))};
  const TokenRequestId wanter = next_wanter_++;
  asked_.emplace(wanter, Asked{instance, units, home, 1, std::nullopt, {}});
  books_[instance].want(key(home), wanter, units);
}

// One call of an instance, and what the network makes of it.
void Scene::send(std::size_t instance, bool faults) {
  const auto call = books_[instance].next([](const BucketKey&) { return true; });
  if (!call) return;
  const BucketNo bucket = call->key.bucket;
  enum Fate : std::uint8_t { arrives, is_repeated, is_lost, reply_lost, is_late };
  const auto fate = faults && random_.chance(1, 3) ? static_cast<Fate>(1 + random_.below(4)) : arrives;
  Result<Reply> reply = fail(ErrorCode::unavailable, "no reply in time");
  if (fate == arrives || fate == is_repeated) reply = say_to(gate_, call->key, call->say);
  if (fate == reply_lost) static_cast<void>(say_to(gate_, call->key, call->say));
  if (fate == is_late || fate == is_repeated) late_.push_back({call->key, call->say});
  direct(instance, bucket, books_[instance].heard(call->key, call->say.op, reply));
  // A second end of the same call is nobody's.
  EXPECT_TRUE(books_[instance].heard(call->key, call->say.op, reply).empty());
}

void Scene::direct(std::size_t instance, BucketNo bucket, const std::vector<RoutingResult>& all) {
  for (const RoutingResult& one : all) {
    Asked& request = asked_.at(one.wanter);
    const auto count = static_cast<BucketNo>(counts_[instance]);
    if (one.route == GateAnswer::closed) {
      confirm(one.wanter, one.shut);
      continue;
    }
    if (one.route == GateAnswer::too_few && request.probes < std::min<int>(probes_max, count)) {
      ++request.probes;
      books_[instance].want(key((bucket + 1) % count), one.wanter, one.units);
      continue;
    }
    if (one.route == GateAnswer::granted) request.token = bucket;
    if (one.route == GateAnswer::not_initialised) request.asked_for.insert(bucket);
    to_judge_.push_back(one.wanter);
  }
}

void Scene::confirm(TokenRequestId wanter, std::int64_t shut) {
  const std::size_t instance = asked_.at(wanter).instance;
  const std::int64_t generation = judge_.item().generation;
  // The sum is left out, so that the generation alone has to be right.
  switch (ruling(shut, {generation, no_units})) {
    case Ruling::refuse:
      EXPECT_EQ(judge_.available(), no_units) << "refused though units are there";
      asked_.erase(wanter);
      break;
    case Ruling::reopened:
      for (std::size_t b = 0; b < judge_.item().buckets.size(); ++b) {
        books_[instance].owe(key(static_cast<BucketNo>(b)), reopened_at(generation));
      }
      to_judge_.push_back(wanter);
      break;
    case Ruling::corrupted:
      ADD_FAILURE() << "the gate knows generation " << shut << ", the judge only " << generation;
      break;
  }
}

void Scene::judge_one() {
  if (to_judge_.empty()) return;
  const std::size_t index = any(to_judge_.size());
  const TokenRequestId wanter = to_judge_[index];
  to_judge_.erase(to_judge_.begin() + static_cast<std::ptrdiff_t>(index));
  const Asked request = asked_.at(wanter);
  asked_.erase(wanter);
  judge_.sell(request.units, static_cast<std::size_t>(request.token.value_or(request.home)));
  std::set<BucketNo> asked = request.asked_for;
  if (request.token) {
    asked.insert(*request.token);
    books_[request.instance].drop(key(*request.token), request.units);
  }
  owe(request.instance, asked);
}

void Scene::owe(std::size_t instance, const std::set<BucketNo>& asked) {
  books_[instance].owe(incarnation, item_id, statements_after_commit(judge_.item(), asked));
}

void Scene::receive(Quantity units) {
  judge_.begin();
  judge_.change(any(judge_.item().buckets.size()), units);
  judge_.commit();
  owe(any(books_.size()), {});
}

void Scene::rebalance() {
  const auto& buckets = judge_.item().buckets;
  const std::size_t from = any(buckets.size());
  const std::size_t to = any(buckets.size());
  if (from == to || buckets[from].available == no_units) return;
  judge_.begin();
  judge_.change(from, Quantity{-1});
  judge_.change(to, Quantity{1});
  judge_.commit();
  owe(any(books_.size()), {});
}

// The number of buckets is raised; the other instances go on with the old number for a while.
void Scene::grow() {
  if (judge_.item().buckets.size() >= 5) return;
  judge_.begin();
  judge_.add_bucket();
  judge_.commit();
  const std::size_t instance = any(books_.size());
  counts_[instance] = judge_.item().buckets.size();
  owe(instance, {});
}

void Scene::read_for_refresh() {
  for (const PendingStatement& owed : statements_of_refresh(judge_.item())) {
    refresh_.insert(refresh_.begin() + static_cast<std::ptrdiff_t>(any(refresh_.size() + 1)), owed);
  }
}

void Scene::write_of_refresh() {
  if (refresh_.empty()) return;
  const PendingStatement owed = refresh_.front();
  refresh_.pop_front();
  static_cast<void>(say_to(gate_, key(owed.bucket), to_state(owed.statement)));
}

void Scene::arrive() {
  if (late_.empty()) return;
  const std::size_t index = any(late_.size());
  const Message message = late_[index];
  late_.erase(late_.begin() + static_cast<std::ptrdiff_t>(index));
  static_cast<void>(say_to(gate_, message.key, message.say));
}

// The instance goes with all it held and owed; another one starts in its place.
void Scene::crash() {
  const std::size_t instance = any(books_.size());
  dead_.push_back(books_[instance].instance());
  books_[instance] = TokenBook(rules::InstanceId{next_instance_++});
  std::erase_if(asked_, [&](const auto& request) { return request.second.instance == instance; });
  std::erase_if(to_judge_, [&](TokenRequestId wanter) { return !asked_.contains(wanter); });
}

void Scene::lose_keys() {
  const auto bucket = static_cast<BucketNo>(any(judge_.item().buckets.size()));
  erase_from(gate_, key(bucket));
  highest_.erase(bucket);
  for (TokenBook& book : books_) book.owe_call(key(bucket));
}

void Scene::check() {
  for (std::size_t b = 0; b < judge_.item().buckets.size(); ++b) {
    const auto number = static_cast<BucketNo>(b);
    const auto seen = read_from(gate_, key(number));
    ASSERT_TRUE(seen);
    if (!*seen) continue;
    const Bucket& bucket = **seen;
    EXPECT_TRUE(judge_.was(b, bucket.seq, bucket.available)) << "never a true value: " << to_text(*seen);
    Quantity held;
    for (const auto& [instance, holding] : bucket.holdings) held += holding.tokens;
    EXPECT_EQ(bucket.in_flight, held) << to_text(*seen);
    EXPECT_LE(bucket.open, judge_.item().generation);
    EXPECT_TRUE(bucket.shut == bucket.open - 1 || judge_.was_empty(bucket.shut)) << to_text(*seen);
    auto& [open, shut] = highest_[number];
    EXPECT_GE(bucket.open, open);
    EXPECT_GE(bucket.shut, shut);
    open = bucket.open;
    shut = bucket.shut;
  }
}

// No more faults: everybody speaks; after crashes the item is refreshed and the dead are reaped. What is on
// its way arrives before, or at the very end.
void Scene::come_to_rest() {
  while (!late_.empty() && script_.buckets != 2) arrive();
  const auto speak = [&] {
    for (std::size_t i = 0; i < books_.size(); ++i) {
      for (int calls = 0; books_[i].unsettled() > 0 && calls < 10'000; ++calls) send(i, false);
      EXPECT_EQ(books_[i].unsettled(), 0U);
    }
  };
  for (speak(); !to_judge_.empty(); speak()) judge_one();
  EXPECT_TRUE(asked_.empty());
  if (script_.crashes) read_for_refresh();
  while (!refresh_.empty()) write_of_refresh();
  for (TokenBook& book : books_) book.wake();
  speak();
  for (std::size_t b = 0; b < judge_.item().buckets.size(); ++b) {
    for (const rules::InstanceId dead : dead_) reap_at(gate_, key(static_cast<BucketNo>(b)), dead);
  }
  while (!late_.empty()) arrive();
  check();
  expect_equal();
  for (const TokenBook& book : books_) EXPECT_EQ(book.size(), 0U) << "a bucket at rest is forgotten";
}

void Scene::expect_equal() {
  for (std::size_t b = 0; b < judge_.item().buckets.size(); ++b) {
    const auto seen = read_from(gate_, key(static_cast<BucketNo>(b)));
    ASSERT_TRUE(seen && *seen);
    EXPECT_EQ((*seen)->seq, judge_.item().buckets[b].seq);
    EXPECT_EQ((*seen)->available, judge_.item().buckets[b].available);
    EXPECT_EQ((*seen)->in_flight, no_units) << to_text(*seen);
    EXPECT_EQ((*seen)->closed(), judge_.available() == no_units) << to_text(*seen);
    EXPECT_EQ((*seen)->open, judge_.item().generation);
  }
}

TEST_P(GateContract, WhateverHappensToMessagesTheInvariantsHoldAndRestIsEqual) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    erase_all();
    Scene scene(gate(), seed, {1 + seed % 3, seed % 2 == 0, seed % 8 < 4});
    for (int step = 0; step < 300 && !HasFailure(); ++step) scene.step();
    scene.come_to_rest();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace gavel::gate
