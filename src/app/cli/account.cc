// One noun: the subcommands that change the file of accounts.
#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json.hpp>

#include "app/account_file.h"
#include "app/cli/subcommand.h"
#include "app/options.h"
#include "base/check.h"
#include "base/clock.h"

namespace gavel::app {
namespace {

constexpr auto account_settings = std::to_array<std::string_view>({"admin.accounts_file"});

constexpr const char* takes_effect =
    "a running service knows of it once it gets SIGHUP (kill -HUP, systemctl reload)";

constexpr const char* listener_asks = "from then on the shop's listener asks everybody for a key";

// Clients that called without a key were the account shop.
constexpr const char* retry_advice =
    "clients that called without a key need a key of shop (gavel key create shop) to go on with their "
    "orders: under another account a retry is another request, and orders of shop are unknown";

std::unexpected<Error> refuse_account(std::string why) { return fail(ErrorCode::invalid, std::move(why)); }

// Those that are always there: they stand in the file while they have keys.
bool is_built_in(const rules::Caller& name) { return name.text() == "shop" || name.text() == "operator"; }

Result<rules::Caller> account_named(const std::string& text) {
  const auto name = rules::Caller::parse(text);
  if (!name)
    return refuse_account("account '" + text + "': a name is 1 to 64 characters of A-Z a-z 0-9 _ . : -");
  if (name->text() == "gavel") return refuse_account("account gavel: the name is Gavel's own");
  return *name;
}

Result<StoredAccount*> find_account(StoredAccounts& accounts, const rules::Caller& name) {
  const auto found = std::ranges::find(accounts, name, &StoredAccount::name);
  if (found != accounts.end()) return &*found;
  return refuse_account("there is no account " + name.text() + "; gavel account list names them");
}

// An account that is always there is made with its first key.
Result<StoredAccount*> find_or_make(StoredAccounts& accounts, const rules::Caller& name, Time now) {
  const bool is_there = std::ranges::find(accounts, name, &StoredAccount::name) != accounts.end();
  if (!is_there && is_built_in(name)) {
    const http::Role role = name.text() == "shop" ? http::Role::shop : http::Role::ops;
    accounts.push_back({.name = name, .role = role, .made_at = now});
  }
  if (!is_there && !is_built_in(name))
    return refuse_account("there is no account " + name.text() + "; gavel account create " + name.text() +
                          " makes it");
  return find_account(accounts, name);
}

bool has_key(const StoredAccount& account, const std::string& name) {
  return std::ranges::find(account.keys, name, &StoredKey::name) != account.keys.end();
}

std::string free_key_name(const StoredAccount& account) {
  std::size_t number = account.keys.size() + 1;
  while (has_key(account, "key-" + std::to_string(number))) ++number;
  return "key-" + std::to_string(number);
}

// The secret of a new key of the account.
Result<std::string> add_key(StoredAccount& account, const std::string& name, Time now) {
  if (!is_narrow_code(name))
    return refuse_account("key '" + name + "': a name is 1 to 64 characters of A-Z a-z 0-9 _ . : -");
  if (has_key(account, name))
    return refuse_account("account " + account.name.text() + " has a key " + name + " already");
  if (account.keys.size() == keys_of_account_max)
    return refuse_account("account " + account.name.text() + " has " + std::to_string(keys_of_account_max) +
                          " keys, which is the most; revoke some");
  auto secret = new_account_key();
  if (secret) account.keys.push_back({.name = name, .digest = http::digest_of(*secret), .made_at = now});
  return secret;
}

void erase_if_unneeded(StoredAccounts& accounts, const rules::Caller& name) {
  std::erase_if(accounts, [&](const StoredAccount& one) {
    return one.name == name && is_built_in(name) && one.keys.empty();
  });
}

void tell_that_none_is_left() {
  print_error(
      "no account is left: the shop's listener takes everybody then, on a loopback address or with "
      "http.open");
}

// A command on the file of accounts: its words, and what it does.
class AccountCommand : public Subcommand {
 public:
  std::vector<Flag> flags() override { return words_; }

