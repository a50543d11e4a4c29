#include "pipeline/turnstile.h"

#include <algorithm>
#include <string>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>

#include "gate/probes.h"
#include "gate/statements.h"
#include "rules/stock.h"

namespace gavel::pipeline {
namespace {

using gate::BucketKey;
using gate::Directed;
using gate::Route;
using rules::ItemId;
using rules::Outcome;
using rules::Verdict;

std::string pool_word(const std::optional<rules::ActivityCode>& activity) {
  return activity ? activity->text() : "-";
}

// True while the judge would answer neither not_open nor over.
bool is_open(const rules::Activity& activity, Time now) {
  return activity.state == rules::ActivityState::open && (!activity.opens_at || *activity.opens_at <= now) &&
         (!activity.closes_at || now < *activity.closes_at);
}

}  // namespace

Turnstile::Turnstile(boost::asio::any_io_executor executor, gate::Gate& gate, Reads& reads,
                     const Clock& clock, Log& log, gate::Incarnation incarnation, gate::InstanceId instance)
    : executor_(std::move(executor)),
      gate_(gate),
      reads_(reads),
      clock_(clock),
      log_(log),
      incarnation_(incarnation),
      book_(instance) {}

void Turnstile::pass(const rules::Command& command, Passed passed) {
  const auto* reserve = std::get_if<rules::Reserve>(&command.act);
  const std::vector<rules::Line> lines =
      reserve == nullptr ? std::vector<rules::Line>{} : merged(reserve->lines);
  if (lines.size() != 1 || !command.key) return passed(Passage{});
  const gate::Wanter wanter = next_wanter_++;
  const Pool pool(lines[0].sku, reserve->activity);
  asking_.emplace(
      wanter,
      Asking{
          {command.caller, *command.key}, pool, reserve->user, lines[0].quantity, {}, {}, std::move(passed)});
  if (known_.contains(pool)) return probe(wanter);
  if (known_.size() >= gated_items_max) return end(wanter, Passage{});
  std::vector<gate::Wanter>& waiting = looked_up_[pool];
  waiting.push_back(wanter);
  if (waiting.size() == 1) boost::asio::co_spawn(executor_, look_up(pool), boost::asio::detached);
}

// The first request of an item finds out which one it is, and states it to the gate: a refresh like any
// other.
boost::asio::awaitable<void> Turnstile::look_up(Pool pool) {
  using Rows = std::optional<std::vector<StockRow>>;
  std::function<Result<Rows>(Reader&)> question = [&pool](Reader& reader) {
    return reader.stock(pool.first);
  };
  const Result<Rows> rows = co_await reads_.ask<Rows>(question);
  if (rows && *rows) learn(pool, **rows);
  const std::vector<gate::Wanter> waiting = std::move(looked_up_.extract(pool).mapped());
  const bool known = known_.contains(pool);
  for (const gate::Wanter wanter : waiting) {
    if (known) {
      probe(wanter);
    } else {
      end(wanter, Passage{});  // There is no such SKU, or nobody can say: the judge's word.
    }
  }
}

void Turnstile::learn(const Pool& pool, const std::vector<StockRow>& rows) {
  const auto row = std::ranges::find(rows, pool_word(pool.second), &StockRow::pool);
  if (row == rows.end() || is_unsound(row->item)) return;  // The judge says what is wrong with it.
  const auto buckets = static_cast<std::int32_t>(row->item.buckets.size());
  known_.insert_or_assign(pool, Known{row->item.id, buckets});
  buckets_.insert_or_assign(row->item.id, buckets);
  book_.owe(incarnation_, row->item.id, gate::owed_by_refresh(row->item));
  schedule();
}

void Turnstile::probe(gate::Wanter wanter) {
  Asking& asking = asking_.at(wanter);
  const Known& known = known_.at(asking.pool);
  asking.item = known.item;
  asking.probes = gate::probes_of(asking.user, known.buckets);
  const rules::BucketNo home = asking.probes.front();
  asking.probes.erase(asking.probes.begin());
  book_.want(key_of(known.item, home), wanter, asking.units);
  schedule();
}

void Turnstile::direct(const BucketKey& key, const Directed& directed) {
  Asking& asking = asking_.at(directed.wanter);
  switch (directed.route) {
    case Route::granted:
      return end(directed.wanter, Passage{Token{key, directed.units}, std::nullopt});
    case Route::too_few: {
      if (asking.probes.empty()) return end(directed.wanter, Passage{});
      const rules::BucketNo next = asking.probes.front();
      asking.probes.erase(asking.probes.begin());
      book_.want(key_of(key.item, next), directed.wanter, directed.units);
      return schedule();
    }
    case Route::closed:
      doubted_.push_back(Doubted{directed.wanter, directed.shut});
      if (std::exchange(confirming_, true)) return;
      boost::asio::co_spawn(executor_, confirm(), boost::asio::detached);
      return;
    case Route::not_initialised:
      if (uninitialised_[key.item].insert(key.bucket).second) {
        log_.write(Level::warn, "gate_not_initialised", {{"bucket", gate::to_text(key)}});
      }
      return end(directed.wanter, Passage{});
    case Route::unavailable:
      return end(directed.wanter, Passage{});
  }
}

// One read for all that wait, begun after they came; those who come meanwhile are the next one's.
boost::asio::awaitable<void> Turnstile::confirm() {
  while (!doubted_.empty()) {
    const std::vector<Doubted> batch = std::exchange(doubted_, {});
    judge::Doubts doubts;
    for (const Doubted& doubted : batch) {
      const Asking& asking = asking_.at(doubted.wanter);
      doubts.items.insert(asking.item);
      doubts.keys.insert(asking.key);
      if (asking.pool.second) doubts.activities.insert(*asking.pool.second);
    }
    const Time now = clock_.now();
    std::function<Result<judge::Confirmation>(Reader&)> question = [&doubts, now](Reader& reader) {
      return reader.confirm(doubts, now);
    };
    const Result<judge::Confirmation> found = co_await reads_.ask<judge::Confirmation>(question);
    for (const Doubted& doubted : batch) rule(doubted, found);
  }
  confirming_ = false;
}

void Turnstile::rule(const Doubted& doubted, const Result<judge::Confirmation>& found) {
  const Asking& asking = asking_.at(doubted.wanter);
  Verdict verdict;
  if (!found) {  // Nothing is known, so nothing is said.
    verdict.outcome = Outcome::overloaded;
    return end(doubted.wanter, Passage{std::nullopt, verdict});
  }
  const auto item = found->items.find(asking.item);
  if (item == found->items.end()) return end(doubted.wanter, Passage{});
  const gate::ConfirmingRead read{item->second.generation, item->second.available()};
  switch (gate::ruling(doubted.shut, read)) {
    case gate::Ruling::reopened:
      reopen(asking.item, read.generation);
      return end(doubted.wanter, Passage{});
    case gate::Ruling::corrupted:
      erase(asking);
      return end(doubted.wanter, Passage{});
    case gate::Ruling::refuse:
      break;
  }
  if (!may_refuse(asking, *found)) return end(doubted.wanter, Passage{});
  verdict.outcome = Outcome::sold_out;
  verdict.at = clock_.now();
  verdict.detail.sku = asking.pool.first;
  end(doubted.wanter, Passage{std::nullopt, verdict});
}

// Whether "nothing is left" is all that the judge could say.
bool Turnstile::may_refuse(const Asking& asking, const judge::Confirmation& found) const {
  if (found.known.contains(asking.key) || found.with_due_holds.contains(asking.item)) return false;
  if (!asking.pool.second) return true;
  const auto activity = found.activities.find(*asking.pool.second);
  return activity != found.activities.end() && is_open(activity->second, clock_.now());
}

void Turnstile::reopen(ItemId item, std::int64_t generation) {
  const auto buckets = buckets_.find(item);
  if (buckets == buckets_.end()) return;  // Removed meanwhile: whoever looks it up next states it anew.
  for (rules::BucketNo bucket = 0; bucket < buckets->second; ++bucket) {
    book_.owe(key_of(item, bucket), gate::reopened_at(generation));
  }
  schedule();
}

// The gate knows a generation that never began. Its buckets are removed, and stated anew by the look-up of
// the next request.
void Turnstile::erase(const Asking& asking) {
  log_.write(Level::error, "gate_corrupted",
             {{"item", asking.item.value},
              {"next", "its buckets are stated anew; find out who else writes to the gate"}});
  const auto found = buckets_.find(asking.item);
  if (found == buckets_.end()) return;  // Another of the same batch found it, too.
  for (rules::BucketNo bucket = 0; bucket < found->second; ++bucket) {
    gate_.erase(key_of(asking.item, bucket), [](const Result<void>&) {});  // What stays is found again.
    book_.forgive(key_of(asking.item, bucket));
  }
  buckets_.erase(found);
  known_.erase(asking.pool);
}

void Turnstile::end(gate::Wanter wanter, Passage passage) {
  const auto found = asking_.find(wanter);
  Passed passed = std::move(found->second.passed);
  asking_.erase(found);
  passed(std::move(passage));
}

void Turnstile::drop(const Token& token) {
  book_.drop(token.key, token.units);
  schedule();
}

void Turnstile::heard(const std::vector<rules::Item>& items) {
  for (const rules::Item& item : items) {
    const auto known = buckets_.find(item.id);
    if (known == buckets_.end() || is_unsound(item)) continue;
    std::set<rules::BucketNo> asked;
    if (const auto found = uninitialised_.extract(item.id)) asked = found.mapped();
    book_.owe(incarnation_, item.id, gate::owed_after_commit(item, asked));
  }
  schedule();
}

void Turnstile::wake() {
  book_.wake();
  schedule();
}

// Calls are sent once per turn of the executor, so that a batch's verdicts, statements and new wants share
// one call a bucket.
void Turnstile::schedule() {
  if (std::exchange(scheduled_, true)) return;
  boost::asio::post(executor_, [this] {
    scheduled_ = false;
    say_all();
  });
}

void Turnstile::say_all() {
  const auto any = [](const BucketKey&) { return true; };
  while (const std::optional<gate::GateCall> call = book_.next(any)) {
    gate_.say(call->key, call->say, [this, key = call->key, op = call->say.op](Result<gate::Reply> reply) {
      boost::asio::dispatch(executor_, [this, key, op, reply = std::move(reply)] {
        for (const Directed& directed : book_.heard(key, op, reply)) direct(key, directed);
        schedule();
      });
    });
  }
}

}  // namespace gavel::pipeline
