#include "app/account_file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/account_source.h"
#include "app/draft_file.h"
#include "base/temporary_folder_test.h"

namespace gavel::app {
namespace {

using namespace std::chrono_literals;

constexpr Time noon{1'800'000'000'000ms};

class AccountFileTest : public testing::Test {
 protected:
  Result<void> add(const std::string& account, http::Role role, const std::string& key) {
    return change_accounts(file_, [&](StoredAccounts& accounts) -> Result<void> {
      const auto found = std::ranges::find(accounts, rules::Caller(account), &StoredAccount::name);
      if (found == accounts.end()) {
        accounts.push_back({rules::Caller(account), role, noon, {{"key-1", http::digest_of(key), noon}}});
      } else {
        found->keys.push_back({"key-" + std::to_string(found->keys.size() + 1), http::digest_of(key), noon});
      }
      return {};
    });
  }

  std::string text_of(const std::string& path) const {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  void write(const std::string& text) const {
    std::ofstream(file_, std::ios::binary | std::ios::trunc) << text;
    ::chmod(file_.c_str(), 0600);
  }

  // What is wrong with the file, without its name; "good" if nothing is.
  std::string fault() const {
    const auto read = read_accounts(file_);
    if (read) return "good";
    EXPECT_EQ(read.error().code, ErrorCode::invalid);
    return read.error().message.substr(std::string("admin.accounts_file " + file_ + " ").size());
  }

  Options options(bool on_loopback, bool open) const {
    Options options{};
    options.accounts_file = file_;
    options.shop_on_loopback = on_loopback;
    options.open = open;
    return options;
  }

  const TemporaryFolder folder_;
  const std::string file_ = folder_.file("gavel.accounts");
};

TEST_F(AccountFileTest, WhatIsWrittenIsReadAndNobodyElseMayReadIt_A9) {
  EXPECT_FALSE(read_accounts(file_).value()) << "there is none";
  ASSERT_TRUE(add("web", http::Role::shop, "gavel_1"));
  ASSERT_TRUE(add("till", http::Role::ops, "gavel_2"));
  ASSERT_TRUE(add("web", http::Role::shop, "gavel_3"));
  struct stat status{};
  ASSERT_EQ(::stat(file_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600U);
  EXPECT_FALSE(std::filesystem::exists(file_ + ".draft"));
  const StoredAccounts accounts = read_accounts(file_).value().value();
  ASSERT_EQ(accounts.size(), 2U);
  EXPECT_EQ(accounts[0].name.text(), "till");
  EXPECT_EQ(accounts[1].role, http::Role::shop);
  EXPECT_EQ(accounts[1].keys[1].name, "key-2");
  EXPECT_EQ(accounts[1].made_at, noon);
  EXPECT_EQ(keys_of(accounts).size(), 3U);
  EXPECT_EQ(keys_of(accounts)[2].digest, http::digest_of("gavel_3"));
  EXPECT_FALSE(text_of(file_).contains("gavel_")) << "no key stands in it";
}

TEST_F(AccountFileTest, AChangeThatIsRefusedLeavesTheFileAsItWas_A9) {
  ASSERT_TRUE(add("web", http::Role::shop, "gavel_1"));
  const std::string before = text_of(file_);
  const auto refused = change_accounts(file_, [](StoredAccounts& accounts) -> Result<void> {
    accounts.clear();
    return fail(ErrorCode::invalid, "no");
  });
  EXPECT_EQ(refused.error().message, "no");
  EXPECT_EQ(text_of(file_), before);
  EXPECT_FALSE(add("gavel", http::Role::shop, "gavel_2")) << "what could not be read again is not written";
  EXPECT_FALSE(add("app", http::Role::shop, "gavel_1")) << "nor a key of two accounts";
  EXPECT_EQ(text_of(file_), before);
}

TEST_F(AccountFileTest, OnlyOneProcessChangesItAtATime_A9) {
  const auto other = DraftFile::make(file_ + ".draft", 0600);
  ASSERT_TRUE(other);
  const auto refused = add("web", http::Role::shop, "gavel_1");
  EXPECT_TRUE(refused.error().message.contains("is being written by another gavel"))
      << refused.error().message;
}

TEST_F(AccountFileTest, WhatADeadProcessLeftIsWrittenOver_A9) {
  std::ofstream(file_ + ".draft") << "half a fi";
  ASSERT_TRUE(add("web", http::Role::shop, "gavel_1"));
  EXPECT_EQ(fault(), "good");
}

TEST_F(AccountFileTest, EveryFaultIsToldInOneLine_A9) {
  const std::string digest(64, 'a');
  const std::string key = R"({"name":"k","sha256":")" + digest + R"(","made_at":"2026-11-29T20:00:00Z"})";
  const auto account = [&](const std::string& name, const std::string& role, const std::string& keys) {
    return R"({"name":")" + name + R"(","role":")" + role + R"(","made_at":"2026-11-29T20:00:00Z","keys":[)" +
           keys + "]}";
  };
  const auto file = [](const std::string& accounts) {
    return R"({"version":1,"accounts":[)" + accounts + "]}";
  };
  struct Row {
    std::string text, fault;
  };
  const Row rows[] = {
      {file(""), "good"},
      {file(account("web", "shop", key)), "good"},
      {file(account("shop", "shop", key)), "good"},
      {"", "is damaged: "},
      {"{", "is damaged: "},
      {R"({"version":2,"accounts":[]})", "is damaged: version: must be 1"},
      {R"({"version":1,"accounts":[],"more":1})", "is damaged: more: "},
      {file(account("a b", "shop", "")), "account a b: the name must be"},
      {file(account("gavel", "shop", "")), "account gavel: the name is Gavel's own"},
      {file(account("web", "admin", "")), "account web: role must be shop, ops, read or metrics"},
      {file(account("shop", "ops", "")), "account shop: has another role than its own"},
      {file(account("operator", "shop", "")), "account operator: has another role than its own"},
      {file(account("web", "shop", "") + "," + account("web", "ops", "")), "has account web twice"},
      {file(account("web", "shop", key + "," + key)), "account web: has key k twice"},
      {file(account("web", "shop", key) + "," + account("xyz", "ops", key)),
       "account xyz: key k is a key of another"},
      {file(account("web", "shop", R"({"name":"k","sha256":"abc","made_at":"2026-11-29T20:00:00Z"})")),
       "is damaged: accounts[0].keys[0].sha256: "},
      {file(account(
           "web", "shop",
           R"({"name":"k","sha256":")" + std::string(64, 'G') + R"(","made_at":"2026-11-29T20:00:00Z"})")),
       "account web, key k: sha256 must be 64 hexadecimal digits"},
      {file(account("web", "shop", R"({"name":"k","sha256":")" + digest + R"(","made_at":"today"})")),
       "account web, key k: made_at is no time"},
  };
  for (const Row& row : rows) {
    write(row.text);
    EXPECT_EQ(fault().substr(0, row.fault.size()), row.fault) << row.text;
  }
  write(file(""));
  ::chmod(file_.c_str(), 0640);
  EXPECT_EQ(fault().substr(0, 40), "can be read or written by users other th");
  std::filesystem::remove(file_);
  std::filesystem::create_directory(file_);
  EXPECT_EQ(fault(), "is not a regular file");
}

TEST_F(AccountFileTest, KeysAreLongAndNeverTheSame_A9) {
  const std::string one = new_account_key().value();
  EXPECT_EQ(one.size(), 6 + 64U);
  EXPECT_TRUE(one.starts_with("gavel_"));
  EXPECT_NE(one, new_account_key().value());
}

TEST_F(AccountFileTest, LastUsesAreWrittenBesideItAndOnlyWhereThereWereAny_A9) {
  ASSERT_TRUE(add("web", http::Role::shop, "gavel_1"));
  {
    const auto source = AccountSource::start(options(true, false), "operators' key").value();
    ASSERT_TRUE(source->save_uses());
    EXPECT_FALSE(std::filesystem::exists(file_ + ".used"));
    EXPECT_TRUE(source->accounts().find("gavel_1", noon));
    ASSERT_TRUE(source->save_uses());
    EXPECT_EQ(read_key_uses(file_).value().at(http::digest_of("gavel_1")), noon);
    std::filesystem::remove(file_ + ".used");
    ASSERT_TRUE(source->save_uses());
    EXPECT_FALSE(std::filesystem::exists(file_ + ".used")) << "nothing was used meanwhile";
    EXPECT_TRUE(source->accounts().find("gavel_1", noon + 1s));
    ASSERT_TRUE(source->save_uses());
  }
  const auto source = AccountSource::start(options(true, false), "operators' key").value();
  EXPECT_TRUE(source->accounts().find("operators' key", noon));
  ASSERT_TRUE(source->save_uses());
  EXPECT_EQ(read_key_uses(file_).value().size(), 2U) << "those of before are kept";
  EXPECT_EQ(read_key_uses(file_).value().at(http::digest_of("gavel_1")), noon + 1s);
}

TEST_F(AccountFileTest, AFileWithErrorsLeavesTheOldAccountsInForce_A9) {
  ASSERT_TRUE(add("web", http::Role::shop, "gavel_1"));
  const auto source = AccountSource::start(options(false, false), "operators' key").value();
  const auto is_known = [&](const char* key) { return source->accounts().find(key, noon).has_value(); };
  ASSERT_TRUE(add("web", http::Role::shop, "gavel_2"));
  EXPECT_FALSE(is_known("gavel_2")) << "before it was read again";
  EXPECT_EQ(source->reread().value().keys, 2U);
  EXPECT_TRUE(is_known("gavel_2"));
  for (const std::string text : {"", "{", R"({"version":1,"accounts":[]})"}) {
    write(text);
    EXPECT_FALSE(source->reread()) << text;
    EXPECT_TRUE(is_known("gavel_1"));
    EXPECT_EQ(source->accounts().keyless(), http::Keyless::refused);
  }
  std::filesystem::remove(file_);
  EXPECT_EQ(source->reread().error().message, "admin.accounts_file " + file_ + " is gone");
  EXPECT_TRUE(is_known("gavel_1"));
}

TEST_F(AccountFileTest, WithoutAnAccountTheShopIsOpenOnLoopbackAloneUnlessSomebodySaysSo_A9_G002) {
  const auto keyless = [&](bool on_loopback, bool open) -> std::string {
    const auto source = AccountSource::start(options(on_loopback, open), "operators' key");
    if (!source) return source.error().message.substr(0, 24);
    return (*source)->accounts().keyless() == http::Keyless::as_shop ? "open" : "keys";
  };
  EXPECT_EQ(keyless(true, false), "open");
  EXPECT_EQ(keyless(false, false), "no account is configured");
  EXPECT_EQ(keyless(false, true), "open");
  ASSERT_TRUE(add("prometheus", http::Role::metrics, "gavel_1"));
  EXPECT_EQ(keyless(true, false), "keys");
  EXPECT_EQ(keyless(false, false), "keys");
  EXPECT_EQ(keyless(false, true), "keys");
}

}  // namespace
}  // namespace gavel::app
