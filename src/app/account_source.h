// AccountSource: the accounts of a service, from their file: read at the start, read again when told to, and
// the last uses of their keys written beside it from time to time.
//
//   start ─► accounts() ─► Instance      reread() on SIGHUP      save_uses() once a minute, and at the end
//
// A file with errors changes nothing: the accounts that were in force stay so, and the error is told.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "app/account_file.h"
#include "app/options.h"
#include "base/mutex.h"
#include "base/result.h"
#include "http/accounts.h"

namespace gavel::app {

struct AccountCounts {
  std::size_t accounts = 0;
  std::size_t keys = 0;
};

class AccountSource {
 public:
  // Reads options.accounts_file. `invalid` in one line: the file has errors; or no account is configured, the
  // shop's listener is to listen on another address than a loopback one, and http.open does not say that
  // everybody may use it.
  static Result<std::unique_ptr<AccountSource>> start(const Options& options,
                                                      const std::string& operators_key);

  // As long as the source.
  http::Accounts& accounts() { return accounts_; }

  AccountCounts counts() const;

  // The same errors as start(), and that the file is gone; then nothing is changed. Any thread.
  Result<AccountCounts> reread();

  // Writes the last uses, if an account is configured and there were any since they were last written. Any
  // thread.
  Result<void> save_uses();

 private:
  AccountSource(const Options& options, const std::string& operators_key, const StoredAccounts& accounts,
                KeyUses uses);

  void note(const StoredAccounts& accounts) GAVEL_REQUIRES(mutex_);

  const std::string file_;
  const bool may_be_open_;  // Without an account.
  http::Accounts accounts_;
  mutable Mutex mutex_;
  AccountCounts counts_ GAVEL_GUARDED_BY(mutex_);
  KeyUses uses_ GAVEL_GUARDED_BY(mutex_);  // As they were last written.
};

}  // namespace gavel::app
