#include "sim/bugs/seeded_bug.h"

namespace gavel::sim {
namespace {

// global: whoever asks for it stands in the middle of the product, where nobody hands it anything.
int chosen = 0;

}  // namespace

bool seeded_bug(int number) { return number == chosen; }

void choose_bug(int number) { chosen = number; }

}  // namespace gavel::sim