  Exit run(const ParsedArguments& arguments) override {
    const auto options = options_of(arguments.settings);
    if (!options) return fail_with(Exit::usage, options.error());
    const auto done = act(options->accounts_file, arguments.format);
    return done ? Exit::done : fail_with(Exit::usage, done.error());
  }

 protected:
  virtual Result<void> act(const std::string& file, OutputFormat format) = 0;

  void bare(std::vector<std::string>& value, std::string placeholder, std::string meaning,
            WordFlag::Need need = WordFlag::Need::required) {
    words_.emplace_back(WordFlag{"", &value, std::move(placeholder), std::move(meaning),
                                 WordFlag::Place::bare, need, WordFlag::Times::once});
  }
  void named(std::string name, std::vector<std::string>& value, std::string placeholder,
             std::string meaning) {
    words_.emplace_back(WordFlag{std::move(name), &value, std::move(placeholder), std::move(meaning),
                                 WordFlag::Place::named, WordFlag::Need::optional, WordFlag::Times::once});
  }
  void choice(ChoiceFlag flag) { words_.emplace_back(std::move(flag)); }

  Time now() const { return clock_.now(); }

 private:
  const RealClock clock_;
  std::vector<Flag> words_;
};

// The key itself stands alone on standard output, and nowhere else.
void print_new_key(const StoredAccount& account, const std::string& key, const std::string& secret,
                   OutputFormat format) {
  if (format == OutputFormat::json) {
    print_line(boost::json::serialize(boost::json::object{
        {"account", account.name.text()}, {"role", word(account.role)}, {"name", key}, {"key", secret}}));
    return;
  }
  print_line(secret);
  print_error("this is key " + key + " of account " + account.name.text() + " (" +
              std::string(word(account.role)) +
              "), which is shown once; it is sent as the header "
              "Authorization: Bearer …; " +
              takes_effect);
}

void print_done(const std::string& line, boost::json::object json, OutputFormat format) {
  print_line(format == OutputFormat::json ? boost::json::serialize(json) : line + "; " + takes_effect);
}

class CreateAccount final : public AccountCommand {
 public:
  CreateAccount() {
    bare(name_, "ACCOUNT", "the name, which its orders keep");
    choice({"role", &role_, {"shop", "ops", "read", "metrics"}, "what it may do"});
  }

  About about() const override {
    return {.name = "create",
            .summary = "Make an account, which gets its keys by gavel key create",
            .description =
                "shop: the shop's listener; of orders and request keys its own. ops: both listeners and\n"
                "everybody's orders. read: what changes nothing, on both, but for the metrics. metrics:\n"
                "the metrics alone. The accounts shop and operator are there without being made.\n"
                "Once there is any account, the shop's listener asks everybody for a key.",
            .examples = "  gavel account create web\n  gavel account create prometheus --role metrics",
            .settings = account_settings};
  }

 private:
  Result<void> act(const std::string& file, OutputFormat format) override {
    const auto name = account_named(name_.front());
    if (!name) return std::unexpected(name.error());
    if (is_built_in(*name))
      return refuse_account("account " + name->text() + " is there already; gavel key create " +
                            name->text() + " makes a key for it");
    bool is_first = false;
    const auto changed = change_accounts(file, [&](StoredAccounts& accounts) -> Result<void> {
      is_first = accounts.empty();
      if (std::ranges::find(accounts, *name, &StoredAccount::name) != accounts.end())
        return refuse_account("there is an account " + name->text() + " already");
      accounts.push_back({.name = *name, .role = *http::parse_role(role_), .made_at = now()});
      return {};
    });
    if (!changed) return changed;
    if (is_first) print_error(listener_asks);
    if (role_ == "shop" || role_ == "ops") print_error(retry_advice);
    print_done("account " + name->text() + " (" + role_ + ") is made; gavel key create " + name->text() +
                   " makes its first key",
               {{"account", name->text()}, {"role", role_}}, format);
    return {};
  }

