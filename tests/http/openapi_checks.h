// Checks of the contract: docs/openapi.json against the table of routes, the shapes, the outcomes, and
// answers that a service gave. Each difference is one line; no line means that both sides say the same.
#pragma once

#include <set>
#include <string>
#include <vector>

#include <boost/json/value.hpp>

#include "http/message.h"
#include "world.h"

namespace gavel::http {

// Routes, who may come, keys, bodies, outcomes.
std::vector<std::string> differences_from_code(const boost::json::value& document);

// Whether the contract allows this body for the request.
bool allows_body(const boost::json::value& document, const Asked& asked);

// Real answers, each held against the schema that the document has for it.
class AnswersHeld {
 public:
  explicit AnswersHeld(const boost::json::value& document);

  void hold(const Asked& asked, const Reply& reply);

  // What an answer had and the schema has not, or the other way round; then every member of an answer's
  // schema that no answer had, but those of `never`.
  std::vector<std::string> differences(const std::set<std::string>& never) const;

 private:
  const boost::json::object& resolved(const boost::json::object& schema, std::string& path) const;
  void check(const boost::json::value& given, const boost::json::object& unresolved, std::string path);
  void check_object(const boost::json::object& given, const boost::json::object& schema,
                    const std::string& path);
  const boost::json::object& choice_for(const boost::json::value& given,
                                        const boost::json::value& choices) const;
  void gather(const boost::json::object& unresolved, std::string path, std::set<std::string>& members) const;

  const boost::json::value& document_;
  std::vector<std::string> wrong_;
  std::set<std::string> seen_;  // "Order.lines[].taken"
};

}  // namespace gavel::http
