#include "http/openapi.h"

#include <string>
#include <utility>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

namespace gavel::http {
namespace {

using boost::json::object;

constexpr std::string_view head =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">"
    "<meta name=\"viewport\" content=\"width=device-width\">\n<title>Gavel</title>\n<style>"
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
    "table{border-collapse:collapse}td,th{text-align:left;vertical-align:top;padding:.2em 1em .2em 0}"
    "@media(prefers-color-scheme:dark){body{background:#111;color:#ddd}a{color:#8cf}}"
    "</style></head>\n<body>\n";

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else {
      result += c;
    }
  }
  return result;
}

std::string text_of(const object& from, std::string_view name) {
  const auto& text = from.at(boost::json::string_view(name.data(), name.size())).as_string();
  return escaped(std::string_view(text.data(), text.size()));
}

// The word that a request with a body or an answer is shown by: the name of its schema.
std::string schema_of(const object& with_content) {
  const object& schema = with_content.at("content").as_object().begin()->value().at("schema").as_object();
  const auto* ref = schema.if_contains("$ref");
  if (ref == nullptr) return "";
  const std::string_view whole(ref->as_string().data(), ref->as_string().size());
  return std::string(whole.substr(whole.rfind('/') + 1));
}

std::string row_of(std::string_view method, std::string_view path, const object& operation) {
  std::string upper(method);
  for (char& c : upper) c = static_cast<char>(c - 'a' + 'A');
  std::string asks;
  if (const auto* body = operation.if_contains("requestBody")) asks = schema_of(body->as_object());
  std::string answers;
  for (const auto& [status, answer] : operation.at("responses").as_object()) {
    if (status == "default") continue;
    const std::string schema = schema_of(answer.as_object());
    answers += (answers.empty() ? "" : ", ") + std::string(status.data(), status.size()) +
               (schema.empty() ? "" : " " + schema);
  }
  const auto& tag = operation.at("tags").as_array().front().as_string();
  return "<tr><td><code>" + upper + " " + escaped(path) + "</code></td><td>" + text_of(operation, "summary") +
         "</td><td>" + std::string(tag.data(), tag.size()) + "</td><td>" + asks + "</td><td>" + answers +
         "</td></tr>\n";
}

}  // namespace

Response openapi_document() {
  Response response;
  response.body = openapi_text();
  return response;
}

Response docs_page() {
  const std::string_view text = openapi_text();
  const auto document = boost::json::parse(boost::json::string_view(text.data(), text.size()));
  const object& info = document.at("info").as_object();
  std::string page(head);
  page +=
      "<h1>Gavel</h1>\n<p>" + text_of(info, "summary") + ".</p>\n<p>" + text_of(info, "description") +
      "</p>\n<p>Every outcome: <a href=\"/docs/outcomes\">/docs/outcomes</a>. The contract with its schemas: "
      "<a href=\"/openapi.json\">/openapi.json</a>.</p>\n<table>\n"
      "<tr><th>Request</th><th>does</th><th>for</th><th>body</th><th>answer</th></tr>\n";
  for (const auto& [path, methods] : document.at("paths").as_object()) {
    for (const auto& [method, operation] : methods.as_object()) {
      page += row_of(std::string_view(method.data(), method.size()),
                     std::string_view(path.data(), path.size()), operation.as_object());
    }
  }
  page += "</table>\n</body>\n</html>\n";
  Response response;
  response.content_type = "text/html; charset=utf-8";
  response.body = std::move(page);
  return response;
}

}  // namespace gavel::http
