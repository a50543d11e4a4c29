// One noun: the file of accounts.
#include "app/account_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/descriptor.h"
#include "app/draft_file.h"
#include "app/operator_key.h"
#include "base/check.h"
#include "http/strict_json.h"

namespace gavel::app {
namespace {

using http::Json;
using http::Kind;
using http::Member;
using http::Need;
using http::Shape;

constexpr std::int64_t file_version = 1;
// More than the most accounts with some keys each; a file beyond it is none of ours.
constexpr std::size_t file_bytes_max = std::size_t{8} * 1024 * 1024;
constexpr std::int64_t digest_digits = 64;

constexpr Shape version_shape{.kind = Kind::integer, .least = file_version, .most = file_version};
constexpr Shape name_shape{.kind = Kind::text, .least = 1, .most = narrow_code_chars_max};
constexpr Shape word_shape{.kind = Kind::text};
constexpr Shape digest_shape{.kind = Kind::text, .least = digest_digits, .most = digest_digits};
constexpr std::array key_members{Member{"name", Need::required, &name_shape},
                                 Member{"sha256", Need::required, &digest_shape},
                                 Member{"made_at", Need::required, &word_shape}};
constexpr Shape key_shape{.kind = Kind::object, .members = key_members};
constexpr Shape keys_shape{.kind = Kind::array, .most = keys_of_account_max, .element = &key_shape};
constexpr std::array account_members{
    Member{"name", Need::required, &name_shape}, Member{"role", Need::required, &word_shape},
    Member{"made_at", Need::required, &word_shape}, Member{"keys", Need::required, &keys_shape}};
constexpr Shape account_shape{.kind = Kind::object, .members = account_members};
constexpr Shape accounts_shape{.kind = Kind::array, .most = accounts_max, .element = &account_shape};
constexpr std::array file_members{Member{"version", Need::required, &version_shape},
                                  Member{"accounts", Need::required, &accounts_shape}};
constexpr Shape file_shape{.kind = Kind::object, .members = file_members};

constexpr std::array use_members{Member{"sha256", Need::required, &digest_shape},
                                 Member{"used_at", Need::required, &word_shape}};
constexpr Shape use_shape{.kind = Kind::object, .members = use_members};
constexpr Shape uses_shape{
    .kind = Kind::array, .most = accounts_max * keys_of_account_max, .element = &use_shape};
constexpr std::array uses_file_members{Member{"version", Need::required, &version_shape},
                                       Member{"uses", Need::required, &uses_shape}};
constexpr Shape uses_file_shape{.kind = Kind::object, .members = uses_file_members};

std::string reason_of_errno() { return std::generic_category().message(errno); }

std::unexpected<Error> refuse_accounts(const std::string& file, const std::string& why) {
  return fail(ErrorCode::invalid, "admin.accounts_file " + file + " " + why);
}

std::string hex_of(const http::KeyDigest& digest) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : digest) {
    text += digits[byte >> 4U];
    text += digits[byte & 15U];
  }
  return text;
}

std::optional<http::KeyDigest> parse_digest(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  http::KeyDigest digest{};
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t value = digits.find(text[i]);
    if (value == std::string_view::npos || i / 2 >= digest.size()) return std::nullopt;
    digest[i / 2] = static_cast<std::uint8_t>(digest[i / 2] * 16U + value);
  }
  return digest;
}

using MaybeText = Result<std::optional<std::string>>;

