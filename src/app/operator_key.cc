#include "app/operator_key.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/descriptor.h"
#include "base/check.h"

namespace gavel::app {
namespace {

constexpr std::size_t key_bytes = 32;

// A shorter one could be guessed; a longer one would not fit into a header.
constexpr std::size_t key_chars_least = 32;
constexpr std::size_t key_chars_most = 512;

std::string reason() { return std::generic_category().message(errno); }

// A file with a key, by the setting or the flag that names it, and how to get another one.
struct KeyFile {
  std::string named_by;
  std::string path;
  std::string remedy;
};

KeyFile operators_file(const std::string& path) {
  return {"admin.key_file", path, "remove it and restart the server, which creates a new key"};
}

std::unexpected<Error> refuse(const KeyFile& file, const std::string& why) {
  return fail(ErrorCode::invalid, file.named_by + " " + file.path + " " + why);
}

bool is_key(std::string_view text) {
  const auto visible = [](char c) { return c > ' ' && c < 127; };
  return text.size() >= key_chars_least && text.size() <= key_chars_most &&
         std::ranges::all_of(text, visible);
}

// Does not wait where the file is a pipe that nobody writes to; read_key refuses it.
int open_to_read(const std::string& file) { return ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); }

// Makes the file, or fails with EEXIST in errno where there is one.
Result<std::string> make_key(const KeyFile& file) {
  auto key = random_key();
  if (!key) return key;
  const Descriptor made(
      ::open(file.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!made) return refuse(file, "cannot be created: " + reason());
  CHECK(is_key(*key));
  const std::string line = *key + "\n";
  if (::write(made.number(), line.data(), line.size()) != static_cast<ssize_t>(line.size()) ||
      ::fsync(made.number()) != 0) {
    auto refused = refuse(file, "cannot be written: " + reason());
    ::unlink(file.path.c_str());  // Half a key would be refused for ever.
    return refused;
  }
  return key;
}

Result<std::string> read_key(const Descriptor& opened, const KeyFile& file) {
  struct stat status{};
  if (::fstat(opened.number(), &status) != 0) return refuse(file, "cannot be read: " + reason());
  if (!S_ISREG(status.st_mode)) return refuse(file, "is not a regular file");
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return refuse(file, "can be read or written by users other than its owner; run chmod 600 " + file.path +
                            ", or " + file.remedy);
  // One more than the longest key with its line end, so that a longer text is seen to be longer.
  std::string text(key_chars_most + 2, '\0');
  const ssize_t got = ::read(opened.number(), text.data(), text.size());
  if (got < 0) return refuse(file, "cannot be read: " + reason());
  text.resize(static_cast<std::size_t>(got));
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  if (!is_key(text))
    return refuse(file, "holds no key (one line of 32 to 512 visible characters); " + file.remedy);
  return text;
}

}  // namespace

Result<std::string> random_key() {
  std::array<unsigned char, key_bytes> bytes{};
  if (::getentropy(bytes.data(), bytes.size()) != 0)
    return fail(ErrorCode::invalid, "the operating system returns no random numbers: " + reason());
  constexpr std::string_view digits = "0123456789abcdef";
  std::string key;
  for (const unsigned char byte : bytes) {
    key += digits[byte >> 4U];
    key += digits[byte & 15U];
  }
  return key;
}

Result<std::string> read_operator_key(const std::string& file) {
  const KeyFile named = operators_file(file);
  const Descriptor opened(open_to_read(file));
  if (!opened && errno == ENOENT)
    return refuse(named,
                  "does not exist; the server creates it at its start: restart it, or give another file");
  if (!opened) return refuse(named, "cannot be read: " + reason());
  return read_key(opened, named);
}

Result<std::string> read_account_key(const std::string& flag, const std::string& file) {
  const KeyFile named{flag, file, "make another key with gavel key create"};
  const Descriptor opened(open_to_read(file));
  if (!opened) return refuse(named, "cannot be read: " + reason());
  return read_key(opened, named);
}

Result<OperatorKey> take_operator_key(const std::string& file) {
  Descriptor opened(open_to_read(file));
  if (!opened && errno == ENOENT) {
    auto made = make_key(operators_file(file));
    if (made) return OperatorKey{*std::move(made), true};
    // Another process may have made it in this moment; then it is read.
    opened = Descriptor(open_to_read(file));
    if (!opened) return std::unexpected(made.error());
  }
  if (!opened) return refuse(operators_file(file), "cannot be read: " + reason());
  auto key = read_key(opened, operators_file(file));
  if (!key) return std::unexpected(key.error());
  return OperatorKey{*std::move(key), false};
}

}  // namespace gavel::app
