#include "judge/audit/audit.h"

#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "base/check.h"
#include "judge/audit/claim_audit.h"
#include "judge/audit/findings.h"
#include "judge/audit/hold_audit.h"
#include "judge/audit/migration.h"
#include "judge/audit/order_audit.h"
#include "judge/audit/request_audit.h"
#include "judge/audit/stock.h"

namespace gavel::judge {
namespace {

// What is compared, in the order of the tables; each needs what the ones before it have gathered.
enum class Stage : std::uint8_t { ledger, requests, orders, claims, holds, end };

// A look at the disk takes a microsecond.
constexpr std::size_t rows_of_disk_check = 1'000;

// Of work that is done at one go.
Result<bool> once(const Result<void>& done) {
  if (!done) return std::unexpected(done.error());
  return false;
}

}  // namespace

class AuditRun::Parts {
 public:
  explicit Parts(const SortSpace& space)
      : scratch_(space.scratch),
        requests_(findings_, catalogue_, space, finder(), order_requests_),
        order_requests_(space),
        claims_(findings_, catalogue_, space, finder()),
        holds_(findings_, space),
        orders_(findings_, catalogue_, finder(), order_requests_, claims_, holds_, migration_) {}

  TablesReader::Visitor visitor();
  Result<bool> step(std::size_t rows_max);
  std::int64_t scratch_bytes() const {
    return requests_.bytes_on_disk() + order_requests_.bytes_on_disk() + claims_.bytes_on_disk() +
           holds_.bytes_on_disk();
  }

  AuditReport report;
  std::unique_ptr<TablesReader::Scan> scan;
  bool is_done = false;

 private:
  // A part of the work between two rows of the scan; true: there is more of the same.
  using Work = std::function<Result<bool>()>;

  FindOrder finder() {
    return [this](rules::OrderId id) { return scan->find(id); };
  }
  void add_requests_and_orders(TablesReader::Visitor& visitor);
  void add_claims_and_holds(TablesReader::Visitor& visitor);
  void enter(Stage stage);
  void end_stage();
  Result<void> disk_has_room() const;
  Result<bool> work();
  void later(Work work) { works_.push_back(std::move(work)); }
  void check(const Result<void>& done);
  template <class Row, class Use>
  void take(const Row& row, const Use& use);
  template <class Row, class Pass, class Use>
  void take_after(const Row& row, const Pass& pass, const Use& use);

  const ScratchSpace scratch_;
  Findings findings_;
  Catalogue catalogue_;
  MigrationAudit migration_{findings_};
  StockAudit stock_{findings_, migration_};
  RequestAudit requests_;
  OrderRequests order_requests_;
  ClaimAudit claims_;
  HoldAudit holds_;
  OrderAudit orders_;

