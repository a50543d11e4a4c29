#include "gate/bucket.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace gavel::gate {
namespace {

using rules::no_units;
using rules::Quantity;

bool within(std::int64_t number) { return number >= 0 && number <= number_max; }
bool within(Quantity quantity) { return quantity >= no_units && quantity <= rules::sound_units_max; }

bool is_sound(const Statement& statement) {
  const auto& position = statement.position;
  if (position && !(within(position->seq) && within(position->available))) return false;
  return within(statement.open) && within(statement.shut) && statement.shut <= statement.open;
}

// At an equal seq the pair is written again: in a sound bucket it is the same pair, and in a corrupted one it
// is how a refresh repairs it.
void state(Bucket& bucket, const Statement& statement) {
  if (const auto& position = statement.position; position && position->seq >= bucket.seq) {
    bucket.seq = position->seq;
    bucket.available = position->available;
  }
  bucket.open = std::max(bucket.open, statement.open);
  bucket.shut = std::max(bucket.shut, statement.shut);
}

// A want that finds too few does not stop the smaller ones after it.
std::vector<bool> grant(Bucket& bucket, Holding& holding, const std::vector<Quantity>& wants) {
  std::vector<bool> granted;
  granted.reserve(wants.size());
  for (const Quantity want : wants) {
    const bool yes = !bucket.closed() && bucket.left() >= want;
    if (yes) {
      holding.tokens += want;
      bucket.in_flight += want;
    }
    granted.push_back(yes);
  }
  return granted;
}

Reply reply(Said said, const Bucket& bucket, std::vector<bool> granted = {}) {
  return {said, bucket.seq, bucket.available, bucket.open, bucket.shut, bucket.in_flight, std::move(granted)};
}

std::string numbers(std::int64_t seq, Quantity available, std::int64_t open, std::int64_t shut,
                    Quantity in_flight) {
  return "seq=" + std::to_string(seq) + " avail=" + std::to_string(available.units) +
         " open=" + std::to_string(open) + " shut=" + std::to_string(shut) +
         " in_flight=" + std::to_string(in_flight.units);
}

}  // namespace

Statement merged(const Statement& earlier, const Statement& later) {
  Statement both = earlier;
  if (later.position && (!both.position || later.position->seq >= both.position->seq)) {
    both.position = later.position;
  }
  both.open = std::max(earlier.open, later.open);
  both.shut = std::max(earlier.shut, later.shut);
  return both;
}

Say to_state(const Statement& statement) { return {rules::InstanceId{}, 0, no_units, statement, {}}; }

bool is_sound(const Say& say) {
  if (say.wants.size() > wants_max) return false;
  if (say.judge && !is_sound(*say.judge)) return false;
  if (say.op < 0 || say.op >= op_tombstone) return false;
  if (say.op > 0 && say.instance.value < 1) return false;
  if (say.instance.value < 0 || !within(say.base)) return false;
  return std::ranges::all_of(say.wants,
                             [](Quantity want) { return want > no_units && want <= rules::line_units_max; });
}

Reply say(std::optional<Bucket>& bucket, const Say& say) {
  CHECK(is_sound(say));
  if (!bucket) {
    if (!say.judge || !say.judge->position) return {};
    bucket.emplace();
  }
  if (say.judge) state(*bucket, *say.judge);

  const auto found = bucket->holdings.find(say.instance);
  if (say.op <= (found == bucket->holdings.end() ? 0 : found->second.op)) return reply(Said::stale, *bucket);

  Holding& holding = bucket->holdings[say.instance];
  holding.op = say.op;
  bucket->in_flight += say.base - holding.tokens;
  holding.tokens = say.base;
  std::vector<bool> granted = grant(*bucket, holding, say.wants);
  return reply(Said::ok, *bucket, std::move(granted));
}

void reap(std::optional<Bucket>& bucket, rules::InstanceId instance) {
  if (!bucket) return;
  // An instance that never spoke here gets its tombstone as well: its first call may still be on its way.
  Holding& holding = bucket->holdings[instance];
  bucket->in_flight -= holding.tokens;
  holding = {op_tombstone, no_units};
}

void forget(std::optional<Bucket>& bucket, rules::InstanceId instance) {
  if (!bucket) return;
  const auto found = bucket->holdings.find(instance);
  if (found != bucket->holdings.end() && found->second.op == op_tombstone) bucket->holdings.erase(found);
}

std::string to_text(const std::optional<Bucket>& bucket) {
  if (!bucket) return "missing";
  std::string text = numbers(bucket->seq, bucket->available, bucket->open, bucket->shut, bucket->in_flight);
  for (const auto& [instance, holding] : bucket->holdings) {
    const std::string name = std::to_string(instance.value);
    text += " h" + name + "=" + std::to_string(holding.tokens.units);
    text += " o" + name + "=" + (holding.op == op_tombstone ? "tombstone" : std::to_string(holding.op));
  }
  return text;
}

std::string to_text(const Reply& reply) {
  if (reply.said == Said::not_initialised) return "not_initialised";
  std::string text = reply.said == Said::ok ? "ok " : "stale ";
  text += numbers(reply.seq, reply.available, reply.open, reply.shut, reply.in_flight);
  if (!reply.granted.empty()) {
    text += " granted=";
    for (const bool yes : reply.granted) text += yes ? '1' : '0';
  }
  return text;
}

}  // namespace gavel::gate
