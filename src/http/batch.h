// Batch: many commands in one body, an array of objects of the form
//
//   {"request_id":"k1","act":"reserve", …what the body of the single request has}
//   {"request_id":"k2","act":"confirm","order":"…"}
//
// and their answers, an array with the answer that each single request would have got, its status first. A
// wrong element is refused alone. A body that is not JSON, not an array, or has too many elements is refused
// as a whole, because then it is unclear where one command ends and the next begins. Pure; thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/command_parser.h"
#include "http/message.h"
#include "http/strict_json.h"
#include "rules/command.h"
#include "rules/verdict.h"

namespace gavel::http {

inline constexpr std::int64_t batch_commands_max = 8192;
inline constexpr std::size_t batch_bytes_max = std::size_t{4} * 1024 * 1024;

extern const Shape batch_shape;  // What can be checked in the array before its elements.

// An act that a batch may contain: the endpoint of its single request, and the name of the field that
// contains what the single request has in its path (empty: nothing).
struct BatchAct {
  std::string_view word;
  Endpoint endpoint;
  std::string_view parameter;
};
std::span<const BatchAct> batch_acts();

// The members of an element: request_id, act, the parameter, and those of the single request's body.
std::vector<Member> members_of(const BatchAct& act);

struct BatchItem {
  rules::RequestKey key;
  rules::Act act;
};
using BatchItems = std::vector<std::expected<BatchItem, rules::Verdict>>;

// The commands of a body, with a refusal in place of each wrong one; or one line that says why there are
// none.
std::expected<BatchItems, std::string> read_batch(std::string_view body);

// Joins the answers of single requests, in order. What they say in headers is in their element
// ("replayed":true, "retry_after":5); if any of them has Retry-After, the whole answer has the least.
class BatchAnswer {
 public:
  void add(const Response& single);
  Response take();

 private:
  void wait_at_most(const std::string& seconds);

  Response response_;
  std::optional<std::uint64_t> wait_;
};

}  // namespace gavel::http
