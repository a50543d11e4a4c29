// The order in which batches were committed, as far as the ledger tells it.
//
// Batches of one lane are in order by n. For batches of several lanes the chains tell: the entries of one
// bucket stand by seq, so that of two batches with an entry in one bucket the one with the smaller seq was
// first. Times do not order batches of different lanes: each lane reads its own. Private to audit/. Pure; one
// thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/check.h"
#include "judge/store.h"

namespace gavel::judge {

// What a batch wrote into the chains that are looked at. `Place` names a bucket.
template <class Place>
struct BatchLinks {
  BatchId batch;
  std::vector<std::pair<Place, std::int64_t>> links = {};  // Each bucket once, with its first seq.

  void add(const Place& place, std::int64_t seq) {
    const bool known = std::ranges::any_of(links, [&](const auto& link) { return link.first == place; });
    if (!known) links.emplace_back(place, seq);
  }
};

// For each of the batches, which come by lane and n and each once, those that come after it: the next of its
// lane, and in each bucket the next in the chain.
template <class Batches>
std::vector<std::vector<std::size_t>> followers_of(const Batches& batches) {
  using Place = typename decltype(batches.front().links)::value_type::first_type;
  std::vector<std::vector<std::size_t>> followers(batches.size());
  std::map<Place, std::vector<std::pair<std::int64_t, std::size_t>>> chains;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    CHECK(i == 0 || batches[i - 1].batch < batches[i].batch);
    if (i > 0 && batches[i - 1].batch.lane == batches[i].batch.lane) followers[i - 1].push_back(i);
    for (const auto& [place, seq] : batches[i].links) chains[place].emplace_back(seq, i);
  }
  for (auto& [place, chain] : chains) {
    std::ranges::sort(chain);
    for (std::size_t link = 1; link < chain.size(); ++link)
      followers[chain[link - 1].second].push_back(chain[link].second);
  }
  return followers;
}

// The places of `batches` in the order of their commits; nothing if lanes and chains leave it open, or
// contradict each other.
template <class Batches>
std::optional<std::vector<std::size_t>> order_of_batches(const Batches& batches) {
  const std::vector<std::vector<std::size_t>> after = followers_of(batches);
  std::vector<std::size_t> waits_for(batches.size());
  for (const auto& each : after) {
    for (const std::size_t follower : each) ++waits_for[follower];
  }
  std::vector<std::size_t> next;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    if (waits_for[i] == 0) next.push_back(i);
  }
  std::vector<std::size_t> order;
  while (next.size() == 1) {
    const std::size_t i = next.back();
    next.pop_back();
    order.push_back(i);
    for (const std::size_t follower : after[i]) {
      if (--waits_for[follower] == 0) next.push_back(follower);
    }
  }
  return order.size() == batches.size() ? std::optional(std::move(order)) : std::nullopt;
}

}  // namespace gavel::judge
