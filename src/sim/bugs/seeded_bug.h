// seeded_bug: which deliberate fault of the catalogue is in force in this process.
//
// Only the program gavel-sim-bugs has it. The product's sources know nothing of it: generate.py copies some
// of them into the build folder, with the faults of catalogue.toml written in beside what is right.
#pragma once

namespace gavel::sim {

// True if bug `number` is the chosen one.
bool seeded_bug(int number);

// Chooses one for the rest of this process; 0 for none. Before anything of the product runs; one thread.
void choose_bug(int number);

}  // namespace gavel::sim
