// The file of accounts: who may call, and the SHA-256 of each of their keys (docs/adr/0027).
//
//   {"version":1,"accounts":[
//     {"name":"web","role":"shop","made_at":"2026-11-29T20:00:00.000Z","keys":[
//       {"name":"key-1","sha256":"…64 hex digits…","made_at":"2026-11-29T20:00:00.000Z"}]}]}
//
// The service reads it; `gavel account` and `gavel key` change it, each by a file that takes the old one's
// place whole. Beside it stands <file>.used, which the service alone writes: when each key was last used.
// Everything blocks on the files; any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "http/accounts.h"
#include "rules/ids.h"

namespace gavel::app {

inline constexpr std::size_t accounts_max = 1'000;
inline constexpr std::size_t keys_of_account_max = 100;

struct StoredKey {
  std::string name;  // A narrow code, unique within its account.
  http::KeyDigest digest{};
  Time made_at;
};

struct StoredAccount {
  rules::Caller name;
  http::Role role = http::Role::shop;
  Time made_at;
  std::vector<StoredKey> keys = {};
};

using StoredAccounts = std::vector<StoredAccount>;  // In order of their names.

// The accounts in the file; nothing where there is no file. `invalid`, in one line that says what is wrong
// and where, for everything else: a file that others can read or write, too.
Result<std::optional<StoredAccounts>> read_accounts(const std::string& file);

// Has `change` change the accounts in the file, and writes what it leaves. Only one process at a time does
// so. Where there is no file it begins with none. `invalid` if another process changes it at this moment, if
// the file cannot be read or written, or as `change` says; then nothing is changed.
Result<void> change_accounts(const std::string& file,
                             const std::function<Result<void>(StoredAccounts&)>& change);

// What the service knows of them.
std::vector<http::AccountKey> keys_of(const StoredAccounts& accounts);

using KeyUses = std::map<http::KeyDigest, Time>;

// The last uses beside `file`; none where there is no such file. `invalid` if it cannot be read.
Result<KeyUses> read_key_uses(const std::string& file);
Result<void> write_key_uses(const std::string& file, const KeyUses& uses);

// "gavel_" and 64 hexadecimal digits: 256 bits of the operating system.
Result<std::string> new_account_key();

}  // namespace gavel::app