// The whole text of a file that its owner alone may read; nothing where there is none.
MaybeText read_private_file(const std::string& file) {
  const Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!opened && errno == ENOENT) return std::optional<std::string>();
  struct stat status{};
  if (!opened || ::fstat(opened.number(), &status) != 0)
    return refuse_accounts(file, "cannot be read: " + reason_of_errno());
  if (!S_ISREG(status.st_mode)) return refuse_accounts(file, "is not a regular file");
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return refuse_accounts(file,
                           "can be read or written by users other than its owner; run chmod 600 " + file);
  std::string text(file_bytes_max + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = ::read(opened.number(), text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return refuse_accounts(file, "cannot be read: " + reason_of_errno());
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  if (size > file_bytes_max) return refuse_accounts(file, "is too large to be a file of accounts");
  text.resize(size);
  return std::optional(std::move(text));
}

Result<void> write_all(const std::string& file, std::string_view text) {
  const Descriptor opened(::open(file.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
  // A draft that somebody else left may have other rights.
  if (!opened || ::fchmod(opened.number(), S_IRUSR | S_IWUSR) != 0)
    return refuse_accounts(file, "cannot be written: " + reason_of_errno());
  while (!text.empty()) {
    const ssize_t put = ::write(opened.number(), text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return refuse_accounts(file, "cannot be written: " + reason_of_errno());
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return {};
}

Result<void> put_in_place(DraftFile& draft, const std::string& text, const std::string& file) {
  if (const auto written = write_all(draft.path(), text); !written) return written;
  if (const auto synced = draft.sync(); !synced) return synced;
  return draft.put_in_place(file);
}

// What is wrong beyond the shape, which has no words for it.
struct Reading {
  const std::string& file;

  Result<Time> time(const std::string& text, const std::string& where) const {
    const auto time = parse_time(text);
    if (!time) return refuse_accounts(file, where + ": made_at is no time (RFC 3339)");
    return *time;
  }

  Result<StoredKey> key(const Json& json, const std::string& where) const {
    StoredKey key{.name = json.find("name")->text(), .made_at = {}};
    const std::string here = where + ", key " + key.name;
    if (!is_narrow_code(key.name)) return refuse_accounts(file, here + ": the name must be [A-Za-z0-9_.:-]");
    const auto digest = parse_digest(json.find("sha256")->text());
    if (!digest) return refuse_accounts(file, here + ": sha256 must be 64 hexadecimal digits in lower case");
    key.digest = *digest;
    const auto made_at = time(json.find("made_at")->text(), here);
    if (!made_at) return std::unexpected(made_at.error());
    key.made_at = *made_at;
    return key;
  }

  Result<StoredAccount> account(const Json& json) const {
    const auto name = rules::Caller::parse(json.find("name")->text());
    const std::string where = "account " + json.find("name")->text();
    if (!name) return refuse_accounts(file, where + ": the name must be [A-Za-z0-9_.:-]");
    if (name->text() == "gavel") return refuse_accounts(file, where + ": the name is Gavel's own");
    const auto role = http::parse_role(json.find("role")->text());
    if (!role) return refuse_accounts(file, where + ": role must be shop, ops, read or metrics");
    const bool is_other_role = (name->text() == "shop" && *role != http::Role::shop) ||
                               (name->text() == "operator" && *role != http::Role::ops);
    if (is_other_role) return refuse_accounts(file, where + ": has another role than its own");
    const auto made_at = time(json.find("made_at")->text(), where);
    if (!made_at) return std::unexpected(made_at.error());
    StoredAccount account{.name = *name, .role = *role, .made_at = *made_at};
    for (const Json& one : json.find("keys")->elements()) {
      auto read = key(one, where);
      if (!read) return std::unexpected(read.error());
      account.keys.push_back(*std::move(read));
    }
    return account;
  }

  Result<StoredAccounts> accounts(const std::string& text) const {
    const auto json = http::read_json(text, file_shape);
    if (!json) return refuse_accounts(file, "is damaged: " + json.error());
    StoredAccounts all;
    for (const Json& one : json->find("accounts")->elements()) {
      auto read = account(one);
      if (!read) return std::unexpected(read.error());
      all.push_back(*std::move(read));
    }
    std::ranges::sort(all, {}, &StoredAccount::name);
    if (const auto sound = unambiguous(all); !sound) return std::unexpected(sound.error());
    return all;
  }

  Result<void> unambiguous(const StoredAccounts& all) const {
    std::set<std::string> names;
    std::set<http::KeyDigest> digests;
    for (const StoredAccount& account : all) {
      if (!names.insert(account.name.text()).second)
        return refuse_accounts(file, "has account " + account.name.text() + " twice");
      std::set<std::string> keys;
      for (const StoredKey& key : account.keys) {
        if (!keys.insert(key.name).second)
          return refuse_accounts(file, "account " + account.name.text() + ": has key " + key.name + " twice");
        if (!digests.insert(key.digest).second)
          return refuse_accounts(file, "account " + account.name.text() + ": key " + key.name +
                                           " is a key of another name, too");
      }
    }
    return {};
  }
};

// Names, words and times hold nothing that JSON escapes.
std::string text_of_key(const StoredKey& key) {
  return R"({"name":")" + key.name + R"(","sha256":")" + hex_of(key.digest) + R"(","made_at":")" +
         to_text(key.made_at) + R"("})";
}

std::string text_of_account(const StoredAccount& account) {
  std::string text = R"( {"name":")" + account.name.text() + R"(","role":")" +
                     std::string(word(account.role)) + R"(","made_at":")" + to_text(account.made_at) +
                     R"(","keys":[)";
  for (std::size_t i = 0; i < account.keys.size(); ++i)
    text.append(i == 0 ? "\n  " : ",\n  ").append(text_of_key(account.keys[i]));
  return text + "]}";
}

std::string text_of_file(const StoredAccounts& accounts) {
  std::string text = R"({"version":1,"accounts":[)";
  for (std::size_t i = 0; i < accounts.size(); ++i)
    text.append(i == 0 ? "\n" : ",\n").append(text_of_account(accounts[i]));
  return text + "]}\n";
}

std::string uses_file_of(const std::string& file) { return file + ".used"; }

}  // namespace

