#include "jobs/clock_watch.h"

#include <chrono>

namespace gavel::jobs {
namespace {

bool is_told(Duration difference) { return std::chrono::abs(difference) > clock_difference_told; }

}  // namespace

Result<void> ClockWatch::step() {
  const Result<judge::Clocks> clocks = reader_.clocks();
  if (!clocks) return std::unexpected(clocks.error());
  difference_ = clocks->wall - clocks->judge;
  tell(*clocks);
  return {};
}

void ClockWatch::tell(const judge::Clocks& clocks) {
  const bool tells = is_told(difference_);
  if (tells ? told_ && clock_.steady() < told_again_at_ : !told_) return;
  told_ = tells;
  told_again_at_ = clock_.steady() + clock_logged_every;
  log_.write(tells ? Level::warn : Level::info, tells ? "clock_differs" : "clock_agrees",
             {{"wall", to_text(clocks.wall)},
              {"judge", to_text(clocks.judge)},
              {"difference_ms", difference().count()},
              {"next", tells ? "set the machine's clock right; gavel clock show tells both" : "nothing"}});
}

std::optional<std::string> ClockWatch::warning() const {
  const Duration now = difference();
  if (!is_told(now)) return std::nullopt;
  const std::string seconds =
      std::to_string(std::chrono::round<std::chrono::seconds>(std::chrono::abs(now)).count());
  return "the wall clock is " + seconds + " s " + (now > Duration(0) ? "ahead of" : "behind") +
         " the judge's time, which goes on by itself; set the machine's clock right";
}

void watch(MetricsRegistry& metrics, const ClockWatch& clock_watch) {
  metrics.watch_gauge(
      "gavel_jobs_clock_difference_seconds",
      "The wall clock less the judge's time; negative where the wall clock is behind.",
      [&clock_watch] { return std::chrono::duration<double>(clock_watch.difference()).count(); });
}

}  // namespace gavel::jobs
