#include "judge/sqlite/settings.h"

#include <string>

namespace gavel::judge::sqlite {
namespace {

constexpr SettingOfSqlite writing[] = {
    {"page_size", "", "4096"},
    {"auto_vacuum", "", "0"},
    {"encoding", "", "UTF-8"},
    {"journal_mode", "WAL", "wal"},
    {"synchronous", "FULL", "2"},
    {"wal_autocheckpoint", "0", "0"},  // The store asks for each checkpoint, to see how it ended.
    {"journal_size_limit", "67108864", "67108864"},
    {"locking_mode", "NORMAL", "normal"},
    {"busy_timeout", "1000", "1000"},
    {"mmap_size", "0", "0"},
    {"cache_size", "-32768", "-32768"},
    {"temp_store", "MEMORY", "2"},
    {"secure_delete", "OFF", "0"},
    {"cell_size_check", "ON", "1"},
    {"foreign_keys", "ON", "1"},
    {"recursive_triggers", "ON", "1"},
    {"ignore_check_constraints", "OFF", "0"},
    {"trusted_schema", "OFF", "0"},
};

constexpr SettingOfSqlite reading[] = {
    {"query_only", "ON", "1"},      {"journal_mode", "", "wal"},      {"busy_timeout", "1000", "1000"},
    {"mmap_size", "0", "0"},        {"cache_size", "-8192", "-8192"}, {"temp_store", "MEMORY", "2"},
    {"cell_size_check", "ON", "1"}, {"trusted_schema", "OFF", "0"},
};

}  // namespace

std::span<const SettingOfSqlite> settings_of(Role role) {
  return role == Role::reader ? std::span<const SettingOfSqlite>(reading)
                              : std::span<const SettingOfSqlite>(writing);
}

Result<void> apply_settings(Connection& connection, Role role) {
  for (const SettingOfSqlite& setting : settings_of(role)) {
    const std::string pragma = std::string("PRAGMA ") + setting.name;
    if (*setting.value != '\0') {
      const Result<void> set = connection.execute(pragma + " = " + setting.value);
      if (!set) return set;
    }
    const Result<std::string> answer = connection.ask(pragma);
    if (!answer) return std::unexpected(answer.error());
    if (*answer == setting.answer) continue;
    return fail(ErrorCode::invalid, "SQLite " + connection.path() + ": " + setting.name + " is " + *answer +
                                        " and must be " + setting.answer +
                                        ", or what is acknowledged could be lost");
  }
  return {};
}

}  // namespace gavel::judge::sqlite
