// The program `gavel`. See command_line.h; each subcommand has a file of its own.

#include <memory>
#include <utility>
#include <vector>

#include "app/cli/admin_subcommands.h"
#include "app/cli/command_line.h"
#include "app/cli/subcommand.h"
#include "judge/sqlite/store.h"

int main(int count, char** arguments) {
  gavel::judge::spare_sqlite_memory_counts();
  std::vector<std::unique_ptr<gavel::app::Subcommand>> subcommands;
  subcommands.push_back(gavel::app::make_serve());
  subcommands.push_back(gavel::app::make_demo());
  subcommands.push_back(gavel::app::make_bench());
  subcommands.push_back(gavel::app::make_verify());
  subcommands.push_back(gavel::app::make_migrate());
  subcommands.push_back(gavel::app::make_backup());
  subcommands.push_back(gavel::app::make_restore());
  subcommands.push_back(gavel::app::make_config());
  subcommands.push_back(gavel::app::make_account());
  subcommands.push_back(gavel::app::make_key());
  for (auto& one : gavel::app::make_admin_subcommands()) subcommands.push_back(std::move(one));
  return gavel::app::run_command_line(count, arguments, subcommands);
}
