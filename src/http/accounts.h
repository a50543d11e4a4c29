// Accounts: who may call, by their keys (A9).
//
// A key is sent as "Authorization: Bearer <key>". Only its SHA-256 is known here, and nothing logs either. A
// key is random and long, so that one round of the hash is enough (docs/adr/0027). Thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/time.h"
#include "rules/ids.h"

namespace gavel::http {

// What an account may do; routes.h says which routes that are.
enum class Role : std::uint8_t {
  shop,     // The shop's listener; of orders and request keys its own.
  ops,      // Both listeners, and everybody's orders.
  read,     // What changes nothing, on both listeners, but for the metrics.
  metrics,  // The metrics alone.
};

std::string_view word(Role role);
std::optional<Role> parse_role(std::string_view word);

struct Account {
  rules::Caller name;
  Role role = Role::shop;
};

using KeyDigest = std::array<std::uint8_t, 32>;  // SHA-256 of a key's text.

KeyDigest digest_of(std::string_view key);

struct AccountKey {
  KeyDigest digest{};
  Account account;
};

// When a key was last sent.
struct KeyUse {
  KeyDigest digest{};
  Time at;
};

// What the shop's listener does with a request that brings no key.
enum class Keyless : std::uint8_t {
  as_shop,  // Takes it as one of the account "shop".
  refused,
};

// The key of a header "Bearer <key>", blanks around it left out; nothing for another scheme.
std::optional<std::string_view> bearer_of(std::string_view header);

class Accounts {
 public:
  // `operators_key` is the one of the account "operator"; an empty one lets nobody in.
  Accounts(std::string_view operators_key, std::vector<AccountKey> keys, Keyless keyless);

  // Other keys from here on. What is known of the last use of a key that stays is kept.
  void replace(std::vector<AccountKey> keys, Keyless keyless);

  // Whose key it is, which counts as a use at `now`. The time it takes does not depend on where it differs
  // from a known one.
  std::optional<Account> find(std::string_view key, Time now);

  Keyless keyless() const;

  // Of the keys that were used since the start.
  std::vector<KeyUse> uses() const;

 private:
  struct Entry {
    AccountKey key;
    std::optional<Time> used_at = std::nullopt;
  };

  std::vector<Entry> entries_of(std::vector<AccountKey> keys) const;

  const KeyDigest operators_digest_;
  const bool has_operators_key_;
  mutable Mutex mutex_;
  std::vector<Entry> entries_ GAVEL_GUARDED_BY(mutex_);  // In order of their digests.
  Keyless keyless_ GAVEL_GUARDED_BY(mutex_);
};

}  // namespace gavel::http
