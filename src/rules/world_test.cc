#include "rules/world_test.h"

#include <algorithm>
#include <charconv>
#include <map>

#include <gtest/gtest.h>

#include "base/check.h"
#include "base/random.h"
#include "base/uuid.h"
#include "rules/invariants.h"

namespace gavel::rules {
namespace {

constexpr std::string_view order_prefix = "00000000-0000-4000-8000-";
constexpr std::string_view day_prefix = "2026-11-29T";

std::int64_t number_in(std::string_view text) {
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  CHECK(read.ec == std::errc());
  return number;
}

void replace_all(std::string& text, std::string_view what, auto by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) by(at);
}

// "tee*2 cap*1" as pairs.
std::vector<std::pair<SkuCode, Quantity>> counts_of(std::string_view text) {
  std::vector<std::pair<SkuCode, Quantity>> counts;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    const std::size_t star = word.find('*');
    counts.emplace_back(SkuCode(word.substr(0, star)), Quantity{number_in(word.substr(star + 1))});
  }
  return counts;
}

}  // namespace

bool is_internal(const Act& act) {
  return std::holds_alternative<Expire>(act) || std::holds_alternative<Forget>(act) ||
         std::holds_alternative<Rebalance>(act);
}

OrderId order_id(std::int64_t number) {
  const std::string digits = std::to_string(number);
  return OrderId{*parse_uuid(std::string(order_prefix) + std::string(12 - digits.size(), '0') + digits)};
}

std::string key_of(Time time, std::uint64_t number) {
  Random random(number);
  return to_text(make_uuid7(time, random));
}

Lines lines_of(std::string_view text) {
  std::vector<Line> lines;
  for (const auto& [sku, quantity] : counts_of(text)) lines.push_back(Line{sku, quantity});
  return Lines(std::move(lines));
}

Want want(std::string_view user, std::string_view lines) {
  return Want{Reserve{UserId(user), lines_of(lines), std::nullopt, std::nullopt, Payment::later}};
}

Want& Want::in(std::string_view activity) {
  act.activity = ActivityCode(activity);
  return *this;
}

Want& Want::held_for(std::chrono::seconds hold) {
  act.hold = hold;
  return *this;
}

Want& Want::at_once() {
  act.payment = Payment::none;
  return *this;
}

Sale sale(std::string_view code, std::string_view allotments) {
  Sale sale{CreateActivity{.activity = ActivityCode(code),
                           .name = "a sale",
                           .lines = {},
                           .limit_per_user = std::nullopt,
                           .opens_at = std::nullopt,
                           .closes_at = std::nullopt,
                           .hold = std::nullopt}};
  for (const auto& [sku, quantity] : counts_of(allotments)) {
    sale.act.lines.push_back(ActivityLine{sku, quantity, std::nullopt});
  }
  return sale;
}

Sale& Sale::limit(std::int64_t units) {
  act.limit_per_user = Quantity{units};
  return *this;
}

Sale& Sale::from(Time opens_at) {
  act.opens_at = opens_at;
  return *this;
}

Sale& Sale::until(Time closes_at) {
  act.closes_at = closes_at;
  return *this;
}

Sale& Sale::holding(std::chrono::seconds hold) {
  act.hold = hold;
  return *this;
}

Sale& Sale::buckets(std::int32_t count) {
  for (ActivityLine& line : act.lines) line.buckets = count;
  return *this;
}

World& World::sku(std::string_view code, std::initializer_list<std::int64_t> available) {
  does(put(code, static_cast<std::int32_t>(available.size())));
  Item& made = item(code);
  for (std::size_t i = 0; i < available.size(); ++i) {
    const Quantity units{available.begin()[i]};
    if (units == no_units) continue;
    made.buckets[i] = Bucket{units, no_units, no_units, 1};
    ledger.push_back(Flow{.item = made.id,
                          .bucket = static_cast<BucketNo>(i),
                          .seq = 1,
                          .action = Action::receive,
                          .quantity = units,
                          .before = no_units,
                          .after = units,
                          .order = std::nullopt,
                          .occurrence = 1,
                          .caller = Caller("shop"),
                          .key = std::nullopt,
                          .source = "inbound",
                          .at = now});
  }
  tampered();
  return *this;
}

World& World::does(const Act& act) {
  const Verdict verdict = decide_one(act);
  EXPECT_TRUE(traits(verdict.outcome).act) << word(act) << ": " << brief(verdict);
  return *this;
}

World& World::passes(Duration duration) {
  now += duration;
  return *this;
}

