// Shop: lanes with their threads over one database, and desks from which threads ask it, noting what they are
// told.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
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
#include "judge/judge.h"
#include "ops/log.h"
#include "oracle/check.h"
#include "pipeline/lane.h"
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
      : open_reader_(std::move(open_reader)) {
    for (int i = 0; i < lanes; ++i)
      lanes_.push_back(std::make_unique<Working>(open_store(clock_), order_, *this));
    due_ = open_reader_(clock_);
    expiry_ = std::make_unique<jobs::Expiry>(*due_, lanes_.front()->lane, clock_, *log_);
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
    for (const auto& each : lanes_) each->end();
  }

  rules::Verdict ask(std::size_t lane, rules::Command command) {
    std::promise<rules::Verdict> answered;
    std::future<rules::Verdict> answer = answered.get_future();
    pipeline::Lane::Done done = [&answered](rules::Verdict verdict) {
      answered.set_value(std::move(verdict));
    };
    CHECK(lanes_[lane % lanes_.size()]->lane.offer(command, clock_.steady() + Duration(60'000), done));
    return answer.get();
  }

  std::unique_ptr<judge::Reader> open_reader() const { return open_reader_(clock_); }
  const Clock& clock() const { return clock_; }
  std::size_t lanes() const { return lanes_.size(); }

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
  struct Working {
    Working(std::unique_ptr<judge::Store> inner, CommitOrder& order, Shop& shop)
        : store(std::move(inner), order),
          judge(store, *shop.log_, Random(7), [](Duration pause) { std::this_thread::sleep_for(pause); }, {},
                {}),
          lane(judge, {.queue_max = 10'000, .batch_max = 16}, shop.clock_, *shop.log_,
               [](const std::string&) { CHECK(false); }),
          thread([this] { lane.run(); }) {}
    void end() {
      lane.close();
      thread.join();
    }

    OrderedStore store;
    judge::Judge judge;
    pipeline::Lane lane;
    std::thread thread;
  };

  RealClock clock_;
  std::unique_ptr<Log> log_ = Log::silent();
  const OpenReader open_reader_;
  CommitOrder order_;
  std::vector<std::unique_ptr<Working>> lanes_;
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
    rules::Verdict verdict = shop_.ask(random_.below(shop_.lanes()), std::move(command));
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