  std::vector<std::string> name_;
  std::string role_ = "shop";
};

class ListAccounts final : public AccountCommand {
 public:
  About about() const override {
    return {.name = "list",
            .summary = "List the accounts, their roles and how many keys they have",
            .description = "Reads the file of accounts.",
            .examples = "  gavel account list\n  gavel account list --json",
            .settings = account_settings};
  }

 private:
  Result<void> act(const std::string& file, OutputFormat format) override {
    const auto read = read_accounts(file);
    if (!read) return std::unexpected(read.error());
    const StoredAccounts accounts = (*read).value_or(StoredAccounts{});
    boost::json::array all;
    for (const StoredAccount& account : accounts) {
      if (format == OutputFormat::text)
        print_line(account.name.text() + "  " + std::string(word(account.role)) + "  " +
                   std::to_string(account.keys.size()) + " keys  made " + gavel::to_text(account.made_at));
      all.push_back(boost::json::object{{"account", account.name.text()},
                                        {"role", word(account.role)},
                                        {"keys", account.keys.size()},
                                        {"made_at", gavel::to_text(account.made_at)}});
    }
    if (format == OutputFormat::json)
      print_line(boost::json::serialize(boost::json::object{{"accounts", all}}));
    if (format == OutputFormat::text && accounts.empty()) print_line("no account is configured in " + file);
    return {};
  }
};

class RemoveAccount final : public AccountCommand {
 public:
  RemoveAccount() { bare(name_, "ACCOUNT", "the account, with all its keys"); }

  About about() const override {
    return {.name = "remove",
            .summary = "Remove an account with its keys; its orders stay",
            .description =
                "Its orders are of nobody then but of operators; an account that is made with this name\n"
                "later has them again.",
            .examples = "  gavel account remove web",
            .settings = account_settings};
  }

 private:
  Result<void> act(const std::string& file, OutputFormat format) override {
    const auto name = account_named(name_.front());
    if (!name) return std::unexpected(name.error());
    bool is_last = false;
    const auto changed = change_accounts(file, [&](StoredAccounts& accounts) -> Result<void> {
      const auto found = find_account(accounts, *name);
      if (!found) return std::unexpected(found.error());
      std::erase_if(accounts, [&](const StoredAccount& one) { return one.name == *name; });
      is_last = accounts.empty();
      return {};
    });
    if (!changed) return changed;
    if (is_last) tell_that_none_is_left();
    print_done("account " + name->text() + " and its keys are removed", {{"removed", name->text()}}, format);
    return {};
  }

  std::vector<std::string> name_;
};

// A command that makes a key.
class MakeKeyCommand : public AccountCommand {
 protected:
  // The account that gets the key, among those of the file, or why none does.
  using Find = std::function<Result<StoredAccount*>(StoredAccounts&, const rules::Caller& name)>;

  Result<void> make_key(const std::string& file, OutputFormat format, const Find& find) {
    const auto name = account_named(account_.front());
    if (!name) return std::unexpected(name.error());
    StoredAccount of{.name = *name, .made_at = now()};
    std::string key, secret;
    bool is_first = false;
    const auto changed = change_accounts(file, [&](StoredAccounts& accounts) -> Result<void> {
      is_first = accounts.empty();
      const auto found = find(accounts, *name);
      if (!found) return std::unexpected(found.error());
      key = name_.empty() ? free_key_name(**found) : name_.front();
      auto made = add_key(**found, key, now());
      if (!made) return std::unexpected(made.error());
      secret = *std::move(made);
      of = **found;
      return {};
    });
    if (!changed) return changed;
    if (is_first) print_error(listener_asks);
    print_new_key(of, key, secret, format);
    return {};
  }

