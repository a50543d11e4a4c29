// The settings of a connection, each set, read back and compared at open (docs/adr/0003 says why each is as
// it is).
#pragma once

#include <span>

#include "base/result.h"
#include "judge/sqlite/connection.h"

namespace gavel::judge::sqlite {

struct SettingOfSqlite {
  const char* name;    // Of the pragma.
  const char* value;   // As it is set; empty where the file's own is only checked.
  const char* answer;  // As it must read back.
};

// In the order in which they are set.
std::span<const SettingOfSqlite> settings_of(Role role);

// Fails with `invalid`, naming the setting, where SQLite answers otherwise than it was told.
Result<void> apply_settings(Connection& connection, Role role);

}  // namespace gavel::judge::sqlite
