// A crowd in one process: several threads, several lanes, every act, on the memory and the SQLite form; what
// all of them were told is held against the ledger, in the very order of its commits.
#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/temporary_folder_test.h"
#include "concurrent/shop_test.h"
#include "judge/audit/audit.h"
#include "judge/memory/store.h"
#include "judge/sqlite/store.h"
#include "oracle/left.h"

namespace gavel {
namespace {

constexpr int threads = 6;
constexpr std::chrono::milliseconds crowd_lasts{2'000};  // Longer than the holds of one second.
const std::vector<std::string> skus{"cap", "mug", "pin", "tee"};

rules::Lines lines_of(const std::string& sku, std::int64_t units) {
  return {{rules::SkuCode(sku), rules::Quantity{units}}};
}

// What one thread does: mostly it orders, pays and cancels; sometimes it does what operators do.
class Shopper {
 public:
  Shopper(Shop& shop, int number)
      : desk_(shop, "t" + std::to_string(number), static_cast<std::uint64_t>(number) + 1), number_(number) {}

  void work() {
    const auto until = std::chrono::steady_clock::now() + crowd_lasts;
    while (std::chrono::steady_clock::now() < until) step();
  }

  void open_sale() {
    const std::string code = "sale" + std::to_string(sales_);
    rules::CreateActivity act{rules::ActivityCode(code), code, {}, {}, {}, {}, {}};
    for (const std::string& sku : skus) act.lines.push_back({rules::SkuCode(sku), rules::Quantity{3}, 2});
    act.limit_per_user = rules::Quantity{4};
    desk_.ask(act);
    desk_.ask(rules::OpenActivity{rules::ActivityCode(code)});
  }

  const oracle::History& history() const { return desk_.history(); }

 private:
  void step() {
    const std::uint64_t draw = desk_.random().below(100);
    if (draw < 45) return order();
    if (draw < 70) return settle(draw);
    if (draw < 76) return again();
    if (draw < 82) return refund();
    if (draw < 92) return operate(draw);
    if (draw < 94 && number_ < 2) return sale();
    desk_.look(any_sku());
  }

  std::string any_sku() { return skus[desk_.random().below(skus.size())]; }
  std::int64_t few() { return 1 + static_cast<std::int64_t>(desk_.random().below(4)); }

  void order() {
    const rules::UserId user("u" + std::to_string(desk_.random().below(12)));
    std::vector<rules::Line> lines;
    for (std::uint64_t i = desk_.random().below(3) + 1; i > 0; --i) {
      lines.push_back({rules::SkuCode(any_sku()), rules::Quantity{few()}});
    }
    rules::Reserve act{user, rules::Lines(std::move(lines)), {}, {}};
    if (desk_.random().chance(1, 3)) {
      act.activity = rules::ActivityCode(
          "sale" + std::to_string(desk_.random().below(static_cast<std::uint64_t>(sales_) + 1)));
    }
    act.hold = std::chrono::seconds(desk_.random().chance(1, 2) ? 1 : 600);
    if (desk_.random().chance(1, 8)) act.payment = rules::Payment::none;
    const std::string key = desk_.new_key();
    const rules::Verdict verdict = desk_.ask(act, key);
    asked_.emplace_back(key, act);
    if (verdict.outcome == rules::Outcome::reserved) {
      if (desk_.random().chance(1, 10)) {
        late_.emplace_back(*verdict.order,
                           std::chrono::steady_clock::now() + std::chrono::milliseconds(1'100));
      } else {
        held_.emplace_back(*verdict.order, act.lines);
      }
    }
    if (verdict.outcome == rules::Outcome::sold) paid_.push_back(*verdict.order);
  }

  void settle(std::uint64_t draw) {
    if (!late_.empty() && late_.front().second < std::chrono::steady_clock::now()) {
      desk_.ask(rules::Confirm{late_.front().first});
      late_.pop_front();
    }
    if (held_.empty()) return order();
    const auto [order, lines] = held_.front();
    held_.pop_front();
    if (draw < 52) {
      desk_.ask(rules::Cancel{order});
    } else if (draw < 56) {
      desk_.ask(rules::Extend{order, std::chrono::seconds(2)});
      held_.emplace_back(order, lines);
    } else if (draw < 60) {
      desk_.ask(rules::ChangeOrder{order, lines_of(lines.begin()->sku.text(), few())});
      desk_.ask(rules::Cancel{order});
    } else if (draw < 64) {
      desk_.ask(rules::Confirm{order, {{lines.begin()->sku, rules::Quantity{1}}}});
      paid_.push_back(order);
    } else {
      desk_.ask(rules::Confirm{order});
      if (draw == 69) desk_.ask(rules::Confirm{order});
      paid_.push_back(order);
    }
  }

  // A request that was answered long ago, once more.
  void again() {
    if (asked_.empty()) return order();
    const auto& [key, act] = asked_[desk_.random().below(asked_.size())];
    desk_.ask(act, key);
  }

  void refund() {
    if (paid_.empty()) return order();
    const rules::OrderId order = paid_.front();
    paid_.pop_front();
    desk_.ask(
        rules::Refund{order, {}, desk_.random().chance(1, 2) ? rules::Restock::yes : rules::Restock::no});
  }

  void operate(std::uint64_t draw) {
    const rules::SkuCode sku(any_sku());
    if (draw < 88) {
      desk_.ask(rules::Receive{sku, rules::Quantity{few()}});
    } else if (draw < 90) {
      const std::int64_t units = few();
      desk_.ask(rules::Adjust{sku, rules::Quantity{desk_.random().chance(1, 2) ? units : -units}, "found"});
    } else {
      const std::int64_t version = desk_.look(sku.text());
      desk_.ask(rules::Count{sku, rules::Quantity{few() * 5}, version});
    }
  }

  // Sales open and close beside each other; their orders go on.
  void sale() {
    if (desk_.random().chance(1, 2)) return open_sale();
    desk_.ask(rules::CloseActivity{rules::ActivityCode("sale" + std::to_string(sales_))});
    ++sales_;
  }

  Desk desk_;
  const int number_;
  int sales_ = 0;
  std::deque<std::pair<rules::OrderId, rules::Lines>> held_;
  std::deque<std::pair<rules::OrderId, std::chrono::steady_clock::time_point>> late_;  // To be paid too late.
  std::deque<rules::OrderId> paid_;
  std::vector<std::pair<std::string, rules::Reserve>> asked_;
};

// The history of a crowd, and of the fresh users who buy what it has left (U2).
oracle::History sell(Shop& shop, std::vector<oracle::Errand>& errands) {
  Desk opening(shop, "opening", 99);
  for (const std::string& sku : skus) {
    opening.ask(rules::PutSku{rules::SkuCode(sku), sku == "cap" ? 4 : 1});
    opening.ask(rules::Receive{rules::SkuCode(sku), rules::Quantity{20}});
  }
  std::vector<std::unique_ptr<Shopper>> crowd;
  std::vector<std::thread> working;
  for (int i = 0; i < threads; ++i) crowd.push_back(std::make_unique<Shopper>(shop, i));
  crowd.front()->open_sale();  // While there is enough for it.
  for (const auto& shopper : crowd) working.emplace_back([&shopper] { shopper->work(); });
  for (std::thread& thread : working) thread.join();

  oracle::History history = opening.history();
  for (const auto& shopper : crowd) history.merge(shopper->history());
  Desk closing(shop, "closing", 98);
  errands = oracle::errands(shop.ledger(), plain::ms_of(shop.clock().now()), "shop", "fresh", 3);
  // Holds of a second may still return something, so that nobody need be refused.
  std::erase_if(errands, [](const oracle::Errand& errand) { return !errand.must_succeed; });
  for (const oracle::Errand& errand : errands) {
    const oracle::Request& request = errand.request;
    const oracle::Line& line = request.lines[0];
    rules::Reserve act{rules::UserId(request.user), lines_of(line.sku, line.quantity), {}, {}};
    if (!request.activity.empty()) act.activity = rules::ActivityCode(request.activity);
    closing.ask(act, request.key);
  }
  history.merge(closing.history());
  return history;
}

std::string text_of(const std::vector<oracle::Finding>& findings) {
  std::string text;
  for (const oracle::Finding& finding : findings) text += to_text(finding) + "\n";
  return text;
}

// What a crowd must have met to show anything.
void expect_everything_met(const oracle::History& history) {
  std::map<std::string, int> outcomes;
  std::size_t asked = 0;
  for (const auto& [id, each] : history.asked()) {
    for (const oracle::Attempt& attempt : each.attempts) {
      ++asked;
      if (attempt.reply) ++outcomes[attempt.reply->outcome];
    }
  }
  for (const char* outcome :
       {"reserved", "sold", "confirmed", "cancelled", "extended", "refunded", "adjusted", "opened", "closed",
        "sold_out", "insufficient", "hold_expired", "already_confirmed"}) {
    EXPECT_GT(outcomes[outcome], 0) << outcome << " was never told, in " << asked << " requests";
  }
}

void run(Shop& shop) {
  const oracle::Moment begun = moment() - plain::ms_of(shop.clock().now()) * 1'000'000;
  std::vector<oracle::Errand> errands;
  const oracle::History history = sell(shop, errands);
  shop.close();
  const oracle::Terms terms{.clock = {1'000'000, begun}, .release_within_ms = 100, .at_rest = true};
  EXPECT_EQ(text_of(oracle::check(history, shop.ledger(), terms)), "");
  EXPECT_EQ(text_of(oracle::check_errands(errands, history)), "");
  const auto reader = shop.open_reader();
  const judge::AuditReport report = judge::audit(*reader).value();
  for (const judge::Finding& finding : report.findings)
    ADD_FAILURE() << finding.invariant << ": " << finding.what;
  expect_everything_met(history);
}

TEST(Crowd, ThreeLanesOnTheMemoryForm) {
  const auto database = judge::make_memory_database();
  Shop shop([&](const Clock& clock) { return judge::open_memory_store(database, clock); },
            [&](const Clock& clock) { return judge::open_memory_reader(database, clock); }, 3);
  run(shop);
  for (std::size_t place = 0; place < 3; ++place) {
    EXPECT_GT(shop.lanes().at(place).decided(), 100U) << "lane " << place << " had nothing to do";
  }
  EXPECT_GT(shop.lanes().looked_up(), 10U);
}

TEST(Crowd, OneLaneOnTheSqliteForm) {
  const TemporaryFolder folder;
  const judge::SqliteOptions options{.path = folder.file("gavel.db"), .vfs = "", .checkpoint_pages = 1000};
  ASSERT_TRUE(judge::migrate_sqlite(options).has_value());
  Shop shop([&](const Clock& clock) { return judge::open_sqlite_store(options, clock).value(); },
            [&](const Clock& clock) { return judge::open_sqlite_reader(options, clock).value(); }, 1);
  run(shop);
}

}  // namespace
}  // namespace gavel
