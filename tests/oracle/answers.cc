// Answers with each other: I8, I9, and that there is one.
#include <algorithm>
#include <set>
#include <string>

#include "oracle/checks.h"
#include "oracle/words.h"

namespace gavel::oracle {
namespace {

bool is_answer(const Attempt& attempt) {
  return attempt.reply && attempt.reply->recorded && !is_unknown(*attempt.reply);
}

// Whether an answer may have been forgotten when the ledger was read.
bool is_old(const Terms& terms, Moment answered) { return terms.kept && answered + *terms.kept < terms.ends; }

// A key that was told so when it was old: it says nothing of what became of it. It was made before it was
// first sent; the millisecond that it was made in had begun a little earlier.
bool is_told_too_old(const Terms& terms, const Asked& asked, const Attempt& attempt) {
  return terms.kept && attempt.reply->outcome == "key_too_old" &&
         asked.first_call() + *terms.kept < attempt.answered + terms.clock.per_ms;
}

// "Certainly not done", told of the very attempt that did it: no other could have, for all were made after
// `done_at`, or were refused.
const Attempt* denied(const Asked& asked, Moment done_at) {
  const Attempt* denied = nullptr;
  for (const Attempt& attempt : asked.attempts) {
    if (attempt.call > done_at || (attempt.reply && is_refusal(*attempt.reply))) continue;
    if (!attempt.reply || !is_passing(*attempt.reply)) return nullptr;
    denied = &attempt;
  }
  return denied;
}

}  // namespace

// All recorded replies to one key are equal, whatever they were sent with; one at most is no replay, and a
// replay has an attempt that it repeats. They are what the service remembers.
void check_replies_equal(const World& world, Findings& findings) {
  for (const auto& [id, asked] : world.history.asked()) {
    std::set<std::string> texts;
    int fresh = 0;
    for (const Attempt& attempt : asked.attempts) {
      if (!is_answer(attempt)) continue;
      texts.insert(attempt.reply->outcome + " " + attempt.reply->order + " " + attempt.reply->text);
      if (!attempt.reply->replayed) ++fresh;
      const bool first = std::ranges::none_of(asked.attempts, [&](const Attempt& other) {
        return &other != &attempt && other.call <= attempt.answered;
      });
      if (attempt.reply->replayed && first)
        findings.add(name_of(id) + " was answered with a replay of nothing");
    }
    if (texts.size() > 1) {
      findings.add(name_of(id) + " has " + std::to_string(texts.size()) +
                   " different answers: " + *texts.begin() + "; and " + *texts.rbegin());
    }
    if (fresh > 1) findings.add(name_of(id) + " was answered afresh " + std::to_string(fresh) + " times");
    const Attempt* answer = asked.answer();
    const auto remembered = world.ledger.requests.find(id);
    if (answer == nullptr) continue;
    if (remembered == world.ledger.requests.end() && is_old(world.terms, answer->answered)) continue;
    if (remembered == world.ledger.requests.end()) {
      findings.add(name_of(id) + " was told " + answer->reply->outcome + ", which nothing remembers");
    } else if (remembered->second.outcome != answer->reply->outcome) {
      findings.add(name_of(id) + " was told " + answer->reply->outcome + " and is remembered as " +
                   remembered->second.outcome);
    }
  }
}

// What was asked after an answer had come gets that answer, a busy signal, or nothing; and no attempt is told
// no, recorded or not, after the effect of its key was committed (where that moment is known).
void check_answers_stand(const World& world, Findings& findings) {
  std::map<RequestId, Moment> done;
  for (const Flow& flow : world.ledger.flows) {
    if (flow.committed && !flow.key.empty()) done.try_emplace({flow.caller, flow.key}, *flow.committed);
  }
  for (const auto& [id, asked] : world.history.asked()) {
    const Attempt* answer = asked.answer();
    const auto effect = done.find(id);
    const Moment known = answer == nullptr ? never : answer->answered;
    const Moment done_at = effect == done.end() ? never : effect->second;
    for (const Attempt& attempt : asked.attempts) {
      if (!attempt.reply || is_unknown(*attempt.reply) || is_passing(*attempt.reply)) continue;
      if (is_answer(attempt) || is_told_too_old(world.terms, asked, attempt)) continue;
      const bool other_content = asked.requests.size() > 1 && is_of_the_key(*attempt.reply);
      if (other_content) continue;
      if (attempt.call > known) {
        findings.add(name_of(id) + " had its answer, " + answer->reply->outcome + ", and was told " +
                     attempt.reply->outcome + " later");
      } else if (attempt.call > done_at && is_refusal(*attempt.reply)) {
        findings.add(name_of(id) + " was done at " + std::to_string(done_at) + ", and was told " +
                     attempt.reply->outcome + " when it asked at " + std::to_string(attempt.call));
      }
    }
    if (const Attempt* attempt = effect == done.end() ? nullptr : denied(asked, done_at)) {
      findings.add(name_of(id) + " was told " + attempt->reply->outcome + ", and that attempt did it at " +
                   std::to_string(done_at));
    }
    const bool reused = std::ranges::any_of(
        asked.attempts, [](const Attempt& a) { return a.reply && a.reply->outcome == "key_reused"; });
    if (reused && asked.requests.size() == 1) findings.add(name_of(id) + " was told key_reused, and was not");
  }
}

// At rest nothing is open: a recorded answer, or a refusal after all replies that were lost or unknown.
void check_resolved(const World& world, Findings& findings) {
  if (!world.terms.at_rest) return;
  for (const auto& [id, asked] : world.history.asked()) {
    if (asked.answer() != nullptr) continue;
    Moment refused = -1;
    Moment open = -1;
    for (const Attempt& attempt : asked.attempts) {
      if (!attempt.reply || is_unknown(*attempt.reply)) {
        open = std::max(open, attempt.call);
      } else if (!is_passing(*attempt.reply)) {
        refused = std::max(refused, attempt.call);
      }
    }
    if (refused > open) continue;
    const Attempt& last = asked.attempts.back();
    findings.add(name_of(id) + " (" + asked.request(last).act + ") never got an answer, the last was " +
                 (last.reply ? last.reply->outcome : std::string("lost")));
  }
}

}  // namespace gavel::oracle
