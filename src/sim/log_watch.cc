#include "sim/log_watch.h"

#include <array>
#include <utility>

#include "base/check.h"

namespace gavel::sim {
namespace {

// What a line of the log shows, by a part of it.
constexpr std::array shown{
    std::pair{std::string_view(R"("event":"batch_halved")"), RareState::batch_halved},
    std::pair{std::string_view(R"("event":"commit_in_doubt")"), RareState::commit_in_doubt},
    std::pair{std::string_view(R"("as":"committed")"), RareState::unknown_resolved_committed},
    std::pair{std::string_view(R"("as":"aborted")"), RareState::unknown_resolved_aborted},
    std::pair{std::string_view(R"("event":"commit_unresolved")"), RareState::unknown_unresolved},
    std::pair{std::string_view(R"("event":"batch_failed")"), RareState::batch_failed},
    std::pair{std::string_view(R"("event":"command_refused_by_store")"), RareState::command_refused_by_store},
    std::pair{std::string_view(R"("event":"answer_overdue")"), RareState::answer_overdue},
    std::pair{std::string_view(R"("event":"gate_not_initialised")"), RareState::gate_not_initialised},
    std::pair{std::string_view(R"("event":"gate_corrupted")"), RareState::gate_corruption_found},
    std::pair{std::string_view(R"("event":"expiry_behind")"), RareState::expiry_behind},
};

}  // namespace

std::unique_ptr<Log> LogWatch::open(const Clock& clock) {
  Log::Options options;
  options.level = Level::info;
  options.into = [this](std::string_view line) { take(line); };
  auto log = Log::open(options, clock);
  CHECK(log.has_value());
  return *std::move(log);
}

void LogWatch::take(std::string_view line) {
  tale_.tell(name_, line);
  for (const auto& [part, rare] : shown) sightings_.saw_if(line.find(part) != std::string_view::npos, rare);
}

}  // namespace gavel::sim
