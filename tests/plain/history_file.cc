#include "plain/history_file.h"

#include <exception>
#include <map>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <boost/json.hpp>

namespace gavel::plain {
namespace {

namespace json = boost::json;

// One line, whose members are taken out one by one: what is left in the end is not known.
class Members {
 public:
  explicit Members(json::object members) : members_(std::move(members)) {}

  bool has(std::string_view name) const { return members_.contains(name); }

  std::string text(std::string_view name) {
    const auto value = take(name);
    return value ? std::string(value->as_string()) : std::string();
  }
  std::optional<std::int64_t> number(std::string_view name) {
    const auto value = take(name);
    return value && !value->is_null() ? std::optional(value->as_int64()) : std::nullopt;
  }
  bool flag(std::string_view name, bool otherwise) {
    const auto value = take(name);
    return value ? value->as_bool() : otherwise;
  }
  std::vector<oracle::Line> lines(std::string_view name) {
    std::vector<oracle::Line> lines;
    const auto value = take(name);
    if (!value) return lines;
    for (const json::value& line : value->as_array()) {
      const json::array& pair = line.as_array();
      lines.push_back({std::string(pair.at(0).as_string()), pair.at(1).as_int64()});
    }
    return oracle::merged(lines);
  }
  json::object object(std::string_view name) { return take(name)->as_object(); }

  void end() const {
    if (!members_.empty())
      throw std::invalid_argument("no member is called " + std::string(members_.begin()->key()));
  }

 private:
  std::optional<json::value> take(std::string_view name) {
    const auto found = members_.find(name);
    if (found == members_.end()) return std::nullopt;
    json::value value = found->value();
    members_.erase(found);
    return value;
  }

  json::object members_;
};

oracle::Terms terms_of(Members members) {
  oracle::Terms terms;
  terms.clock.per_ms = members.number("per_ms").value_or(1);
  terms.clock.at_epoch = members.number("at_epoch").value_or(0);
  terms.release_within_ms = members.number("release_within_ms");
  terms.at_rest = members.flag("at_rest", true);
  terms.operators = {"operator"};  // The account behind the operators' key.
  members.end();
  return terms;
}

oracle::Reading reading_of(Members& members) {
  oracle::Reading reading;
  members.flag("reading", true);
  reading.call = members.number("call").value();
  reading.answered = members.number("answered").value();
  reading.sku = members.text("sku");
  reading.activity = members.text("activity");
  reading.available = members.number("available").value();
  reading.reserved = members.number("reserved").value();
  reading.sold = members.number("sold").value();
  reading.shortage = members.number("shortage").value_or(0);
  reading.shipped = members.number("shipped").value_or(0);
  reading.approximate = members.flag("approximate", false);
  return reading;
}

oracle::Request request_of(Members& members) {
  oracle::Request request;
  request.caller = members.text("caller");
  request.key = members.text("key");
  request.act = members.text("act");
  request.user = members.text("user");
  request.activity = members.text("activity");
  request.order = members.text("meant_order");
  request.lines = members.lines("lines");
  request.at_once = members.flag("at_once", false);
  request.restocks = members.flag("restocks", true);
  request.limit = members.number("limit").value_or(0);
  if (request.caller.empty() || request.key.empty() || request.act.empty()) {
    throw std::invalid_argument("an attempt needs caller, key and act");
  }
  return request;
}

oracle::Reply reply_of(Members& members) {
  oracle::Reply reply;
  reply.outcome = members.text("outcome");
  reply.recorded = members.flag("recorded", false);
  reply.replayed = members.flag("replayed", false);
  reply.order = members.text("order");
  reply.sku = members.text("sku");
  reply.available = members.number("available");
  reply.allowed = members.number("allowed");
  reply.claimed = members.number("claimed");
  reply.expires_at = members.number("expires_at");
  reply.state = members.text("state");
  reply.text = members.text("text");
  return reply;
}

void add_line(const std::string& line, HistoryFile& file) {
  Members members(json::parse(line).as_object());
  if (members.has("terms")) {
    file.terms = terms_of(Members(members.object("terms")));
  } else if (members.has("reading")) {
    file.history.read(reading_of(members));
  } else {
    const oracle::AttemptId attempt = file.history.begin(request_of(members), members.number("call").value());
    if (members.has("outcome")) {
      const oracle::Moment answered = members.number("answered").value();
      file.history.end(attempt, answered, reply_of(members));
    }
  }
  members.end();
}

}  // namespace

Result<HistoryFile> read_history(std::istream& lines) {
  HistoryFile file;
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    try {
      add_line(line, file);
    } catch (const std::exception& error) {
      return fail(ErrorCode::invalid, "line " + std::to_string(number) + ": " + error.what());
    }
  }
  return file;
}

}  // namespace gavel::plain
