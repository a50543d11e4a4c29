#include "judge/audit/sorted_records.h"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "base/check.h"

namespace gavel::judge {
namespace {

using Length = std::uint32_t;
constexpr std::size_t header_bytes = 2 * sizeof(Length);

// The least that a run is read by, a page of the disk, and the most, which a disk reads at its full speed.
constexpr std::size_t buffer_bytes_min = 4UL * 1024;
constexpr std::size_t buffer_bytes_max = 64UL * 1024;

void append_length(std::string& to, std::size_t length) {
  CHECK(length <= UINT32_MAX);
  const auto value = static_cast<Length>(length);
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  to.append(bytes, sizeof bytes);
}

struct Record {
  std::string_view key;
  std::string_view value;
  friend auto operator<=>(const Record&, const Record&) = default;
};

std::size_t record_bytes(const char* header) {
  Length lengths[2];
  std::memcpy(lengths, header, sizeof lengths);
  return header_bytes + lengths[0] + lengths[1];
}

Record record_at(const char* header) {
  Length lengths[2];
  std::memcpy(lengths, header, sizeof lengths);
  const char* key = header + header_bytes;
  return {{key, lengths[0]}, {key + lengths[0], lengths[1]}};
}

// In the order of the bytes; a shorter key is filled up with zeros.
std::uint64_t prefix_of(std::string_view key) {
  std::uint64_t prefix = 0;
  for (std::size_t i = 0; i < sizeof prefix; ++i) {
    prefix = (prefix << 8U) | (i < key.size() ? static_cast<unsigned char>(key[i]) : 0U);
  }
  return prefix;
}

}  // namespace

Result<void> SortedRecords::add(std::string_view key, std::string_view value) {
  CHECK(is_end_ && heap_.empty());
  const std::size_t more = header_bytes + key.size() + value.size() + sizeof(Entry);
  const std::size_t held = bytes_.size() + entries_.size() * sizeof(Entry);
  if (!space_.scratch.folder.empty() && !entries_.empty() && held + more > space_.run_bytes) {
    if (const Result<void> written = write_run(); !written) return written;
  }
  CHECK(bytes_.size() <= UINT32_MAX);
  entries_.push_back({prefix_of(key), static_cast<std::uint32_t>(bytes_.size())});
  append_length(bytes_, key.size());
  append_length(bytes_, value.size());
  bytes_.append(key).append(value);
  return {};
}

void SortedRecords::sort_memory() {
  std::ranges::sort(entries_, [&](const Entry& one, const Entry& other) {
    if (one.prefix != other.prefix) return one.prefix < other.prefix;
    return record_at(bytes_.data() + one.at) < record_at(bytes_.data() + other.at);
  });
}

Result<void> SortedRecords::write_run() {
  sort_memory();
  const std::int64_t begin = file_.size();
  std::string part;
  part.reserve(buffer_bytes_max + header_bytes);
  for (const Entry& entry : entries_) {
    const char* header = bytes_.data() + entry.at;
    part.append(header, record_bytes(header));
    if (part.size() < buffer_bytes_max) continue;
    if (const Result<void> written = file_.append(part); !written) return written;
    part.clear();
  }
  if (const Result<void> written = file_.append(part); !written) return written;
  runs_.push_back({begin, file_.size()});
  bytes_.clear();
  entries_.clear();
  return {};
}

Result<void> SortedRecords::sort() {
  CHECK(is_end_ && heap_.empty());
  if (runs_.empty()) {
    sort_memory();
    next_of_memory();
    return {};
  }
  if (!entries_.empty()) {
    if (const Result<void> written = write_run(); !written) return written;
  }
  std::string().swap(bytes_);
  std::vector<Entry>().swap(entries_);
  return begin_merge();
}

Result<void> SortedRecords::begin_merge() {
  buffer_bytes_ =
      std::clamp(merge_bytes_in_runs * space_.run_bytes / runs_.size(), buffer_bytes_min, buffer_bytes_max);
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const Result<bool> there = read_record(runs_[i]);
    if (!there) return std::unexpected(there.error());
    if (*there) heap_.push_back(i);
  }
  std::ranges::make_heap(heap_, [this](auto one, auto other) { return goes_later(one, other); });
  is_end_ = heap_.empty();
  if (!is_end_) std::tie(key_, value_) = std::tie(runs_[heap_.front()].key, runs_[heap_.front()].value);
  return {};
}

bool SortedRecords::goes_later(std::size_t one, std::size_t other) const {
  const Run& a = runs_[one];
  const Run& b = runs_[other];
  return std::tie(a.key, a.value) > std::tie(b.key, b.value);
}

Result<void> SortedRecords::next() {
  CHECK(!is_end_);
  if (!runs_.empty()) return next_of_runs();
  next_of_memory();
  return {};
}

void SortedRecords::next_of_memory() {
  is_end_ = next_entry_ == entries_.size();
  if (is_end_) return;
  const Record record = record_at(bytes_.data() + entries_[next_entry_++].at);
  key_ = record.key;
  value_ = record.value;
}

Result<void> SortedRecords::next_of_runs() {
  const auto later = [this](auto one, auto other) { return goes_later(one, other); };
  std::ranges::pop_heap(heap_, later);
  Run& run = runs_[heap_.back()];
  const Result<bool> there = read_record(run);
  if (!there) return std::unexpected(there.error());
  if (*there) {
    std::ranges::push_heap(heap_, later);
  } else {
    heap_.pop_back();
    std::string().swap(run.buffer);
  }
  is_end_ = heap_.empty();
  if (!is_end_) std::tie(key_, value_) = std::tie(runs_[heap_.front()].key, runs_[heap_.front()].value);
  return {};
}

// The record after the present one; false at the end of the run.
Result<bool> SortedRecords::read_record(Run& run) const {
  if (run.key.data() != nullptr) run.begin += header_bytes + run.key.size() + run.value.size();
  const Result<bool> header = fill(run, header_bytes);
  if (!header || !*header) return header;
  const Result<bool> whole = fill(run, record_bytes(run.buffer.data() + run.begin));
  if (!whole) return whole;
  CHECK(*whole);  // A run ends with a record.
  const Record record = record_at(run.buffer.data() + run.begin);
  run.key = record.key;
  run.value = record.value;
  return true;
}

// Makes the buffer hold so many bytes from the present record on; false if the run has ended.
Result<bool> SortedRecords::fill(Run& run, std::size_t bytes) const {
  const std::size_t held = run.buffer.size() - run.begin;
  if (held >= bytes) return true;
  const auto left = static_cast<std::size_t>(run.end - run.at);
  if (held + left < bytes) {
    CHECK(held + left == 0);
    return false;
  }
  run.buffer.erase(0, run.begin);
  run.begin = 0;
  const std::size_t more = std::min(left, std::max(buffer_bytes_, bytes) - held);
  run.buffer.resize(held + more);
  if (const Result<void> read = file_.read(run.at, std::span(run.buffer).subspan(held)); !read) {
    return std::unexpected(read.error());
  }
  run.at += static_cast<std::int64_t>(more);
  return true;
}

}  // namespace gavel::judge
