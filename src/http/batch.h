// Batch: many commands in one body, an array of objects of the form
//
//   {"request_id":"k1","act":"reserve", …what the body of the single request has}
//   {"request_id":"k2","act":"confirm","order":"…"}
//
// and their answers, an array of what each single request would have been answered, its status first. An
// element that is wrong is answered alone. A body that is no JSON, no array, or has too many elements refuses
// everything, for then nobody can say where one command ends and the next begins. Pure; thread-safe.
#pragma once

#include <cstddef>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/acts.h"
#include "http/message.h"
#include "http/strict_json.h"
#include "rules/command.h"
#include "rules/verdict.h"

namespace gavel::http {

inline constexpr std::int64_t batch_commands_max = 8192;
inline constexpr std::size_t batch_bytes_max = std::size_t{4} * 1024 * 1024;

extern const Shape batch_shape;  // What can be said of the array before its elements.

// An act that a batch may hold: the endpoint whose single request it stands for, and the name of the field
// that holds what the single request has in its path (empty: it has nothing there).
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

// The commands of a body, or for each that is wrong its refusal; or one line on why there are none.
std::expected<BatchItems, std::string> read_batch(std::string_view body);

// Puts the answers of single requests together, in order. What they say in headers stands in their element:
// "replayed":true; where any of them says Retry-After, the whole answer does.
class BatchAnswer {
 public:
  void add(const Response& single);
  Response take();

 private:
  Response response_;
};

}  // namespace gavel::http
