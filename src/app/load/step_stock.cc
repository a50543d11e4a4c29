#include "app/load/step_stock.h"

#include "app/client/operator_client.h"
#include "app/client/remote_audit.h"

namespace gavel::app {

Result<BenchStock> stock_up(const BenchTarget& target, std::int64_t units, Random& random) {
  BenchStock stock{.sku = "bench-" + std::to_string(random.next()), .units = units};
  auto desk = SaleDesk::open(target.shop, target.operators, target.key);
  if (!desk) return std::unexpected(desk.error());
  if (auto stocked = desk->stock_up(stock.sku, units); !stocked) return std::unexpected(stocked.error());
  return stock;
}

Result<std::string> verify_of(const BenchTarget& target, const BenchStock& stock, const BenchCount& count) {
  if (!count.unheard.empty())
    return fail(ErrorCode::invalid, target.shop + " answered " + count.unheard +
                                        " to an order for the SKU that was just made at " + target.operators +
                                        "; name the shop's and the operators' address of one server");
  // A desk of its own: the connections of the first may have been idle for too long.
  auto desk = SaleDesk::open(target.shop, target.operators, target.key);
  if (!desk) return std::unexpected(desk.error());
  const auto left = desk->stock_of(stock.sku);
  if (!left) return std::unexpected(left.error());
  if (auto wrong = wrong_in(count, stock.units - left->available); !wrong.empty()) return wrong;
  const auto audit = audit_over_http(target.operators, target.key);
  if (!audit) return std::unexpected(audit.error());
  if (audit->clean()) return "clean";
  return audit->findings.front().invariant + ": " + audit->findings.front().what;
}

std::string wrong_in(const BenchCount& count, std::int64_t taken) {
  if (count.units == BenchCount::Units::come_back) return "";
  if (taken >= count.orders && taken <= count.orders + count.doubtful) return "";
  return std::to_string(count.orders) + " orders were acknowledged and " + std::to_string(taken) +
         " units are gone" +
         (count.doubtful == 0 ? "" : ", with " + std::to_string(count.doubtful) + " requests in doubt");
}

}  // namespace gavel::app
