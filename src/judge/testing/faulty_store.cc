#include "judge/testing/faulty_store.h"

#include <array>
#include <utility>

namespace gavel::judge {
namespace {

ErrorCode code_of(Fault fault) {
  switch (fault) {
    case Fault::conflict:
      return ErrorCode::conflict;
    case Fault::duplicate:
      return ErrorCode::duplicate;
    case Fault::constraint:
      return ErrorCode::constraint;
    case Fault::unavailable:
      return ErrorCode::unavailable;
    case Fault::unknown_stored:
    case Fault::unknown_lost:
      return ErrorCode::unknown;
    case Fault::broken:
      return ErrorCode::broken;
  }
  return ErrorCode::broken;
}

constexpr std::array of_all{Fault::conflict, Fault::unavailable, Fault::broken};
constexpr std::array of_idle{Fault::unavailable, Fault::broken};
constexpr std::array of_write{Fault::conflict, Fault::duplicate, Fault::constraint, Fault::unavailable,
                              Fault::broken};
constexpr std::array of_commit{Fault::conflict,    Fault::duplicate,      Fault::constraint,
                               Fault::unavailable, Fault::unknown_stored, Fault::unknown_lost,
                               Fault::broken};

}  // namespace

std::string_view word(Call call) {
  static constexpr std::array<std::string_view, 16> words{
      "open_lane",     "begin",       "load_skus",     "load_activities",
      "load_items",    "load_orders", "load_requests", "load_quotas",
      "load_counters", "now",         "find_due",      "find_due_of",
      "write",         "commit",      "settle",        "idle"};
  return words[static_cast<std::size_t>(call)];
}

std::string_view word(Fault fault) {
  static constexpr std::array<std::string_view, 7> words{
      "conflict", "duplicate", "constraint", "unavailable", "unknown_stored", "unknown_lost", "broken"};
  return words[static_cast<std::size_t>(fault)];
}

std::span<const Fault> faults_of(Call call) {
  if (call == Call::write) return of_write;
  if (call == Call::commit) return of_commit;
  if (call == Call::idle) return of_idle;
  return of_all;
}

bool FaultyStore::in_turn(Call call) const {
  switch (call) {
    case Call::open_lane:
    case Call::begin:
    case Call::idle:
      return phase_ == Phase::idle;
    case Call::settle:
      return phase_ == Phase::idle || phase_ == Phase::in_doubt;
    default:
      return phase_ == Phase::open;
  }
}

std::optional<Error> FaultyStore::enter(Call call, const rules::State* state) {
  calls_.push_back(call);
  if (phase_ == Phase::broken) return Error{ErrorCode::broken, "broken before"};
  if (!in_turn(call)) {
    violations_.push_back("call " + std::to_string(calls_.size()) + ", " + std::string(word(call)) +
                          ", is out of turn");
  }
  const std::optional<Fault> fault = choose_(call, static_cast<int>(calls_.size()), state);
  if (!fault) return std::nullopt;
  return suffer(*fault, call);
}

Error FaultyStore::suffer(Fault fault, Call call) {
  if (fault == Fault::unknown_stored) {
    if (const auto committed = inner_.commit(); !committed) return committed.error();
  }
  if (fault == Fault::unknown_lost || fault == Fault::broken) inner_.rollback();
  return Error{code_of(fault), std::string(word(fault)) + " at " + std::string(word(call))};
}

void FaultyStore::end(ErrorCode code) {
  if (code == ErrorCode::broken) {
    phase_ = Phase::broken;
  } else {
    phase_ = code == ErrorCode::unknown ? Phase::in_doubt : Phase::failed;
  }
}

template <class Use>
auto FaultyStore::within(Call call, Use use) -> decltype(use()) {
  if (auto error = enter(call)) {
    end(error->code);
    return std::unexpected(*std::move(error));
  }
  auto result = use();
  if (!result) end(result.error().code);
  return result;
}

Result<rules::LaneId> FaultyStore::open_lane() {
  if (auto error = enter(Call::open_lane)) {
    if (error->code == ErrorCode::broken) phase_ = Phase::broken;
    return std::unexpected(*std::move(error));
  }
  return inner_.open_lane();
}

Result<void> FaultyStore::begin() {
  return within(Call::begin, [&] {
    auto begun = inner_.begin();
    if (begun) phase_ = Phase::open;
    return begun;
  });
}

Result<void> FaultyStore::load_skus(const std::set<rules::SkuCode>& codes, rules::State& state) {
  return within(Call::load_skus, [&] { return inner_.load_skus(codes, state); });
}

Result<void> FaultyStore::load_skus(const std::set<rules::SkuId>& ids, rules::State& state) {
  return within(Call::load_skus, [&] { return inner_.load_skus(ids, state); });
}

Result<void> FaultyStore::load_activities(const std::set<rules::ActivityCode>& codes, rules::State& state) {
  return within(Call::load_activities, [&] { return inner_.load_activities(codes, state); });
}

Result<void> FaultyStore::load_activities(const std::set<rules::ActivityId>& ids, rules::State& state) {
  return within(Call::load_activities, [&] { return inner_.load_activities(ids, state); });
}

Result<void> FaultyStore::load_items(const std::set<rules::ItemId>& ids, rules::State& state) {
  return within(Call::load_items, [&] { return inner_.load_items(ids, state); });
}

Result<void> FaultyStore::load_orders(const std::set<rules::OrderId>& ids, rules::State& state) {
  return within(Call::load_orders, [&] { return inner_.load_orders(ids, state); });
}

Result<void> FaultyStore::load_requests(const std::set<rules::RequestId>& ids,
                                        const std::set<rules::OrderId>& keys_as_orders, rules::State& state) {
  return within(Call::load_requests, [&] { return inner_.load_requests(ids, keys_as_orders, state); });
}

Result<void> FaultyStore::load_quotas(const std::set<rules::QuotaKey>& keys, rules::State& state) {
  return within(Call::load_quotas, [&] { return inner_.load_quotas(keys, state); });
}

Result<void> FaultyStore::load_counters(rules::State& state) {
  return within(Call::load_counters, [&] { return inner_.load_counters(state); });
}

Result<Time> FaultyStore::now() {
  return within(Call::now, [&] { return inner_.now(); });
}

Result<std::vector<rules::OrderId>> FaultyStore::find_due(rules::ItemId item, Time now, std::size_t count) {
  return within(Call::find_due, [&] { return inner_.find_due(item, now, count); });
}

Result<std::vector<rules::OrderId>> FaultyStore::find_due_of(rules::ItemId item, const rules::UserId& user,
                                                             Time now, std::size_t count) {
  return within(Call::find_due_of, [&] { return inner_.find_due_of(item, user, now, count); });
}

Result<void> FaultyStore::write(const rules::State& state, BatchId batch, Time now) {
  if (auto error = enter(Call::write, &state)) {
    end(error->code);
    return std::unexpected(*std::move(error));
  }
  auto written = inner_.write(state, batch, now);
  if (!written) end(written.error().code);
  return written;
}

Result<void> FaultyStore::commit() {
  return within(Call::commit, [&] {
    auto committed = inner_.commit();
    if (committed) phase_ = Phase::idle;
    return committed;
  });
}

void FaultyStore::rollback() {
  if (phase_ == Phase::broken) return;
  if (phase_ == Phase::in_doubt)
    violations_.emplace_back("a batch in doubt is rolled back before it is settled");
  inner_.rollback();
  phase_ = Phase::idle;
}

Result<Settlement> FaultyStore::settle(BatchId batch) {
  if (auto error = enter(Call::settle)) {
    if (error->code == ErrorCode::broken) phase_ = Phase::broken;
    return std::unexpected(*std::move(error));
  }
  auto settled = inner_.settle(batch);
  if (settled) phase_ = Phase::idle;
  return settled;
}

Result<void> FaultyStore::idle() {
  if (auto error = enter(Call::idle)) {
    if (error->code == ErrorCode::broken) phase_ = Phase::broken;
    return std::unexpected(*std::move(error));
  }
  return inner_.idle();
}

}  // namespace gavel::judge
