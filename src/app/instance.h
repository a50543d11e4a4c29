// Instance: one running service, everything wired once in dependency order.
//
//   start ──► accepting ──► run ── stop, or a broken store ──► draining ──► ended
//
// The threads and what each owns:
//
//   run's    io_context: both listeners, service, pipeline
//   lane     a judge with its store; one or several of them, and one that looks up which lane an order is in
//   gate     a reader of its own: what refusals wait for, and nothing that takes long
//   reads    another: lists and look-ups
//   audits   another: the audits of `gavel verify`
//   expiry   a reader of its own
//   index    a reader of its own; follows the ledger with the index of orders by user
//   old      a reader of its own; deletes the records of requests that are old
//   refresh  another
//   closing  another; closes sales at their end, and compares the clocks
//   storage  nothing; looks whether the database's files are still those that are open
//
// Nobody holds the wiring. Draining finishes what was accepted: the listeners stop, requests in progress get
// their answers, the lanes and the reads work off their queues. Only then is anything destroyed, since a
// question in work writes into the frame of the coroutine that asked it (pipeline/reads.h).
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "app/options.h"
#include "base/clock.h"
#include "base/result.h"
#include "ops/log.h"

namespace gavel::http {
class Accounts;
}  // namespace gavel::http

namespace gavel::app {

// Draining takes no longer than this. Beyond it something hangs (a disk, a long question), and run() says so
// and ends the process: what was answered is durable. The exit code is 0 if the judge had nothing left to do,
// else 3.
inline constexpr Duration stop_within{10'000};

// The operators' listener: people and their tools, each with a connection or two.
inline constexpr std::size_t operators_connections_max = 100;

class Instance {
 public:
  struct Ended {
    std::string broken;         // Why the store could not be trusted any longer; empty after stop().
    bool all_answered = false;  // Every request that was accepted got its answer onto its connection.
  };

  // Opens the database, starts the threads, binds both listeners: connections are accepted from here on and
  // answered once run() is called. All references outlive the instance. `unavailable` or `broken` as the
  // store says; `invalid` in one line that says what to do.
  static Result<std::unique_ptr<Instance>> start(const Options& options, http::Accounts& accounts,
                                                 const Clock& clock, Log& log);

  // Ends a service that is not running, without draining.
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  // "http://127.0.0.1:8080"
  const std::string& shop() const;
  const std::string& operators() const;

  // Serves on the calling thread until stop() was called or the store broke, then drains. Once.
  Ended run();

  // Makes run() drain and return. Any thread; idempotent.
  void stop();

 private:
  class Wiring;
  explicit Instance(std::unique_ptr<Wiring> wiring);

  std::unique_ptr<Wiring> wiring_;
};

}  // namespace gavel::app
