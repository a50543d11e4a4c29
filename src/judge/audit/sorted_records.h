// SortedRecords: records of bytes that come in any order and go in the order of their keys, in bounded
// memory.
//
//   add … add ─► sort ─► (is_end, key, value, next) …
//
// What exceeds `run_bytes` is sorted and goes to a scratch file as one run; the runs are merged when they are
// read. Memory is one run while records come, and while they go merge_bytes_in_runs times as much in all, or
// a page of 4 KiB for each run, whichever is more: with the default a gigabyte of records takes 16 MiB, and
// only beyond 16 GiB of records the pages are more. Without a folder nothing leaves memory. Records of one
// key go in the order of their values. Blocks; one thread. Errors are those of the scratch file, and it is
// over then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "judge/audit/scratch_file.h"

namespace gavel::judge {

inline constexpr std::size_t run_bytes_default = 4UL * 1024 * 1024;
inline constexpr std::size_t merge_bytes_in_runs = 4;

struct SortSpace {
  ScratchSpace scratch;  // Without a folder everything stays in memory.
  std::size_t run_bytes = run_bytes_default;
};

class SortedRecords {
 public:
  explicit SortedRecords(SortSpace space) : space_(std::move(space)), file_(space_.scratch) {}

  Result<void> add(std::string_view key, std::string_view value);
  // After the last add(); then the first record is there.
  Result<void> sort();

  bool is_end() const { return is_end_; }
  // Of the present record, until next().
  std::string_view key() const { return key_; }
  std::string_view value() const { return value_; }
  Result<void> next();

  std::int64_t bytes_on_disk() const { return file_.size(); }

 private:
  // A record among those in memory: the first bytes of its key as a number, and where it begins.
  struct Entry {
    std::uint64_t prefix;
    std::uint32_t at;
  };
  // What is being read of a run.
  struct Run {
    std::int64_t at;   // In the file: of what is not in the buffer.
    std::int64_t end;  // In the file.
    std::string buffer = {};
    std::size_t begin = 0;  // In the buffer: of the present record.
    std::string_view key = {}, value = {};
  };

  void sort_memory();
  Result<void> write_run();
  Result<bool> read_record(Run& run) const;
  Result<bool> fill(Run& run, std::size_t bytes) const;
  Result<void> begin_merge();
  Result<void> next_of_runs();
  void next_of_memory();
  bool goes_later(std::size_t one, std::size_t other) const;

  const SortSpace space_;
  ScratchFile file_;
  std::string bytes_;  // Records: length of the key, length of the value, key, value.
  std::vector<Entry> entries_;
  std::size_t next_entry_ = 0;
  std::vector<Run> runs_;
  std::vector<std::size_t> heap_;  // Of the runs that have a record, that with the least one in front.
  std::size_t buffer_bytes_ = 0;
  bool is_end_ = true;
  std::string_view key_, value_;
};

}  // namespace gavel::judge
