#include "http/accounts.h"

#include <algorithm>
#include <utility>

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "base/check.h"

namespace gavel::http {
namespace {

constexpr std::array role_words{
    std::pair{Role::shop, std::string_view("shop")}, std::pair{Role::ops, std::string_view("ops")},
    std::pair{Role::read, std::string_view("read")}, std::pair{Role::metrics, std::string_view("metrics")}};

// What the search by digest compares byte by byte. A stranger learns nothing from its time: to aim at a
// digest he would have to invert the hash, and the rest is compared in constant time.
constexpr std::size_t digest_prefix_bytes = 8;

bool is_digest_before(const KeyDigest& a, const KeyDigest& b) {
  return std::lexicographical_compare(a.begin(), a.begin() + digest_prefix_bytes, b.begin(),
                                      b.begin() + digest_prefix_bytes);
}

bool same_digest(const KeyDigest& a, const KeyDigest& b) {
  return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string_view without_blanks(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

char lower_letter(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::string_view word(Role role) {
  return std::ranges::find(role_words, role, &std::pair<Role, std::string_view>::first)->second;
}

std::optional<Role> parse_role(std::string_view word) {
  const auto found = std::ranges::find(role_words, word, &std::pair<Role, std::string_view>::second);
  return found == role_words.end() ? std::nullopt : std::optional(found->first);
}

KeyDigest digest_of(std::string_view key) {
  // Looked up once: the library's look-up costs more than the hash of a key.
  static const EVP_MD* const sha256 = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  CHECK(sha256 != nullptr);
  KeyDigest digest{};
  unsigned size = 0;
  CHECK(EVP_Digest(key.data(), key.size(), digest.data(), &size, sha256, nullptr) == 1);
  CHECK(size == digest.size());
  return digest;
}

std::optional<std::string_view> bearer_of(std::string_view header) {
  header = without_blanks(header);
  constexpr std::string_view scheme = "bearer ";
  const auto same = [](char a, char b) { return lower_letter(a) == b; };
  if (!std::ranges::equal(header.substr(0, scheme.size()), scheme, same)) return std::nullopt;
  return without_blanks(header.substr(scheme.size()));
}

Accounts::Accounts(std::string_view operators_key, std::vector<AccountKey> keys, Keyless keyless)
    : operators_digest_(digest_of(operators_key)),
      has_operators_key_(!operators_key.empty()),
      keyless_(keyless) {
  const MutexLock lock(mutex_);
  entries_ = entries_of(std::move(keys));
}

std::vector<Accounts::Entry> Accounts::entries_of(std::vector<AccountKey> keys) const {
  if (has_operators_key_) keys.push_back({operators_digest_, Account{rules::Caller("operator"), Role::ops}});
  std::vector<Entry> entries;
  entries.reserve(keys.size());
  for (AccountKey& key : keys) entries.push_back(Entry{std::move(key)});
  std::ranges::sort(entries, is_digest_before, [](const Entry& entry) { return entry.key.digest; });
  return entries;
}

void Accounts::replace(std::vector<AccountKey> keys, Keyless keyless) {
  std::vector<Entry> entries = entries_of(std::move(keys));
  const MutexLock lock(mutex_);
  for (Entry& entry : entries) {
    const auto old =
        std::ranges::find(entries_, entry.key.digest, [](const Entry& one) { return one.key.digest; });
    if (old != entries_.end()) entry.used_at = old->used_at;
  }
  entries_ = std::move(entries);
  keyless_ = keyless;
}

std::optional<Account> Accounts::find(std::string_view key, Time now) {
  const KeyDigest digest = digest_of(key);
  const MutexLock lock(mutex_);
  const auto [begin, end] = std::ranges::equal_range(entries_, digest, is_digest_before,
                                                     [](const Entry& entry) { return entry.key.digest; });
  for (auto entry = begin; entry != end; ++entry) {
    if (!same_digest(entry->key.digest, digest)) continue;
    entry->used_at = now;
    return entry->key.account;
  }
  return std::nullopt;
}

Keyless Accounts::keyless() const {
  const MutexLock lock(mutex_);
  return keyless_;
}

std::vector<KeyUse> Accounts::uses() const {
  const MutexLock lock(mutex_);
  std::vector<KeyUse> uses;
  for (const Entry& entry : entries_) {
    if (entry.used_at) uses.push_back({entry.key.digest, *entry.used_at});
  }
  return uses;
}

}  // namespace gavel::http
