#include "judge/testing/judge_driver.h"

#include "base/random.h"
#include "base/uuid.h"

namespace gavel::judge {
namespace {

rules::Command command_of(const std::string& key, rules::Act act) {
  return rules::Command{.caller = rules::Caller("shop"),
                        .key = rules::RequestKey(key),
                        .new_order_id = order_of(key),
                        .act = std::move(act)};
}

rules::Lines lines_of(const Lines& lines) {
  std::vector<rules::Line> result;
  for (const auto& [sku, units] : lines) result.push_back({rules::SkuCode(sku), {units}});
  return rules::Lines(std::move(result));
}

std::string text_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid:
      return "error invalid";
    case ErrorCode::conflict:
      return "error conflict";
    case ErrorCode::duplicate:
      return "error duplicate";
    case ErrorCode::constraint:
      return "error constraint";
    case ErrorCode::unavailable:
      return "error unavailable";
    case ErrorCode::unknown:
      return "error unknown";
    case ErrorCode::broken:
      return "error broken";
  }
  return "error";
}

}  // namespace

rules::OrderId order_of(const std::string& key) {
  const auto uuid = parse_uuid(key);
  if (uuid && is_version_7(*uuid)) return {*uuid};
  std::uint64_t seed = 0;
  for (const char c : key) seed = seed * 131 + static_cast<unsigned char>(c);
  Random random(seed);
  return {make_uuid7(Time(std::chrono::milliseconds(1'800'000'000'000)), random)};
}

rules::Command reserve(const std::string& key, const std::string& user, const Lines& lines,
                       ReserveOptions options) {
  rules::Reserve act{.user = rules::UserId(user),
                     .lines = {},
                     .activity = {},
                     .hold = options.hold,
                     .payment = options.payment};
  act.lines = lines_of(lines);
  if (options.activity) act.activity = rules::ActivityCode(*options.activity);
  return command_of(key, std::move(act));
}

rules::Command confirm(const std::string& key, rules::OrderId order, const Lines& lines) {
  return command_of(key, rules::Confirm{order, lines_of(lines)});
}
rules::Command refund(const std::string& key, rules::OrderId order, const Lines& lines,
                      rules::Restock restock, rules::RefundFrom from) {
  return command_of(key, rules::Refund{order, lines_of(lines), restock, from});
}

rules::Command ship(const std::string& key, rules::OrderId order, const Lines& lines) {
  return command_of(key, rules::Ship{order, lines_of(lines)});
}
rules::Command extend(const std::string& key, rules::OrderId order,
                      std::optional<std::chrono::seconds> seconds) {
  return command_of(key, rules::Extend{order, seconds});
}
rules::Command change(const std::string& key, rules::OrderId order, const Lines& lines) {
  return command_of(key, rules::ChangeOrder{order, lines_of(lines)});
}
rules::Command cancel(const std::string& key, rules::OrderId order) {
  return command_of(key, rules::Cancel{order});
}

rules::Command expire(rules::OrderId order) {
  return rules::Command{
      .caller = rules::Caller("gavel"), .key = std::nullopt, .new_order_id = {}, .act = rules::Expire{order}};
}

rules::Command forget(const std::string& caller, const std::string& key) {
  return rules::Command{.caller = rules::Caller("gavel"),
                        .key = std::nullopt,
                        .new_order_id = {},
                        .act = rules::Forget{rules::Caller(caller), rules::RequestKey(key)}};
}

rules::Command put_sku(const std::string& key, const std::string& sku, std::int32_t buckets,
                       std::optional<rules::Mode> mode) {
  return command_of(key, rules::PutSku{rules::SkuCode(sku), buckets, mode});
}

rules::Command rebalance(rules::ItemId item) {
  return rules::Command{.caller = rules::Caller("gavel"),
                        .key = std::nullopt,
                        .new_order_id = {},
                        .act = rules::Rebalance{item}};
}

rules::Command receive(const std::string& key, const std::string& sku, std::int64_t units) {
  return command_of(key, rules::Receive{rules::SkuCode(sku), {units}});
}

