#include "judge/testing/fault_vfs.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/check.h"

namespace gavel::judge {

struct FaultVfs::Opened {
  sqlite3_file base;  // First, for SQLite knows a file by it.
  FaultVfs* vfs;
  File kind;
  const char* path;  // SQLite keeps it while the file is open; none of a temporary file.

  // The system's file stands right behind ours, in the memory that SQLite gave for both.
  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

struct FaultVfs::Calls {
  static Opened& ours(sqlite3_file* file) { return *reinterpret_cast<Opened*>(file); }
  static FaultVfs& ours(sqlite3_vfs* vfs) { return *static_cast<FaultVfs*>(vfs->pAppData); }
  static sqlite3_vfs* system(sqlite3_vfs* vfs) { return ours(vfs).system_; }

  static int read(sqlite3_file* file, void* bytes, int count, sqlite3_int64 offset) {
    if (ours(file).vfs->is_due(Fault::read_error, ours(file).kind)) return SQLITE_IOERR_READ;
    sqlite3_file* real = ours(file).real();
    return real->pMethods->xRead(real, bytes, count, offset);
  }
  static int write(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 offset) {
    return ours(file).vfs->write(ours(file), bytes, count, offset);
  }
  static int sync(sqlite3_file* file, int flags) { return ours(file).vfs->sync(ours(file), flags); }

  static int truncate(sqlite3_file* file, sqlite3_int64 size) {
    return ours(file).vfs->truncate(ours(file), size);
  }
  static int lock(sqlite3_file* file, int level) {
    if (ours(file).vfs->is_due(Fault::lock_error, ours(file).kind)) return SQLITE_IOERR_LOCK;
    sqlite3_file* real = ours(file).real();
    return real->pMethods->xLock(real, level);
  }
  static int lock_shared(sqlite3_file* file, int first, int count, int flags) {
    const bool wants = (flags & SQLITE_SHM_LOCK) != 0;
    const bool alone = wants && (flags & SQLITE_SHM_EXCLUSIVE) != 0;
    if (wants && ours(file).vfs->is_due(Fault::lock_error, ours(file).kind)) return SQLITE_IOERR_SHMLOCK;
    if (alone && ours(file).vfs->is_due(Fault::lock_busy, ours(file).kind)) return SQLITE_BUSY;
    sqlite3_file* real = ours(file).real();
    return real->pMethods->xShmLock(real, first, count, flags);
  }
  static int remove(sqlite3_vfs* vfs, const char* path, int sync_folder) {
    if (ours(vfs).is_off_) return SQLITE_IOERR_DELETE;
    std::erase_if(ours(vfs).unsynced_, [&](const Change& change) { return change.path == path; });
    return system(vfs)->xDelete(system(vfs), path, sync_folder);
  }

  // Everything else goes to the system's file as it is.
  template <auto method, class... Values>
  static auto pass(sqlite3_file* file, Values... values) {
    sqlite3_file* real = ours(file).real();
    return (real->pMethods->*method)(real, values...);
  }
  template <auto method, class... Values>
  static auto pass_vfs(sqlite3_vfs* vfs, Values... values) {
    return (system(vfs)->*method)(system(vfs), values...);
  }

