#include "judge/testing/fault_vfs.h"

#include <utility>

#include "base/check.h"

namespace gavel::judge {

struct FaultVfs::Opened {
  sqlite3_file base;  // First, for SQLite knows a file by it.
  FaultVfs* vfs;
  File kind;

  // The system's file stands right behind ours, in the memory that SQLite gave for both.
  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

struct FaultVfs::Calls {
  static Opened& ours(sqlite3_file* file) { return *reinterpret_cast<Opened*>(file); }
  static FaultVfs& ours(sqlite3_vfs* vfs) { return *static_cast<FaultVfs*>(vfs->pAppData); }
  static sqlite3_vfs* system(sqlite3_vfs* vfs) { return ours(vfs).system_; }

  static int write(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 offset) {
    return ours(file).vfs->write(ours(file), bytes, count, offset);
  }
  static int sync(sqlite3_file* file, int flags) { return ours(file).vfs->sync(ours(file), flags); }

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
                                             .xRead = pass<&M::xRead>,
                                             .xWrite = write,
                                             .xTruncate = pass<&M::xTruncate>,
                                             .xSync = sync,
                                             .xFileSize = pass<&M::xFileSize>,
                                             .xLock = pass<&M::xLock>,
                                             .xUnlock = pass<&M::xUnlock>,
                                             .xCheckReservedLock = pass<&M::xCheckReservedLock>,
                                             .xFileControl = pass<&M::xFileControl>,
                                             .xSectorSize = pass<&M::xSectorSize>,
                                             .xDeviceCharacteristics = pass<&M::xDeviceCharacteristics>,
                                             .xShmMap = pass<&M::xShmMap>,
                                             .xShmLock = pass<&M::xShmLock>,
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
  layer_.xDelete = Calls::pass_vfs<&V::xDelete>;
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
  if (fault != Fault::full) armed_.reset();
  return true;
}

int FaultVfs::write(Opened& file, const void* bytes, int count, sqlite3_int64 offset) {
  ++counts_[static_cast<std::size_t>(file.kind)].writes;
  if (is_due(Fault::full, file.kind)) return SQLITE_FULL;
  sqlite3_file* real = file.real();
  if (is_due(Fault::short_write, file.kind)) {
    const int code = real->pMethods->xWrite(real, bytes, count / 2, offset);
    return code == SQLITE_OK ? SQLITE_IOERR_WRITE : code;
  }
  return real->pMethods->xWrite(real, bytes, count, offset);
}

int FaultVfs::sync(Opened& file, int flags) {
  ++counts_[static_cast<std::size_t>(file.kind)].syncs;
  if (is_due(Fault::sync_error, file.kind)) return SQLITE_IOERR_FSYNC;
  sqlite3_file* real = file.real();
  return real->pMethods->xSync(real, flags);
}

}  // namespace gavel::judge
