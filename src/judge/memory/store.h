// The memory form of a store: tables in maps, one transaction at a time, nothing kept when the process ends.
//
// It is a store like any other and passes the same contract suite: begin waits for the transaction in
// progress, commit is atomic, rollback leaves no trace, constraints refuse what the rules should never have
// written. Time is the given clock's. Tests and the simulator are based on it.
#pragma once

#include <memory>

#include "base/clock.h"
#include "judge/reader.h"
#include "judge/store.h"

namespace gavel::judge {

// The committed tables; shared by the stores (one per lane) and readers that are opened on it. Thread-safe.
class MemoryDatabase;

// `incarnation` is drawn by whoever shares a gate with others; tests and simulations have no need of it.
std::shared_ptr<MemoryDatabase> make_memory_database(rules::Incarnation incarnation = {});
std::unique_ptr<Store> open_memory_store(std::shared_ptr<MemoryDatabase> database, const Clock& clock);
// `clock` is that of the database's stores, and outlives the reader.
std::unique_ptr<Reader> open_memory_reader(std::shared_ptr<MemoryDatabase> database, const Clock& clock);

}  // namespace gavel::judge
