// Verbs: the commands of administration, each a row: `gavel stock receive tee 100` is one.
//
// A row says which request a command sends and which words of the command line fill it; what the server's
// routes take is in docs/openapi.json. A further route needs a further row here and nothing else. Pure;
// thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/client/http_connection.h"
#include "base/result.h"

namespace gavel::app {

enum class WordKind : std::uint8_t {
  text,
  integer,
  yes_or_no,   // true or false in the request
  lines,       // tee=2 as {"sku":"tee","quantity":2}, any number of them
  allotments,  // tee=2 as {"sku":"tee","allotment":2}
  texts,       // Any number of them; of a query alone.
};

enum class WordPlace : std::uint8_t {
  in_path,  // Comes first, and stands for the {} of the target.
  bare,     // Comes after that, without a name.
  flag,     // --limit-per-user 2
};

enum class WordNeed : std::uint8_t { required, optional };

// One word of a command, and the member of the body, or the parameter of a GET's query, that it fills.
struct VerbWord {
  std::string_view field;  // "limit_per_user"
  WordPlace place;
  WordKind kind;
  WordNeed need;
  std::string_view meaning;

  std::string flag() const;         // "limit-per-user"
  std::string placeholder() const;  // "SKU=N"
};

// How an answer is put for people.
enum class Shows : std::uint8_t { deed, stock, order, orders, activity, activities, gate, trace };

struct Verb {
  std::string_view group;  // "stock"
  std::string_view word;   // "receive"; empty: the group is the command.
  std::string_view method;
  std::string_view target;  // "/v1/stock/{}/receive"
  std::span<const VerbWord> words;
  Shows shows;
  std::string_view summary;
  std::string_view examples;  // Lines, indented by two.

  bool writes() const { return method != "GET"; }
};

std::span<const Verb> all_verbs();

// What the words of a command line said, by field.
using Words = std::map<std::string_view, std::vector<std::string>>;

// The request of `verb` without its key and credential; `invalid` in one line that names the word that is
// wrong. Bounds of numbers are the server's to hold.
Result<HttpRequest> request_of(const Verb& verb, const Words& words);

}  // namespace gavel::app
