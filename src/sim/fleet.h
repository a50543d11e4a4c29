// Fleet: the instances of a world, which of them serve, and the faults that strike them.
//
// An instance that crashes is destroyed once its calls have ended. Another one takes its place a little
// later, under a number that was never used, on the same database and gate. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <vector>

#include "sim/instance.h"
#include "sim/options.h"

namespace gavel::sim {

class Fleet {
 public:
  Fleet(const SimContext& surroundings, const WorldOptions& options);
  ~Fleet();  // Crashes the instances that still serve.
  Fleet(const Fleet&) = delete;
  Fleet& operator=(const Fleet&) = delete;

  // An instance that serves, or nullptr.
  SimInstance* pick(Random& random);
  // The instance with this number, if it serves.
  SimInstance* find(rules::InstanceId number);
  std::size_t serving() const;

  // Calls `use` with each instance that serves.
  void for_each(const std::function<void(SimInstance&)>& use);

  // Lets the faults of instances strike; called every few milliseconds.
  void look();
  // Destroys dead instances and starts missing ones.
  void tend();

  // The items that some instance states to the gate and refreshes.
  std::set<rules::ItemId> gated_items() const;

  bool is_dead(rules::InstanceId number) const { return dead_.contains(number); }

  // Whether some instance serves and states the item to the gate.
  bool leads(rules::InstanceId number, rules::ItemId item);
  // Requests between entrance and verdict, of all instances that serve.
  std::size_t in_flight() const;

 private:
  struct Slot {
    std::unique_ptr<SimInstance> instance;
    Micros start_at{0};  // When to start an instance where there is none.
    bool gated = true;
  };

  void start(Slot& slot);
  void crash(Slot& slot);
  void crash(rules::InstanceId number);

  const SimContext s_;
  const WorldOptions options_;
  std::vector<Slot> slots_;
  std::set<rules::InstanceId> dealt_;
  std::set<rules::InstanceId> dead_;
};

}  // namespace gavel::sim