Result<std::optional<StoredAccounts>> read_accounts(const std::string& file) {
  const auto text = read_private_file(file);
  if (!text) return std::unexpected(text.error());
  if (!*text) return std::optional<StoredAccounts>();
  auto accounts = Reading{file}.accounts(**text);
  if (!accounts) return std::unexpected(accounts.error());
  return std::optional(*std::move(accounts));
}

// The draft is the lock: whoever reads has it until the file is in its place.
Result<void> change_accounts(const std::string& file,
                             const std::function<Result<void>(StoredAccounts&)>& change) {
  auto draft = DraftFile::make(file + ".draft", S_IRUSR | S_IWUSR);
  if (!draft) return std::unexpected(draft.error());
  auto read = read_accounts(file);
  if (!read) return std::unexpected(read.error());
  StoredAccounts accounts = (*read).value_or(StoredAccounts{});
  if (const auto changed = change(accounts); !changed) return changed;
  std::ranges::sort(accounts, {}, &StoredAccount::name);
  const std::string text = text_of_file(accounts);
  // Whatever is written can be read again.
  if (const auto sound = Reading{file}.accounts(text); !sound) return std::unexpected(sound.error());
  return put_in_place(*draft, text, file);
}

std::vector<http::AccountKey> keys_of(const StoredAccounts& accounts) {
  std::vector<http::AccountKey> keys;
  for (const StoredAccount& account : accounts) {
    for (const StoredKey& key : account.keys) keys.push_back({key.digest, {account.name, account.role}});
  }
  return keys;
}

Result<KeyUses> read_key_uses(const std::string& file) {
  const std::string path = uses_file_of(file);
  const auto text = read_private_file(path);
  if (!text) return std::unexpected(text.error());
  KeyUses uses;
  if (!*text) return uses;
  const auto json = http::read_json(**text, uses_file_shape);
  if (!json) return refuse_accounts(path, "is damaged: " + json.error() + "; remove it");
  for (const Json& one : json->find("uses")->elements()) {
    const auto digest = parse_digest(one.find("sha256")->text());
    const auto used_at = parse_time(one.find("used_at")->text());
    if (!digest || !used_at) return refuse_accounts(path, "is damaged; remove it");
    uses[*digest] = *used_at;
  }
  return uses;
}

Result<void> write_key_uses(const std::string& file, const KeyUses& uses) {
  std::string text = R"({"version":1,"uses":[)";
  bool is_first = true;
  for (const auto& [digest, at] : uses) {
    text.append(std::exchange(is_first, false) ? "\n" : ",\n");
    text += R"( {"sha256":")" + hex_of(digest) + R"(","used_at":")" + to_text(at) + R"("})";
  }
  text += "]}\n";
  const std::string path = uses_file_of(file);
  auto draft = DraftFile::make(path + ".draft", S_IRUSR | S_IWUSR);
  if (!draft) return std::unexpected(draft.error());
  return put_in_place(*draft, text, path);
}

Result<std::string> new_account_key() {
  auto key = random_key();
  if (!key) return key;
  return "gavel_" + *key;
}

}  // namespace gavel::app
