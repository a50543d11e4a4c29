// Crowd: the callers of a simulated world: a shop's customers, and its operators.
//
// They do what callers do: come in bursts, want the same thing, pay late or never, cancel while they pay,
// lose replies, try again with the same key or with another one, send one key twice. Their requests and the
// replies that they receive are recorded for the oracles. A caller receives a reply only if it arrives before
// the caller gives up. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/auditor.h"
#include "sim/fleet.h"
#include "sim/options.h"

namespace gavel::sim {

class Crowd {
 public:
  Crowd(const SimContext& surroundings, const WorldOptions& options, Fleet& fleet, Auditor& auditor);

  // Operators create SKUs, stock and activities.
  void set_up();

  // Begins this many operations, one after another with pauses.
  void begin(std::uint64_t operations);
  bool has_begun_all() const { return begun_all_; }

  // From here on, every caller without an answer asks again until there is one.
  void insist();
  // Until here.
  void relent() { insists_ = false; }

  // Asks for this, repeatedly until it is answered.
  void ask(rules::Command command);

  // True when no caller waits for anything.
  bool is_quiet() const;
  // The callers that still wait, and for what.
  std::string waiting() const;

 private:
  // One business action with one key, however often it is sent.
  struct Intent {
    rules::Command command;
    oracle::Request request;
    int attempts = 0;
    int open = 0;           // Attempts without a result since the last definite reply.
    bool recorded = false;  // A recorded answer was received.
    bool waits = false;     // An attempt is under way.
    bool told_unknown = false;
    std::uint64_t turn = 0;  // The attempt that it waits for.
    rules::InstanceId answered_by{};
  };
  using Number = std::size_t;  // The number of an intent.

  // What they do.
  void operate();
  void act();
  void reserve();
  void burst();
  void settle_order();
  void race();
  void refund();
  void ship();
  void alter_order();
  void operators_act();
  void make_at_once();
  void open_activity(const rules::ActivityCode& activity);
  rules::Act draw_change(const rules::ActivityCode& activity);
  void ask_again();
  void read_stock();
  void read_orders();
  void let_days_pass();
  void misuse_key();
  void act_as_another();

  rules::Reserve draw_reserve();
  rules::CreateActivity draw_activity(const rules::ActivityCode& code);
  rules::Lines draw_lines(bool may_be_none);
  rules::SkuCode draw_sku();
  rules::OrderId draw_order();
  rules::UserId draw_user();
  rules::RequestKey draw_key();
  std::int64_t version_of(const rules::SkuCode& code);

  // How they ask.
  Number intend(const std::string& caller, rules::Act act);
  void attempt(Number number);
  void send(Number number, SimInstance& instance, const oracle::AttemptId& id, std::uint64_t turn,
            bool heard);
  void hear(Number number, const oracle::AttemptId& id, rules::InstanceId by, const rules::Verdict& verdict);
  void give_up(Number number, std::uint64_t turn);
  void try_later(Number number);
  void insist_on_next(Number number);
  void watch(const Intent& intent, rules::InstanceId by, const rules::Verdict& verdict);
  void learn(const Intent& intent, const rules::Verdict& verdict);
  bool needs_answer(const Intent& intent) const { return !intent.recorded && intent.open > 0; }
  Micros draw_micros(std::uint64_t mean) {
    return Micros(static_cast<std::int64_t>(s_.random.below(2 * mean + 1)));
  }

  const SimContext s_;
  const WorldOptions options_;
  Fleet& fleet_;
  Auditor& auditor_;
  std::vector<std::unique_ptr<Intent>> intents_;
  std::vector<rules::OrderId> orders_;  // Orders that some caller knows.
  std::uint64_t left_ = 0;              // Operations that have not begun.
  std::uint64_t next_key_ = 1;
  bool begun_all_ = true;
  bool days_are_due_ = false;
  bool insists_ = false;
  bool insisted_ = true;  // Every caller was told to insist.
};

}  // namespace gavel::sim
