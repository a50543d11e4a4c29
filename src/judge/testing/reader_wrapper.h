// ReaderWrapper: a reader that hands every question on to another one, for doubles that change a few of them.
//
// before() and after() surround each call: what takes time or fails as a whole overrides these, what changes
// one answer overrides that function. A scan is surrounded when it begins, and not at its steps. As
// thread-safe as the reader behind it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "judge/reader.h"

namespace gavel::judge {

class ReaderWrapper : public Reader {
 public:
  explicit ReaderWrapper(std::unique_ptr<Reader> inner) : inner_(std::move(inner)) {}

  Result<SoldOutQueryResult> check_sold_out(const SoldOutQuery& check) override {
    return ask([&] { return inner_->check_sold_out(check); });
  }
  Result<std::optional<rules::Activity>> activity(const rules::ActivityCode& code) override {
    return ask([&] { return inner_->activity(code); });
  }
  Result<std::vector<rules::Activity>> activities(const std::optional<rules::ActivityCode>& after,
                                                  std::size_t count) override {
    return ask([&] { return inner_->activities(after, count); });
  }
  Result<std::vector<rules::ActivityCode>> ended_activities(std::size_t count) override {
    return ask([&] { return inner_->ended_activities(count); });
  }
  Result<ActivitySnapshot> activity_snapshot(const rules::ActivityCode& code,
                                             const rules::RequestId& key) override {
    return ask([&] { return inner_->activity_snapshot(code, key); });
  }
  Result<Modes> modes() override {
    return ask([&] { return inner_->modes(); });
  }
  Result<std::vector<OrderRow>> orders(std::span<const rules::OrderId> ids) override {
    return ask([&] { return inner_->orders(ids); });
  }
  Result<std::vector<Trace>> traces(std::span<const rules::OrderId> ids) override {
    return ask([&] { return inner_->traces(ids); });
  }
  Result<std::optional<rules::IdempotencyRecord>> request(const rules::RequestId& id) override {
    return ask([&] { return inner_->request(id); });
  }
  Result<RequestAges> request_ages(const std::optional<rules::RequestId>& after, std::size_t count) override {
    return ask([&] { return inner_->request_ages(after, count); });
  }
  Result<std::optional<std::vector<StockRow>>> stock(const rules::SkuCode& sku) override {
    return ask([&] { return inner_->stock(sku); });
  }
  Result<std::vector<StockRow>> short_items(rules::ItemId after, std::size_t count) override {
    return ask([&] { return inner_->short_items(after, count); });
  }
  Result<ItemHistory> item_history(rules::ItemId id,
                                   const std::map<rules::BucketNo, std::int64_t>& at) override {
    return ask([&] { return inner_->item_history(id, at); });
  }
  Result<DueHolds> due(std::size_t count) override {
    return ask([&] { return inner_->due(count); });
  }
  Result<Clocks> clocks() override {
    return ask([&] { return inner_->clocks(); });
  }
  Result<LedgerPage> read_after(const Offsets& from, std::size_t flows_max) override {
    return ask([&] { return inner_->read_after(from, flows_max); });
  }
  Result<std::unique_ptr<Scan>> scan(Visitor visitor) override {
    return ask([&] { return inner_->scan(std::move(visitor)); });
  }
  std::string scratch_folder() const override { return inner_->scratch_folder(); }

 protected:
  // An error is the call's answer, and the reader behind is not asked.
  virtual Result<void> before() { return {}; }
  virtual void after() {}

 private:
  template <class Question>
  auto ask(Question question) -> decltype(question()) {
    if (const Result<void> ready = before(); !ready) return std::unexpected(ready.error());
    auto answer = question();
    after();
    return answer;
  }

  const std::unique_ptr<Reader> inner_;
};

}  // namespace gavel::judge
