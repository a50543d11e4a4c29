// BareLog: the physical limit beside which the judge is measured.
//
// A batch of records is appended to a file and synced by one fdatasync, and a table in memory refuses an id
// that it has seen. No rules, no rows, no index, no recovery: what a disk and a table of ids allow, and no
// service could be. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/uuid.h"

namespace gavel::bench {

class BareLog {
 public:
  struct Record {
    Uuid id;
    std::string bytes;
  };

  BareLog(const std::string& path, std::size_t ids_max);
  ~BareLog();
  BareLog(const BareLog&) = delete;
  BareLog& operator=(const BareLog&) = delete;

  // Durable when it returns; answers how many ids were new.
  std::size_t append(const std::vector<Record>& batch);

 private:
  bool insert(const Uuid& id);

  int file_;
  std::vector<Uuid> table_;  // Open addressing, twice as many places as ids; a nil id is a free place.
  std::string buffer_;
};

}  // namespace gavel::bench
