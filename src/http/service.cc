// One noun: the service behind the routes.
#include "http/service.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/uuid.h"
#include "http/command_parser.h"
#include "http/openapi.h"
#include "http/outcome_pages.h"
#include "http/problem.h"
#include "http/query_params.h"
#include "http/render.h"
#include "http/request_key.h"
#include "queries/gate_views.h"
#include "stage/await.h"

namespace gavel::http {
namespace {

using boost::asio::awaitable;
using queries::AuditQueries;
using queries::ReadQueries;
using rules::Command;
using rules::Outcome;
using rules::Verdict;

// One ordinary request in so many is logged; the pipeline samples its own side.
constexpr std::uint64_t logged_one_in = 1000;

// As many SKUs as one order may name.
constexpr std::size_t stock_skus_max = rules::order_lines_max;

// What everybody may ask who comes to the shop's listener while no account is configured.
Account keyless_shop() { return Account{rules::Caller("shop"), Role::shop}; }

// Shops act upon their own orders and read those; operators and readers have none of their own to speak of.
rules::Scope scope_of(const Account& account) {
  return account.role == Role::shop ? rules::Scope::own : rules::Scope::all;
}

queries::Owner owner_of(const Account& account) {
  return scope_of(account) == rules::Scope::own ? queries::Owner(account.name) : std::nullopt;
}

// "application/json" in UTF-8, in any case; curl's default for -d is another. JSON is UTF-8 unless its sender
// names another encoding, which is no part of the standard (RFC 8259, 8.1).
bool is_json(std::string_view content_type) {
  if (content_type == "application/json") return true;  // What nearly everybody sends.
  std::string text;
  for (const char c : content_type) {
    if (c != ' ' && c != '"') text += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  const bool otherwise = text.contains("charset=") && !text.contains("charset=utf-8");
  return text.substr(0, text.find(';')) == "application/json" && !otherwise;
}

// The body as the route wants it, or what is wrong with it.
std::expected<Json, Response> body_of(const Request& request, const RoutePolicy& policy) {
  if (request.body.empty() && policy.body != Body::required) {
    return *read_json("{}", Shape{.kind = Kind::object});
  }
  if (policy.body == Body::none) {
    return std::unexpected(malformed_http(400, "body: this request must not have one"));
  }
  auto body = read_json(request.body, *policy.shape);
  if (!body) return std::unexpected(malformed_http(400, std::move(body.error())));
  return *std::move(body);
}

// A page of another origin can send a body of some other type, or of none, without asking first; a body of
// this type, or a request key, it cannot (G002).
bool needs_json(const Request& request, const Route& route) {
  return !request.body.empty() || route.endpoint == Endpoint::batch;
}

using MaybeKey = std::optional<rules::RequestKey>;

// The request key, where the route demands one and it was sent; or what is wrong with the query and headers.
std::expected<MaybeKey, std::string> key_of(const Request& request, const Found& found) {
  const Endpoint endpoint = found.route->endpoint;
  if (endpoint == Endpoint::health || endpoint == Endpoint::readiness) return MaybeKey();
  if (auto wrong = wrong_in_query(endpoint, found.query)) return std::unexpected(*std::move(wrong));
  if (request.attempt && !parse_attempt(*request.attempt)) {
    return std::unexpected("Gavel-Attempt: must be an integer from 1 to 999999999");
  }
  if (found.route->policy.key == Key::in_body && request.idempotency_key) {
    return std::unexpected("Idempotency-Key: a batch has none; each element has its own request_id");
  }
  if (found.route->policy.key != Key::required || !request.idempotency_key) return MaybeKey();
  MaybeKey key = parse_request_key(*request.idempotency_key);
  if (key) return key;
  return std::unexpected("Idempotency-Key: must be sent once, with " + std::string(key_form));
}

}  // namespace

Service::Service(pipeline::Pipeline& pipeline, Queries& queries, Audits& audits,
                 pipeline::GateSnapshotReader& gate_snapshots, const Clock& clock, Random& random, Log& log,
                 const Readiness& readiness, Accounts& accounts, std::chrono::hours requests_kept,
                 MetricsRegistry& metrics)
    : pipeline_(pipeline),
      queries_(queries),
      audits_(audits),
      gate_snapshots_(gate_snapshots),
      clock_(clock),
      random_(random),
      log_(log),
      readiness_(readiness),
      accounts_(accounts),
      requests_kept_(requests_kept),
      sampler_(logged_one_in),
      metrics_(metrics),
      requests_(metrics) {}

awaitable<Response> Service::answer(Request request) {
  try {
    std::expected<Call, Response> call = find(request);
    const Found* found = call ? &call->found : nullptr;
    const Account* account = call ? &call->account : nullptr;
    Response response;
    if (!call) {
      response = std::move(call.error());
    } else if (found->route->policy.key == Key::required) {
      std::expected<Command, Response> command = command_of(request, *call);
      if (command) {
        const Verdict verdict = co_await pipeline_.submit(*command);
        response = answer_to(*command, verdict);
      } else {
        response = std::move(command.error());
      }
    } else if (found->route->endpoint == Endpoint::batch) {
      response = co_await answer_batch(*account, std::move(request.body));
    } else {
      response = co_await read(*account, *found);
    }
    requests_.add(found == nullptr ? nullptr : found->route, response.status);
    if (sampler_.take()) log_sampled(request, call ? &*call : nullptr, response);
    co_return response;
  } catch (const std::exception& fault) {
    log_.write(Level::error, "request_fault", {{"what", fault.what()}});
  }
  const Response fault = fault_of_ours();
  requests_.add(nullptr, fault.status);
  co_return fault;
}

// Which route it is, if its caller may know.
std::expected<Service::Call, Response> Service::find(const Request& request) {
  const std::optional<Target> target = parse_target(request.target);
  std::variant<Found, OtherMethods, NoRoute> place = NoRoute{};
  if (target) place = find_route(request.audience, request.method, *target);
  Found* found = std::get_if<Found>(&place);
  auto account = account_of(request, found == nullptr ? nullptr : found->route);
  if (!account) return std::unexpected(std::move(account.error()));
  if (!target) return std::unexpected(malformed_http(400, "the target of the request is not a path"));
  if (const auto* others = std::get_if<OtherMethods>(&place)) {
    Response response = malformed_http(405, "this path supports " + others->allow);
    response.headers.emplace_back("Allow", others->allow);
    return std::unexpected(std::move(response));
  }
  if (found == nullptr) return std::unexpected(malformed_http(404, "there is no such path"));
  auto key = key_of(request, *found);
  if (!key) return std::unexpected(malformed_http(400, std::move(key.error())));
  if (found->route->policy.body == Body::none && !request.body.empty()) {
    return std::unexpected(malformed_http(400, "body: this request must not have one"));
  }
  if (needs_json(request, *found->route) && !is_json(request.content_type.value_or(""))) {
    return std::unexpected(malformed_http(415, "Content-Type: must be application/json, in UTF-8"));
  }
  return Call{*std::move(account), std::move(*found), *std::move(key)};
}

// Whose request it is, if his role permits it. Who sends a key that is not known is nobody, and never the
// shop.
std::expected<Account, Response> Service::account_of(const Request& request, const Route* route) {
  if (route != nullptr && route->policy.credential == Credential::none) return keyless_shop();
  const auto key = request.authorization ? bearer_of(*request.authorization) : std::nullopt;
  std::optional<Account> account;
  if (key) account = accounts_.find(*key, clock_.now());
  const bool is_keyless_shop =
      !key && request.audience == Audience::shop && accounts_.keyless() == Keyless::as_shop;
  if (is_keyless_shop) account = keyless_shop();
  if (!account) {
    Response response = refuse(Outcome::unauthenticated);
    response.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"gavel\"");
    return std::unexpected(std::move(response));
  }
  if (permits(account->role, request.audience, request.method, route)) return *std::move(account);
  return std::unexpected(refuse(Outcome::forbidden));
}

std::expected<Command, Response> Service::command_of(const Request& request, const Call& call) {
  const Found& found = call.found;
  auto body = body_of(request, found.route->policy);
  if (!body) return std::unexpected(std::move(body.error()));
  // What is wrong with the content comes before the missing key, as in the order of outcomes.
  auto act = act_of(found.route->endpoint, found.parameters, *body, call.key);
  const bool refused_first = !act && act.error().outcome == Outcome::malformed;
  if (!call.key && !refused_first) return std::unexpected(refuse(Outcome::key_missing));
  if (!act) return std::unexpected(problem(act.error(), random_));
  return command_of(call.account, *call.key, *std::move(act));
}

// Each element is answered as the single request would have been; those that are wrong never leave this
// function.
awaitable<Response> Service::answer_batch(Account account, std::string body) {
  auto items = read_batch(body);
  if (!items) co_return malformed_http(400, items.error());
  std::vector<Command> commands;
  commands.reserve(items->size());
  for (auto& item : *items) {
    if (item) commands.push_back(command_of(account, item->key, std::move(item->act)));
  }
  const std::vector<Verdict> verdicts = co_await pipeline_.submit_all(commands);
  CHECK(verdicts.size() == commands.size());
  BatchAnswer answer;
  std::size_t judged = 0;
  for (const auto& item : *items) {
    if (!item) {
      answer.add(problem(item.error(), random_));
      continue;
    }
    answer.add(answer_to(commands[judged], verdicts[judged]));
    ++judged;
  }
  CHECK(judged == commands.size());
  co_return answer.take();
}

// A key that is a UUIDv7 is the id of the order that it makes.
Command Service::command_of(const Account& account, const rules::RequestKey& key, rules::Act act) {
  const auto& uuid = key.uuid7();
  return Command{.caller = account.name,
                 .key = key,
                 .new_order_id = rules::OrderId{uuid ? *uuid : make_uuid7(clock_.now(), random_)},
                 .act = std::move(act),
                 .scope = scope_of(account)};
}

Response Service::answer_to(const Command& command, const Verdict& verdict) {
  return rules::traits(verdict.outcome).act ? success(command, verdict)
                                            : problem(explained(command.act, verdict), random_);
}

awaitable<Response> Service::read(Account account, Found found) {
  switch (found.route->endpoint) {
    case Endpoint::show_order:
      co_return co_await read_order(std::move(account), found.parameters[0]);
    case Endpoint::show_request:
      co_return co_await read_request(account.name, found.parameters[0]);
    case Endpoint::show_stock:
      co_return co_await read_stock(found);
    case Endpoint::show_activity:
      co_return co_await read_activity(found.parameters[0]);
    case Endpoint::list_orders:
      co_return co_await list_orders(std::move(account), std::move(found));
    case Endpoint::list_shortages:
      co_return co_await list_shortages(std::move(found));
    case Endpoint::list_activities:
      co_return co_await list_activities(std::move(found));
    case Endpoint::trace:
      co_return co_await read_trace(std::move(found));
    case Endpoint::show_gate:
      co_return co_await read_gate(std::move(found));
    case Endpoint::verify:
      co_return co_await read_verification();
    case Endpoint::show_clocks:
      co_return co_await read_clocks();
    case Endpoint::health:
      co_return show_status("alive");
    case Endpoint::readiness:
      co_return tell_readiness();
    case Endpoint::metrics:
      co_return tell_metrics();
    case Endpoint::openapi:
      co_return openapi_document();
    case Endpoint::docs:
      co_return docs_page();
    case Endpoint::list_outcomes:
      co_return outcomes_page();
    case Endpoint::explain_outcome:
      co_return outcome_page(found.parameters[0], requests_kept_)
          .value_or(malformed_http(404, "there is no such outcome; /docs/outcomes lists them"));
    default:
      break;
  }
  CHECK(false);  // Writes become commands.
}

awaitable<Response> Service::read_order(Account account, std::string id) {
  const std::optional<Uuid> uuid = parse_uuid(id);
  if (!uuid) co_return refuse(Outcome::unknown_order);
  using Answer = std::optional<queries::OrderView>;
  std::function<Result<Answer>(ReadQueries&)> question = [uuid,
                                                          owner = owner_of(account)](ReadQueries& queries) {
    return queries.order(rules::OrderId{*uuid}, owner);
  };
  const Result<Answer> order = co_await queries_.ask<Answer>(question);
  if (!order) co_return refuse(order.error());
  co_return *order ? show(**order) : refuse(Outcome::unknown_order);
}

// A request in process has no row yet, and one with a verdict has left the process: asking in this order
// misses none, for a committed row is seen by every read that begins after its verdict.
awaitable<Response> Service::read_request(rules::Caller caller, std::string key) {
  const auto request_key = parse_bare_key(key);
  if (!request_key) co_return refuse(Outcome::unknown_request);
  const rules::RequestId id(caller, *request_key);
  if (pipeline_.in_process(id)) co_return show_processing(*request_key);
  using Answer = std::optional<rules::IdempotencyRecord>;
  std::function<Result<Answer>(ReadQueries&)> question = [id](ReadQueries& queries) {
    return queries.request(id);
  };
  const Result<Answer> recorded = co_await queries_.ask<Answer>(question);
  if (!recorded) co_return refuse(recorded.error());
  if (!*recorded) co_return refuse(Outcome::unknown_request);
  co_return show(**recorded, (*recorded)->verdict.at + requests_kept_);
}

awaitable<Response> Service::read_stock(Found found) {
  std::vector<rules::SkuCode> skus;
  if (found.query.empty()) co_return malformed_http(400, "sku: is missing");
  if (found.query.size() > stock_skus_max) {
    co_return malformed_http(400, "sku: at most " + std::to_string(stock_skus_max));
  }
  for (const auto& [name, value] : found.query) {
    if (value.empty()) co_return malformed_http(400, "sku: is empty");
    const auto sku = rules::SkuCode::parse(value);
    if (!sku) co_return refuse(Outcome::unknown_sku);
    if (std::ranges::find(skus, *sku) == skus.end()) skus.push_back(*sku);
  }
  using Answer = queries::StockOfSkus;
  std::function<Result<Answer>(ReadQueries&)> question = [skus](ReadQueries& queries) {
    return queries.stock(skus);
  };
  const Result<Answer> stock = co_await queries_.ask<Answer>(question);
  if (!stock) co_return refuse(stock.error());
  if (!stock->unknown) co_return show(stock->items);
  co_return refuse(*stock->unknown);
}

awaitable<Response> Service::read_gate(Found found) {
  if (found.query.size() != 1) co_return malformed_http(400, "sku: must be given exactly once");
  if (found.query[0].second.empty()) co_return malformed_http(400, "sku: is empty");
  const auto sku = rules::SkuCode::parse(found.query[0].second);
  if (!sku) co_return refuse(Outcome::unknown_sku);
  using Snapshots = pipeline::GateSnapshotReader::Snapshots;
  const Snapshots snapshots = co_await stage::await_result<Snapshots>(
      [&](std::move_only_function<void(Snapshots)> done) { gate_snapshots_.read(*sku, std::move(done)); });
  if (!snapshots) co_return refuse(snapshots.error());
  if (*snapshots) co_return show(queries::gate_views_of(**snapshots));
  co_return refuse(*sku);
}

awaitable<Response> Service::read_activity(std::string id) {
  const auto code = rules::ActivityCode::parse(id);
  if (!code) co_return refuse(Outcome::unknown_activity);
  using Answer = std::optional<rules::Activity>;
  std::function<Result<Answer>(ReadQueries&)> question = [code](ReadQueries& queries) {
    return queries.activity(*code);
  };
  const Result<Answer> activity = co_await queries_.ask<Answer>(question);
  if (!activity) co_return refuse(activity.error());
  co_return *activity ? show(**activity) : refuse(Outcome::unknown_activity);
}

awaitable<Response> Service::list_orders(Account account, Found found) {
  auto query = orders_query_of(found.query);
  if (!query) co_return malformed_http(400, query.error());
  query->owner = owner_of(account);
  using Page = queries::OrdersPage;
  std::function<Result<Page>(ReadQueries&)> question = [query](ReadQueries& queries) {
    return queries.orders(*query);
  };
  const Result<Page> page = co_await queries_.ask<Page>(question);
  co_return page ? show(*page) : refuse(page.error());
}

awaitable<Response> Service::list_activities(Found found) {
  const auto query = activities_query_of(found.query);
  if (!query) co_return malformed_http(400, query.error());
  using Page = queries::ActivitiesPage;
  std::function<Result<Page>(ReadQueries&)> question = [query](ReadQueries& queries) {
    return queries.activities(*query);
  };
  const Result<Page> page = co_await queries_.ask<Page>(question);
  co_return page ? show(*page) : refuse(page.error());
}

awaitable<Response> Service::list_shortages(Found found) {
  const auto query = shortages_query_of(found.query);
  if (!query) co_return malformed_http(400, query.error());
  using Page = queries::ShortagesPage;
  std::function<Result<Page>(ReadQueries&)> question = [query](ReadQueries& queries) {
    return queries.shortages(*query);
  };
  const Result<Page> page = co_await queries_.ask<Page>(question);
  co_return page ? show(*page) : refuse(page.error());
}

awaitable<Response> Service::read_trace(Found found) {
  if (auto wrong = wrong_in_trace(found.query)) co_return malformed_http(400, *std::move(wrong));
  if (value_of(found.query, "user")) co_return co_await trace_user(std::move(found));
  const auto order = value_of(found.query, "order");
  const auto uuid = parse_uuid(order.value_or(""));
  if (order && !uuid) co_return refuse(Outcome::unknown_order);
  const auto key = parse_bare_key(value_of(found.query, "request").value_or("-"));
  const auto whose = rules::Caller::parse(value_of(found.query, "caller").value_or("shop"));
  if (!key || !whose) co_return refuse(Outcome::unknown_request);
  const rules::RequestId id(*whose, *key);
  using Answer = std::optional<queries::TraceView>;
  std::function<Result<Answer>(ReadQueries&)> question = [uuid, id](ReadQueries& queries) {
    return uuid ? queries.trace(rules::OrderId{*uuid}) : queries.trace(id);
  };
  const Result<Answer> trace = co_await queries_.ask<Answer>(question);
  if (!trace) co_return refuse(trace.error());
  if (*trace) co_return show(**trace);
  co_return refuse(order ? Outcome::unknown_order : Outcome::unknown_request);
}

awaitable<Response> Service::trace_user(Found found) {
  const auto query = traces_query_of(found.query);
  if (!query) co_return malformed_http(400, query.error());
  using Page = queries::TracesPage;
  std::function<Result<Page>(ReadQueries&)> question = [query](ReadQueries& queries) {
    return queries.traces(*query);
  };
  const Result<Page> page = co_await queries_.ask<Page>(question);
  co_return page ? show(*page) : refuse(page.error());
}

awaitable<Response> Service::read_verification() {
  using Answer = queries::AuditView;
  std::function<Result<Answer>(AuditQueries&)> question = [](AuditQueries& queries) {
    return queries.verify();
  };
  const Result<Answer> audit = co_await audits_.ask<Answer>(question);
  co_return audit ? show(*audit) : refuse(audit.error());
}

awaitable<Response> Service::read_clocks() {
  using Answer = queries::ClocksView;
  std::function<Result<Answer>(ReadQueries&)> question = [](ReadQueries& queries) {
    return queries.clocks();
  };
  const Result<Answer> clocks = co_await queries_.ask<Answer>(question);
  co_return clocks ? show(*clocks) : refuse(clocks.error());
}

Response Service::tell_readiness() {
  if (readiness_.ready) return show_ready(readiness_.warnings);
  Verdict verdict = rules::verdict_of(Outcome::not_ready);
  verdict.detail.explanation = readiness_.why;
  return problem(verdict, random_);
}

Response Service::tell_metrics() {
  Response response;
  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
  response.body = metrics_.text();
  return response;
}

Response Service::refuse(Outcome outcome) { return problem(rules::verdict_of(outcome), random_); }

Response Service::refuse(const rules::SkuCode& unknown) {
  Verdict verdict = rules::verdict_of(Outcome::unknown_sku);
  verdict.detail.sku = unknown;
  return problem(verdict, random_);
}

// A question that could not be answered: too many at once, or the database is away.
Response Service::refuse(const Error& error) {
  if (error.code == ErrorCode::unavailable) return refuse(Outcome::overloaded);
  log_.write(Level::error, "question_failed", {{"why", error.message}});
  return refuse(Outcome::not_ready);
}

void Service::log_sampled(const Request& request, const Call* call, const Response& response) {
  const std::string trace = request.traceparent.value_or("");
  log_.write(Level::info, "http_request",
             {{"method", request.method},
              {"route", call == nullptr ? "-" : call->found.route->pattern},
              {"account", std::string_view(call == nullptr ? "-" : call->account.name.text())},
              {"status", std::int64_t{response.status}},
              {"key", std::string_view(request.idempotency_key ? *request.idempotency_key : "")},
              {"attempt", std::string_view(request.attempt ? *request.attempt : "")},
              {"traceparent", is_traceparent(trace) ? std::string_view(trace) : ""}});
}

}  // namespace gavel::http
