#include "http/accounts.h"

#include <string>

#include <gtest/gtest.h>

#include "http/routes.h"

namespace gavel::http {
namespace {

using namespace std::chrono_literals;

constexpr Time noon{1'800'000'000'000ms};

AccountKey key_of(const std::string& text, const std::string& account, Role role) {
  return {digest_of(text), {rules::Caller(account), role}};
}

std::string found(Accounts& accounts, std::string_view key, Time now = noon) {
  const auto account = accounts.find(key, now);
  return account ? account->name.text() + " " + std::string(word(account->role)) : "nobody";
}

TEST(Accounts, ADigestIsSha256) {
  std::string hex;
  for (const std::uint8_t byte : digest_of("abc")) {
    hex += "0123456789abcdef"[byte >> 4U];
    hex += "0123456789abcdef"[byte & 15U];
  }
  EXPECT_EQ(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Accounts, ABearerIsTheWholeRestOfTheHeader) {
  EXPECT_EQ(bearer_of("Bearer s3cret"), "s3cret");
  EXPECT_EQ(bearer_of(" bearer   s3cret "), "s3cret");
  EXPECT_EQ(bearer_of("Bearer s3cret, Bearer s3cret"), "s3cret, Bearer s3cret");
  EXPECT_EQ(bearer_of("Bearer "), std::nullopt) << "blanks at the end are none";
  for (const char* other : {"", "Bearer", "s3cret", "Basic s3cret"})
    EXPECT_EQ(bearer_of(other), std::nullopt);
}

TEST(Accounts, AKeyIsFoundByItsWholeText_A9_G002) {
  Accounts accounts("s3cret", {key_of("gavel_1", "web", Role::shop), key_of("gavel_2", "web", Role::shop)},
                    Keyless::refused);
  EXPECT_EQ(found(accounts, "gavel_1"), "web shop");
  EXPECT_EQ(found(accounts, "gavel_2"), "web shop");
  EXPECT_EQ(found(accounts, "s3cret"), "operator ops");
  for (const char* wrong : {"", "gavel_", "gavel_11", "GAVEL_1", "s3cre", "s3crets3cret", "gavel_1, gavel_1"})
    EXPECT_EQ(found(accounts, wrong), "nobody") << wrong;
}

TEST(Accounts, AnEmptyKeyOfOperatorsLetsNobodyIn) {
  Accounts accounts("", {}, Keyless::refused);
  EXPECT_EQ(found(accounts, ""), "nobody");
}

TEST(Accounts, OtherKeysReplaceTheOldOnes_A9) {
  Accounts accounts("s3cret", {key_of("a", "web", Role::shop), key_of("b", "web", Role::shop)},
                    Keyless::as_shop);
  EXPECT_EQ(accounts.keyless(), Keyless::as_shop);
  accounts.replace({key_of("b", "web", Role::shop), key_of("c", "till", Role::read)}, Keyless::refused);
  EXPECT_EQ(found(accounts, "a"), "nobody");
  EXPECT_EQ(found(accounts, "b"), "web shop");
  EXPECT_EQ(found(accounts, "c"), "till read");
  EXPECT_EQ(found(accounts, "s3cret"), "operator ops") << "the operators' key stays";
  EXPECT_EQ(accounts.keyless(), Keyless::refused);
}

TEST(Accounts, TheLastUseOfAKeyIsRemembered_A9) {
  Accounts accounts("s3cret", {key_of("a", "web", Role::shop), key_of("b", "web", Role::shop)},
                    Keyless::refused);
  EXPECT_TRUE(accounts.uses().empty());
  found(accounts, "a", noon);
  found(accounts, "a", noon + 5s);
  found(accounts, "x", noon + 6s);
  accounts.replace({key_of("a", "web", Role::shop)}, Keyless::refused);
  ASSERT_EQ(accounts.uses().size(), 1U);
  EXPECT_EQ(accounts.uses()[0].digest, digest_of("a"));
  EXPECT_EQ(accounts.uses()[0].at, noon + 5s);
}

TEST(Accounts, RolesHaveWords) {
  for (const Role role : {Role::shop, Role::ops, Role::read, Role::metrics})
    EXPECT_EQ(parse_role(word(role)), role);
  EXPECT_EQ(parse_role("admin"), std::nullopt);
}

// Which of all routes a role may ask for, on each listener.
std::string permitted(Role role, Audience audience) {
  std::string all;
  for (const Route& route : all_routes()) {
    if (!permits(role, audience, route.method, &route)) continue;
    all.append(all.empty() ? "" : " ").append(route.method).append(route.pattern);
  }
  return all;
}

TEST(Accounts, ARoleSaysWhichRoutes_A9) {
  std::string all, reads;
  for (const Route& route : all_routes()) {
    const std::string name = std::string(route.method) + std::string(route.pattern);
    all += (all.empty() ? "" : " ") + name;
    if (route.method == "GET" && route.pattern != "/metrics") reads += (reads.empty() ? "" : " ") + name;
  }
  EXPECT_EQ(permitted(Role::ops, Audience::shop), all);
  EXPECT_EQ(permitted(Role::ops, Audience::operators), all);
  EXPECT_EQ(permitted(Role::shop, Audience::shop), all) << "that is, all that the shop's listener has";
  EXPECT_EQ(permitted(Role::shop, Audience::operators), "");
  EXPECT_EQ(permitted(Role::read, Audience::shop), reads);
  EXPECT_EQ(permitted(Role::read, Audience::operators), reads);
  EXPECT_EQ(permitted(Role::metrics, Audience::operators), "GET/metrics");
  // What does not exist is told only to those who may see what does.
  EXPECT_TRUE(permits(Role::ops, Audience::operators, "POST", nullptr));
  EXPECT_TRUE(permits(Role::read, Audience::operators, "HEAD", nullptr));
  EXPECT_FALSE(permits(Role::read, Audience::operators, "POST", nullptr));
  EXPECT_FALSE(permits(Role::shop, Audience::operators, "GET", nullptr));
  EXPECT_FALSE(permits(Role::metrics, Audience::operators, "GET", nullptr));
}

}  // namespace
}  // namespace gavel::http
