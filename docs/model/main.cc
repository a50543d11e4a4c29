// gate_model: searches the scenarios and says for each whether it ended as it must.
//
//   gate_model            the short set
//   gate_model --long     all scenarios
//   gate_model NAME...    these, with the trace of what is found
//   gate_model --list
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>

#include "scenarios.h"
#include "search.h"

namespace {

using model::Scenario;

// True if the scenario ended as it must.
bool run(const Scenario& scenario, bool show_trace) {
  const auto started = std::chrono::steady_clock::now();
  const model::Found found = model::search(scenario, static_cast<std::uint64_t>(scenario.millions * 1e6));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  const bool as_it_must = found.wrong.empty() != scenario.must_fail;
  std::string result = found.complete ? "pass" : "none found, not complete";
  if (!found.wrong.empty()) result = scenario.must_fail ? "caught" : "VIOLATION";
  if (found.wrong.empty() && scenario.must_fail) result = "NOT CAUGHT";
  std::printf("%-11s %10llu states, depth %2d, %6.1f s  %s  (%s)\n", scenario.name,
              static_cast<unsigned long long>(found.states), found.depth, seconds, result.c_str(),
              scenario.what);
  if (!found.wrong.empty() && (show_trace || !as_it_must)) {
    std::printf("    %s\n", found.wrong.c_str());
    for (const std::string& line : found.trace) std::printf("    %s\n", line.c_str());
  }
  std::fflush(stdout);
  return as_it_must;
}

bool is_chosen(const Scenario& scenario, int count, char** words) {
  if (count < 2) return scenario.in_short_set;
  for (int i = 1; i < count; ++i) {
    if (std::strcmp(words[i], "--long") == 0 || std::strcmp(words[i], scenario.name) == 0) return true;
  }
  return false;
}

}  // namespace

int main(int count, char** words) {
  const bool lists = count == 2 && std::strcmp(words[1], "--list") == 0;
  const bool named = count > 1 && words[1][0] != '-';
  int passed = 0;
  int failed = 0;
  for (const Scenario& scenario : model::scenarios()) {
    if (lists) {
      std::printf("%-11s %-5s  %s\n", scenario.name, scenario.in_short_set ? "short" : "long", scenario.what);
    } else if (is_chosen(scenario, count, words)) {
      run(scenario, named) ? ++passed : ++failed;
    }
  }
  if (lists) return 0;
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 && passed > 0 ? 0 : 1;
}
