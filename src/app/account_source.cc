#include "app/account_source.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace gavel::app {
namespace {

http::Keyless keyless_with(const StoredAccounts& accounts) {
  return accounts.empty() ? http::Keyless::as_shop : http::Keyless::refused;
}

Result<void> refuse_open_shop(const StoredAccounts& accounts, bool may_be_open) {
  if (!accounts.empty() || may_be_open) return {};
  return fail(
      ErrorCode::invalid,
      "no account is configured, so everybody who reaches http.address could order, cancel and refund; "
      "run `gavel key create shop` for a key of the shop's, or say http.open = true");
}

}  // namespace

AccountSource::AccountSource(const Options& options, const std::string& operators_key,
                             const StoredAccounts& accounts, KeyUses uses)
    : file_(options.accounts_file),
      may_be_open_(options.shop_on_loopback || options.open),
      accounts_(operators_key, keys_of(accounts), keyless_with(accounts)),
      uses_(std::move(uses)) {
  const MutexLock lock(mutex_);
  note(accounts);
}

Result<std::unique_ptr<AccountSource>> AccountSource::start(const Options& options,
                                                            const std::string& operators_key) {
  CHECK(!operators_key.empty());
  const auto read = read_accounts(options.accounts_file);
  if (!read) return std::unexpected(read.error());
  const StoredAccounts accounts = (*read).value_or(StoredAccounts{});
  if (auto open = refuse_open_shop(accounts, options.shop_on_loopback || options.open); !open)
    return std::unexpected(open.error());
  auto uses = read_key_uses(options.accounts_file);
  if (!uses) return std::unexpected(uses.error());
  return std::unique_ptr<AccountSource>(
      new AccountSource(options, operators_key, accounts, *std::move(uses)));
}

AccountCounts AccountSource::counts() const {
  const MutexLock lock(mutex_);
  return counts_;
}

void AccountSource::note(const StoredAccounts& accounts) {
  counts_ = {accounts.size(), keys_of(accounts).size()};
}

// A file that is gone is an error: whoever wants to have no account any more removes them by `gavel account`.
Result<AccountCounts> AccountSource::reread() {
  const MutexLock lock(mutex_);
  const auto read = read_accounts(file_);
  if (!read) return std::unexpected(read.error());
  if (!*read && counts_.accounts > 0)
    return fail(ErrorCode::invalid, "admin.accounts_file " + file_ + " is gone");
  const StoredAccounts accounts = (*read).value_or(StoredAccounts{});
  if (auto open = refuse_open_shop(accounts, may_be_open_); !open) return std::unexpected(open.error());
  accounts_.replace(keys_of(accounts), keyless_with(accounts));
  note(accounts);
  return counts_;
}

Result<void> AccountSource::save_uses() {
  const MutexLock lock(mutex_);
  if (counts_.accounts == 0) return {};  // Nobody lists them.
  KeyUses uses = uses_;
  for (const auto& [digest, at] : accounts_.uses()) {
    Time& latest = uses.try_emplace(digest, at).first->second;
    latest = std::max(latest, at);
  }
  if (uses == uses_) return {};
  if (const auto written = write_key_uses(file_, uses); !written) return written;
  uses_ = std::move(uses);
  return {};
}

}  // namespace gavel::app
