// The members that problems and recorded results have in common, in Boost.JSON's form.
//
// Internal to the units that write JSON; Boost.JSON keeps the members of an object in the order they were
// added, so equal values are equal bytes. Pure; thread-safe.
#pragma once

#include <string_view>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "base/time.h"
#include "base/uuid.h"
#include "rules/verdict.h"

namespace gavel::http {

inline boost::json::string_view as_json(std::string_view text) { return {text.data(), text.size()}; }
inline std::string as_json(Time time) { return to_text(time); }
inline std::string as_json(rules::OrderId id) { return to_text(id.uuid); }

// What an outcome says beyond its word, each member only if it is set: sku, available, allowed, claimed,
// order, state, opens_at, expires_at, version, fields. `order` is the one acted upon, or of limit_reached the
// one that holds the latest claim.
void add_details(boost::json::object& to, const rules::Verdict& verdict);

}  // namespace gavel::http
