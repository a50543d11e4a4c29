#include "judge/order_index.h"

#include <map>
#include <utility>

#include "base/mutex.h"

namespace gavel::judge {
namespace {

class MemoryOrderIndex final : public OrderIndex {
 public:
  Result<Offsets> offsets() override {
    const MutexLock lock(mutex_);
    return offsets_;
  }

  Result<void> put(const std::vector<IndexedOrder>& orders, const Offsets& reached) override {
    const MutexLock lock(mutex_);
    for (const IndexedOrder& order : orders) rows_[{order.user, order.position}] = {order.id, order.state};
    offsets_ = reached;
    return {};
  }

  Result<void> clear() override {
    const MutexLock lock(mutex_);
    rows_.clear();
    offsets_.clear();
    return {};
  }

  Result<Page> page(const OrdersQuery& wanted) override {
    const MutexLock lock(mutex_);
    Page page{.offsets = offsets_, .orders = {}};
    auto row = rows_.lower_bound({wanted.user, wanted.before.value_or(after_all_orders)});
    while (row != rows_.begin() && page.orders.size() < wanted.count) {
      --row;
      const auto& [user, position] = row->first;
      const auto& [id, state] = row->second;
      if (user != wanted.user) break;
      if (!wanted.state || state == *wanted.state) page.orders.push_back({user, position, id, state});
    }
    return page;
  }

 private:
  Mutex mutex_;
  Offsets offsets_ GAVEL_GUARDED_BY(mutex_);
  using Key = std::pair<rules::UserId, rules::OrderPosition>;
  std::map<Key, std::pair<rules::OrderId, rules::OrderState>> rows_ GAVEL_GUARDED_BY(mutex_);
};

}  // namespace

std::unique_ptr<OrderIndex> make_memory_order_index() { return std::make_unique<MemoryOrderIndex>(); }

}  // namespace gavel::judge
