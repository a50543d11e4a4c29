#include "sim/slow_reader.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace gavel::sim {
namespace {

using judge::Reader;
using rules::OrderId;

class SlowReader final : public Reader {
 public:
  SlowReader(const Client& client, std::unique_ptr<Reader> tables) : c_(client), tables_(std::move(tables)) {}

  Result<judge::Confirmation> confirm(const judge::Doubts& doubts) override {
    const auto found = ask([&] { return tables_->confirm(doubts); });
    watch(found);
    return found;
  }
  Result<judge::ActivitySnapshot> activity_snapshot(const rules::ActivityCode& code,
                                                    const rules::RequestId& key) override {
    return ask([&] { return tables_->activity_snapshot(code, key); });
  }
  Result<judge::Modes> modes() override {
    return ask([&] { return tables_->modes(); });
  }
  Result<judge::ItemThen> item_then(rules::ItemId id,
                                    const std::map<rules::BucketNo, std::int64_t>& at) override {
    return ask([&] { return tables_->item_then(id, at); });
  }
  Result<std::optional<judge::OrderView>> order(OrderId id) override {
    return ask([&] { return tables_->order(id); });
  }
  Result<std::optional<judge::Trace>> trace(OrderId id) override {
    return ask([&] { return tables_->trace(id); });
  }
  Result<std::optional<rules::IdempotencyRecord>> request(const rules::RequestId& id) override {
    return ask([&] { return tables_->request(id); });
  }
  Result<judge::RequestAges> request_ages(const std::optional<rules::RequestId>& after,
                                          std::size_t count) override {
    return ask([&] { return tables_->request_ages(after, count); });
  }
  Result<std::optional<rules::Activity>> activity(const rules::ActivityCode& code) override {
    return ask([&] { return tables_->activity(code); });
  }
  Result<std::vector<rules::Activity>> activities(const std::optional<rules::ActivityCode>& after,
                                                  std::size_t count) override {
    return ask([&] { return tables_->activities(after, count); });
  }
  Result<std::optional<std::vector<judge::StockRow>>> stock(const rules::SkuCode& sku) override {
    return ask([&] { return tables_->stock(sku); });
  }
  Result<std::vector<judge::StockRow>> short_items(rules::ItemId after, std::size_t count) override {
    return ask([&] { return tables_->short_items(after, count); });
  }
  Result<judge::DueHolds> due(std::size_t count) override {
    return ask([&] { return tables_->due(count); });
  }
  Result<judge::Sequel> follow(const judge::Cursors& from, std::size_t flows_max) override {
    return ask([&] { return tables_->follow(from, flows_max); });
  }
  Result<void> visit(const Visitor& visitor) override {
    return ask([&] { return tables_->visit(visitor); });
  }

 private:
  template <class Question>
  auto ask(Question question) -> decltype(question()) {
    c_.spend_time();
    if (!c_.power.on() || c_.faults.strikes(Fault::sql_read_unavailable)) {
      return fail(ErrorCode::unavailable, "the database does not answer");
    }
    auto answer = question();
    c_.spend_time();
    return answer;
  }

  void watch(const Result<judge::Confirmation>& found) {
    c_.sightings.saw_if(!found, RareState::confirming_read_failed);
    if (!found) return;
    c_.sightings.saw_if(!found->known.empty(), RareState::confirming_read_found_key);
    c_.sightings.saw_if(
        std::ranges::any_of(found->first_expiry, [&](const auto& one) { return one.second <= found->now; }),
        RareState::confirming_read_found_due_hold);
    for (const auto& [id, item] : found->items) {
      c_.sightings.saw_if(item.available() != rules::no_units, RareState::confirming_read_found_units);
    }
  }

  const Client c_;
  const std::unique_ptr<Reader> tables_;
};

}  // namespace

std::unique_ptr<Reader> open_slow_reader(const Client& client, std::unique_ptr<Reader> tables) {
  return std::make_unique<SlowReader>(client, std::move(tables));
}

}  // namespace gavel::sim
