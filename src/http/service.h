// Service: from a Request to a Response, by the table of routes (routes.h).
//
//   find route ─► account ─► strict body, key ─► Command ─► pipeline ─► Verdict ─► Response
//
// It holds no business rule and no state of its own. All of it runs on the executor of the pipeline. A
// stranger learns nothing, not even which paths exist: the key is looked at before anything else. Every
// answer of 4xx changes nothing.
#pragma once

#include <chrono>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/clock.h"
#include "base/random.h"
#include "http/accounts.h"
#include "http/batch.h"
#include "http/message.h"
#include "http/request_counters.h"
#include "http/routes.h"
#include "ops/log.h"
#include "ops/metrics.h"
#include "pipeline/gate_snapshot.h"
#include "pipeline/pipeline.h"
#include "pipeline/reads.h"
#include "queries/audit_queries.h"
#include "queries/read_queries.h"

namespace gavel::http {

// Whether the service can do what it is for; set by the program, told by /readyz.
struct Readiness {
  bool ready = false;
  std::string why = "starting";            // One line for people while not ready.
  std::vector<std::string> warnings = {};  // The same of what somebody has to set right while all goes on.
};

class Service {
 public:
  // An audit takes long, so it has a thread of its own.
  using Queries = pipeline::Reads<queries::ReadQueries>;
  using Audits = pipeline::Reads<queries::AuditQueries>;

  // All references outlive the service and every answer() in progress. `requests_kept` is the judge's.
  Service(pipeline::Pipeline& pipeline, Queries& queries, Audits& audits,
          pipeline::GateSnapshotReader& gate_snapshots, const Clock& clock, Random& random, Log& log,
          const Readiness& readiness, Accounts& accounts, std::chrono::hours requests_kept,
          MetricsRegistry& metrics);

  // Answers one request. Never throws; a fault of ours is a 500 that says what to do next. The answer to HEAD
  // has the body of GET, which the session leaves out.
  boost::asio::awaitable<Response> answer(Request request);

  // An answer that the session gives by itself, since the request could not be read.
  void count_unread(const Response& response) { requests_.add(nullptr, response.status); }

  // For what could not be taken in at all: certainly not done.
  Response overloaded() { return refuse(rules::Outcome::overloaded); }

 private:
  // A request that has found its route.
  struct Call {
    Account account;
    Found found;
    std::optional<rules::RequestKey> key;  // As it was sent, where the route demands one.
  };

  std::expected<Call, Response> find(const Request& request);
  std::expected<Account, Response> account_of(const Request& request, const Route* route);
  std::expected<rules::Command, Response> command_of(const Request& request, const Call& call);
  boost::asio::awaitable<Response> answer_batch(Account account, std::string body);
  rules::Command command_of(const Account& account, const rules::RequestKey& key, rules::Act act);
  Response answer_to(const rules::Command& command, const rules::Verdict& verdict);
  boost::asio::awaitable<Response> read(Account account, Found found);
  boost::asio::awaitable<Response> read_order(Account account, std::string id);
  boost::asio::awaitable<Response> read_request(rules::Caller caller, std::string key);
  boost::asio::awaitable<Response> read_stock(Found found);
  boost::asio::awaitable<Response> read_activity(std::string id);
  boost::asio::awaitable<Response> list_orders(Account account, Found found);
  boost::asio::awaitable<Response> list_activities(Found found);
  boost::asio::awaitable<Response> list_shortages(Found found);
  boost::asio::awaitable<Response> read_trace(Found found);
  boost::asio::awaitable<Response> trace_user(Found found);
  boost::asio::awaitable<Response> read_gate(Found found);
  boost::asio::awaitable<Response> read_verification();
  boost::asio::awaitable<Response> read_clocks();
  Response tell_readiness();
  Response tell_metrics();
  Response refuse(rules::Outcome outcome);
  Response refuse(const rules::SkuCode& unknown);
  Response refuse(const Error& error);
  void log_sampled(const Request& request, const Call* call, const Response& response);

  pipeline::Pipeline& pipeline_;
  Queries& queries_;
  Audits& audits_;
  pipeline::GateSnapshotReader& gate_snapshots_;
  const Clock& clock_;
  Random& random_;
  Log& log_;
  const Readiness& readiness_;
  Accounts& accounts_;
  const std::chrono::hours requests_kept_;
  Sampler sampler_;
  MetricsRegistry& metrics_;
  RequestCounters requests_;
};

}  // namespace gavel::http