  static const sqlite3_io_methods& methods();
  static int open(sqlite3_vfs* vfs, sqlite3_filename path, sqlite3_file* file, int flags, int* out_flags);
};

const sqlite3_io_methods& FaultVfs::Calls::methods() {
  using M = sqlite3_io_methods;
  // Version 2 has shared memory, which a write-ahead log needs, and no mapping of the file, which would
  // bypass us.
  static constexpr sqlite3_io_methods all = {.iVersion = 2,
                                             .xClose = pass<&M::xClose>,
                                             .xRead = read,
                                             .xWrite = write,
                                             .xTruncate = truncate,
                                             .xSync = sync,
                                             .xFileSize = pass<&M::xFileSize>,
                                             .xLock = lock,
                                             .xUnlock = pass<&M::xUnlock>,
                                             .xCheckReservedLock = pass<&M::xCheckReservedLock>,
                                             .xFileControl = pass<&M::xFileControl>,
                                             .xSectorSize = pass<&M::xSectorSize>,
                                             .xDeviceCharacteristics = pass<&M::xDeviceCharacteristics>,
                                             .xShmMap = pass<&M::xShmMap>,
                                             .xShmLock = lock_shared,
                                             .xShmBarrier = pass<&M::xShmBarrier>,
                                             .xShmUnmap = pass<&M::xShmUnmap>,
                                             .xFetch = nullptr,
                                             .xUnfetch = nullptr};
  return all;
}

int FaultVfs::Calls::open(sqlite3_vfs* vfs, sqlite3_filename path, sqlite3_file* file, int flags,
                          int* out_flags) {
  Opened& opened = ours(file);
  opened.vfs = &ours(vfs);
  opened.kind = File::other;
  opened.path = path;
  if ((flags & SQLITE_OPEN_MAIN_DB) != 0) opened.kind = File::database;
  if ((flags & SQLITE_OPEN_WAL) != 0) opened.kind = File::log;
  const int code = system(vfs)->xOpen(system(vfs), path, opened.real(), flags, out_flags);
  // Without methods SQLite does not close the file.
  file->pMethods = opened.real()->pMethods == nullptr ? nullptr : &methods();
  return code;
}

FaultVfs::FaultVfs(std::string name) : name_(std::move(name)), system_(sqlite3_vfs_find(nullptr)), layer_{} {
  CHECK(system_ != nullptr);
  CHECK(sqlite3_vfs_find(name_.c_str()) == nullptr);
  using V = sqlite3_vfs;
  layer_.iVersion = 2;
  layer_.szOsFile = static_cast<int>(sizeof(Opened)) + system_->szOsFile;
  layer_.mxPathname = system_->mxPathname;
  layer_.zName = name_.c_str();
  layer_.pAppData = this;
  layer_.xOpen = Calls::open;
  layer_.xDelete = Calls::remove;
  layer_.xAccess = Calls::pass_vfs<&V::xAccess>;
  layer_.xFullPathname = Calls::pass_vfs<&V::xFullPathname>;
  layer_.xRandomness = Calls::pass_vfs<&V::xRandomness>;
  layer_.xSleep = Calls::pass_vfs<&V::xSleep>;
  layer_.xCurrentTime = Calls::pass_vfs<&V::xCurrentTime>;
  layer_.xGetLastError = Calls::pass_vfs<&V::xGetLastError>;
  layer_.xCurrentTimeInt64 = Calls::pass_vfs<&V::xCurrentTimeInt64>;
  static_assert(sizeof(Opened) % alignof(sqlite3_int64) == 0, "the file behind ours stands aligned");
  CHECK(sqlite3_vfs_register(&layer_, 0) == SQLITE_OK);
}

FaultVfs::~FaultVfs() { CHECK(sqlite3_vfs_unregister(&layer_) == SQLITE_OK); }

void FaultVfs::arm(Fault fault, File file, std::int64_t nth) {
  CHECK(nth >= 1);
  armed_ = Armed{fault, file, nth};
  fired_ = false;
}

// Counts down, and is true on the call that fails.
bool FaultVfs::is_due(Fault fault, File file) {
  if (!armed_ || armed_->fault != fault || armed_->file != file) return false;
  if (armed_->nth > 1) {
    --armed_->nth;
    return false;
  }
  fired_ = true;
  if (fault != Fault::full && fault != Fault::lock_busy) armed_.reset();
  return true;
}

// Keeps what a change takes away, for the case that the power fails before a sync.
void FaultVfs::note(Opened& file, sqlite3_int64 offset, std::string after, sqlite3_int64 count,
                    bool truncates) {
  if (file.path == nullptr) return;
  sqlite3_file* real = file.real();
  sqlite3_int64 size = 0;
  CHECK(real->pMethods->xFileSize(real, &size) == SQLITE_OK);
  const sqlite3_int64 there = std::clamp<sqlite3_int64>(size - offset, 0, count);
  std::string before(static_cast<std::size_t>(there), '\0');
  if (there > 0)
    CHECK(real->pMethods->xRead(real, before.data(), static_cast<int>(there), offset) == SQLITE_OK);
  unsynced_.push_back({file.path, offset, std::move(before), std::move(after), size, truncates});
}

int FaultVfs::truncate(Opened& file, sqlite3_int64 size) {
  if (is_off_) return SQLITE_IOERR_TRUNCATE;
  sqlite3_file* real = file.real();
  note(file, size, "", INT32_MAX, true);
  return real->pMethods->xTruncate(real, size);
}

int FaultVfs::write(Opened& file, const void* bytes, int count, sqlite3_int64 offset) {
  if (is_off_) return SQLITE_IOERR_WRITE;
  ++counts_[static_cast<std::size_t>(file.kind)].writes;
  if (is_due(Fault::full, file.kind)) return SQLITE_FULL;
  sqlite3_file* real = file.real();
  const bool is_short = is_due(Fault::short_write, file.kind);
  const int written = is_short ? count / 2 : count;
  note(file, offset, std::string(static_cast<const char*>(bytes), static_cast<std::size_t>(written)), written,
       false);
  const int code = real->pMethods->xWrite(real, bytes, written, offset);
  return code == SQLITE_OK && is_short ? SQLITE_IOERR_WRITE : code;
}

int FaultVfs::sync(Opened& file, int flags) {
  if (is_off_) return SQLITE_IOERR_FSYNC;
  ++counts_[static_cast<std::size_t>(file.kind)].syncs;
  // Its writes stay unsynced, whatever the next sync says of them.
  if (is_due(Fault::sync_error, file.kind)) return SQLITE_IOERR_FSYNC;
  sqlite3_file* real = file.real();
  const int code = real->pMethods->xSync(real, flags);
  if (code == SQLITE_OK && file.path != nullptr) {
    std::erase_if(unsynced_, [&](const Change& change) { return change.path == file.path; });
  }
  return code;
}

// Back to what was synced, change by change, and then forward again with those that survive.
void FaultVfs::power_on(const std::function<bool()>& survives) {
  is_off_ = false;
  const std::vector<Change> changes = std::exchange(unsynced_, {});
  if (!survives) return;
  const auto put = [](const Change& change, const std::string& bytes) {
    std::fstream file(change.path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(change.offset);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    CHECK(file.good());
  };
  for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
    put(*change, change->before);
    std::filesystem::resize_file(change->path, static_cast<std::uintmax_t>(change->size_before));
  }
  for (const Change& change : changes) {
    if (!survives()) continue;
    if (change.truncates)
      std::filesystem::resize_file(change.path, static_cast<std::uintmax_t>(change.offset));
    if (!change.truncates) put(change, change.after);
  }
}

}  // namespace gavel::judge
