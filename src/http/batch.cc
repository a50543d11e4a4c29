#include "http/batch.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/check.h"
#include "http/json_slices.h"
#include "http/request_key.h"
#include "http/routes.h"

namespace gavel::http {
namespace {

using rules::malformed;

// Their bounds are those of a request key and of an id in a path; what breaks them is told by the same words.
constexpr Shape any_text{.kind = Kind::text, .unit = TextUnit::bytes};
constexpr Shape any_object{.kind = Kind::object};

constexpr std::array acts{
    BatchAct{"reserve", Endpoint::reserve, ""},    BatchAct{"confirm", Endpoint::confirm, "order"},
    BatchAct{"cancel", Endpoint::cancel, "order"}, BatchAct{"extend", Endpoint::extend, "order"},
    BatchAct{"change", Endpoint::change, "order"}, BatchAct{"refund", Endpoint::refund, "order"},
    BatchAct{"ship", Endpoint::ship, "order"},
};

const Shape& body_shape(Endpoint endpoint) {
  const auto route = std::ranges::find(all_routes(), endpoint, &Route::endpoint);
  CHECK(route != all_routes().end() && route->policy.shape != nullptr);
  return *route->policy.shape;
}

// An act with the shape of its elements, which refers to `members`.
struct Readable {
  BatchAct act;
  std::vector<Member> members;
};

std::vector<Readable> all_readable() {
  std::vector<Readable> all;
  for (const BatchAct& act : acts) all.push_back(Readable{act, members_of(act)});
  return all;
}

std::string words_of_acts() {
  std::string words;
  for (const BatchAct& act : acts) words.append(words.empty() ? "" : ", ").append(act.word);
  return words;
}

// The act that an element names, or what is wrong with its name.
std::expected<const Readable*, std::string> act_named(std::string_view element,
                                                      const std::vector<Readable>& all) {
  if (!element.starts_with('{')) return std::unexpected("body: must be an object");
  const auto name = member_of(element, "act");
  if (!name) return std::unexpected("act: is missing");
  for (const Readable& one : all) {
    if (name->size() == one.act.word.size() + 2 && name->substr(1, one.act.word.size()) == one.act.word)
      return &one;
  }
  return std::unexpected("act: must be one of " + words_of_acts());
}

std::expected<BatchItem, rules::Verdict> read_item(std::string_view element,
                                                   const std::vector<Readable>& all) {
  const auto named = act_named(element, all);
  if (!named) return std::unexpected(malformed(named.error()));
  const BatchAct& act = (*named)->act;
  const Shape shape{.kind = Kind::object, .members = (*named)->members};
  const auto body = read_json(element, shape);
  if (!body) return std::unexpected(malformed(body.error()));
  std::optional<rules::RequestKey> key;
  if (const Json* request_id = body->find("request_id")) {
    key = parse_bare_key(request_id->text());
    if (!key) return std::unexpected(malformed("request_id: must be " + std::string(key_form)));
  }
  std::vector<std::string> parameters;
  if (!act.parameter.empty()) parameters.push_back(body->find(act.parameter)->text());
  auto asked = act_of(act.endpoint, parameters, *body, key);
  // As for the single request: what is wrong with the content comes before the missing key.
  const bool refused_first = !asked && asked.error().outcome == rules::Outcome::malformed;
  if (!key && !refused_first) {
    return std::unexpected(rules::verdict_of(rules::Outcome::key_missing));
  }
  if (!asked) return std::unexpected(asked.error());
  return BatchItem{*std::move(key), *std::move(asked)};
}

}  // namespace

constexpr Shape batch_shape{
    .kind = Kind::array, .least = 1, .most = batch_commands_max, .element = &any_object};

std::span<const BatchAct> batch_acts() { return acts; }

std::vector<Member> members_of(const BatchAct& act) {
  // Without a request id the answer is an outcome of its own, key_missing.
  std::vector<Member> members{{"request_id", Need::optional, &any_text}, {"act", Need::required, &any_text}};
  if (!act.parameter.empty()) members.push_back(Member{act.parameter, Need::required, &any_text});
  for (const Member& member : body_shape(act.endpoint).members) members.push_back(member);
  return members;
}

// Most bodies are what they should be, and then every element was read strictly and the whole is JSON. Only
// where something is wrong the body is gone through once more, for what is no JSON at all refuses everything.
std::expected<BatchItems, std::string> read_batch(std::string_view body) {
  constexpr auto most = static_cast<std::size_t>(batch_commands_max);
  const auto slices = elements_of(body, most);
  bool is_sound = slices && slices->is_whole;
  BatchItems items;
  if (slices && slices->elements.size() <= most) {
    const std::vector<Readable> all = all_readable();
    items.reserve(slices->elements.size());
    for (const std::string_view element : slices->elements) {
      items.push_back(read_item(element, all));
      is_sound = is_sound && items.back().has_value();
    }
  }
  if (!is_sound) {
    if (auto fault = fault_of_json(body, json_depth_max + 1)) return std::unexpected(*std::move(fault));
  }
  if (!slices) return std::unexpected("body: must be an array");
  if (slices->elements.empty()) return std::unexpected("body: must not be empty");
  if (slices->elements.size() > most) {
    return std::unexpected("body: at most " + std::to_string(most) + " elements");
  }
  CHECK(items.size() == slices->elements.size());
  return items;
}

void BatchAnswer::add(const Response& single) {
  CHECK(single.body.starts_with('{') && single.body.ends_with('}'));
  std::string& text = response_.body;
  text += text.empty() ? '[' : ',';
  text += '{';
  for (const auto& [name, value] : single.headers) {
    if (name == "Idempotency-Replayed") text += R"("replayed":true,)";
    if (name == "Retry-After") wait_at_most(value);
  }
  // A problem says its status itself.
  if (single.status < 400) text += R"("status":)" + std::to_string(single.status) + ",";
  text.append(single.body, 1);
}

void BatchAnswer::wait_at_most(const std::string& seconds) {
  std::uint64_t wait = 0;
  const auto [end, error] = std::from_chars(seconds.data(), seconds.data() + seconds.size(), wait);
  CHECK(error == std::errc() && end == seconds.data() + seconds.size());
  wait_ = std::min(wait, wait_.value_or(wait));
}

Response BatchAnswer::take() {
  CHECK(!response_.body.empty());
  response_.body += ']';
  if (wait_) response_.headers.emplace_back("Retry-After", std::to_string(*wait_));
  return std::move(response_);
}

}  // namespace gavel::http
