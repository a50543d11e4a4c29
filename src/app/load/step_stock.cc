#include "app/load/step_stock.h"

#include "base/check.h"

namespace gavel::app {

Result<StepStock> stock_up(OperatorClient& server, std::int64_t units, Random& random) {
  CHECK(units > 0);
  StepStock stock{.sku = "bench-" + std::to_string(random.next()), .units = units};
  if (auto stocked = server.stock_up(stock.sku, units); !stocked) return std::unexpected(stocked.error());
  return stock;
}

Result<std::string> verify_of(OperatorClient& server, const StepStock& stock, const StepCount& count) {
  const auto left = server.stock_of(stock.sku, free_pool_name);
  if (!left) return std::unexpected(left.error());
  if (!*left) return fail(ErrorCode::invalid, "the server lists no free stock of " + stock.sku);
  if (auto wrong = wrong_in(count, stock.units - (*left)->available); !wrong.empty()) return wrong;
  const auto audit = server.audit();
  if (!audit) return std::unexpected(audit.error());
  if (audit->clean()) return "clean";
  return audit->findings.front().invariant + ": " + audit->findings.front().what;
}

std::string wrong_in(const StepCount& count, std::int64_t taken) {
  CHECK(count.orders >= 0 && count.doubtful >= 0);
  if (count.units == StepCount::Units::come_back) return "";
  if (taken >= count.orders && taken <= count.orders + count.doubtful) return "";
  return std::to_string(count.orders) + " orders were acknowledged and " + std::to_string(taken) +
         " units are gone" +
         (count.doubtful == 0 ? "" : ", with " + std::to_string(count.doubtful) + " requests in doubt");
}

}  // namespace gavel::app
