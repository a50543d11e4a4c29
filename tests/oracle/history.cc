#include "oracle/history.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace gavel::oracle {
namespace {

using namespace std::string_view_literals;

constexpr std::array yes_words{"reserved"sv, "sold"sv,     "confirmed"sv, "cancelled"sv, "expired"sv,
                               "received"sv, "created"sv,  "changed"sv,   "opened"sv,    "closed"sv,
                               "refunded"sv, "adjusted"sv, "counted"sv,   "extended"sv,  "shipped"sv};
constexpr std::array passing_words{"overloaded"sv, "not_ready"sv, "rate_limited"sv, "key_in_flight"sv};

bool is_among(std::string_view word, auto& words) {
  return std::ranges::find(words, word) != std::ranges::end(words);
}

}  // namespace

std::vector<Line> merged(const std::vector<Line>& lines) {
  std::map<std::string, std::int64_t> units;
  for (const Line& line : lines) units[line.sku] += line.quantity;
  std::vector<Line> sums;
  for (const auto& [sku, quantity] : units) sums.push_back({sku, quantity});
  return sums;
}

bool is_yes(const Reply& reply) { return is_among(reply.outcome, yes_words); }

bool is_unknown(const Reply& reply) { return reply.outcome == "outcome_unknown"; }

bool is_passing(const Reply& reply) { return is_among(reply.outcome, passing_words); }

bool is_refusal(const Reply& reply) { return !is_yes(reply) && !is_unknown(reply) && !is_passing(reply); }

bool is_of_the_key(const Reply& reply) {
  return reply.outcome == "key_reused" || reply.outcome == "key_in_use" || reply.outcome == "key_too_old" ||
         reply.outcome == "key_missing";
}

const Attempt* Asked::answer() const {
  const Attempt* earliest = nullptr;
  for (const Attempt& attempt : attempts) {
    if (!attempt.reply || !attempt.reply->recorded || is_unknown(*attempt.reply)) continue;
    if (earliest == nullptr || attempt.answered < earliest->answered) earliest = &attempt;
  }
  return earliest;
}

Moment Asked::first_call() const {
  Moment first = never;
  for (const Attempt& attempt : attempts) first = std::min(first, attempt.call);
  return first;
}

Moment Asked::effect_begun() const {
  Moment first = never;
  Moment refused = 0;
  for (const Attempt& attempt : attempts) {
    if (!attempt.reply || is_yes(*attempt.reply) || is_unknown(*attempt.reply))
      first = std::min(first, attempt.call);
    const bool no = attempt.reply && is_refusal(*attempt.reply) && !is_of_the_key(*attempt.reply);
    if (no) refused = std::max(refused, attempt.call);
  }
  return std::max(first == never ? first_call() : first, refused);
}

AttemptId History::begin(const Request& request, Moment call) {
  const RequestId id{request.caller, request.key};
  Asked& asked = asked_[id];
  const auto known = std::ranges::find(asked.requests, request);
  const auto which = static_cast<std::size_t>(known - asked.requests.begin());
  if (known == asked.requests.end()) asked.requests.push_back(request);
  asked.attempts.push_back({call, never, std::nullopt, which});
  return {id, asked.attempts.size() - 1};
}

void History::end(const AttemptId& attempt, Moment answered, Reply reply) {
  Attempt& noted = asked_.at(attempt.id).attempts.at(attempt.number);
  noted.answered = answered;
  noted.reply = std::move(reply);
}

void History::merge(const History& other) {
  for (const auto& [id, asked] : other.asked_) {
    for (const Attempt& attempt : asked.attempts) {
      const AttemptId added = begin(asked.request(attempt), attempt.call);
      if (attempt.reply) end(added, attempt.answered, *attempt.reply);
    }
    std::ranges::stable_sort(asked_.at(id).attempts, {}, &Attempt::call);
  }
  readings_.insert(readings_.end(), other.readings_.begin(), other.readings_.end());
}

}  // namespace gavel::oracle
