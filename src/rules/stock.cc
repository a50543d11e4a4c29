#include "rules/stock.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "base/check.h"

namespace gavel::rules {
namespace {

// The bucket of an item's shortage: any would do, and this one is never out of use.
constexpr BucketNo short_bucket = 0;

Quantity times(std::int64_t factor, Quantity quantity) { return {factor * quantity.units}; }

// The first `count` bucket numbers of `item`, ordered by available: `before(a, b)` says which goes first, the
// lower number on a tie.
template <class Before>
std::vector<BucketNo> ranked(const Item& item, std::size_t count, Before before) {
  std::vector<BucketNo> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](BucketNo a, BucketNo b) {
    return before(item.buckets[static_cast<std::size_t>(a)].available,
                  item.buckets[static_cast<std::size_t>(b)].available);
  });
  return order;
}

Quantity available_in(const Item& item, BucketNo bucket) {
  return item.buckets[static_cast<std::size_t>(bucket)].available;
}

void append(State& state, ItemId item_id, BucketNo bucket_no, Action action, Quantity quantity,
            const Reason& reason) {
  CHECK(quantity > no_units);
  Item& item = state.item(item_id);
  CHECK(bucket_no >= 0 && static_cast<std::size_t>(bucket_no) < item.buckets.size());
  Bucket& bucket = item.buckets[static_cast<std::size_t>(bucket_no)];
  const Effect effect = effect_of(action);
  const Quantity before = bucket.available;
  bucket.available += times(effect.available, quantity);
  bucket.reserved += times(effect.reserved, quantity);
  bucket.sold += times(effect.sold, quantity);
  bucket.shortage += times(effect.shortage, quantity);
  bucket.shipped += times(effect.shipped, quantity);
  bucket.seq += 1;
  CHECK(bucket.available >= no_units && bucket.reserved >= no_units && bucket.sold >= no_units &&
        bucket.shortage >= no_units && bucket.shipped >= no_units);
  std::int32_t occurrence = 1;
  if (reason.order) occurrence = ++state.occurrences[{*reason.order, item_id, bucket_no, action}];
  state.flows.push_back(Flow{.item = item_id,
                             .bucket = bucket_no,
                             .seq = bucket.seq,
                             .action = action,
                             .quantity = quantity,
                             .before = before,
                             .after = bucket.available,
                             .order = reason.order,
                             .occurrence = occurrence,
                             .caller = reason.caller,
                             .key = reason.key,
                             .source = reason.source,
                             .at = reason.at});
}

// Available units of `from` cover the item's shortage, which is in another bucket.
void pay_shortage(State& state, ItemId id, BucketNo from, const Reason& reason) {
  const Item& item = state.item(id);
  const Quantity paid =
      std::min(item.buckets[static_cast<std::size_t>(short_bucket)].shortage, available_in(item, from));
  if (paid == no_units) return;
  Reason why = reason;
  why.order.reset();
  why.source = "shortage";
  if (from != short_bucket) {
    append(state, id, from, Action::move_out, paid, why);
    append(state, id, short_bucket, Action::move_in, paid, why);
  }
  append(state, id, short_bucket, Action::make_good, paid, why);
}

}  // namespace

void post(State& state, ItemId item, BucketNo bucket, Action action, Quantity quantity,
          const Reason& reason) {
  append(state, item, bucket, action, quantity, reason);
  if (effect_of(action).available > 0) pay_shortage(state, item, bucket, reason);
}

std::vector<Allocation> choose(const Item& item, Quantity quantity, BucketNo home) {
  CHECK(quantity > no_units && item.available() >= quantity);
  if (available_in(item, home) >= quantity) return {Allocation{item.id, home, quantity}};
  for (const BucketNo bucket : ranked(item, item.buckets.size(), std::less<>())) {
    if (available_in(item, bucket) >= quantity) return {Allocation{item.id, bucket, quantity}};
  }
  std::vector<Allocation> taken;
  for (const BucketNo bucket : ranked(item, item.buckets.size(), std::greater<>())) {
    const Quantity part = std::min(available_in(item, bucket), quantity);
    if (part == no_units) break;
    taken.push_back(Allocation{item.id, bucket, part});
    quantity -= part;
  }
  CHECK(quantity == no_units);
  std::ranges::sort(taken, {}, &Allocation::bucket);
  return taken;
}

std::vector<Allocation> spread(const Item& item, Quantity quantity) {
  CHECK(quantity > no_units);
  const Quantity pays = std::min(item.shortage(), quantity);
  std::vector<Allocation> parts;
  if (pays > no_units) parts.push_back(Allocation{item.id, short_bucket, pays});
  if (pays == quantity) return parts;
  // Water poured over uneven ground: the lowest k buckets rise to one common level, with k as large as the
  // water allows.
  const std::vector<BucketNo> lowest_first = ranked(item, item.in_use(), std::less<>());
  std::int64_t water = (quantity - pays).units;
  std::int64_t wet = 0;
  std::int64_t level = 0;
  for (const BucketNo bucket : lowest_first) {
    const std::int64_t ground = available_in(item, bucket).units;
    const std::int64_t to_rise = wet * (ground - level);
    if (to_rise > water) break;
    water -= to_rise;
    level = ground;
    ++wet;
  }
  level += water / wet;
  std::int64_t remainder = water % wet;
  std::vector<BucketNo> risen(lowest_first.begin(), lowest_first.begin() + wet);
  std::ranges::sort(risen);
  for (const BucketNo bucket : risen) {
    const std::int64_t extra = remainder > 0 ? 1 : 0;
    remainder -= extra;
    const Quantity part{level + extra - available_in(item, bucket).units};
    if (part > no_units) parts.push_back(Allocation{item.id, bucket, part});
  }
  Quantity sum;
  for (const Allocation& part : parts) sum += part.quantity;
  CHECK(sum == quantity);
  return parts;
}

