// StoreWrapper: a store that passes every call on to another one. For tests and the simulator.
//
// A store that stands in front of another one overrides only what it changes: single calls, or around(),
// which each call but rollback goes through. One thread, that of the inner store.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "judge/store.h"

namespace gavel::judge {

// The calls of a store that answer.
enum class Call : std::uint8_t {
  open_instance,
  open_lane,
  begin,
  read_orders,
  load_activities,
  load_skus,
  load_items,
  load_quotas,
  load_orders,
  load_requests,
  load_counters,
  now,
  find_due,
  write,
  commit,
  resolve,
  idle,
};

inline std::string_view word(Call call) {
  static constexpr std::array<std::string_view, 17> words{
      "open_instance", "open_lane",  "begin",       "read_orders", "load_activities",
      "load_skus",     "load_items", "load_quotas", "load_orders", "load_requests",
      "load_counters", "now",        "find_due",    "write",       "commit",
      "resolve",       "idle"};
  static_assert(words.size() == static_cast<std::size_t>(Call::idle) + 1);
  return words[static_cast<std::size_t>(call)];
}

class StoreWrapper : public Store {
 public:
  // `inner` outlives this.
  explicit StoreWrapper(Store& inner) : inner_(inner) {}
  StoreWrapper(const StoreWrapper&) = delete;
  StoreWrapper& operator=(const StoreWrapper&) = delete;

  Result<Identity> open_instance() override {
    return pass<Identity>(Call::open_instance, [this] { return inner_.open_instance(); });
  }
  Result<rules::LaneId> open_lane() override {
    return pass<rules::LaneId>(Call::open_lane, [this] { return inner_.open_lane(); });
  }
  Result<void> begin() override {
    return around(Call::begin, [this] { return inner_.begin(); });
  }
  Result<void> read_orders(const std::set<rules::OrderId>& ids, rules::State& state) override {
    return around(Call::read_orders, [&] { return inner_.read_orders(ids, state); });
  }
  Result<void> load_activities(const ActivityKeys& keys, rules::State& state) override {
    return around(Call::load_activities, [&] { return inner_.load_activities(keys, state); });
  }
  Result<void> load_skus(const SkuKeys& keys, rules::State& state) override {
    return around(Call::load_skus, [&] { return inner_.load_skus(keys, state); });
  }
  Result<void> load_items(const std::set<rules::ItemId>& ids, rules::State& state) override {
    return around(Call::load_items, [&] { return inner_.load_items(ids, state); });
  }
  Result<void> load_quotas(const std::set<rules::QuotaKey>& keys, rules::State& state) override {
    return around(Call::load_quotas, [&] { return inner_.load_quotas(keys, state); });
  }
  Result<void> load_orders(const std::set<rules::OrderId>& ids, rules::State& state) override {
    return around(Call::load_orders, [&] { return inner_.load_orders(ids, state); });
  }
  Result<void> load_requests(const std::set<rules::RequestId>& ids,
                             const std::set<rules::OrderId>& keys_as_orders, rules::State& state) override {
    return around(Call::load_requests, [&] { return inner_.load_requests(ids, keys_as_orders, state); });
  }
  Result<void> load_counters(rules::State& state) override {
    return around(Call::load_counters, [&] { return inner_.load_counters(state); });
  }
  Result<Time> now() override {
    return pass<Time>(Call::now, [this] { return inner_.now(); });
  }
  Result<DueOrders> find_due(std::span<const DueQuestion> questions, Time now) override {
    return pass<DueOrders>(Call::find_due, [&] { return inner_.find_due(questions, now); });
  }
  Result<void> write(const rules::State& state, BatchId batch, Time now) override {
    return around(Call::write, [&] { return inner_.write(state, batch, now); });
  }
  Result<void> commit() override {
    return around(Call::commit, [this] { return inner_.commit(); });
  }
  void rollback() override { inner_.rollback(); }
  Result<Resolution> resolve(BatchId batch) override {
    return pass<Resolution>(Call::resolve, [&] { return inner_.resolve(batch); });
  }
  Result<void> idle() override {
    return around(Call::idle, [this] { return inner_.idle(); });
  }

 protected:
  using Answer = std::function<Result<void>()>;

  // Makes the call by `pass_on`, which is called at most once; an error in its place is the call's answer.
  virtual Result<void> around(Call, const Answer& pass_on) { return pass_on(); }

  Store& inner() { return inner_; }

 private:
  // What the inner store answers is kept beside around(), which only has to know whether it was an error.
  template <class T, class Use>
  Result<T> pass(Call call, Use use) {
    std::optional<Result<T>> answer;
    const Result<void> done = around(call, [&]() -> Result<void> {
      CHECK(!answer);
      answer = use();
      return *answer ? Result<void>() : std::unexpected(answer->error());
    });
    if (!done) return std::unexpected(done.error());
    CHECK(answer && *answer);
    return *std::move(answer);
  }

  Store& inner_;
};

}  // namespace gavel::judge
