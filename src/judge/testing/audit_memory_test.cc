// The memory of an audit does not grow with what was sold (G013). Every allocation of this program is
// counted.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <malloc.h>

#include "base/check.h"
#include "judge/audit/audit.h"
#include "judge/testing/judge_driver.h"
#include "judge/testing/sqlite_form_test.h"

namespace {

std::atomic<std::int64_t> allocated{0};

void count(void* memory, std::int64_t sign) {
  allocated += sign * static_cast<std::int64_t>(malloc_usable_size(memory));
}

}  // namespace

void* operator new(std::size_t size) {
  void* memory = std::malloc(size);
  if (memory == nullptr) std::abort();
  count(memory, 1);
  return memory;
}
// The library's form without an exception need not come to the one above, but its memory comes to the one
// below.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return operator new(size); }
void operator delete(void* memory) noexcept {
  count(memory, -1);
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

namespace gavel::judge {
namespace {

constexpr std::size_t run_bytes = 64UL * 1024;

// What an audit held at most, and what it sorted on the disk.
struct Use {
  std::int64_t memory = 0;
  std::int64_t disk = 0;
  AuditReport report;
};

Use use_of(TablesReader& reader) {
  Use use;
  const std::int64_t before = allocated;
  AuditRun run = AuditRun::begin(reader, {.run_bytes = run_bytes}).value();
  while (run.step(1).value()) use.memory = std::max(use.memory, allocated - before);
  use.disk = run.scratch_bytes();
  use.report = run.report();
  return use;
}

// A sale with a limit per user and plain keys: each order has a request row, an entry under its key, a claim
// and a hold, and one in four is paid. With a lane for each thousand orders, as after so many restarts.
class Sale {
 public:
  Sale() {
    open({put_sku("put", "tee", 4), receive("in", "tee", 100'000),
          create_activity("create", "sale", {{"tee", 100'000}}, {.limit = 2}),
          open_activity("open", "sale")});
  }

  void sell(int orders) {
    for (const int end = sold_ + orders; sold_ < end;) {
      std::vector<rules::Command> batch;
      for (int i = 0; i < 500; ++i, ++sold_) {
        const std::string n = std::to_string(sold_ * 7'919 % 1'000'003);
        batch.push_back(reserve("order-" + n, "user-" + n, {{"tee", 1}}, {.activity = "sale"}));
        if (i % 4 == 0) batch.push_back(confirm("pay-" + n, order_of("order-" + n)));
      }
      open(batch);
    }
  }

  std::unique_ptr<Reader> open_reader() { return world_.open_reader(); }

 private:
  void open(const std::vector<rules::Command>& batch) {
    const auto store = world_.open_store();
    JudgeDriver driver(*store);
    CHECK(driver.apply(batch).has_value());
  }

  SqliteWorld world_;
  int sold_ = 0;
};

TEST(AuditMemory, DoesNotGrowWithOrders_G013) {
  Sale sale;
  sale.sell(3'000);
  const Use few = use_of(*sale.open_reader());
  sale.sell(9'000);
  const Use many = use_of(*sale.open_reader());

  EXPECT_EQ(many.report.orders, 12'000);
  EXPECT_TRUE(many.report.clean()) << many.report.findings.front().what;
  EXPECT_GT(many.disk, 3 * few.disk) << "it is the disk that has what memory has not";
  EXPECT_GT(many.disk, 50 * static_cast<std::int64_t>(run_bytes));
  // Two sorts are filled while another is read, and vectors have up to twice the place that they need.
  constexpr auto bound = static_cast<std::int64_t>(4 * (2 + merge_bytes_in_runs) * run_bytes);
  EXPECT_LT(few.memory, bound);
  EXPECT_LT(many.memory, bound);
  EXPECT_LT(many.memory, few.memory + 256 * 1024);
}

}  // namespace
}  // namespace gavel::judge
