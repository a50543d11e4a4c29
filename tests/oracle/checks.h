// The checks one by one, in the order of the table in check.cc; check.h says what each is.
//
// Private to the sources of the oracles; those of refusals are in undersell.h. Pure.
#pragma once

#include "oracle/check.h"

namespace gavel::oracle {

// books.cc: the ledger with itself.
void check_conservation(const World& world, Findings& findings);
void check_never_negative(const World& world, Findings& findings);
void check_moves(const World& world, Findings& findings);
void check_chains(const World& world, Findings& findings);
void check_batches(const World& world, Findings& findings);

// effects.cc: what was answered, and what happened.
void check_yes_has_effect(const World& world, Findings& findings);
void check_no_has_none(const World& world, Findings& findings);
void check_effects_once(const World& world, Findings& findings);

// answers.cc: answers with each other.
void check_replies_equal(const World& world, Findings& findings);
void check_answers_stand(const World& world, Findings& findings);
void check_resolved(const World& world, Findings& findings);

// orders.cc: the life of an order.
void check_states(const World& world, Findings& findings);
void check_releases_once(const World& world, Findings& findings);
void check_in_time(const World& world, Findings& findings);
void check_accounts(const World& world, Findings& findings);

// limits.cc, readings.cc
void check_limits(const World& world, Findings& findings);
void check_readings(const World& world, Findings& findings);

}  // namespace gavel::oracle
