// Options: every setting of the program, as one table, and as typed values whose relations hold.
//
// The table is what `gavel config` prints and what --help lists; ops/settings.h is the mechanism. Pure;
// thread-safe.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "app/judge_url.h"
#include "base/result.h"
#include "base/time.h"
#include "gate/open_gate.h"
#include "ops/log.h"
#include "ops/settings.h"
#include "rules/mode.h"

namespace gavel::app {

std::span<const Setting> all_settings();

struct Listener {
  std::string address;  // An IP address.
  std::uint16_t port;   // 0: a free one.
};

struct Options {
  Listener shop;
  bool shop_on_loopback;        // Whether its address is one.
  bool open;                    // It may serve everybody on another address, if no account is configured.
  Listener operators;           // On a loopback address: its credential is a key that is sent in clear.
  std::size_t connections_max;  // Of the shop's listener.
  std::string key_file;
  std::string accounts_file;

  JudgeUrl judge;
  std::size_t lanes;               // 1 on SQLite.
  std::size_t batch_commands_max;  // Of each lane, as the next.
  std::size_t batch_rows_max;
  std::size_t queue_commands_max;
  std::int64_t checkpoint_pages;

  rules::Mode mode;  // The default of SKUs and activities: direct or gated.
  gate::GateUrl gate;
  std::chrono::seconds refresh_every;

  std::size_t in_flight_max;
  Duration judge_within;
  Duration answer_within;

  std::chrono::seconds hold;
  std::chrono::seconds extend;
  std::chrono::hours requests_kept;

  Log::Options log;
  std::uint64_t log_one_in;
};

// `invalid`, in one line that names both, where a value or two of them together make no sense.
Result<Options> options_of(const Settings& settings);

}  // namespace gavel::app
