// deadlock_bench: how often lanes that want the same items deadlock on a server that locks row by row.
//
//   deadlock_bench [--lanes 3] [--batches 1000] [--commands 10] [--skus 12] [--seed 1]
//
// Every lane applies so many batches to some hot SKUs and a sale of theirs, on the simulator's database
// server and in its virtual time, so that a seed gives the same figures on every machine. A deadlock is one
// that the server found: somebody's transaction is gone and its batch is made again. The books are audited
// at the end; a finding is printed with the figures and ends the program with 4.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/random.h"
#include "judge/audit/audit.h"
#include "judge/judge.h"
#include "ops/log.h"
#include "sim/skewed_clock.h"
#include "sim/sql_server.h"

namespace gavel::bench {
namespace {

constexpr std::int64_t stock_first = 80;  // Of each SKU: soon gone, so that holds whose time is past matter.
constexpr std::int64_t stock_more = 20;
constexpr std::int64_t sale_units = 30;
constexpr std::uint64_t users_count = 300;
constexpr std::size_t orders_kept_max = 2'000;

struct Options {
  int lanes = 3;
  int batches = 1000;
  int commands = 10;
  std::uint64_t skus = 12;
  std::uint64_t seed = 1;
};

rules::SkuCode sku(std::uint64_t number) { return rules::SkuCode("sku" + std::to_string(number)); }

// The server with its clients: one lane each, on a fiber of its own.
class Lanes {
 public:
  explicit Lanes(const Options& options) : options_(options), random_(options.seed) {}

  int run();

 private:
  void work(sim::Fiber& fiber, const std::string& name);
  void open_shop(judge::Judge& judge);
  rules::Command draw(Random& random);
  rules::Act draw_act(Random& random);
  rules::Lines draw_lines(Random& random);
  rules::Command command_of(rules::Act act, Random& random);
  void note(const rules::Command& command, const rules::Verdict& verdict);

