#include "app/load/load_ramp.h"

#include <string>
#include <utility>

#include "app/cli/progress.h"
#include "base/clock.h"
#include "base/random.h"

namespace gavel::app {
namespace {

constexpr FineTime warm_up = std::chrono::seconds(1);

class Climb {
 public:
  Climb(const LadderPlan& plan, const BenchTarget& target, Speech speech, const Interrupt& interrupt)
      : plan_(plan), target_(target), speech_(speech), interrupt_(interrupt), random_(plan.seed) {}

  Result<LadderFigure> rung(const Crowd& crowd);

 private:
  Result<CrowdMeasured> send(const Crowd& crowd, BenchTraffic& traffic) const;

  const LadderPlan& plan_;
  const BenchTarget& target_;
  const Speech speech_;
  const Interrupt& interrupt_;
  const RealClock clock_;
  Random random_;
};

Result<LadderFigure> Climb::rung(const Crowd& crowd) {
  const auto stock = stock_up(target_, units_for_crowd(plan_.scenario, crowd), random_);
  if (!stock) return std::unexpected(stock.error());
  BenchTraffic traffic(plan_.scenario, stock->sku, clock_, random_);
  ServerWatch watch(target_.operators, target_.key);
  auto measured = send(crowd, traffic);
  if (!measured) return std::unexpected(measured.error());
  LadderFigure figure{.scenario = plan_.scenario,
                      .crowd = crowd,
                      .seed = plan_.seed,
                      .measured = *std::move(measured),
                      .seen = watch.stop(),
                      .verify = ""};
  const auto units =
      plan_.scenario == Scenario::mixed ? BenchCount::Units::come_back : BenchCount::Units::stay_taken;
  auto verify =
      verify_of(target_, *stock, {traffic.orders(), figure.measured.doubtful, units, traffic.unheard()});
  if (!verify) return std::unexpected(verify.error());
  figure.verify = *std::move(verify);
  return figure;
}

Result<CrowdMeasured> Climb::send(const Crowd& crowd, BenchTraffic& traffic) const {
  // A line a quarter would stand between the rows.
  const bool terminal = speech_ == Speech::people && Progress::form_of_stderr() == Progress::Form::bar;
  Progress progress(with_commas(static_cast<std::int64_t>(crowd.callers)) + " outstanding, seconds",
                    crowd.during / std::chrono::seconds(1),
                    terminal ? Progress::Form::bar : Progress::Form::silent);
  return run_closed_loop(target_.shop, crowd, traffic, [&](FineTime lasted) {
    progress.at(lasted / std::chrono::seconds(1));
    return !interrupt_.raised();
  });
}

}  // namespace

Result<std::vector<LadderFigure>> climb(const LadderPlan& plan, const BenchTarget& target, Speech speech,
                                        const Interrupt& interrupt) {
  Climb ladder(plan, target, speech, interrupt);
  if (auto warm = ladder.rung({plan.outstanding.front(), warm_up}); !warm)
    return std::unexpected(warm.error());
  std::vector<LadderFigure> figures;
  for (const std::size_t callers : plan.outstanding) {
    auto figure = ladder.rung({callers, plan.during});
    if (!figure) return std::unexpected(figure.error());
    say(speech == Speech::json ? json_of(*figure) : row_of(*figure));
    figures.push_back(*std::move(figure));
  }
  return figures;
}

}  // namespace gavel::app
