// ScratchFolder: the data folder of a demonstration or a measurement, removed with all its files when
// the object is destroyed.
//
// One thread, but for remove().
#pragma once

#include <string>
#include <utility>

#include "base/result.h"

namespace gavel::app {

class ScratchFolder {
 public:
  // In TMPDIR if that is set; else in /var/tmp, which is on a disk, where /tmp may be memory and faster than
  // any disk; else in /tmp.
  static Result<ScratchFolder> make();

  ScratchFolder(ScratchFolder&& from) noexcept;
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ScratchFolder& operator=(ScratchFolder&&) = delete;

  std::string file(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

  // Removes the folder with all its files, those included that other threads create meanwhile. Any thread,
  // while the object lives.
  void remove() const;

  // The folder is on a file system in memory, where a commit costs nothing: figures are not those of a disk.
  bool in_memory() const;

 private:
  explicit ScratchFolder(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

}  // namespace gavel::app