rules::Command adjust(const std::string& key, const std::string& sku, std::int64_t difference) {
  return command_of(key, rules::Adjust{rules::SkuCode(sku), {difference}, "found"});
}

rules::Command count(const std::string& key, const std::string& sku, std::int64_t counted,
                     std::int64_t version) {
  return command_of(key, rules::Count{rules::SkuCode(sku), {counted}, version});
}

rules::Command create_activity(const std::string& key, const std::string& activity, const Lines& allotments,
                               ActivityOptions options) {
  rules::CreateActivity act{.activity = rules::ActivityCode(activity),
                            .name = activity,
                            .lines = {},
                            .limit_per_user = {},
                            .opens_at = options.opens_at,
                            .closes_at = options.closes_at,
                            .hold = options.hold,
                            .mode = options.mode};
  for (const auto& [sku, units] : allotments)
    act.lines.push_back({rules::SkuCode(sku), {units}, options.buckets});
  if (options.limit) act.limit_per_user = rules::Quantity{*options.limit};
  return command_of(key, std::move(act));
}

rules::Command change_activity(const std::string& key, const std::string& activity,
                               std::optional<std::int32_t> buckets, std::optional<rules::Mode> mode) {
  return command_of(key, rules::ChangeActivity{rules::ActivityCode(activity), buckets, mode});
}

rules::Command warm_activity(const std::string& key, const std::string& activity) {
  return command_of(key, rules::WarmActivity{rules::ActivityCode(activity)});
}

rules::Command check_activity(const std::string& key, const std::string& activity) {
  return command_of(key, rules::CheckActivity{rules::ActivityCode(activity)});
}

rules::Command open_activity(const std::string& key, const std::string& activity) {
  return command_of(key, rules::OpenActivity{rules::ActivityCode(activity)});
}

rules::Command close_activity(const std::string& key, const std::string& activity) {
  return command_of(key, rules::CloseActivity{rules::ActivityCode(activity)});
}

rules::Command by(const std::string& caller, rules::Command command) {
  command.caller = rules::Caller(caller);
  // Two callers may use one key: the orders that they make under it are two.
  if (command.key) command.new_order_id = order_of(caller + "/" + std::string(command.key->text()));
  return command;
}

JudgeDriver::JudgeDriver(Store& store, JudgeLimits limits, rules::Policy policy)
    : judge_(store, *log_, Random(1), [this](Duration) { ++pauses_; }, policy, limits) {}

Result<std::vector<rules::Verdict>> JudgeDriver::apply(const std::vector<rules::Command>& commands) {
  for (const rules::Command& command : commands) remember(command);
  std::vector<rules::Verdict> verdicts;
  while (verdicts.size() < commands.size()) {
    const auto decided = judge_.apply(std::span(commands).subspan(verdicts.size()));
    if (!decided) return decided;
    verdicts.insert(verdicts.end(), decided->begin(), decided->end());
  }
  return verdicts;
}

std::string JudgeDriver::say(const rules::Command& command) {
  const auto verdicts = apply({command});
  return verdicts ? by_keys(to_text(verdicts->at(0))) : text_of(verdicts.error().code);
}

std::string JudgeDriver::say_all(const std::vector<rules::Command>& commands) {
  const auto verdicts = apply(commands);
  if (!verdicts) return text_of(verdicts.error().code) + "\n";
  std::string text;
  for (const rules::Verdict& verdict : *verdicts) text += by_keys(to_text(verdict)) + "\n";
  return text;
}

void JudgeDriver::remember(const rules::Command& command) {
  if (!std::holds_alternative<rules::Reserve>(command.act) || !command.key) return;
  const std::string key(command.key->text());
  names_.try_emplace(gavel::to_text(order_of(key).uuid), "#" + key);
}

std::string JudgeDriver::by_keys(std::string text) const {
  for (const auto& [id, name] : names_) {
    for (std::size_t at = text.find(id); at != std::string::npos; at = text.find(id, at + name.size())) {
      text.replace(at, id.size(), name);
    }
  }
  return text;
}

}  // namespace gavel::judge