  std::vector<std::string> account_;
  std::vector<std::string> name_;
};

class CreateKey final : public MakeKeyCommand {
 public:
  CreateKey() {
    bare(account_, "ACCOUNT", "whose key it is: shop, operator, or one that was made");
    named("name", name_, "NAME", "the key's name, for lists [key-1, key-2, …]");
  }

  About about() const override {
    return {.name = "create",
            .summary = "Make a key for an account and print it, once",
            .description =
                "The key stands alone on standard output. Only its SHA-256 is kept, so nobody can show it\n"
                "again. An account may have several keys.",
            .examples = "  gavel key create shop > shop.key\n  gavel key create web --name autumn",
            .settings = account_settings};
  }

 private:
  Result<void> act(const std::string& file, OutputFormat format) override {
    return make_key(file, format, [this](StoredAccounts& accounts, const rules::Caller& name) {
      return find_or_make(accounts, name, now());
    });
  }
};

class RotateKey final : public MakeKeyCommand {
 public:
  RotateKey() {
    bare(account_, "ACCOUNT", "whose keys they are");
    bare(old_, "KEY", "the name of the key that is to be replaced");
    named("name", name_, "NAME", "the new key's name [key-1, key-2, …]");
  }

  About about() const override {
    return {.name = "rotate",
            .summary = "Make a key that replaces another, which is valid until it is revoked",
            .description =
                "Both keys are valid until you revoke the old one: give the new one to everybody who has\n"
                "the old one, see in gavel key list that the old one is used no more, and revoke it.",
            .examples = "  gavel key rotate web key-1 > web.key\n  gavel key revoke web key-1",
            .settings = account_settings};
  }

 private:
  Result<void> act(const std::string& file, OutputFormat format) override {
    const std::string& old = old_.front();
    const Find find = [&old](StoredAccounts& accounts, const rules::Caller& name) -> Result<StoredAccount*> {
      const auto found = find_account(accounts, name);
      if (found && !has_key(**found, old))
        return refuse_account("account " + name.text() + " has no key " + old);
      return found;
    };
    if (const auto made = make_key(file, format, find); !made) return made;
    print_error("key " + old + " is valid until gavel key revoke " + account_.front() + " " + old);
    return {};
  }

  std::vector<std::string> old_;
};

class RevokeKey final : public AccountCommand {
 public:
  RevokeKey() {
    bare(account_, "ACCOUNT", "whose key it is");
    bare(key_, "KEY", "the key's name");
  }

  About about() const override {
    return {.name = "revoke",
            .summary = "Remove a key",
            .description = "A running service accepts it until it gets SIGHUP.",
            .examples = "  gavel key revoke web key-1 && systemctl reload gavel",
            .settings = account_settings};
  }

 private:
  Result<void> act(const std::string& file, OutputFormat format) override {
    const auto name = account_named(account_.front());
    if (!name) return std::unexpected(name.error());
    bool is_last = false;
    const auto changed = change_accounts(file, [&](StoredAccounts& accounts) -> Result<void> {
      const auto found = find_account(accounts, *name);
      if (!found) return std::unexpected(found.error());
      const auto erased =
          std::erase_if((*found)->keys, [&](const StoredKey& one) { return one.name == key_.front(); });
      if (erased == 0) return refuse_account("account " + name->text() + " has no key " + key_.front());
      erase_if_unneeded(accounts, *name);
      is_last = accounts.empty();
      return {};
    });
    if (!changed) return changed;
    if (is_last) tell_that_none_is_left();
    print_done("key " + key_.front() + " of account " + name->text() + " is revoked",
               {{"account", name->text()}, {"revoked", key_.front()}}, format);
    return {};
  }

  std::vector<std::string> account_;
  std::vector<std::string> key_;
};

class ListKeys final : public AccountCommand {
 public:
  ListKeys() { bare(account_, "ACCOUNT", "of this account alone", WordFlag::Need::optional); }

