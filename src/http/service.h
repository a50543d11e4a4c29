// Service: from a Request to a Response, by the table of routes.
//
//   find route ─► credential ─► strict body, key ─► Command ─► pipeline ─► Verdict ─► Response
//
// It holds no business rule and no state of its own. All of it runs on the executor of the pipeline. A route
// without a stated policy (audience, body, key) does not compile.
#pragma once

#include <string>

#include <boost/asio/awaitable.hpp>

#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "http/message.h"
#include "pipeline/pipeline.h"
#include "pipeline/reads.h"

namespace gavel::http {

// Whether the service can do what it is for; set by the program, told by /readyz.
struct Readiness {
  bool ready = false;
  std::string why = "starting";  // One line for people while not ready.
};

class Service {
 public:
  // All references outlive the service and every answer() in progress. `operator_key` is the credential of
  // the operators' listener, sent as "Authorization: Bearer <key>"; it is compared in constant time.
  Service(pipeline::Pipeline& pipeline, pipeline::Reads& reads, const Clock& clock, Random& random, Log& log,
          const Readiness& readiness, std::string operator_key);

  // Answers one request. Never throws; a fault of ours is a 500 that says what to do next.
  boost::asio::awaitable<Response> answer(Request request);

 private:
  pipeline::Pipeline& pipeline_;
  pipeline::Reads& reads_;
  const Clock& clock_;
  Random& random_;
  Log& log_;
  const Readiness& readiness_;
  const std::string operator_key_;
};

}  // namespace gavel::http
