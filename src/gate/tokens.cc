#include "gate/tokens.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/check.h"

namespace gavel::gate {

using rules::no_units;
using rules::Quantity;

void Tokens::owe(const Statement& statement) {
  owed_ = owed_ ? merged(*owed_, statement) : statement;
  asleep_ = asleep_ && !owed_->position;  // With a position there is a bucket again.
}

void Tokens::forgive() {
  owed_.reset();
  owes_call_ = must_be_heard_ = asleep_ = false;
  stale_in_a_row_ = 0;
}

void Tokens::drop(Quantity units) {
  CHECK(units > no_units && units <= in_process_);
  in_process_ -= units;
  owes_call_ = true;
}

// The sum does not change, so nothing is owed.
void Tokens::hand_over(Quantity units) {
  CHECK(units > no_units && units <= in_process_);
  in_process_ -= units;
  in_tickets_ += units;
}

void Tokens::count_tickets(Quantity units) {
  CHECK(units >= no_units);
  if (units == in_tickets_) return;
  in_tickets_ = units;
  owes_call_ = true;
}

bool Tokens::due() const {
  const bool must_call = must_be_heard_ && !asleep_;
  return !under_way_ && (owed_ || owes_call_ || must_call || !waiting_.empty());
}

bool Tokens::resting() const {
  return !under_way_ && !owed_ && !owes_call_ && !must_be_heard_ && waiting_.empty() && held() == no_units &&
         stale_in_a_row_ == 0;
}

Say Tokens::begin(rules::InstanceId instance, std::int64_t op) {
  CHECK(due());
  CHECK(op > last_op_);
  last_op_ = op;
  owes_call_ = false;
  asleep_ = false;

  Say say{instance, op, held(), std::exchange(owed_, std::nullopt), {}};
  Call call{op, std::exchange(must_be_heard_, false), say.judge, {}};
  const auto count = static_cast<std::ptrdiff_t>(std::min(waiting_.size(), wants_max));
  call.wants.assign(waiting_.begin(), waiting_.begin() + count);
  waiting_.erase(waiting_.begin(), waiting_.begin() + count);
  for (const Want& want : call.wants) say.wants.push_back(want.units);
  under_way_ = std::move(call);
  return say;
}

std::vector<RoutingResult> Tokens::end(std::int64_t op, const Result<Reply>& reply) {
  if (!under_way_ || under_way_->op != op) return {};
  const Call call = *std::exchange(under_way_, std::nullopt);
  const bool ok = reply && reply->said == Said::ok;
  CHECK(!ok || reply->granted.size() == call.wants.size());

  settle(call, reply);
  std::vector<RoutingResult> directed;
  for (std::size_t i = 0; i < call.wants.size(); ++i) {
    directed.push_back(direct(call.wants[i], ok && reply->granted[i], reply));
  }
  return directed;
}

// What of the call is still owed after it.
void Tokens::settle(const Call& call, const Result<Reply>& reply) {
  if (!reply) {
    // It arrived or not, or will: either way the next call is newer and states it all.
    if (call.judge) owed_ = owed_ ? merged(*call.judge, *owed_) : *call.judge;
    must_be_heard_ = true;
    return;
  }
  stale_in_a_row_ = reply->said == Said::stale ? stale_in_a_row_ + 1 : 0;
  switch (reply->said) {
    case Said::ok:
      break;  // What has become owed since the call began stays owed.
    case Said::stale:
      must_be_heard_ = true;
      break;
    case Said::not_initialised:
      // The generations that it stated are lost; they come along with the position that makes the bucket.
      asleep_ = !must_be_heard_;
      must_be_heard_ = must_be_heard_ || call.must_be_heard;
      break;
  }
}

RoutingResult Tokens::direct(const Want& want, bool granted, const Result<Reply>& reply) {
  RoutingResult directed{want.wanter, want.units, GateAnswer::unavailable, 0};
  if (granted) {
    in_process_ += want.units;
    directed.route = GateAnswer::granted;
  } else if (reply && reply->said == Said::not_initialised) {
    directed.route = GateAnswer::not_initialised;
  } else if (reply && reply->said == Said::ok) {
    directed.route = reply->closed() ? GateAnswer::closed : GateAnswer::too_few;
    if (reply->closed()) directed.shut = reply->shut;
  }
  return directed;
}

std::vector<RoutingResult> Tokens::abandon() {
  std::vector<RoutingResult> directed;
  for (const Want& want : std::exchange(waiting_, {})) {
    directed.push_back({want.wanter, want.units, GateAnswer::unavailable, 0});
  }
  return directed;
}

}  // namespace gavel::gate
