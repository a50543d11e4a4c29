// Acts: from the path and the body of a write to what is asked of the judge; and the shapes of the bodies.
//
// A shape holds all that can be said about a body without the business. What rules::malformation would refuse
// is refused here too where that can name the field more exactly. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "http/strict_json.h"
#include "rules/command.h"
#include "rules/verdict.h"

namespace gavel::http {

enum class Endpoint : std::uint8_t;

extern const Shape empty_shape;  // {}
extern const Shape reserve_shape;
extern const Shape confirm_shape;
extern const Shape extend_shape;
extern const Shape change_shape;
extern const Shape refund_shape;
extern const Shape put_sku_shape;
extern const Shape receive_shape;
extern const Shape adjust_shape;
extern const Shape count_shape;
extern const Shape create_activity_shape;
extern const Shape change_activity_shape;

// The act of a write, or the refusal: malformed with its line, or unknown_order and its like where an id in
// the path could not be anybody's. `body` is as the route's shape says; an absent optional body is {}.
// Without an `id` in its body, a new activity gets the request key for its id: a retry must come to the same
// one. Whoever asks without a key is refused, whatever the act.
std::expected<rules::Act, rules::Verdict> act_of(Endpoint endpoint,
                                                 const std::vector<std::string>& parameters, const Json& body,
                                                 const std::optional<rules::RequestKey>& key);

}  // namespace gavel::http
