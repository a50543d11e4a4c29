#include "judge/testing/random_script.h"

#include <utility>

#include "base/uuid.h"
#include "judge/testing/judge_driver.h"

namespace gavel::judge {
namespace {

using namespace std::chrono_literals;

class Writer {
 public:
  Writer(std::uint64_t seed, Time start) : random_(seed), now_(start), waits_(random_.below(3)) {}

  std::vector<Step> write(std::size_t commands) {
    for (const std::string& sku : skus()) {
      add(put_sku(fresh_key(), sku, 1 + static_cast<std::int32_t>(random_.below(4))));
      const auto units = static_cast<std::int64_t>(random_.below(7));
      if (units > 0) add(receive(fresh_key(), sku, units));
    }
    for (const char* code : {"s1", "s2"}) {
      if (random_.chance(1, 4)) continue;
      add(create_activity(fresh_key(), code, {{pick(skus()), few(3)}}, activity_options()));
      add(open_activity(fresh_key(), code));
    }
    while (script_.size() < commands) add(draw());
    return std::move(script_);
  }

 private:
  static const std::vector<std::string>& skus() {
    static const std::vector<std::string> codes{"ant", "bee", "cat"};
    return codes;
  }

  std::string pick(const std::vector<std::string>& from) { return from[random_.below(from.size())]; }
  std::string user() { return pick({"u1", "u2", "u3", "u4", "u5"}); }
  std::string activity() { return pick({"s1", "s1", "s2", "s2", "s3", "s4"}); }
  std::int64_t few(std::uint64_t most) { return 1 + static_cast<std::int64_t>(random_.below(most)); }

  // Three times in ten a UUIDv7, which is the order's id; now and then one that is out of its time.
  std::string fresh_key() {
    if (!random_.chance(3, 10)) return "k" + std::to_string(++keys_);
    Time at = now_;
    if (random_.chance(1, 40)) at -= 49h;
    if (random_.chance(1, 40)) at += 2h;
    return to_text(make_uuid7(at, random_));
  }

  void add(rules::Command command) {
    // A script either runs fast or lets its holds run out.
    Duration wait{0};
    if (waits_ == 1 && random_.chance(1, 8)) wait = Duration(random_.below(1500));
    if (waits_ == 2 && random_.chance(1, 5)) wait = Duration(random_.below(4000));
    if (random_.chance(1, 400)) wait = 50h;  // Longer than requests are remembered.
    if (std::holds_alternative<rules::Reserve>(command.act)) orders_.push_back(order_made_by(command));
    now_ += wait;
    script_.push_back(Step{wait, std::move(command)});
  }

  static rules::OrderId order_made_by(const rules::Command& command) {
    const auto& uuid = command.key->uuid7();
    return uuid ? rules::OrderId{*uuid} : command.new_order_id;
  }

  rules::Command draw() {
    const std::uint64_t what = random_.below(100);
    if (what < 10) return repeated();
    if (what < 14) return reused();
    rules::Command command = fresh();
    return command.key && random_.chance(1, 12) ? by("kiosk", std::move(command)) : command;
  }

  // A client that did not hear the answer; once in a while it is somebody else's key.
  rules::Command repeated() {
    rules::Command command = script_[random_.below(script_.size())].command;
    if (command.key && random_.chance(1, 3)) command = by("kiosk", std::move(command));
    return command;
  }

  // The same key for something else.
  rules::Command reused() {
    const rules::Command earlier = script_[random_.below(script_.size())].command;
    rules::Command command = fresh();
    if (!earlier.key || !command.key) return command;
    command.caller = earlier.caller;
    command.key = earlier.key;
    return command;
  }

  rules::Command fresh() {
    const std::uint64_t what = random_.below(100);
    if (what < 33) return reserve(fresh_key(), user(), lines(), reserve_options());
    if (what < 38) return extension();
    if (what < 43) return change(fresh_key(), an_order(), lines());
    if (what < 49) return confirm(fresh_key(), an_order());
    if (what < 52) return confirm(fresh_key(), an_order(), lines());
    if (what < 61) return cancel(fresh_key(), an_order());
    if (what < 66) return refund(fresh_key(), an_order(), some_lines(), restock(), refund_from());
    if (what < 68) return ship(fresh_key(), an_order(), some_lines());
    if (what < 70) return expire(an_order());
    if (what < 71) return old_request();
    if (what < 78) return receive(fresh_key(), pick(skus()), few(3));
    if (what < 81) return adjust(fresh_key(), pick(skus()), random_.chance(1, 2) ? few(2) : -few(3));
    if (what < 84)
      return count(fresh_key(), pick(skus()), few(6), static_cast<std::int64_t>(random_.below(10)));
    if (what < 86)
      return put_sku(fresh_key(), pick({"ant", "bee", "cat", "dog"}), static_cast<std::int32_t>(few(4)),
                     mode());
    if (what < 87) return rebalance(rules::ItemId{few(8)});
    if (what < 88) return change_activity(fresh_key(), activity(), static_cast<std::int32_t>(few(4)), mode());
    if (what < 90) return warm_activity(fresh_key(), activity());
    if (what < 92) return check_activity(fresh_key(), activity());
    if (what < 94) return create_activity(fresh_key(), activity(), allotments(), activity_options());
    if (what < 98) return open_activity(fresh_key(), activity());
    return close_activity(fresh_key(), activity());
  }

