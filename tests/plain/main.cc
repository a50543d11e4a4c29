// gavel-oracle: holds what callers were told against the database of the service that told it.
//
//   gavel-oracle HISTORY DATABASE [--overdue-ms N]
//
// HISTORY is a file of plain/history_file.h, DATABASE one of SQLite's, at rest or in use. A finding a line,
// then how many there are and in which states the orders are. --overdue-ms looks for holds that are past
// their time by more than that (C9). Exit code: 0 nothing is wrong, 2 usage or a file that cannot be read, 4
// findings.
#include <cstdio>
#include <fstream>
#include <map>
#include <string>

#include <CLI/CLI.hpp>

#include "base/clock.h"
#include "judge/sqlite/store.h"
#include "oracle/check.h"
#include "oracle/left.h"
#include "plain/history_file.h"
#include "plain/plain_words.h"

namespace gavel::plain {
namespace {

constexpr int unreadable = 2;
constexpr int findings_there = 4;

struct Question {
  std::string history;
  std::string database;
  std::int64_t overdue_ms = 0;  // 0: do not look.
};

void say(const std::string& line) { std::printf("%s\n", line.c_str()); }

int complain(const std::string& what, const std::string& why) {
  std::fprintf(stderr, "gavel-oracle: %s: %s\n", what.c_str(), why.c_str());
  return unreadable;
}

int answer(const Question& question) {
  std::ifstream lines(question.history);
  if (!lines) return complain(question.history, "cannot be opened");
  const auto file = read_history(lines);
  if (!file) return complain(question.history, file.error().message);
  const RealClock clock;
  const auto reader = judge::open_sqlite_reader({question.database, {}}, clock);
  if (!reader) return complain(question.database, reader.error().message);
  const Time now = clock.now();
  const auto ledger = read_ledger(**reader);
  if (!ledger) return complain(question.database, ledger.error().message);

  std::vector<oracle::Finding> found = oracle::check(file->history, *ledger, file->terms);
  if (question.overdue_ms > 0) {
    const auto late = oracle::check_overdue(*ledger, ms_of(now), question.overdue_ms);
    found.insert(found.end(), late.begin(), late.end());
  }
  for (const oracle::Finding& finding : found) say(to_text(finding));
  std::map<std::string, int> states;
  for (const auto& [id, order] : ledger->orders) ++states[order.state];
  std::string summary = std::to_string(found.size()) + " findings;";
  for (const auto& [state, count] : states) summary += " " + state + "=" + std::to_string(count);
  say(summary);
  return found.empty() ? 0 : findings_there;
}

}  // namespace
}  // namespace gavel::plain

int main(int count, char** arguments) {
  gavel::plain::Question question;
  CLI::App app("Holds what callers were told against the database of the service that told it.",
               "gavel-oracle");
  app.add_option("HISTORY", question.history, "the attempts, a JSON object a line")->required();
  app.add_option("DATABASE", question.database, "the file of SQLite's")->required();
  app.add_option("--overdue-ms", question.overdue_ms,
                 "look for holds that are past their time by more than that");
  try {
    app.parse(count, arguments);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : gavel::plain::unreadable;
  }
  return gavel::plain::answer(question);
}
