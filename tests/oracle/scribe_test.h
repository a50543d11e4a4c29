// Scribe: writes a history and the ledger that goes with it, call by call, without a fault. Tests break it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "oracle/check.h"

namespace gavel::oracle {

struct Scribe {
  History history;
  Ledger ledger;
  Terms terms{.clock = {}, .release_within_ms = 2000, .at_rest = true};
  Moment now = 0;

  // A stock item with empty buckets.
  void item(std::int64_t id, const std::string& sku, const std::string& activity, std::int64_t buckets) {
    ledger.items[id] = Item{sku, activity, 1};
    for (std::int64_t bucket = 0; bucket < buckets; ++bucket) ledger.buckets[{id, bucket}] = Bucket{};
  }

  // The next transaction.
  void batch() {
    ledger.batches.push_back({1, static_cast<std::int64_t>(ledger.batches.size()) + 1, false, 0});
  }

  // A row of the ledger in the present batch, caused by `key` of the shop; of the service itself if that is
  // empty.
  void post(Place place, const std::string& action, std::int64_t quantity, const std::string& order = {},
            const std::string& key = {}) {
    Bucket& bucket = ledger.buckets.at(place);
    const Effect effect = effect_of(action);
    const std::int64_t before = bucket.available;
    bucket.available += effect.available * quantity;
    bucket.reserved += effect.reserved * quantity;
    bucket.sold += effect.sold * quantity;
    bucket.shortage += effect.shortage * quantity;
    bucket.shipped += effect.shipped * quantity;
    ++bucket.seq;
    Batch& current = ledger.batches.back();
    ledger.flows.push_back({.place = place,
                            .seq = bucket.seq,
                            .action = action,
                            .quantity = quantity,
                            .before = before,
                            .after = bucket.available,
                            .order = order,
                            .caller = key.empty() ? "gavel" : "shop",
                            .key = key,
                            .lane = current.lane,
                            .n = current.n,
                            .i = current.flows,
                            .at = now,
                            .committed = {}});
    ++current.flows;
  }

  // One attempt that is answered a moment later. What is recorded is remembered.
  AttemptId ask(const Request& request, Reply reply) {
    const AttemptId attempt = history.begin(request, ++now);
    if (reply.recorded) ledger.requests[attempt.id] = IdempotencyRecord{reply.outcome, reply.order};
    history.end(attempt, ++now, std::move(reply));
    return attempt;
  }

  std::vector<std::string> found() const {
    std::vector<std::string> lines;
    for (const Finding& finding : check(history, ledger, terms)) lines.push_back(to_text(finding));
    return lines;
  }
};

inline Reply told(const std::string& outcome, const std::string& order = {}) {
  return Reply{.outcome = outcome, .recorded = true, .order = order, .text = outcome + order};
}

inline Reply replay(Reply first) {
  first.replayed = true;
  return first;
}

inline Request asks(const std::string& key, const std::string& act) {
  return Request{.caller = "shop", .key = key, .act = act};
}

inline Request wants(const std::string& key, const std::string& user, std::vector<Line> lines,
                     const std::string& activity = {}) {
  Request request = asks(key, "reserve");
  request.user = user;
  request.lines = std::move(lines);
  request.activity = activity;
  return request;
}

inline Request upon(const std::string& key, const std::string& act, const std::string& order) {
  Request request = asks(key, act);
  request.order = order;
  return request;
}

}  // namespace gavel::oracle
