// TemporaryDataFolder: the data folder of a demonstration or a measurement, removed with all its files when
// the object is destroyed.
//
// One thread, but for remove().
#pragma once

#include <string>
#include <utility>

#include "base/result.h"

namespace gavel::app {

class TemporaryDataFolder {
 public:
  // In TMPDIR if that is set; else in /var/tmp, which is on a disk, where /tmp may be memory and faster than
  // any disk; else in /tmp.
  static Result<TemporaryDataFolder> make();

  TemporaryDataFolder(TemporaryDataFolder&& from) noexcept;
  ~TemporaryDataFolder();
  TemporaryDataFolder(const TemporaryDataFolder&) = delete;
  TemporaryDataFolder& operator=(const TemporaryDataFolder&) = delete;
  TemporaryDataFolder& operator=(TemporaryDataFolder&&) = delete;

  std::string file(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

  // Removes the folder with all its files, those included that other threads create meanwhile. Any thread,
  // while the object lives.
  void remove() const;

  // The folder is on a file system in memory, where a commit costs nothing: figures are not those of a disk.
  bool in_memory() const;

 private:
  explicit TemporaryDataFolder(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

}  // namespace gavel::app
