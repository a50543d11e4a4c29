#include "search.h"

#include <cstring>
#include <optional>
#include <utility>

#include "protocol.h"

namespace model {
namespace {

static_assert(std::has_unique_object_representations_v<State>, "a state is hashed as memory");

std::uint64_t fingerprint(const State& state) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(&state);
  std::uint64_t hash = 1469598103934665603U;
  const auto mix = [&](std::uint64_t word) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 29U;
  };
  std::size_t at = 0;
  for (; at + 8 <= sizeof state; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + at, 8);
    mix(word);
  }
  for (; at < sizeof state; ++at) mix(bytes[at]);
  hash = (hash ^ (hash >> 32U)) * 0xD6E8FEB86659FD93U;
  hash ^= hash >> 32U;
  return hash == 0 ? 1 : hash;  // 0 marks a free slot.
}

// A set of fingerprints, open addressing, never more than half full.
class Seen {
 public:
  Seen() : slots_(1 << 16) {}

  // False if it was there.
  bool add(std::uint64_t hash) {
    if (count_ * 2 >= slots_.size()) grow();
    return place(slots_, hash) && ++count_ > 0;
  }

 private:
  static bool place(std::vector<std::uint64_t>& slots, std::uint64_t hash) {
    std::size_t at = hash & (slots.size() - 1);
    for (; slots[at] != 0; at = (at + 1) & (slots.size() - 1)) {
      if (slots[at] == hash) return false;
    }
    slots[at] = hash;
    return true;
  }

  void grow() {
    std::vector<std::uint64_t> wider(slots_.size() * 2);
    for (const std::uint64_t hash : slots_) {
      if (hash != 0) place(wider, hash);
    }
    slots_ = std::move(wider);
  }

  std::vector<std::uint64_t> slots_;
  std::size_t count_ = 0;
};

class Search {
 public:
  Search(const Scenario& scenario, std::uint64_t states_max) : s_(scenario), states_max_(states_max) {}

  Found run() {
    add(first_state(s_), 0, Taken{}, "");
    for (frontier_.swap(next_); !frontier_.empty() && !is_over(); frontier_.swap(next_)) {
      next_.clear();
      for (const auto& [state, number] : frontier_) {
        for_each_next(s_, state, [&](const State& to, Taken taken, const std::string& wrong) {
          ++found_.steps;
          if (!is_over()) add(to, number, taken, wrong);
        });
        if (is_over()) break;
      }
      ++found_.depth;
    }
    found_.states = origin_.size();
    return std::move(found_);
  }

 private:
  struct Origin {
    std::uint32_t from;
    Taken taken;
  };

  bool is_over() const { return !found_.wrong.empty() || !found_.complete; }

  void add(State state, std::uint32_t from, Taken taken, const std::string& wrong) {
    make_canonical(s_, state);
    const bool is_new = seen_.add(fingerprint(state));
    if (!is_new && wrong.empty()) return;
    if (origin_.size() >= states_max_) {
      found_.complete = false;
      return;
    }
    origin_.push_back({from, taken});
    found_.wrong = wrong.empty() ? wrong_with(s_, state) : wrong;
    if (!found_.wrong.empty()) trace();
    next_.emplace_back(state, static_cast<std::uint32_t>(origin_.size() - 1));
  }

  void trace() {
    std::vector<Taken> path;
    for (std::uint32_t at = static_cast<std::uint32_t>(origin_.size() - 1); at != 0; at = origin_[at].from) {
      path.push_back(origin_[at].taken);
    }
    State state = first_state(s_);
    found_.trace.push_back("at first: " + to_text(state));
    for (auto step = path.rbegin(); step != path.rend(); ++step) {
      std::optional<State> after;
      for_each_next(s_, state, [&](const State& to, Taken taken, const std::string&) {
        if (taken == *step && !after) after = to;
      });
      state = *after;
      make_canonical(s_, state);
      found_.trace.push_back(to_text(*step) + ": " + to_text(state));
    }
  }

  const Scenario& s_;
  const std::uint64_t states_max_;
  Found found_;
  Seen seen_;
  std::vector<Origin> origin_;  // Of each state, by its number.
  std::vector<std::pair<State, std::uint32_t>> frontier_, next_;
};

}  // namespace

Found search(const Scenario& scenario, std::uint64_t states_max) {
  return Search(scenario, states_max).run();
}

}  // namespace model
