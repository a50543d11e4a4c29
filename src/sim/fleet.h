// Fleet: the instances of a world, which of them serve, and what befalls them.
//
// An instance that crashes is destroyed once its calls have run out, and another one takes its place a little
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
  ~Fleet();  // Crashes what still serves.
  Fleet(const Fleet&) = delete;
  Fleet& operator=(const Fleet&) = delete;

  // One that serves, or nullptr.
  Instance* pick(Random& random);
  // The one of this number, if it serves.
  Instance* find(gate::InstanceId number);
  std::size_t serving() const;

  // Calls `use` with each that serves.
  void for_each(const std::function<void(Instance&)>& use);

  // Lets the faults of instances strike; called every few milliseconds.
  void look();
  // Destroys what is dead and starts what is missing.
  void tend();

  // The items that some instance states to the gate, and refreshes there.
  std::set<rules::ItemId> gated_items() const;

  bool is_dead(gate::InstanceId number) const { return dead_.contains(number); }

  // True of one that serves and states the item to the gate.
  bool leads(gate::InstanceId number, rules::ItemId item);
  // Requests between entrance and verdict, of all that serve.
  std::size_t in_flight() const;

 private:
  struct Slot {
    std::unique_ptr<Instance> instance;
    Micros start_at{0};  // Where there is none.
    bool gated = true;
  };

  void start(Slot& slot);
  void crash(Slot& slot);
  void crash(gate::InstanceId number);

  const SimContext s_;
  const WorldOptions options_;
  std::vector<Slot> slots_;
  std::int64_t next_number_ = 1;
  std::set<gate::InstanceId> dead_;
};

}  // namespace gavel::sim
