#include "judge/sqlite/header.h"

#include <array>
#include <fstream>
#include <string_view>

namespace gavel::judge::sqlite {
namespace {

constexpr std::size_t header_bytes = 100;
constexpr std::string_view magic("SQLite format 3\0", 16);
constexpr std::size_t write_version = 18, read_version = 19, id_offset = 68;
constexpr char version_with_log = 2;

std::int64_t big_endian(const char* bytes) {
  std::uint32_t number = 0;
  for (int i = 0; i < 4; ++i) number = number << 8U | static_cast<unsigned char>(bytes[i]);
  return number;
}

}  // namespace

Result<std::optional<FileHeader>> read_header(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(ErrorCode::invalid, "file " + path + " cannot be read");
  std::array<char, header_bytes> bytes{};
  file.read(bytes.data(), bytes.size());
  if (file.bad()) return fail(ErrorCode::invalid, "file " + path + " cannot be read");
  if (file.gcount() < static_cast<std::streamsize>(header_bytes) ||
      std::string_view(bytes.data(), magic.size()) != magic)
    return std::optional<FileHeader>();
  return FileHeader{big_endian(bytes.data() + id_offset),
                    bytes[write_version] == version_with_log && bytes[read_version] == version_with_log};
}

}  // namespace gavel::judge::sqlite
