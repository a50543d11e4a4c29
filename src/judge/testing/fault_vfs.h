// FaultVfs: SQLite's own file layer, with one fault at a chosen call. For tests and the simulator alone.
//
// What a disk does when it is full, when it fails to sync, when power or a signal cuts a write short. Calls
// are counted by kind of file, so that a test can fail each in turn. Lives longer than every connection that
// names it. One thread.
//
//   working ── power_off ──► off: whoever still closes a connection changes no file ── power_on ──► working
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <sqlite3.h>

namespace gavel::judge {

class FaultVfs {
 public:
  enum class File : std::uint8_t { database, log, other };  // log: the write-ahead log.
  enum class Fault : std::uint8_t {
    full,         // A write, and every later one, stores nothing and says so.
    short_write,  // A write stores its first half and fails.
    sync_error,   // A sync fails, once: the next would say that all is well, as Linux does.
    read_error,   // A read fails, once.
    lock_error,   // The system cannot lock a part of the file, once: it is out of locks, or the disk is
                  // remote.
    lock_busy,    // Somebody else writes and checkpoints, and goes on with it.
  };

  // Registers the layer under `name`, on top of the system's.
  explicit FaultVfs(std::string name);
  ~FaultVfs();
  FaultVfs(const FaultVfs&) = delete;
  FaultVfs& operator=(const FaultVfs&) = delete;

  const std::string& name() const { return name_; }

  // The `nth` call from now on that can have this fault, of files of this kind, has it. One at a time.
  void arm(Fault fault, File file, std::int64_t nth);
  void disarm() { armed_.reset(); }
  bool fired() const { return fired_; }

  // The power fails: from here on every write, sync, truncation and removal fails and does nothing.
  void power_off() { is_off_ = true; }
  // The power is back, and all connections were closed meanwhile. Of what was written and not synced, each
  // write for which `survives` is true is in the file, in the order in which they were made; without it all
  // are, as after a kill.
  void power_on(const std::function<bool()>& survives = nullptr);
  // Writes and truncations that no sync has made durable.
  std::size_t unsynced() const { return unsynced_.size(); }

  std::int64_t writes(File file) const { return counts_[static_cast<std::size_t>(file)].writes; }
  std::int64_t syncs(File file) const { return counts_[static_cast<std::size_t>(file)].syncs; }

 private:
  struct Opened;  // A file of ours, the system's behind it.
  struct Calls;   // The functions that SQLite calls.
  struct Armed {
    Fault fault;
    File file;
    std::int64_t nth;
  };
  struct Counts {
    std::int64_t writes = 0;
    std::int64_t syncs = 0;
  };

  // A change of a file that a failing power may undo.
  struct Change {
    std::string path;
    sqlite3_int64 offset;
    std::string before;  // What stood there; shorter where the file ended.
    std::string after;   // What was written; of a truncation nothing.
    sqlite3_int64 size_before;
    bool truncates;
  };

  bool is_due(Fault fault, File file);
  void note(Opened& file, sqlite3_int64 offset, std::string after, sqlite3_int64 count, bool truncates);
  int truncate(Opened& file, sqlite3_int64 size);
  int write(Opened& file, const void* bytes, int count, sqlite3_int64 offset);
  int sync(Opened& file, int flags);

  const std::string name_;
  sqlite3_vfs* const system_;
  sqlite3_vfs layer_;
  std::optional<Armed> armed_;
  bool fired_ = false;
  std::array<Counts, 3> counts_;
  bool is_off_ = false;
  std::vector<Change> unsynced_;
};

}  // namespace gavel::judge