Command World::command(std::string_view caller, std::string_view key, const Act& act) {
  const bool orders = std::holds_alternative<Reserve>(act);
  const OrderId fresh = order_id(orders ? ++asked_ : 999'999);
  const bool internal = is_internal(act) && key.empty();
  return Command{Caller(caller), internal ? std::nullopt : std::optional(RequestKey(key)), fresh, act};
}

Verdict World::decide_one(const Act& act) {
  const bool internal = is_internal(act);
  const std::string key = internal ? "" : "key-" + std::to_string(++keys_);
  return decide_one(internal ? "gavel" : "shop", key, act);
}

Verdict World::decide_one(std::string_view caller, std::string_view key, const Act& act) {
  load_due();
  const Verdict verdict = decide(state, command(caller, key, act), now, policy);
  end_batch();
  return verdict;
}

void World::load_due() {
  std::map<ItemId, std::vector<std::pair<Time, OrderId>>> due;
  for (const auto& [id, order] : state.orders) {
    if (order.state != OrderState::held || !order.expires_at || *order.expires_at > now) continue;
    for (const Allocation& part : order.taken) due[part.item].emplace_back(*order.expires_at, id);
  }
  state.due.clear();
  state.due_unseen.clear();
  for (auto& [item, holds] : due) {
    std::ranges::sort(holds);
    holds.erase(std::ranges::unique(holds).begin(), holds.end());
    if (holds.size() > due_orders_max) {
      state.due_unseen.insert(item);
      holds.resize(due_orders_max);
    }
    for (const auto& [expires_at, id] : holds) state.due[item].push_back(id);
  }
}

void World::end_batch() {
  std::map<ItemId, std::int64_t> expected;
  for (const auto& [id, item] : state.items) {
    std::int64_t before = 0;
    std::int64_t after = 0;
    for (const Bucket& bucket : item.loaded) before += bucket.available.units;
    for (const Bucket& bucket : item.buckets) after += bucket.available.units;
    expected[id] = item.generation + (before == 0 && after > 0 ? 1 : 0);
  }
  raise_generations(state);
  for (const auto& [id, item] : state.items) EXPECT_EQ(item.generation, expected[id]) << name_of(item);
  EXPECT_EQ(first_broken(state), std::nullopt);
  ledger.insert(ledger.end(), state.flows.begin(), state.flows.end());
  tampered();
  state.flows.clear();
  for (auto& [code, sku] : state.skus) sku.row_state = RowState::clean;
  for (auto& [code, activity] : state.activities) activity.row_state = RowState::clean;
  for (auto& [id, order] : state.orders) {
    order.row_state = RowState::clean;
    mark_loaded(order);
  }
  for (auto& [id, recorded] : state.requests) recorded.row_state = RowState::clean;
  for (auto& [id, recorded] : state.orders_as_requests) recorded.row_state = RowState::clean;
  for (auto& [key, quota] : state.quotas) quota.row_state = RowState::clean;
  state.forgotten.clear();
  state.counters.row_state = RowState::clean;
}

void World::tampered() {
  for (auto& [id, item] : state.items) {
    item.loaded = item.buckets;
    item.row_state = RowState::clean;
  }
  for (auto& [key, quota] : state.quotas) quota.loaded = quota.claimed;
}

std::string World::name_of(const Item& item) const {
  std::string name;
  for (const auto& [code, sku] : state.skus) {
    if (sku.id == item.sku) name = code.text();
  }
  for (const auto& [code, activity] : state.activities) {
    if (activity.id == item.activity) name += "@" + code.text();
  }
  return name;
}

Item& World::item(std::string_view name) {
  for (auto& [id, item] : state.items) {
    if (name_of(item) == name) return item;
  }
  CHECK(false);
}

std::string World::stock(std::string_view name) {
  std::string text;
  for (const auto& [id, item] : state.items) {
    if (!name.empty() && name_of(item) != name) continue;
    if (!text.empty()) text += "\n";
    text += name_of(item) + ":";
    std::string_view between = " ";
    for (const Bucket& bucket : item.buckets) {
      text.append(between).append(std::to_string(bucket.available.units)).append("/");
      text.append(std::to_string(bucket.reserved.units)).append("/");
      text.append(std::to_string(bucket.sold.units));
      if (bucket.shipped > no_units) text.append("/").append(std::to_string(bucket.shipped.units));
      if (bucket.shortage > no_units) text.append("-").append(std::to_string(bucket.shortage.units));
      between = " | ";
    }
    text += " g" + std::to_string(item.generation);
  }
  return text;
}

std::string World::orders() {
  std::string text;
  for (const auto& [id, order] : state.orders) {
    if (!text.empty()) text += "\n";
    text += brief(to_text(id.uuid)) + " " + std::string(word(order.state)) + " " + order.user.text();
    for (const Allocation& part : order.taken) {
      text += " " + name_of(state.item(part.item)) + "/" + std::to_string(part.bucket) + "*" +
              std::to_string(part.quantity.units);
      for (const Allocation& back : order.returned) {
        const bool of_part = back.item == part.item && back.bucket == part.bucket;
        if (of_part) text += "-" + std::to_string(back.quantity.units);
      }
      const Quantity gone = units_at(order.shipped, part.item, part.bucket);
      if (gone > no_units) text += ">" + std::to_string(gone.units);
    }
  }
  return text;
}

std::string World::quotas() {
  std::string text;
  for (const auto& [key, quota] : state.quotas) {
    if (!text.empty()) text += "\n";
    text += key.user.text() + " " + state.sku_of(key.sku).code.text() + " " +
            std::to_string(quota.claimed.units) + "/" + std::to_string(quota.allowed.units);
    if (quota.order) text += " by " + brief(to_text(quota.order->uuid));
  }
  return text;
}

std::string World::everything() {
  std::string text = stock() + "\n" + orders() + "\n" + quotas() + "\n";
  for (const auto& [code, sku] : state.skus) text += code.text() + " ";
  for (const auto& [code, activity] : state.activities) {
    text += code.text() + "=" + std::string(word(activity.state)) + " ";
  }
  for (const auto& [id, order] : state.orders) {
    text += order.expires_at ? to_text(*order.expires_at) + "/" + std::to_string(order.extensions) + " " : "";
  }
  return text + std::to_string(state.counters.next_item) + " " + std::to_string(ledger.size());
}

std::string World::brief(std::string text) {
  replace_all(text, order_prefix, [&](std::size_t at) {
    const std::string number = std::to_string(number_in(text.substr(at + order_prefix.size(), 12)));
    text.replace(at, order_prefix.size() + 12, "#" + number);
  });
  replace_all(text, day_prefix, [&](std::size_t at) {
    text.erase(at + day_prefix.size() + 12, 1);  // The Z behind the milliseconds.
    text.erase(at, day_prefix.size());
  });
  return text;
}

}  // namespace gavel::rules
