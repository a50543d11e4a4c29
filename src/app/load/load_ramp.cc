#include "app/load/load_ramp.h"

#include <optional>
#include <string>
#include <utility>

#include "app/client/operator_client.h"
#include "app/load/scenario_traffic.h"
#include "app/load/step_stock.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/random.h"

namespace gavel::app {
namespace {

constexpr FineTime warm_up = std::chrono::seconds(1);

LoadStep shortened(LoadStep step, FineTime during) {
  if (auto* rate = std::get_if<RateSchedule>(&step.schedule)) rate->during = during;
  if (auto* outstanding = std::get_if<OutstandingSchedule>(&step.schedule)) outstanding->during = during;
  return step;
}

class Runner {
 public:
  Runner(const LoadRamp& ramp, const ServerAddresses& server, OperatorClient operators,
         RampObserver& observer)
      : ramp_(ramp),
        server_(server),
        operators_(std::move(operators)),
        observer_(observer),
        random_(ramp.seed) {}

  Result<StepFigure> run(const LoadStep& step);

 private:
  Result<LoadStatistics> send(const LoadStep& step, ScenarioTraffic& traffic);

  const LoadRamp& ramp_;
  const ServerAddresses& server_;
  OperatorClient operators_;
  RampObserver& observer_;
  const RealClock clock_;
  Random random_;
};

Result<StepFigure> Runner::run(const LoadStep& step) {
  const auto stock = stock_up(operators_, units_for(ramp_.scenario, step), random_);
  if (!stock) return std::unexpected(stock.error());
  ScenarioTraffic traffic(ramp_.scenario, stock->sku, clock_, random_);
  std::optional<MetricsPoller> poller;
  if (!step.is_by_rate()) poller.emplace(server_);
  auto statistics = send(step, traffic);
  if (!statistics) return std::unexpected(statistics.error());
  StepFigure figure{.scenario = ramp_.scenario,
                    .step = step,
                    .seed = ramp_.seed,
                    .statistics = *std::move(statistics),
                    .seen = poller ? poller->stop() : MetricsPoller::Maxima(),
                    .orders = traffic.orders(),
                    .verify = ""};
  if (!traffic.wrong_address().empty()) {
    return fail(ErrorCode::invalid, server_.shop + " answered " + traffic.wrong_address() +
                                        " to an order for the SKU that was just made at " +
                                        server_.operators +
                                        "; name the shop's and the operators' address of one server");
  }
  const auto units =
      ramp_.scenario == LoadScenario::mixed ? StepCount::Units::come_back : StepCount::Units::stay_taken;
  auto verify = verify_of(operators_, *stock,
                          {.orders = figure.orders, .doubtful = figure.statistics.doubtful, .units = units});
  if (!verify) return std::unexpected(verify.error());
  figure.verify = *std::move(verify);
  return figure;
}

Result<LoadStatistics> Runner::send(const LoadStep& step, ScenarioTraffic& traffic) {
  const auto engine = LoadEngine::create({.url = server_.shop,
                                          .ca_file = server_.ca_file,
                                          .connections = step.connections,
                                          .key = server_.shop_key});
  if (!engine) return std::unexpected(engine.error());
  return (*engine)->run(step.schedule, traffic, [this, &step](const LoadProgress& progress) {
    return observer_.on_progress(step, progress);
  });
}

}  // namespace

Result<std::vector<StepFigure>> run_ramp(const LoadRamp& ramp, const ServerAddresses& server,
                                         RampObserver& observer) {
  CHECK(!ramp.steps.empty());
  auto operators = OperatorClient::create(server);
  if (!operators) return std::unexpected(operators.error());
  Runner runner(ramp, server, *std::move(operators), observer);
  if (auto warm = runner.run(shortened(ramp.steps.front(), warm_up)); !warm)
    return std::unexpected(warm.error());
  std::vector<StepFigure> figures;
  for (const LoadStep& step : ramp.steps) {
    auto figure = runner.run(step);
    if (!figure) return std::unexpected(figure.error());
    observer.on_figure(*figure);
    figures.push_back(*std::move(figure));
  }
  return figures;
}

}  // namespace gavel::app
