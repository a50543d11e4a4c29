#include "app/serving_file.h"

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

#include <boost/json.hpp>
#include <unistd.h>

#include "base/check.h"

namespace gavel::app {
namespace {

std::optional<Serving> parse(const std::string& text) {
  boost::system::error_code wrong;
  const boost::json::value value = boost::json::parse(text, wrong);
  if (wrong || !value.is_object()) return std::nullopt;
  const auto word = [&value](std::string_view name) -> std::optional<std::string> {
    const boost::json::value* found = value.as_object().if_contains(name);
    if (found == nullptr || !found->is_string()) return std::nullopt;
    return std::string(found->as_string());
  };
  auto operators = word("operators");
  auto key_file = word("key_file");
  if (!operators || !key_file) return std::nullopt;
  return Serving{*std::move(operators), *std::move(key_file)};
}

}  // namespace

std::string serving_file_of(const std::string& database) { return database + ".serving"; }

Result<void> write_serving_file(const std::string& database, const Serving& serving) {
  CHECK(!database.empty() && !serving.operators.empty() && !serving.key_file.empty());
  const std::string file = serving_file_of(database);
  const std::string draft = file + ".draft";
  const std::string line = boost::json::serialize(boost::json::object{{"operators", serving.operators},
                                                                      {"key_file", serving.key_file}}) +
                           "\n";
  {
    std::ofstream stream(draft, std::ios::binary | std::ios::trunc);
    stream << line << std::flush;
    if (!stream) return fail(ErrorCode::invalid, "file " + draft + " cannot be written");
  }
  if (::rename(draft.c_str(), file.c_str()) != 0)
    return fail(ErrorCode::invalid,
                "file " + file + " cannot be written: " + std::generic_category().message(errno));
  return {};
}

void remove_serving_file(const std::string& database) { ::unlink(serving_file_of(database).c_str()); }

Result<std::optional<Serving>> read_serving_file(const std::string& database) {
  const std::string file = serving_file_of(database);
  if (::access(file.c_str(), F_OK) != 0) return std::nullopt;
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  auto serving = parse(text);
  if (!serving)
    return fail(ErrorCode::invalid,
                "file " + file + " was not written by gavel serve; remove it if no server is running");
  return serving;
}

}  // namespace gavel::app
