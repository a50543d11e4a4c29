// AdminCommand: a command of administration as a row of a table: `gavel stock receive tee 100` is one.
//
// A row says which request the command sends and which arguments fill it; what the server's routes take is in
// docs/openapi.json. A further route needs a further row here and nothing else. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/client/http_message.h"
#include "base/result.h"

namespace gavel::app {

enum class ArgumentKind : std::uint8_t {
  text,
  integer,
  yes_or_no,   // true or false in the request
  lines,       // tee=2 as {"sku":"tee","quantity":2}, any number of them
  allotments,  // tee=2 as {"sku":"tee","allotment":2}
  texts,       // any number of them, in a query
};

enum class ArgumentPlace : std::uint8_t {
  in_path,  // Comes first, and stands for the {} of the target.
  bare,     // Comes after that, without a name.
  flag,     // --limit-per-user 2
};

enum class ArgumentNeed : std::uint8_t { required, optional };

// One argument of a command, and the member of the body, or the parameter of a GET's query, that it fills.
struct AdminArgument {
  std::string_view field;  // "limit_per_user"
  ArgumentPlace place;
  ArgumentKind kind;
  ArgumentNeed need;
  std::string_view meaning;

  std::string flag() const;         // "limit-per-user"
  std::string placeholder() const;  // "SKU=N"
};

// How a response is printed for people.
enum class ResponseLayout : std::uint8_t {
  result,
  stock,
  order,
  orders,
  activity,
  activities,
  gate,
  clocks,
  trace
};

struct AdminCommand {
  std::string_view group;  // "stock"
  std::string_view word;   // "receive"; empty: the group is the command.
  std::string_view method;
  std::string_view target;  // "/v1/stock/{}/receive"
  std::span<const AdminArgument> arguments;
  ResponseLayout layout;
  std::string_view summary;
  std::string_view examples;  // Lines, indented by two.

  bool writes() const { return method != "GET"; }
};

std::span<const AdminCommand> admin_commands();

// The values that the command line gave, by field.
using ArgumentValues = std::map<std::string_view, std::vector<std::string>>;

// The request of `command` without its key and credential; `invalid` in one line that names the argument that
// is wrong. The server checks the bounds of numbers.
Result<HttpRequest> request_of(const AdminCommand& command, const ArgumentValues& values);

}  // namespace gavel::app
