#include "gate/quota_hints.h"

#include <set>

#include <gtest/gtest.h>

namespace gavel::gate {
namespace {

using rules::Quantity;

HintKey key_of(const std::string& user, std::int64_t sku = 1, std::int64_t activity = 1,
               std::uint8_t incarnation = 1) {
  return {rules::Incarnation{Uuid{{incarnation}}}, rules::ActivityId{activity}, rules::SkuId{sku},
          rules::UserId(user)};
}

std::string noted(QuotaHints& hints, const HintKey& key, std::int64_t claimed) {
  std::string said;
  hints.note(key, {claimed}, [&](const Result<void>& done) { said = done ? "noted" : done.error().message; });
  return said;
}

std::string seen(QuotaHints& hints, const HintKey& key) {
  std::string said;
  hints.read(key, [&](const Result<std::optional<Quantity>>& claimed) {
    said = *claimed ? std::to_string((*claimed)->units) : "no hint";
  });
  return said;
}

TEST(QuotaHints, TheLastWriterWins) {
  MemoryQuotaHints hints;
  EXPECT_EQ(seen(hints, key_of("ann")), "no hint");
  noted(hints, key_of("ann"), 2);
  EXPECT_EQ(seen(hints, key_of("ann")), "2");
  noted(hints, key_of("ann"), 1);
  EXPECT_EQ(seen(hints, key_of("ann")), "1");
  noted(hints, key_of("ann"), 0);
  EXPECT_EQ(seen(hints, key_of("ann")), "no hint");
  EXPECT_EQ(noted(hints, key_of("bob"), 0), "noted");
}

TEST(QuotaHints, UsersSkusActivitiesAndDatabasesAreApart) {
  MemoryQuotaHints hints;
  noted(hints, key_of("ann"), 2);
  for (const HintKey& other :
       {key_of("bob"), key_of("ann", 2), key_of("ann", 1, 2), key_of("ann", 1, 1, 2)}) {
    EXPECT_EQ(seen(hints, other), "no hint");
  }
}

TEST(QuotaHints, AnActivityIsForgottenAsAWhole) {
  MemoryQuotaHints hints;
  noted(hints, key_of("ann"), 2);
  noted(hints, key_of("bob", 2), 1);
  noted(hints, key_of("ann", 1, 2), 1);
  hints.forget(rules::Incarnation{Uuid{{1}}}, rules::ActivityId{1},
               [](const Result<void>& done) { EXPECT_TRUE(done); });
  EXPECT_EQ(seen(hints, key_of("ann")), "no hint");
  EXPECT_EQ(seen(hints, key_of("bob", 2)), "no hint");
  EXPECT_EQ(seen(hints, key_of("ann", 1, 2)), "1");
}

TEST(QuotaHints, BeyondTheLimitNothingIsKeptAndWhatIsThereGoesOn) {
  MemoryQuotaHints hints(2);
  noted(hints, key_of("ann"), 2);
  noted(hints, key_of("bob"), 2);
  EXPECT_EQ(noted(hints, key_of("cid"), 1), "the memory gate has its maximum number of quota hints");
  EXPECT_EQ(seen(hints, key_of("cid")), "no hint");
  EXPECT_EQ(noted(hints, key_of("bob"), 3), "noted");
  noted(hints, key_of("ann"), 0);
  EXPECT_EQ(noted(hints, key_of("cid"), 1), "noted");
  hints.forget(rules::Incarnation{Uuid{{1}}}, rules::ActivityId{1}, [](const Result<void>&) {});
  EXPECT_EQ(noted(hints, key_of("dan"), 1), "noted");
  EXPECT_EQ(noted(hints, key_of("eve"), 1), "noted");
}

TEST(QuotaHints, UsersSpreadOverTheSlots) {
  std::set<std::string> keys;
  for (int user = 0; user < 1000; ++user) keys.insert(hash_key_of(key_of("user-" + std::to_string(user))));
  EXPECT_EQ(keys.size(), hint_slots);
  EXPECT_TRUE(keys.begin()->starts_with("q:{01000000-0000-0000-0000-000000000000:1:"));
  EXPECT_EQ(field_of(key_of("ann", 12)), "12:ann");
}

}  // namespace
}  // namespace gavel::gate
