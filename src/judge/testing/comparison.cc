#include "judge/testing/comparison.h"

#include <regex>
#include <sstream>

#include "judge/audit/audit.h"

namespace gavel::judge {

std::string without_batches(const std::string& dump) {
  static const std::regex varying(" generation=[0-9]+| refusals=[0-9]+| batch=[0-9.]+ i=[0-9]+");
  std::istringstream lines(dump);
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("batch ")) kept += std::regex_replace(line, varying, "") + "\n";
  }
  return kept;
}

std::string first_difference(const std::string& one, const std::string& other) {
  std::istringstream ones(one);
  std::istringstream others(other);
  std::string a;
  std::string b;
  while (std::getline(ones, a)) {
    if (!std::getline(others, b) || a != b) return a + "\n" + b;
  }
  return std::getline(others, b) ? "\n" + b : "";
}

std::string findings_of(Reader& reader) {
  const auto report = audit(reader);
  if (!report) return report.error().message;
  std::string text;
  for (const Finding& finding : report->findings) text += finding.invariant + ": " + finding.what + "\n";
  return text;
}

}  // namespace gavel::judge
