#include "app/scratch_folder.h"

#include <cstdlib>
#include <filesystem>
#include <utility>
#include <vector>

#include <linux/magic.h>
#include <sys/vfs.h>

namespace gavel::app {
namespace {

// A writer can put a file into the folder between its listing and its end, but not so often.
constexpr int removals_max = 100;

}  // namespace

Result<ScratchFolder> ScratchFolder::make() {
  std::vector<std::string> places = {"/var/tmp", "/tmp"};
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing in Gavel changes the environment.
  const char* chosen = std::getenv("TMPDIR");
  if (chosen != nullptr && *chosen != '\0') places = {chosen};
  for (const std::string& place : places) {
    std::string path = place + "/gavel-demo-XXXXXX";
    if (::mkdtemp(path.data()) != nullptr) return ScratchFolder(std::move(path));
  }
  return fail(ErrorCode::invalid, "no temporary folder can be created in " + places.back() +
                                      "; set TMPDIR to a folder that can be written to");
}

ScratchFolder::ScratchFolder(ScratchFolder&& from) noexcept : path_(std::exchange(from.path_, {})) {}

ScratchFolder::~ScratchFolder() { remove(); }

void ScratchFolder::remove() const {
  std::error_code ignored;
  for (int i = 0; i < removals_max && !path_.empty() && std::filesystem::exists(path_, ignored); ++i)
    std::filesystem::remove_all(path_, ignored);
}

bool ScratchFolder::in_memory() const {
  struct statfs status{};
  return ::statfs(path_.c_str(), &status) == 0 && status.f_type == TMPFS_MAGIC;
}

}  // namespace gavel::app
