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
    for (const IndexedOrder& order : orders) rows_.insert_or_assign({order.user, order.position}, order);
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
      const IndexedOrder& order = row->second;
      if (order.user != wanted.user) break;
      const bool is_of_account = !wanted.account || order.account == *wanted.account;
      if (is_of_account && (!wanted.state || order.state == *wanted.state)) page.orders.push_back(order);
    }
    return page;
  }

 private:
  Mutex mutex_;
  Offsets offsets_ GAVEL_GUARDED_BY(mutex_);
  using Key = std::pair<rules::UserId, rules::OrderPosition>;
  std::map<Key, IndexedOrder> rows_ GAVEL_GUARDED_BY(mutex_);
};

}  // namespace

std::unique_ptr<OrderIndex> make_memory_order_index() { return std::make_unique<MemoryOrderIndex>(); }

}  // namespace gavel::judge
