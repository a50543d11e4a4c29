#include "sim/fleet.h"

#include <algorithm>
#include <chrono>

#include "base/check.h"

namespace gavel::sim {
namespace {

constexpr std::uint64_t restart_micros_max = 300'000;
constexpr std::uint64_t pause_micros_max = 1'500'000;
constexpr std::uint64_t jump_ms_max = 300'000;

}  // namespace

Fleet::Fleet(const SimContext& surroundings, const WorldOptions& options)
    : s_(surroundings), options_(options) {
  for (const bool gated : options.gated) {
    slots_.push_back({nullptr, Micros(0), gated});
    start(slots_.back());
  }
}

Fleet::~Fleet() {
  for (Slot& slot : slots_) {
    if (slot.instance && slot.instance->serving()) crash(slot);
  }
  // What a dead instance has begun runs out by events alone.
  const auto any_left = [&] {
    return std::ranges::any_of(slots_,
                               [](const Slot& slot) { return slot.instance && !slot.instance->dead(); });
  };
  while (any_left() && s_.scheduler.run_one()) {
  }
}

void Fleet::start(Slot& slot) {
  InstanceOptions options = options_.instance;
  options.gated = slot.gated;
  options.policy.mode = slot.gated ? rules::Mode::gated : rules::Mode::direct;
  const auto skew_max = std::chrono::duration_cast<Duration>(options_.skew_max).count();
  Duration skew(static_cast<std::int64_t>(s_.random.below(2 * static_cast<std::uint64_t>(skew_max) + 1)) -
                skew_max);
  const judge::Identity identity = s_.database.open_instance();
  const rules::InstanceId number = identity.instance;
  CHECK(dealt_.insert(number).second);  // No two starts ever have one number.
  auto die = [this, number] { s_.scheduler.after(Micros(0), [this, number] { crash(number); }); };
  slot.instance = std::make_unique<SimInstance>(s_, options, identity, skew, std::move(die));
  s_.tale.tell(slot.instance->name(), slot.gated ? "starts, gated" : "starts, direct");
}

void Fleet::crash(Slot& slot) {
  s_.tale.tell(slot.instance->name(), "crashes");
  s_.sightings.saw_if(slot.instance->in_transaction(), RareState::crash_in_transaction);
  dead_.insert(slot.instance->number());
  s_.database.instance_dies();
  slot.instance->crash();
}

void Fleet::crash(rules::InstanceId number) {
  for (Slot& slot : slots_) {
    if (slot.instance && slot.instance->number() == number && slot.instance->serving()) crash(slot);
  }
}

SimInstance* Fleet::pick(Random& random) {
  std::vector<SimInstance*> serving;
  for (const Slot& slot : slots_) {
    if (slot.instance && slot.instance->serving()) serving.push_back(slot.instance.get());
  }
  return serving.empty() ? nullptr : serving[random.below(serving.size())];
}

SimInstance* Fleet::find(rules::InstanceId number) {
  for (const Slot& slot : slots_) {
    if (slot.instance && slot.instance->number() == number && slot.instance->serving())
      return slot.instance.get();
  }
  return nullptr;
}

std::size_t Fleet::serving() const {
  std::size_t count = 0;
  for (const Slot& slot : slots_) count += slot.instance && slot.instance->serving() ? 1U : 0U;
  return count;
}

void Fleet::for_each(const std::function<void(SimInstance&)>& use) {
  for (const Slot& slot : slots_) {
    if (slot.instance && slot.instance->serving()) use(*slot.instance);
  }
}

std::size_t Fleet::in_flight() const {
  std::size_t count = 0;
  for (const Slot& slot : slots_) {
    if (slot.instance && slot.instance->serving()) count += slot.instance->in_flight();
  }
  return count;
}

std::set<rules::ItemId> Fleet::gated_items() const {
  std::set<rules::ItemId> items;
  for (const Slot& slot : slots_) {
    if (!slot.instance || !slot.instance->serving()) continue;
    for (const rules::ItemId item : slot.instance->gated_items()) items.insert(item);
  }
  return items;
}

bool Fleet::leads(rules::InstanceId number, rules::ItemId item) {
  const SimInstance* instance = find(number);
  return instance != nullptr && std::ranges::count(instance->gated_items(), item) > 0;
}

void Fleet::look() {
  for (Slot& slot : slots_) {
    if (!slot.instance || !slot.instance->serving()) continue;
    SimInstance& instance = *slot.instance;
    if (s_.faults.strikes(Fault::instance_crashed)) {
      crash(slot);
      continue;
    }
    if (s_.faults.strikes(Fault::instance_paused)) {
      s_.sightings.saw_if(instance.in_transaction(), RareState::pause_in_transaction);
      s_.tale.tell(instance.name(), "stands still");
      instance.pause(s_.scheduler.now() +
                     Micros(static_cast<std::int64_t>(s_.random.below(pause_micros_max))));
    }
    const Duration by(static_cast<std::int64_t>(s_.random.below(jump_ms_max)));
    if (s_.faults.strikes(Fault::instance_clock_ahead)) instance.jump_clock(by);
    if (s_.faults.strikes(Fault::instance_clock_back)) instance.jump_clock(-by);
  }
}

void Fleet::tend() {
  for (Slot& slot : slots_) {
    if (slot.instance && slot.instance->serving() && slot.instance->broken()) {
      s_.sightings.saw(RareState::store_broken);
      crash(slot);
    }
    if (slot.instance && slot.instance->dead()) {
      slot.instance.reset();
      s_.database.instance_is_dead();
      slot.start_at =
          s_.scheduler.now() + Micros(static_cast<std::int64_t>(s_.random.below(restart_micros_max)));
    }
    if (slot.instance || s_.scheduler.now() < slot.start_at) continue;
    if (!s_.faults.healed() && s_.random.chance(1, 4))
      slot.gated = !slot.gated;  // An operator changed his mind.
    start(slot);
  }
}

}  // namespace gavel::sim
