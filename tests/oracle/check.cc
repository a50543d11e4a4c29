#include "oracle/check.h"

#include <array>

#include "oracle/checks.h"
#include "oracle/undersell.h"

namespace gavel::oracle {
namespace {

constexpr std::array all_checks{
    Check{"I1", "rows are what their flows say, and orders explain them", check_conservation},
    Check{"I2", "nothing is negative at any position", check_never_negative},
    Check{"I3", "a move between stock items sums to zero", check_moves},
    Check{"I4", "the chains of the ledger have no gap", check_chains},
    Check{"I5", "a yes has exactly its effect", check_yes_has_effect},
    Check{"I6", "a no has none", check_no_has_none},
    Check{"I7", "one effect per key, one per transition", check_effects_once},
    Check{"I8", "recorded replies to a key are equal", check_replies_equal},
    Check{"I9", "an answer stands", check_answers_stand},
    Check{"I10", "states and transitions are legal", check_states},
    Check{"I11", "released once; confirm and release exclude each other", check_releases_once},
    Check{"I12", "in time, by the judge's clock", check_in_time},
    Check{"I13", "limits per user hold at every position", check_limits},
    Check{"I14", "stock readings were true", check_readings},
    Check{"I15", "a batch has exactly the rows that it says", check_batches},
    Check{"I19", "an account acts upon its own orders alone", check_accounts},
    Check{"U1", "a refusal was right", check_refusals},
    Check{"U3", "a refusal after a release was right", check_refusals_after_release},
    Check{"resolved", "every key has an answer in the end", check_resolved},
};

}  // namespace

std::string to_text(const Finding& finding) { return finding.check + ": " + finding.what; }

std::span<const Check> checks() { return all_checks; }

std::vector<Finding> check(const History& history, const Ledger& ledger, const Terms& terms) {
  const World world{history, ledger, terms};
  std::vector<Finding> found;
  for (const Check& each : all_checks) {
    Findings findings(each.name, found);
    each.run(world, findings);
  }
  return found;
}

}  // namespace gavel::oracle
