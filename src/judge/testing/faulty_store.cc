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

namespace {

bool is_within_batch(Call call) {
  switch (call) {
    case Call::open_instance:
    case Call::open_lane:
    case Call::resolve:
    case Call::idle:
      return false;
    default:
      return true;
  }
}

}  // namespace

bool FaultyStore::in_turn(Call call) const {
  switch (call) {
    case Call::open_instance:
    case Call::open_lane:
    case Call::begin:
    case Call::idle:
      return phase_ == Phase::idle;
    case Call::resolve:
      return phase_ == Phase::idle || phase_ == Phase::in_doubt;
    default:
      return phase_ == Phase::open;
  }
}

std::optional<Error> FaultyStore::enter(Call call) {
  calls_.push_back(call);
  if (phase_ == Phase::broken) return Error{ErrorCode::broken, "broken before"};
  if (!in_turn(call)) {
    violations_.push_back("call " + std::to_string(calls_.size()) + ", " + std::string(word(call)) +
                          ", is out of turn");
  }
  const std::optional<Fault> fault = choose_(call, static_cast<int>(calls_.size()), writing_);
  if (!fault) return std::nullopt;
  return suffer(*fault, call);
}

Error FaultyStore::suffer(Fault fault, Call call) {
  if (fault == Fault::unknown_stored) {
    if (const auto committed = inner().commit(); !committed) return committed.error();
  }
  if (fault == Fault::unknown_lost || fault == Fault::broken) inner().rollback();
  return Error{code_of(fault), std::string(word(fault)) + " at " + std::string(word(call))};
}

Result<void> FaultyStore::around(Call call, const Answer& pass_on) {
  Result<void> done;
  if (auto error = enter(call)) {
    done = std::unexpected(*std::move(error));
  } else {
    done = pass_on();
  }
  if (!done) {
    end(call, done.error().code);
  } else if (call == Call::begin) {
    phase_ = Phase::open;
  } else if (call == Call::commit || call == Call::resolve) {
    phase_ = Phase::idle;
  }
  return done;
}

void FaultyStore::end(Call call, ErrorCode code) {
  if (code == ErrorCode::broken) {
    phase_ = Phase::broken;
  } else if (is_within_batch(call)) {
    phase_ = code == ErrorCode::unknown ? Phase::in_doubt : Phase::failed;
  }
}

Result<void> FaultyStore::write(const rules::State& state, BatchId batch, Time now) {
  writing_ = &state;
  Result<void> written = StoreWrapper::write(state, batch, now);
  writing_ = nullptr;
  return written;
}

void FaultyStore::rollback() {
  if (phase_ == Phase::broken) return;
  if (phase_ == Phase::in_doubt)
    violations_.emplace_back("a batch in doubt is rolled back before it is resolved");
  inner().rollback();
  phase_ = Phase::idle;
}

}  // namespace gavel::judge
