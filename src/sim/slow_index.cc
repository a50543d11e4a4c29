#include "sim/slow_index.h"

#include <utility>
#include <vector>

namespace gavel::sim {
namespace {

using judge::Offsets;

class SlowIndex final : public judge::OrderIndex {
 public:
  SlowIndex(const Client& client, std::unique_ptr<judge::OrderIndex> index)
      : c_(client), index_(std::move(index)) {}

  Result<Offsets> offsets() override {
    if (!answers()) return no_answer();
    auto offsets = index_->offsets();
    c_.sightings.saw_if(offsets && !offsets->empty(), RareState::index_followed_on);
    return offsets;
  }
  Result<void> put(const std::vector<judge::IndexedOrder>& orders, const Offsets& reached) override {
    if (!answers()) return no_answer();
    auto put = index_->put(orders, reached);
    if (!c_.faults.strikes(Fault::index_put_lost)) return put;
    return fail(ErrorCode::unknown, "the index does not say whether it is written");
  }
  Result<void> clear() override {
    if (!answers()) return no_answer();
    return index_->clear();
  }
  Result<Page> page(const judge::OrdersQuery& wanted) override { return index_->page(wanted); }

 private:
  static std::unexpected<Error> no_answer() {
    return fail(ErrorCode::unavailable, "the index does not answer");
  }
  // Whether the call has its effect.
  bool answers() {
    c_.spend_time();
    return c_.power.on() && !c_.faults.strikes(Fault::index_unavailable);
  }

  const Client c_;
  const std::unique_ptr<judge::OrderIndex> index_;
};

}  // namespace

std::unique_ptr<judge::OrderIndex> open_slow_index(const Client& client,
                                                   std::unique_ptr<judge::OrderIndex> index) {
  return std::make_unique<SlowIndex>(client, std::move(index));
}

}  // namespace gavel::sim
