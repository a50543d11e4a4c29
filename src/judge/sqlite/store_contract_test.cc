// The contract of a store, on the SQLite form.
#include "judge/testing/sqlite_form_test.h"

namespace gavel::judge {
namespace {

INSTANTIATE_TEST_SUITE_P(Sqlite, StoreContract, testing::Values(sqlite_form()), name_of_form);

}  // namespace
}  // namespace gavel::judge
