// The memory form of a store, as the contract suites want it.
#pragma once

#include <memory>

#include "judge/memory/store.h"
#include "judge/testing/store_contract.h"

namespace gavel::judge {

class MemoryWorld final : public StoreWorld {
 public:
  std::unique_ptr<Store> open_store() override { return open_memory_store(database_, clock_); }
  std::unique_ptr<Reader> open_reader() override { return open_memory_reader(database_, clock_); }
  VirtualStoreClock& clock() override { return clock_; }
  Isolation isolation() const override { return Isolation::one_transaction; }

 private:
  VirtualStoreClock clock_;
  std::shared_ptr<MemoryDatabase> database_ = make_memory_database();
};

inline StoreForm memory_form() {
  return {"memory", [] { return std::make_unique<MemoryWorld>(); }};
}

}  // namespace gavel::judge