BucketNo home_bucket(const UserId& user, std::size_t buckets) {
  CHECK(buckets >= 1);
  // FNV-1a, 64 bits (Fowler, Noll and Vo): the same bucket on every machine, which std::hash does not
  // promise.
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : user.text()) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1099511628211ULL;
  }
  // FNV alone mixes too little: names that end in a counter would share few buckets, by its low bits and by
  // its high ones. The finisher of MurmurHash3 (Appleby, public domain) lets every bit decide.
  hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccdULL;
  hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  hash ^= hash >> 33;
  return static_cast<BucketNo>(hash % buckets);
}

void withdraw(State& state, ItemId item_id, Quantity quantity, const Reason& reason) {
  const Item& item = state.item(item_id);
  CHECK(quantity > no_units && quantity <= item.on_hand());
  const Quantity there = std::min(quantity, item.available());
  if (there > no_units) {
    for (const Allocation& part : choose(item, there, 0)) {
      post(state, part.item, part.bucket, Action::adjust_out, part.quantity, reason);
    }
  }
  if (quantity > there) post(state, item_id, short_bucket, Action::fall_short, quantity - there, reason);
}

void move(State& state, ItemId from, ItemId to, Quantity quantity, const Reason& reason) {
  CHECK(from != to && state.item(from).sku == state.item(to).sku && quantity >= no_units);
  if (quantity == no_units) return;
  for (const Allocation& part : choose(state.item(from), quantity, 0)) {
    post(state, part.item, part.bucket, Action::move_out, part.quantity, reason);
  }
  for (const Allocation& part : spread(state.item(to), quantity)) {
    post(state, part.item, part.bucket, Action::move_in, part.quantity, reason);
  }
}

void respread(State& state, ItemId item_id, const Reason& reason) {
  const Item& item = state.item(item_id);
  CHECK(!is_unsound(item));
  const auto in_use = static_cast<std::int64_t>(item.in_use());
  const std::int64_t units = item.available().units;
  std::vector<Allocation> gains;
  for (std::size_t i = 0; i < item.buckets.size(); ++i) {
    const auto no = static_cast<BucketNo>(i);
    const std::int64_t share = no < in_use ? units / in_use + (no < units % in_use ? 1 : 0) : 0;
    const std::int64_t gain = share - available_in(item, no).units;
    if (gain < 0) post(state, item_id, no, Action::move_out, Quantity{-gain}, reason);
    if (gain > 0) gains.push_back(Allocation{item_id, no, Quantity{gain}});
  }
  for (const Allocation& part : gains) {
    post(state, item_id, part.bucket, Action::move_in, part.quantity, reason);
  }
  CHECK(item.available().units == units);
}

bool is_uneven(const Item& item) {
  Quantity least = sound_units_max;
  Quantity most;
  for (std::size_t i = 0; i < item.buckets.size(); ++i) {
    const Quantity available = item.buckets[i].available;
    if (i >= item.in_use() && available > no_units) return true;
    if (i >= item.in_use()) continue;
    least = std::min(least, available);
    most = std::max(most, available);
  }
  return least == no_units && most > Quantity{1};
}

void change_buckets(State& state, ItemId item_id, std::int32_t count, const Reason& reason) {
  CHECK(count >= 1 && count <= buckets_max);
  Item& item = state.item(item_id);
  const auto wanted = static_cast<std::size_t>(count);
  if (wanted > item.buckets.size()) item.buckets.resize(wanted);
  const auto retired = static_cast<std::int32_t>(item.buckets.size() - wanted);
  if (retired != item.retired && item.row_state == RowState::clean) item.row_state = RowState::updated;
  item.retired = retired;
  respread(state, item_id, reason);
}

bool is_unsound(const Item& item) {
  const auto is_wild = [](Quantity quantity) { return quantity < no_units || quantity > sound_units_max; };
  for (const Bucket& bucket : item.buckets) {
    if (is_wild(bucket.available) || is_wild(bucket.reserved) || is_wild(bucket.sold) ||
        is_wild(bucket.shortage) || is_wild(bucket.shipped)) {
      return true;
    }
  }
  const Quantity total = item.total();
  if (total + item.shipped() > sound_units_max) return true;
  const Quantity shortage = item.shortage();
  return shortage > no_units && (item.available() > no_units || shortage > total);
}

}  // namespace gavel::rules
