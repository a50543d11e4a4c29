// The bugs of catalogue.toml as the program knows them; generate.py writes the list. Immutable.
#pragma once

#include <span>
#include <string_view>

namespace gavel::sim {

struct Bug {
  int number;               // From 1.
  std::string_view name;    // "refusal_not_recorded"
  std::string_view file;    // "rules/decide.cc"
  std::string_view oracle;  // Which one is meant to find it; another may be the first.
};

std::span<const Bug> all_bugs();

}  // namespace gavel::sim
