#include "rules/flow.h"

#include <algorithm>
#include <array>

#include "base/check.h"

namespace gavel::rules {
namespace {

struct Row {
  Action action;
  std::string_view word;
  Effect effect;  // available, reserved, sold, shortage, shipped
};

constexpr std::array rows{
    Row{Action::receive, "receive", {+1, 0, 0}},
    Row{Action::reserve, "reserve", {-1, +1, 0}},
    Row{Action::sell, "sell", {-1, 0, +1}},
    Row{Action::confirm, "confirm", {0, -1, +1}},
    Row{Action::cancel, "cancel", {+1, -1, 0}},
    Row{Action::expire, "expire", {+1, -1, 0}},
    Row{Action::move_out, "move_out", {-1, 0, 0}},
    Row{Action::move_in, "move_in", {+1, 0, 0}},
    Row{Action::refund, "refund", {+1, 0, -1}},
    Row{Action::write_off, "write_off", {0, 0, -1}},
    Row{Action::adjust_in, "adjust_in", {+1, 0, 0}},
    Row{Action::adjust_out, "adjust_out", {-1, 0, 0}},
    Row{Action::fall_short, "fall_short", {0, 0, 0, +1}},
    Row{Action::make_good, "make_good", {-1, 0, 0, -1}},
    Row{Action::ship, "ship", {0, 0, -1, 0, +1}},
    Row{Action::take_back, "take_back", {+1, 0, 0, 0, -1}},
    Row{Action::write_off_shipped, "write_off_shipped", {0, 0, 0, 0, -1}},
};
static_assert(rows.size() == actions_count);
static_assert(std::ranges::is_sorted(rows, {}, &Row::action), "the rows stand in the order of the actions");

const Row& row_of(Action action) {
  const auto place = static_cast<std::size_t>(action);
  CHECK(place < rows.size());
  return rows[place];
}

}  // namespace

std::string_view word(Action action) { return row_of(action).word; }

std::optional<Action> parse_action(std::string_view word) {
  const auto found = std::ranges::find(rows, word, &Row::word);
  if (found == rows.end()) return std::nullopt;
  return found->action;
}

Effect effect_of(Action action) { return row_of(action).effect; }

}  // namespace gavel::rules