  // The same order again and again comes to the longest hold that it may have.
  rules::Command extension() {
    if (random_.chance(1, 3)) extended_ = an_order();
    std::optional<std::chrono::seconds> length;
    if (random_.chance(4, 5)) length = std::chrono::seconds(random_.chance(1, 4) ? few(6) : 3600);
    return extend(fresh_key(), extended_, length);
  }

  // Of any age, so that most of them stay.
  rules::Command old_request() {
    const rules::Command& earlier = script_[random_.below(script_.size())].command;
    return earlier.key ? forget(earlier.caller.text(), std::string(earlier.key->text()))
                       : forget("shop", "nobody");
  }

  // Mostly one of the latest orders, so that holds are met before and after their end.
  rules::OrderId an_order() {
    if (orders_.empty() || random_.chance(1, 30)) return order_of("nobody");
    const std::size_t latest =
        std::min<std::size_t>(orders_.size(), random_.chance(1, 4) ? orders_.size() : 8);
    return orders_[orders_.size() - 1 - random_.below(latest)];
  }

  Lines lines() {
    Lines drawn;
    const std::int64_t count = random_.chance(1, 3) ? few(4) : 1;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t units = random_.chance(1, 60) ? 0 : few(random_.chance(1, 5) ? 6 : 2);
      drawn.emplace_back(random_.chance(1, 60) ? "dog" : pick(skus()), units);
    }
    return drawn;
  }

  std::optional<rules::Mode> mode() {
    const std::uint64_t drawn = random_.below(3);
    return drawn == 0 ? rules::Mode::service : drawn == 1 ? rules::Mode::direct : rules::Mode::gated;
  }

  Lines some_lines() { return random_.chance(1, 2) ? Lines{} : lines(); }
  rules::RefundFrom refund_from() {
    if (random_.chance(2, 3)) return rules::RefundFrom::both;
    return random_.chance(1, 2) ? rules::RefundFrom::shelf : rules::RefundFrom::buyer;
  }
  rules::Restock restock() { return random_.chance(1, 3) ? rules::Restock::no : rules::Restock::yes; }

  ReserveOptions reserve_options() {
    ReserveOptions options;
    if (random_.chance(2, 5)) options.activity = activity();
    if (random_.chance(4, 5)) options.hold = std::chrono::seconds(few(4));
    if (random_.chance(1, 5)) options.payment = rules::Payment::none;
    return options;
  }

  Lines allotments() {
    Lines drawn;
    for (const std::string& sku : skus()) {
      if (random_.chance(1, 2)) drawn.emplace_back(sku, few(2));
    }
    return drawn;
  }

  ActivityOptions activity_options() {
    ActivityOptions options;
    if (random_.chance(3, 4)) options.limit = few(2);
    if (random_.chance(1, 4)) options.opens_at = now_ + Duration(random_.below(3000));
    if (random_.chance(1, 8)) options.closes_at = now_ + Duration(random_.below(20000));
    if (random_.chance(1, 2)) options.hold = std::chrono::seconds(few(3));
    if (random_.chance(1, 2)) options.buckets = static_cast<std::int32_t>(few(4));
    if (random_.chance(1, 4)) options.mode = *mode();
    return options;
  }

  Random random_;
  Time now_;
  std::uint64_t waits_;
  std::int64_t keys_ = 0;
  std::vector<Step> script_;
  std::vector<rules::OrderId> orders_;  // That were asked for.
  rules::OrderId extended_ = order_of("nobody");
};

}  // namespace

std::vector<Step> random_script(std::uint64_t seed, std::size_t commands, Time start) {
  return Writer(seed, start).write(commands);
}

std::string text_of(const rules::Command& command) {
  return command.caller.text() + "/" + std::string(command.key ? command.key->text() : "-") + " " +
         fingerprint_of(command.act);
}

std::vector<std::size_t> random_cuts(const std::vector<Step>& script, std::size_t batch_max, Random& random) {
  std::vector<std::size_t> lengths;
  for (std::size_t at = 0; at < script.size();) {
    const std::size_t most = 1 + random.below(batch_max);
    std::size_t length = 1;
    while (length < most && at + length < script.size() && script[at + length].wait == Duration(0)) ++length;
    lengths.push_back(length);
    at += length;
  }
  return lengths;
}

}  // namespace gavel::judge
