// One noun: the checks of the contract.
#include "openapi_checks.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <regex>
#include <string_view>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/check.h"
#include "base/time.h"
#include "base/utf8.h"
#include "base/uuid.h"
#include "http/batch.h"
#include "http/routes.h"
#include "http/strict_json.h"
#include "http/target.h"
#include "rules/outcome.h"
#include "rules/request_key.h"

namespace gavel::http {
namespace {

using boost::json::object;
using boost::json::value;

std::string text(const value& from) { return {from.as_string().data(), from.as_string().size()}; }

const object& pointed(const value& document, const object& from) {
  const auto* ref = from.if_contains("$ref");
  return ref == nullptr ? from : document.at_pointer(text(*ref).substr(1)).as_object();
}

std::string bounds(std::int64_t least, std::int64_t most) {
  return "(" + std::to_string(least) + ".." + (most == INT64_MAX ? "" : std::to_string(most)) + ")";
}

// Members as "name!: shape" or "name?: shape", in order of their names.
std::string braced(const std::map<std::string, std::string>& members) {
  std::string all;
  for (const auto& [name, shape] : members) all += (all.empty() ? "" : ", ") + name + ": " + shape;
  return "{" + all + "}";
}

std::string said(const Shape& shape) {
  switch (shape.kind) {
    case Kind::text:
      return "text" + bounds(shape.least, shape.most);
    case Kind::integer:
      return "integer" + bounds(shape.least, shape.most);
    case Kind::boolean:
      return "boolean";
    case Kind::array:
      return "array" + bounds(shape.least, shape.most) + "[" + said(*shape.element) + "]";
    case Kind::object:
      break;
  }
  std::map<std::string, std::string> members;
  for (const Member& member : shape.members) {
    members[std::string(member.name) + (member.need == Need::required ? "!" : "?")] = said(*member.shape);
  }
  return braced(members);
}

std::int64_t bound(const object& schema, const char* name, std::int64_t otherwise) {
  const auto* found = schema.if_contains(name);
  return found == nullptr ? otherwise : found->to_number<std::int64_t>();
}

bool is_required(const object& schema, std::string_view name) {
  return std::ranges::any_of(schema.at("required").as_array(),
                             [&](const value& one) { return text(one) == name; });
}

std::string said(const value& document, const object& unresolved) {
  const object& schema = pointed(document, unresolved);
  if (const auto* choices = schema.if_contains("oneOf")) {
    std::string all;
    for (const value& choice : choices->as_array()) {
      all += (all.empty() ? "" : " or ") + said(document, choice.as_object());
    }
    return all;
  }
  const std::string type = text(schema.at("type"));
  if (type == "string")
    return "text" + bounds(bound(schema, "minLength", 0), bound(schema, "maxLength", INT64_MAX));
  if (type == "integer")
    return "integer" + bounds(bound(schema, "minimum", 0), bound(schema, "maximum", INT64_MAX));
  if (type == "boolean") return "boolean";
  if (type == "array") {
    return "array" + bounds(bound(schema, "minItems", 0), bound(schema, "maxItems", INT64_MAX)) + "[" +
           said(document, schema.at("items").as_object()) + "]";
  }
  std::map<std::string, std::string> members;
  for (const auto& [name, member] : schema.at("properties").as_object()) {
    members[std::string(name) + (is_required(schema, name) ? "!" : "?")] = said(document, member.as_object());
  }
  return braced(members) + (schema.at("additionalProperties").as_bool() ? " and others" : "");
}

// The elements of a batch have one shape for each act.
std::string said_of_batch() {
  std::string all;
  for (const BatchAct& act : batch_acts()) {
    const std::vector<Member> members = members_of(act);
    std::map<std::string, std::string> by_name;
    for (const Member& member : members) {
      const bool required = member.need == Need::required;
      by_name[std::string(member.name) + (required ? "!" : "?")] = said(*member.shape);
    }
    // Its form is the key's own, and an element without one is answered key_missing.
    by_name.erase("request_id?");
    by_name["request_id!"] = "text" + bounds(1, rules::key_chars_max);
    all += (all.empty() ? "" : " or ") + braced(by_name);
  }
  return "array" + bounds(batch_shape.least, batch_shape.most) + "[" + all + "]";
}

using Lines = std::map<std::string, std::string>;  // "POST /v1/orders": what can be said of it

Lines lines_of_code() {
  Lines lines;
  for (const Route& route : all_routes()) {
    const RoutePolicy& policy = route.policy;
    std::string line = policy.audiences == Audiences::both ? "shop" : "operators";
    if (policy.credential == Credential::none) line += ", anyone";
    if (policy.key == Key::required) line += ", keyed";
    if (policy.body != Body::none) {
      line += policy.body == Body::required ? ", body " : ", may have body ";
      line += route.endpoint == Endpoint::batch ? said_of_batch() : said(*policy.shape);
    }
    lines[std::string(route.method) + " " + std::string(route.pattern)] = line;
  }
  return lines;
}

std::string pattern_of(std::string path) {
  for (std::size_t at = 0; (at = path.find('{', at)) != std::string::npos; ++at) {
    path.erase(at + 1, path.find('}', at) - at - 1);
  }
  return path;
}

std::string upper(std::string word) {
  for (char& c : word) c = static_cast<char>(c - 'a' + 'A');
  return word;
}

std::string line_of(const value& document, const object& operation) {
  std::string line = text(operation.at("tags").at(0));
  if (operation.contains("security")) line += ", anyone";
  if (const auto* parameters = operation.if_contains("parameters")) {
    for (const value& one : parameters->as_array()) {
      if (text(pointed(document, one.as_object()).at("name")) == "Idempotency-Key") line += ", keyed";
    }
  }
  if (const auto* body = operation.if_contains("requestBody")) {
    line += body->at("required").as_bool() ? ", body " : ", may have body ";
    line += said(document, body->at("content").at("application/json").at("schema").as_object());
  }
  return line;
}

Lines lines_of_document(const value& document) {
  Lines lines;
  for (const auto& [path, methods] : document.at("paths").as_object()) {
    for (const auto& [method, operation] : methods.as_object()) {
      lines[upper(method) + " " + pattern_of(path)] = line_of(document, operation.as_object());
    }
  }
  return lines;
}

std::string words_of(const value& schema) {
  std::string words;
  for (const value& word : schema.at("enum").as_array()) words += text(word) + " ";
  return words;
}

}  // namespace

std::vector<std::string> differences_from_code(const value& document) {
  std::vector<std::string> differences;
  Lines code = lines_of_code();
  for (const auto& [request, line] : lines_of_document(document)) {
    const auto found = code.find(request);
    if (found == code.end()) {
      differences.push_back(request + " is documented alone");
    } else if (found->second != line) {
      differences.push_back(request + "\n  code:       " + found->second + "\n  documented: " + line);
    }
    if (found != code.end()) code.erase(found);
  }
  for (const auto& [request, line] : code) differences.push_back(request + " is not documented");

  std::string done;
  std::string refused;
  for (const rules::OutcomeTraits& outcome : rules::all_outcomes()) {
    (outcome.act ? done : refused).append(outcome.word).append(" ");
  }
  const value& schemas = document.at("components").at("schemas");
  const auto compare = [&](const char* name, const std::string& words) {
    const std::string documented = words_of(schemas.at(name));
    if (documented == words) return;
    differences.push_back(std::string(name) + "\n  code:       " + words + "\n  documented: " + documented);
  };
  compare("Done", done);
  compare("Refusal", refused);
  compare("Outcome", done + refused);
  return differences;
}

namespace {

std::wstring wide(std::string_view utf8) {
  std::wstring result;
  while (!utf8.empty()) {
    const Character character = first_character(utf8);
    result += static_cast<wchar_t>(character.code);
    utf8.remove_prefix(character.bytes);
  }
  return result;
}

bool allows_text(const object& schema, const std::string& given) {
  const std::wstring characters = wide(given);
  const auto length = static_cast<std::int64_t>(characters.size());
  if (length < bound(schema, "minLength", 0) || length > bound(schema, "maxLength", INT64_MAX)) return false;
  const auto* pattern = schema.if_contains("pattern");
  return pattern == nullptr || std::regex_search(characters, std::wregex(wide(text(*pattern))));
}

bool allows_number(const object& schema, const value& given) {
  return given.is_int64() && given.as_int64() >= bound(schema, "minimum", INT64_MIN) &&
         given.as_int64() <= bound(schema, "maximum", INT64_MAX);
}

bool allows(const value& document, const object& unresolved, const value& given);

bool allows_array(const value& document, const object& schema, const boost::json::array& given) {
  const auto count = static_cast<std::int64_t>(given.size());
  return count >= bound(schema, "minItems", 0) && count <= bound(schema, "maxItems", INT64_MAX) &&
         std::ranges::all_of(
             given, [&](const value& one) { return allows(document, schema.at("items").as_object(), one); });
}

bool allows_object(const value& document, const object& schema, const object& given) {
  if (static_cast<std::int64_t>(given.size()) < bound(schema, "minProperties", 0)) return false;
  const object& properties = schema.at("properties").as_object();
  return std::ranges::all_of(schema.at("required").as_array(),
                             [&](const value& name) { return given.contains(text(name)); }) &&
         std::ranges::all_of(given, [&](const auto& member) {
           const auto* known = properties.if_contains(member.key());
           return known != nullptr && allows(document, known->as_object(), member.value());
         });
}

// What this contract uses of JSON Schema.
bool allows(const value& document, const object& unresolved, const value& given) {
  const object& schema = pointed(document, unresolved);
  const auto is_among = [&](const value& words) {
    return std::ranges::find(words.as_array(), given) != words.as_array().end();
  };
  if (const auto* choices = schema.if_contains("oneOf")) {
    return std::ranges::any_of(choices->as_array(),
                               [&](const value& one) { return allows(document, one.as_object(), given); });
  }
  if (const auto* never = schema.if_contains("not")) {
    const object& excluded = never->as_object();
    if (excluded.contains("const") ? excluded.at("const") == given : is_among(excluded.at("enum")))
      return false;
  }
  if (const auto* words = schema.if_contains("enum"); words != nullptr && !is_among(*words)) return false;
  const std::string type = text(schema.at("type"));
  if (type == "string") return given.is_string() && allows_text(schema, text(given));
  if (type == "integer") return allows_number(schema, given);
  if (type == "boolean") return given.is_bool();
  if (type == "array") return given.is_array() && allows_array(document, schema, given.as_array());
  return given.is_object() && allows_object(document, schema, given.as_object());
}

}  // namespace

bool allows_body(const value& document, const Asked& asked) {
  const auto target = parse_target(asked.path);
  const auto place = find_route(asked.audience, asked.method, *target);
  for (const auto& [path, methods] : document.at("paths").as_object()) {
    if (pattern_of(path) != std::get<Found>(place).route->pattern) continue;
    for (const auto& [method, operation] : methods.as_object()) {
      if (upper(method) != asked.method) continue;
      const value& content = operation.at("requestBody").at("content").at("application/json");
      return allows(document, content.at("schema").as_object(), boost::json::parse(asked.body));
    }
  }
  CHECK(false);  // Each route is documented.
}

AnswersHeld::AnswersHeld(const value& document) : document_(document) {}

void AnswersHeld::hold(const Asked& asked, const Reply& reply) {
  const auto target = parse_target(asked.path);
  const auto place = find_route(asked.audience, asked.method, *target);
  const auto* found = std::get_if<Found>(&place);
  const std::string status = std::to_string(reply.status);
  for (const auto& [path, methods] : document_.at("paths").as_object()) {
    if (found == nullptr || pattern_of(path) != found->route->pattern) continue;
    for (const auto& [method, operation] : methods.as_object()) {
      if (upper(method) != asked.method) continue;
      const object& responses = operation.at("responses").as_object();
      const auto* answer = responses.if_contains(status);
      if (answer == nullptr && reply.status < 400) {
        wrong_.push_back(asked.method + " " + asked.path + ": " + status + " is not documented");
        return;
      }
      const object& documented =
          pointed(document_, (answer == nullptr ? responses.at("default") : *answer).as_object());
      const std::string type = reply.headers.at("content-type");
      const auto* content = documented.at("content").as_object().if_contains(type.substr(0, type.find(';')));
      if (content == nullptr) {
        wrong_.push_back(asked.method + " " + asked.path + ": " + type + " is not documented");
        return;
      }
      if (!type.contains("json")) return;
      check(boost::json::parse(reply.body), content->at("schema").as_object(), "");
      return;
    }
  }
  wrong_.push_back(asked.method + " " + asked.path + " is not documented");
}

const object& AnswersHeld::resolved(const object& schema, std::string& path) const {
  const auto* ref = schema.if_contains("$ref");
  if (ref == nullptr) return schema;
  path = text(*ref).substr(text(*ref).rfind('/') + 1);
  return pointed(document_, schema);
}

// Of several schemas, the first one whose demanded members are all there; else the first.
const object& AnswersHeld::choice_for(const value& given, const value& choices) const {
  for (const value& choice : choices.as_array()) {
    const object& schema = pointed(document_, choice.as_object());
    const bool fits = std::ranges::all_of(schema.at("required").as_array(), [&](const value& name) {
      return given.is_object() && given.as_object().contains(text(name));
    });
    if (fits) return choice.as_object();
  }
  return choices.as_array().at(0).as_object();
}

void AnswersHeld::check(const value& given, const object& unresolved, std::string path) {
  const object& schema = resolved(unresolved, path);
  if (const auto* choices = schema.if_contains("oneOf"))
    return check(given, choice_for(given, *choices), path);
  const auto blame = [&](const std::string& what) {
    wrong_.push_back(path + ": " + boost::json::serialize(given) + " " + what);
  };
  const std::string type = text(schema.at("type"));
  const bool fits = (type == "string" && given.is_string()) || (type == "integer" && given.is_int64()) ||
                    (type == "boolean" && given.is_bool()) || (type == "array" && given.is_array()) ||
                    (type == "object" && given.is_object());
  if (!fits) return blame("is no " + type);
  if (const auto* words = schema.if_contains("enum")) {
    if (std::ranges::find(words->as_array(), given) == words->as_array().end()) blame("is none of its words");
  }
  if (const auto* format = schema.if_contains("format")) {
    const bool is_time = text(*format) == "date-time";
    if (is_time ? !parse_time(text(given)) : !parse_uuid(text(given))) blame("is no " + text(*format));
  }
  if (type == "integer" && given.as_int64() < bound(schema, "minimum", INT64_MIN)) blame("is too small");
  if (type == "array") {
    for (const value& element : given.as_array()) check(element, schema.at("items").as_object(), path + "[]");
  }
  if (type == "object") check_object(given.as_object(), schema, path);
}

void AnswersHeld::check_object(const object& given, const object& schema, const std::string& path) {
  const auto* properties = schema.if_contains("properties");
  if (properties == nullptr) return;
  for (const value& name : schema.at("required").as_array()) {
    if (!given.contains(text(name))) wrong_.push_back(path + "." + text(name) + " is missing in an answer");
  }
  for (const auto& [name, member] : given) {
    const std::string below = path + "." + std::string(name);
    const auto* documented = properties->as_object().if_contains(name);
    if (documented != nullptr) {
      seen_.insert(below);
      check(member, documented->as_object(), below);
    } else if (!schema.at("additionalProperties").as_bool()) {
      wrong_.push_back(below + " is not documented");
    }
  }
}

void AnswersHeld::gather(const object& unresolved, std::string path, std::set<std::string>& members) const {
  const object& schema = resolved(unresolved, path);
  if (const auto* choices = schema.if_contains("oneOf")) {
    for (const value& choice : choices->as_array()) gather(choice.as_object(), path, members);
    return;
  }
  if (const auto* items = schema.if_contains("items"))
    return gather(items->as_object(), path + "[]", members);
  const auto* properties = schema.if_contains("properties");
  if (properties == nullptr) return;
  for (const auto& [name, member] : properties->as_object()) {
    const std::string below = path + "." + std::string(name);
    if (members.insert(below).second) gather(member.as_object(), below, members);
  }
}

std::vector<std::string> AnswersHeld::differences(const std::set<std::string>& never) const {
  std::vector<std::string> all = wrong_;
  std::set<std::string> members;
  for (const auto& [path, methods] : document_.at("paths").as_object()) {
    for (const auto& [method, operation] : methods.as_object()) {
      for (const auto& [status, answer] : operation.at("responses").as_object()) {
        const object& documented = pointed(document_, answer.as_object());
        for (const auto& [type, content] : documented.at("content").as_object()) {
          gather(content.at("schema").as_object(), "", members);
        }
      }
    }
  }
  for (const std::string& member : members) {
    if (!seen_.contains(member) && !never.contains(member)) all.push_back(member + " is in no answer");
  }
  return all;
}

}  // namespace gavel::http
