// Shop: lanes with their threads over one database, and desks from which threads ask it, noting what they are
// told.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/uuid.h"
#include "concurrent/ordered_store.h"
#include "jobs/expiry.h"
#include "ops/log.h"
#include "oracle/check.h"
#include "pipeline/lane_threads.h"
#include "pipeline/lanes.h"
#include "plain/plain_words.h"

namespace gavel {

inline oracle::Moment moment() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

class Shop {
 public:
  using OpenStore = std::function<std::unique_ptr<judge::Store>(const Clock& clock)>;
  using OpenReader = std::function<std::unique_ptr<judge::Reader>(const Clock& clock)>;

  Shop(const OpenStore& open_store, OpenReader open_reader, int lanes)
      : open_reader_(std::move(open_reader)),
        lanes_(parts_of(open_store, lanes),
               {.limits = {.queue_max = 10'000, .batch_max = 16},
                .policy = {},
                .remembered_max = remembered_max},
               lanes > 1 ? open_reader_(clock_) : nullptr, clock_, *log_,
               [](const std::string&) { CHECK(false); }) {
    due_ = open_reader_(clock_);
    expiry_ = std::make_unique<jobs::Expiry>(*due_, lanes_, clock_, *log_);
    threads_.emplace(lanes_);
    releasing_ = std::thread([this] {
      while (!closed_) {
        CHECK(expiry_->step().has_value());
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
    });
  }

  // Works off what waits, and ends the threads.
  ~Shop() { close(); }
  void close() {
    if (closed_.exchange(true)) return;
    releasing_.join();
    threads_->drain();
  }

  // In the lane of the rule, or in the one named, as correctness never depends on the rule.
  rules::Verdict ask(rules::Command command, std::optional<std::size_t> lane) {
    std::promise<rules::Verdict> answered;
    std::future<rules::Verdict> answer = answered.get_future();
    pipeline::Lanes::Done done = [&answered](rules::Verdict verdict) {
      answered.set_value(std::move(verdict));
    };
    const Duration deadline = clock_.steady() + Duration(60'000);
    CHECK(lane ? lanes_.at(*lane).offer(command, deadline, done) : lanes_.offer(command, deadline, done));
    return answer.get();
  }

  std::unique_ptr<judge::Reader> open_reader() const { return open_reader_(clock_); }
  const Clock& clock() const { return clock_; }
  const pipeline::Lanes& lanes() const { return lanes_; }

  // The database at rest, with the flows in the very order of the commits.
  oracle::Ledger ledger() const {
    oracle::Ledger ledger = plain::read_ledger(*open_reader()).value();
    const auto places = order_.places();
    std::ranges::stable_sort(ledger.flows, {}, [&](const oracle::Flow& flow) {
      return std::pair(places.at(judge::BatchId{rules::LaneId{flow.lane}, flow.n}), flow.i);
    });
    return ledger;
  }

 private:
  static constexpr std::size_t remembered_max = 50;  // Few, so that many orders are looked up.

  std::vector<pipeline::LaneParts> parts_of(const OpenStore& open_store, int lanes) {
    std::vector<pipeline::LaneParts> parts;
    for (int i = 0; i < lanes; ++i) {
      parts.push_back({std::make_unique<OrderedStore>(open_store(clock_), order_), Random(7),
                       [](Duration pause) { std::this_thread::sleep_for(pause); }});
    }
    return parts;
  }

  RealClock clock_;
  std::unique_ptr<Log> log_ = Log::silent();
  const OpenReader open_reader_;
  CommitOrder order_;
  pipeline::Lanes lanes_;
  std::optional<pipeline::LaneThreads> threads_;
  std::unique_ptr<judge::Reader> due_;
  std::unique_ptr<jobs::Expiry> expiry_;
  std::atomic<bool> closed_ = false;
  std::thread releasing_;
};

// One thread's way to the shop, and what it was told.
class Desk {
 public:
  Desk(Shop& shop, std::string name, std::uint64_t seed)
      : shop_(shop), name_(std::move(name)), random_(seed), reader_(shop.open_reader()) {}

  // Under a key of its own, or under `key` once more.
  rules::Verdict ask(rules::Act act, std::string key = {}) {
    if (key.empty()) key = new_key();
    rules::Command command{rules::Caller("shop"), rules::RequestKey(key),
                           rules::OrderId{make_uuid7(shop_.clock().now(), random_)}, std::move(act)};
    const oracle::AttemptId attempt = history_.begin(plain::in_plain_words(command), moment());
    std::optional<std::size_t> lane;
    if (random_.chance(1, 2)) lane = random_.below(shop_.lanes().size());
    rules::Verdict verdict = shop_.ask(std::move(command), lane);
    history_.end(attempt, moment(), plain::in_plain_words(verdict));
    return verdict;
  }

  // The version of the free stock, as it is shown; all that is shown is noted.
  std::int64_t look(const std::string& sku) {
    const oracle::Moment call = moment();
    const auto rows = reader_->stock(rules::SkuCode(sku)).value();
    const oracle::Moment answered = moment();
    std::int64_t version = 0;
    for (const judge::StockRow& row : *rows) {
      oracle::Reading reading{
          .call = call, .answered = answered, .sku = sku, .activity = row.pool == "-" ? "" : row.pool};
      for (const rules::Bucket& bucket : row.item.buckets) {
        reading.available += bucket.available.units;
        reading.reserved += bucket.reserved.units;
        reading.sold += bucket.sold.units;
        reading.shortage += bucket.shortage.units;
        reading.shipped += bucket.shipped.units;
        if (reading.activity.empty()) version += bucket.seq;
      }
      history_.read(reading);
    }
    return version;
  }

  std::string new_key() {
    if (random_.chance(1, 2)) return to_text(make_uuid7(shop_.clock().now(), random_));
    return name_ + "-" + std::to_string(++number_);
  }

  Random& random() { return random_; }
  const oracle::History& history() const { return history_; }

 private:
  Shop& shop_;
  const std::string name_;
  Random random_;
  std::unique_ptr<judge::Reader> reader_;
  oracle::History history_;
  int number_ = 0;
};

}  // namespace gavel