  About about() const override {
    return {.name = "list",
            .summary = "List keys by their names, and when each was made and last used",
            .description =
                "A running service writes last uses once a minute, and when it stops. The keys themselves\n"
                "are not kept and cannot be shown.",
            .examples = "  gavel key list\n  gavel key list web --json",
            .settings = account_settings};
  }

 private:
  Result<void> act(const std::string& file, OutputFormat format) override {
    auto read = read_accounts(file);
    if (!read) return std::unexpected(read.error());
    const auto uses = read_key_uses(file);
    if (!uses) return std::unexpected(uses.error());
    StoredAccounts accounts = (*read).value_or(StoredAccounts{});
    if (!account_.empty()) {
      const auto name = account_named(account_.front());
      if (!name) return std::unexpected(name.error());
      if (const auto found = find_account(accounts, *name); !found) return std::unexpected(found.error());
      std::erase_if(accounts, [&](const StoredAccount& one) { return one.name != *name; });
    }
    boost::json::array all;
    for (const StoredAccount& account : accounts) {
      for (const StoredKey& key : account.keys) all.push_back(show(account, key, *uses, format));
    }
    if (format == OutputFormat::json) print_line(boost::json::serialize(boost::json::object{{"keys", all}}));
    if (format == OutputFormat::text && all.empty()) print_line("there are no keys");
    return {};
  }

  static boost::json::object show(const StoredAccount& account, const StoredKey& key, const KeyUses& uses,
                                  OutputFormat format) {
    const auto use = uses.find(key.digest);
    const std::string used_at = use == uses.end() ? "" : gavel::to_text(use->second);
    if (format == OutputFormat::text)
      print_line(account.name.text() + "  " + key.name + "  " + std::string(word(account.role)) + "  made " +
                 gavel::to_text(key.made_at) + "  " + (used_at.empty() ? "never used" : "used " + used_at));
    boost::json::object json{{"account", account.name.text()},
                             {"name", key.name},
                             {"role", word(account.role)},
                             {"made_at", gavel::to_text(key.made_at)}};
    if (!used_at.empty()) json["used_at"] = used_at;
    return json;
  }

  std::vector<std::string> account_;
};

class AccountGroup final : public Subcommand {
 public:
  AccountGroup(const About& about, std::vector<std::unique_ptr<Subcommand>> below)
      : about_(about), below_(std::move(below)) {}

  About about() const override { return about_; }
  std::span<const std::unique_ptr<Subcommand>> below() const override { return below_; }

  // One of those below runs.
  Exit run(const ParsedArguments&) override {
    CHECK(false);
    return Exit::usage;
  }

 private:
  const About about_;
  const std::vector<std::unique_ptr<Subcommand>> below_;
};

template <class... Commands>
std::unique_ptr<Subcommand> group_of(const Subcommand::About& about) {
  std::vector<std::unique_ptr<Subcommand>> below;
  (below.push_back(std::make_unique<Commands>()), ...);
  return std::make_unique<AccountGroup>(about, std::move(below));
}

}  // namespace

std::unique_ptr<Subcommand> make_account() {
  return group_of<CreateAccount, ListAccounts, RemoveAccount>(
      {.name = "account",
       .summary = "Make, list and remove the accounts that may call the service",
       .description = "Changes the file that admin.accounts_file names, where the service runs.",
       .examples = "  gavel account create web\n  gavel account list"});
}

std::unique_ptr<Subcommand> make_key() {
  return group_of<CreateKey, ListKeys, RevokeKey, RotateKey>(
      {.name = "key",
       .summary = "Make, list, revoke and rotate the keys of accounts",
       .description = "Changes the file that admin.accounts_file names, where the service runs.",
       .examples = "  gavel key create shop > shop.key\n  gavel key list"});
}

}  // namespace gavel::app
