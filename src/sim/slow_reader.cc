#include "sim/slow_reader.h"

#include <algorithm>
#include <utility>

#include "judge/testing/reader_wrapper.h"

namespace gavel::sim {
namespace {

class SlowReader final : public judge::ReaderWrapper {
 public:
  SlowReader(const Client& client, std::unique_ptr<judge::Reader> tables)
      : ReaderWrapper(std::move(tables)), c_(client) {}

  Result<judge::SoldOutQueryResult> check_sold_out(const judge::SoldOutQuery& check) override {
    const auto found = ReaderWrapper::check_sold_out(check);
    watch(found);
    return found;
  }

 protected:
  Result<void> before() override {
    c_.spend_time();
    if (c_.power.on() && !c_.faults.strikes(Fault::sql_read_unavailable)) return {};
    return fail(ErrorCode::unavailable, "the database does not answer");
  }
  void after() override { c_.spend_time(); }

 private:
  void watch(const Result<judge::SoldOutQueryResult>& found) {
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
};

}  // namespace

std::unique_ptr<judge::Reader> open_slow_reader(const Client& client, std::unique_ptr<judge::Reader> tables) {
  return std::make_unique<SlowReader>(client, std::move(tables));
}

}  // namespace gavel::sim