  const Options options_;
  Random random_;
  sim::Scheduler scheduler_;
  sim::TraceLog tale_{scheduler_};
  sim::Faults faults_{random_};  // Never unleashed.
  sim::CoverageMarks sightings_;
  sim::SkewedClock clock_{scheduler_, Duration(0)};
  sim::SqlServer server_{scheduler_, tale_, clock_, [](const rules::State&, judge::BatchId, Time) {}};
  const sim::ProcessState power_;
  std::unique_ptr<Log> log_ = Log::silent();
  std::unique_ptr<judge::Reader> reader_ = server_.look();
  bool open_ = false;
  std::vector<rules::OrderId> orders_;
  std::int64_t applied_ = 0;
  std::int64_t failed_ = 0;
  std::int64_t commands_overloaded_ = 0;
};

rules::Lines Lanes::draw_lines(Random& random) {
  std::vector<rules::Line> lines;
  for (std::uint64_t i = random.below(2) + 1; i > 0; --i) {
    lines.push_back({sku(random.below(options_.skus)), rules::Quantity{1}});
  }
  return rules::Lines(std::move(lines));
}

rules::Act Lanes::draw_act(Random& random) {
  const std::uint64_t draw = random.below(100);
  if (draw < 55 || orders_.empty()) {
    rules::Reserve act{rules::UserId("u" + std::to_string(random.below(users_count))),
                       draw_lines(random),
                       {},
                       std::chrono::seconds(1)};
    if (draw < 12) act.activity = rules::ActivityCode("sale");
    return act;
  }
  if (draw < 60) return rules::Receive{sku(random.below(options_.skus)), rules::Quantity{stock_more}};
  const rules::OrderId order = orders_[random.below(orders_.size())];
  if (draw < 75) return rules::Confirm{order, {}};
  if (draw < 85) return rules::Cancel{order};
  if (draw < 90) return rules::ChangeOrder{order, draw_lines(random)};
  const auto due = reader_->due(50).value().holds;
  if (due.empty()) return rules::Cancel{order};
  return rules::Expire{due[random.below(due.size())].order};
}

rules::Command Lanes::command_of(rules::Act act, Random& random) {
  const Uuid key = make_uuid7(clock_.now(), random);
  if (std::holds_alternative<rules::Expire>(act))
    return {rules::Caller("gavel"), std::nullopt, rules::OrderId{key}, std::move(act)};
  return {rules::Caller("shop"), rules::RequestKey(to_text(key)), rules::OrderId{key}, std::move(act)};
}

void Lanes::note(const rules::Command& command, const rules::Verdict& verdict) {
  commands_overloaded_ += verdict.outcome == rules::Outcome::overloaded ? 1 : 0;
  if (!std::holds_alternative<rules::Reserve>(command.act) || verdict.outcome != rules::Outcome::reserved)
    return;
  orders_.push_back(*verdict.order);
  if (orders_.size() > orders_kept_max) orders_.erase(orders_.begin(), orders_.begin() + 100);
}

void Lanes::open_shop(judge::Judge& judge) {
  std::vector<rules::Command> commands;
  rules::CreateActivity sale{rules::ActivityCode("sale"), "sale", {}, {}, {}, {}, {}};
  for (std::uint64_t i = 0; i < options_.skus; ++i) {
    commands.push_back(command_of(rules::PutSku{sku(i), 2}, random_));
    commands.push_back(command_of(rules::Receive{sku(i), rules::Quantity{stock_first}}, random_));
    sale.lines.push_back({sku(i), rules::Quantity{sale_units}, 2});
  }
  sale.limit_per_user = rules::Quantity{2};
  commands.push_back(command_of(sale, random_));
  commands.push_back(command_of(rules::OpenActivity{sale.activity}, random_));
  const auto verdicts = judge.apply(commands);
  CHECK(verdicts.has_value() && verdicts->back().outcome == rules::Outcome::opened);
  open_ = true;
}

void Lanes::work(sim::Fiber& fiber, const std::string& name) {
  Random random(random_.next());
  sim::Fiber* const mine = &fiber;
  const sim::Client client{
      scheduler_, faults_, tale_, sightings_, random_, power_, mine, name, sim::DatabaseProfile(), [] {}};
  const auto store = server_.open_store(client);
  const auto pause = [&](Duration time) { fiber.rest(std::chrono::duration_cast<sim::Micros>(time)); };
  judge::Judge judge(*store, *log_, Random(random.next()), pause, {}, {});
  if (name == "lane1") open_shop(judge);
  while (!open_) fiber.rest(sim::Micros(1'000));
  for (int i = 0; i < options_.batches; ++i) {
    std::vector<rules::Command> commands;
    for (int each = 0; each < options_.commands; ++each)
      commands.push_back(command_of(draw_act(random), random));
    const auto verdicts = judge.apply(commands);
    ++applied_;
    failed_ += verdicts ? 0 : 1;
    for (std::size_t each = 0; verdicts && each < verdicts->size(); ++each)
      note(commands[each], (*verdicts)[each]);
  }
}

int Lanes::run() {
  std::vector<std::unique_ptr<sim::Fiber>> fibers;
  for (int i = 1; i <= options_.lanes; ++i) {
    fibers.push_back(std::make_unique<sim::Fiber>(
        scheduler_, power_, [this, i](sim::Fiber& fiber) { work(fiber, "lane" + std::to_string(i)); }));
  }
  for (const auto& fiber : fibers)
    while (!fiber->done()) CHECK(scheduler_.run_one());
  const auto count = [&](sim::RareState rare) { return sightings_.counts()[static_cast<std::size_t>(rare)]; };
  const double thousands = static_cast<double>(applied_) / 1000;
  const auto seconds = std::chrono::duration<double>(scheduler_.now()).count();
  std::printf("%d lanes, %lld batches of %d commands: %.1f deadlocks and %.1f lock wait timeouts per 1,000\n",
              options_.lanes, static_cast<long long>(applied_), options_.commands,
              static_cast<double>(server_.deadlocks()) / thousands,
              static_cast<double>(count(sim::RareState::lock_wait_timeout)) / thousands);
  std::printf(
      "batches loaded once more for due holds %lld, failed %lld, commands told overloaded %lld, virtual time "
      "%.2f s\n",
      static_cast<long long>(count(sim::RareState::locked_after_time)), static_cast<long long>(failed_),
      static_cast<long long>(commands_overloaded_), seconds);
  for (const std::string& complaint : server_.complaints()) std::printf("complaint: %s\n", complaint.c_str());
  const judge::AuditReport report = judge::audit(*reader_).value();
  for (const judge::Finding& finding : report.findings)
    std::printf("audit: %s: %s\n", finding.invariant.c_str(), finding.what.c_str());
  return report.findings.empty() && server_.complaints().empty() ? 0 : 4;
}

}  // namespace
}  // namespace gavel::bench

int main(int count, char** words) {
  gavel::bench::Options options;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string_view name = words[i];
    const long long value = std::atoll(words[i + 1]);
    if (name == "--lanes") options.lanes = static_cast<int>(value);
    if (name == "--batches") options.batches = static_cast<int>(value);
    if (name == "--commands") options.commands = static_cast<int>(value);
    if (name == "--skus") options.skus = static_cast<std::uint64_t>(value);
    if (name == "--seed") options.seed = static_cast<std::uint64_t>(value);
  }
  return gavel::bench::Lanes(options).run();
}
