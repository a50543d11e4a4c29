// DemoFolder: the data folder of a demonstration, removed with all it holds when the object goes.
//
// One thread, but for remove().
#pragma once

#include <string>
#include <utility>

#include "base/result.h"

namespace gavel::app {

class DemoFolder {
 public:
  // In TMPDIR if that is set; else in /var/tmp, which is on a disk where /tmp may be memory and would flatter
  // the figures; else in /tmp.
  static Result<DemoFolder> make();

  DemoFolder(DemoFolder&& from) noexcept;
  ~DemoFolder();
  DemoFolder(const DemoFolder&) = delete;
  DemoFolder& operator=(const DemoFolder&) = delete;
  DemoFolder& operator=(DemoFolder&&) = delete;

  std::string file(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

  // Takes the folder away with all it holds, also while others write into it: what they make meanwhile goes
  // too. Any thread, while the object lives.
  void remove() const;

  // A file here outlives no power cut, and a commit costs nothing: figures are not those of a disk.
  bool in_memory() const;

 private:
  explicit DemoFolder(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

}  // namespace gavel::app
