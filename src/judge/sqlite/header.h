// FileHeader: what the first bytes of an SQLite file say, read past SQLite.
//
// SQLite itself shows a file together with the log that lies beside it, be it the file's own or not; here
// only the file is read (https://www.sqlite.org/fileformat2.html). Never of a file that a connection of this
// process has open, because closing it would end that connection's locks. Blocks; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"

namespace gavel::judge::sqlite {

struct FileHeader {
  std::int64_t application_id = 0;
  bool has_log = false;  // It is of the kind that keeps a write-ahead log.
};

// Nothing where the file is shorter than a header, or is no SQLite file. `invalid` where it cannot be read.
Result<std::optional<FileHeader>> read_header(const std::string& path);

}  // namespace gavel::judge::sqlite
