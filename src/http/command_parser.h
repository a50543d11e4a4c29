// Command parser: turns the path and the body of a write into a command's act; and the shapes of the bodies.
//
// A shape contains everything that can be checked in a body without the business rules. Things that
// rules::malformation would refuse are refused here too if that can name the field more exactly. Pure;
// thread-safe.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/strict_json.h"
#include "rules/command.h"
#include "rules/verdict.h"

namespace gavel::http {

enum class Endpoint : std::uint8_t;

// What the code of a SKU, an activity or a user must be, for the message that refuses another.
inline constexpr std::string_view code_form = "1 to 128 bytes of UTF-8 without control characters";
static_assert(code_bytes_max == 128);

extern const Shape empty_shape;  // {}
extern const Shape reserve_shape;
extern const Shape confirm_shape;
extern const Shape extend_shape;
extern const Shape change_shape;
extern const Shape refund_shape;
extern const Shape ship_shape;
extern const Shape put_sku_shape;
extern const Shape receive_shape;
extern const Shape adjust_shape;
extern const Shape count_shape;
extern const Shape create_activity_shape;
extern const Shape change_activity_shape;

// The act of a write, or the refusal: malformed with its explanation, or unknown_order and the like if an id
// in the path cannot exist. `body` has the route's shape; an absent optional body is {}. Without an `id` in
// its body, a new activity gets the request key as its id, because a retry must lead to the same activity.
// Whoever asks without a key is refused, whatever the act.
std::expected<rules::Act, rules::Verdict> act_of(Endpoint endpoint,
                                                 const std::vector<std::string>& parameters, const Json& body,
                                                 const std::optional<rules::RequestKey>& key);

}  // namespace gavel::http
