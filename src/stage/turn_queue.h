// TurnQueue<Entry>: what waits for a stage, party by party.
//
// The parties take turns, one entry each, so that whoever sends most waits longest (A20). Within a party the
// order is that of arrival. An Entry has a member `party`. No thread-safety of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <utility>

#include "base/check.h"

namespace gavel::stage {

// Who waits: a number that the user of the stage gives to each of them.
using Party = std::uint64_t;

template <class Entry>
class TurnQueue {
 public:
  using Queue = std::deque<Entry>;

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  // Entries of one party.
  std::size_t size_of(Party party) const {
    const auto found = queues_.find(party);
    return found == queues_.end() ? 0 : found->second.size();
  }

  void push_back(Entry entry) {
    queues_[entry.party].push_back(std::move(entry));
    ++size_;
  }

  // Before all others of its party.
  void push_front(Entry entry) {
    queues_[entry.party].push_front(std::move(entry));
    ++size_;
  }

  // Moves entries to the end of `to`, until that has `count_max` of them or none is left here.
  void take(Queue& to, std::size_t count_max) {
    if (queues_.size() == 1 && to.empty() && size_ <= count_max) {
      // The usual case costs the callers, who want the stage's lock, no time at all.
      to.swap(queues_.begin()->second);
      queues_.clear();
      size_ = 0;
      return;
    }
    while (size_ > 0 && to.size() < count_max) take_one(to);
  }

  // Moves the entries of which `is_meant` is true to the end of `to`.
  void take_if(Queue& to, const std::function<bool(const Entry&)>& is_meant) {
    for (auto each = queues_.begin(); each != queues_.end();) {
      take_of(each->second, to, is_meant);
      each = each->second.empty() ? queues_.erase(each) : std::next(each);
    }
  }

 private:
  using Queues = std::map<Party, Queue>;

  void take_one(Queue& to) {
    auto turn = queues_.upper_bound(last_);
    if (turn == queues_.end()) turn = queues_.begin();
    last_ = turn->first;
    to.push_back(std::move(turn->second.front()));
    turn->second.pop_front();
    if (turn->second.empty()) queues_.erase(turn);
    --size_;
  }

  // The first ones are looked at alone if the one behind them is not meant: mostly all is in order.
  void take_of(Queue& from, Queue& to, const std::function<bool(const Entry&)>& is_meant) {
    for (; !from.empty() && is_meant(from.front()); from.pop_front(), --size_)
      to.push_back(std::move(from.front()));
    if (std::ranges::none_of(from, is_meant)) return;
    Queue left;
    for (Entry& entry : from) {
      const bool meant = is_meant(entry);
      (meant ? to : left).push_back(std::move(entry));
      if (meant) --size_;
    }
    from.swap(left);
  }

  Queues queues_;  // None is empty.
  std::size_t size_ = 0;
  Party last_ = 0;  // Who had a turn last.
};

}  // namespace gavel::stage
