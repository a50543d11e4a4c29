#include "jobs/shortages.h"

#include "base/check.h"

namespace gavel::jobs {
namespace {

constexpr std::size_t page_items = 100;

}  // namespace

Result<void> Shortages::step() {
  std::int64_t units = 0;
  std::int64_t items = 0;
  rules::ItemId last;
  for (std::size_t found = page_items; found == page_items;) {
    const auto page = reader_.short_items(last, page_items);
    if (!page) return std::unexpected(page.error());
    found = page->size();
    CHECK(found <= page_items);
    for (const judge::StockRow& row : *page) {
      CHECK(row.item.id > last && row.item.shortage() > rules::no_units);
      units += row.item.shortage().units;
      ++items;
      last = row.item.id;
    }
  }
  units_ = units;
  items_ = items;
  return {};
}

void watch(MetricsRegistry& metrics, const Shortages& shortages) {
  metrics.watch_gauge("gavel_jobs_shortage_units", "Units that orders hold and that do not exist.",
                      [&shortages] { return static_cast<double>(shortages.units()); });
  metrics.watch_gauge("gavel_jobs_shortage_items", "Stock items that are short.",
                      [&shortages] { return static_cast<double>(shortages.items()); });
}

}  // namespace gavel::jobs