  Stage stage_ = Stage::ledger;
  std::deque<Work> works_;  // Before the scan goes on.
  std::optional<Error> failed_;
};

Result<bool> AuditRun::Parts::step(std::size_t rows_max) {
  CHECK(scan != nullptr && !is_done && rows_max >= 1);
  for (std::size_t rows = 0; rows < rows_max; ++rows) {
    if (rows % rows_of_disk_check == 0) check(disk_has_room());
    if (failed_) break;
    Result<bool> more = true;
    if (!works_.empty()) {
      more = work();
    } else if (stage_ != Stage::end) {
      more = scan->step(1);
      if (more && !*more) enter(Stage::end);
    } else {
      findings_.report_to(report);
      is_done = true;
      scan.reset();  // The snapshot is needed no longer.
      return false;
    }
    if (!more) failed_ = more.error();
  }
  if (failed_) return std::unexpected(*failed_);
  return true;
}

// The log of the database grows under the snapshot, and gets its disk back when the audit ends.
Result<void> AuditRun::Parts::disk_has_room() const {
  return scratch_.folder.empty() ? Result<void>() : check_disk(scratch_, 0);
}

Result<bool> AuditRun::Parts::work() {
  Result<bool> more = works_.front()();
  if (more && !*more) works_.pop_front();
  return more;
}

void AuditRun::Parts::enter(Stage stage) {
  while (stage_ < stage) {
    end_stage();
    stage_ = static_cast<Stage>(static_cast<int>(stage_) + 1);
  }
}

void AuditRun::Parts::end_stage() {
  switch (stage_) {
    case Stage::ledger:
      return later([this] { return once(requests_.sort()); });
    case Stage::requests:
      later([this] { return requests_.pass_all(); });
      return later([this] { return once(order_requests_.sort()); });
    case Stage::orders:
      later([this] {
        orders_.end();
        return orders_.pass_all_requests();
      });
      return later([this] { return once(claims_.sort()); });
    case Stage::claims:
      later([this] { return claims_.pass_all(); });
      return later([this] { return once(holds_.sort()); });
    case Stage::holds:
      later([this] { return holds_.pass_all(); });
      return later([this] {
        stock_.finish();
        migration_.finish();
        return false;
      });
    case Stage::end:
      return;
  }
}

void AuditRun::Parts::check(const Result<void>& done) {
  if (!done && !failed_) failed_ = done.error();
}

// At once, or after the work that is there, for which the row is copied.
template <class Row, class Use>
void AuditRun::Parts::take(const Row& row, const Use& use) {
  if (works_.empty()) return check(use(row));
  later([row, use] { return once(use(row)); });
}

// After what stands before the row: `pass` takes one of it at a time.
template <class Row, class Pass, class Use>
void AuditRun::Parts::take_after(const Row& row, const Pass& pass, const Use& use) {
  if (works_.empty()) {
    const Result<bool> more = pass(row);
    if (!more) return check(std::unexpected(more.error()));
    if (!*more) return check(use(row));
  }
  later([row, pass] { return pass(row); });
  later([row, use] { return once(use(row)); });
}

TablesReader::Visitor AuditRun::Parts::visitor() {
  TablesReader::Visitor visitor;
  visitor.sku = [this](const rules::Sku& row) { catalogue_.add(row); };
  visitor.activity = [this](const rules::Activity& row) { catalogue_.add(row); };
  visitor.item = [this](const rules::Item& row) {
    ++report.items;
    stock_.item(row);
    catalogue_.add(row);
  };
  visitor.flow_by_bucket = [this](const FlowRow& row) {
    ++report.flows;
    stock_.flow_by_bucket(row);
  };
  visitor.flow_by_batch = [this](const FlowRow& row) {
    stock_.flow_by_batch(row);
    check(requests_.flow(row));
  };
  visitor.batch = [this](const BatchRow& row) {
    ++report.batches;
    stock_.batch(row);
  };
  add_requests_and_orders(visitor);
  add_claims_and_holds(visitor);
  return visitor;
}

void AuditRun::Parts::add_requests_and_orders(TablesReader::Visitor& visitor) {
  visitor.request = [this](const rules::IdempotencyRecord& row) {
    enter(Stage::requests);
    take_after(
        row, [this](const auto& one) { return requests_.pass({one.caller, one.key}); },
        [this](const auto& one) { return requests_.request(one); });
  };
  visitor.flow_by_order = [this](const FlowRow& row) {
    enter(Stage::orders);
    take(row, [this](const FlowRow& one) { return orders_.flow(one); });
  };
  visitor.order = [this](const rules::Order& row) {
    ++report.orders;
    enter(Stage::orders);
    take(row, [this](const rules::Order& one) { return orders_.order(one); });
    later([this] { return orders_.pass_request(); });
  };
  visitor.order_as_request = [this](const rules::IdempotencyRecord& row) {
    enter(Stage::orders);
    take(row, [this](const auto& one) { return orders_.order_as_request(one); });
  };
}

void AuditRun::Parts::add_claims_and_holds(TablesReader::Visitor& visitor) {
  visitor.quota = [this](const QuotaRow& row) {
    enter(Stage::claims);
    take_after(
        row, [this](const QuotaRow& one) { return claims_.pass(one.key); },
        [this](const QuotaRow& one) { return claims_.quota(one); });
  };
  visitor.hold = [this](const HoldRow& row) {
    enter(Stage::holds);
    take_after(
        row, [this](const HoldRow& one) { return holds_.pass(one); },
        [this](const HoldRow& one) { return holds_.hold(one); });
  };
}

AuditRun::AuditRun(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
AuditRun::AuditRun(AuditRun&& from) noexcept = default;
AuditRun::~AuditRun() = default;

Result<AuditRun> AuditRun::begin(TablesReader& reader, const AuditLimits& limits) {
  ScratchSpace scratch{reader.scratch_folder(), limits.disk_left_min.value_or(0)};
  if (!scratch.folder.empty() && !limits.disk_left_min) {
    const Result<std::int64_t> left = disk_left_min_of(scratch.folder);
    if (!left) return std::unexpected(left.error());
    scratch.left_min = *left;
  }
  auto parts = std::make_unique<Parts>(SortSpace{scratch, limits.run_bytes});
  auto scan = reader.scan(parts->visitor());
  if (!scan) return std::unexpected(scan.error());
  parts->scan = *std::move(scan);
  return AuditRun(std::move(parts));
}

Result<bool> AuditRun::step(std::size_t rows_max) { return parts_->step(rows_max); }

const AuditReport& AuditRun::report() const {
  CHECK(parts_->is_done);
  return parts_->report;
}

std::int64_t AuditRun::scratch_bytes() const { return parts_->scratch_bytes(); }

Result<AuditReport> audit(TablesReader& reader) {
  auto run = AuditRun::begin(reader);
  if (!run) return std::unexpected(run.error());
  const Result<bool> more = run->step(std::numeric_limits<std::size_t>::max());
  if (!more) return std::unexpected(more.error());
  return run->report();
}

}  // namespace gavel::judge
