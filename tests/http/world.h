// World: the whole service on the memory store, with two real listeners on loopback and a clock that stands
// still.
//
// The lane and the readings have their threads as in the program, and the network has its own; a test talks
// to it through real sockets. Nothing of Asio shows here, so that only world.cc pays for it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/client/response_parser.h"
#include "base/clock.h"
#include "base/time.h"
#include "http/accounts.h"
#include "http/message.h"

namespace gavel::http {

inline constexpr auto shop = Audience::shop;
inline constexpr auto operators = Audience::operators;

inline constexpr std::string_view operator_key = "s3cret";

// What HttpLimits has, short enough for tests.
struct WorldLimits {
  std::size_t connections_max = 100;
  std::size_t in_flight_max = 100;
  std::size_t large_bodies_bytes_max = 64 * 1024 * 1024;
  Duration header_within{2'000};
  Duration body_within{2'000};
  Duration idle_within{2'000};
  bool ends_at_once = false;  // The world ends without letting its connections finish.
};

class World {
 public:
  explicit World(WorldLimits limits = WorldLimits());
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  std::uint16_t port(Audience audience) const;
  VirtualClock& clock();

  // The lane takes no batch until it is let go again.
  void hold_lane();
  void let_lane_go();
  std::size_t commands_waiting() const;

  // The judge decides a batch and does not come back from it before it is let go again.
  void hold_judge();
  void let_judge_go();
  std::size_t batches_decided() const;

  // Tells callers whose answer is overdue, by the clock.
  void look_for_overdue();

  // From here on these keys are known, and the shop's listener takes nobody without one.
  void use_accounts(std::vector<AccountKey> keys);

  void set_ready(bool ready, const std::string& why);
  std::size_t connections(Audience audience) const;
  void stop_servers();  // As at the end of the program: what is in progress finishes.

  // Why a server cannot listen there.
  static std::string listen_error(const std::string& address, std::uint16_t port);

  // A number of the SKU's free stock becomes negative, as if other hands had been at the database.
  void break_stock(const std::string& sku);
  // What somebody else writes into a bucket at the gate: so many units, at the position that it has.
  void write_at_gate(std::int64_t item, std::int32_t bucket, std::int64_t units);

  // Every row of the database.
  std::string dump() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// Waits until `holds`, at most two seconds.
template <class Condition>
bool comes_true(Condition holds);
void wait_a_little();

struct Reply {
  unsigned status = 0;
  std::map<std::string, std::string> headers;  // Names in lower case.
  std::string body;
};

// A blocking socket, so that a test can send what no client of ours would. Every wait ends after three
// seconds.
class Client {
 public:
  explicit Client(std::uint16_t port);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  bool send(std::string_view bytes);
  void end_sending();
  void reset();  // Closes so that the other side sees a reset.
  // The next response; nothing if the connection ended first. `head`: it has no body, whatever its length
  // says.
  std::optional<Reply> read(bool head = false);
  // True if nothing more comes and the other side has closed.
  bool is_closed();

 private:
  bool fill();

  int socket_;
  std::string buffer_;  // Bytes behind the last response.
  app::ResponseParser parser_;
};

// One request on a connection of its own, as a well-behaved client sends it. To the operators' listener it
// carries their key.
struct Asked {
  Audience audience = Audience::shop;
  std::string method = "GET";
  std::string path = "/healthz";
  std::string key;  // Idempotency-Key; empty: none.
  std::string body;
  std::string more_headers;  // "Gavel-Attempt: 1\r\n"
};
Reply ask(const World& world, const Asked& asked);

template <class Condition>
bool comes_true(Condition holds) {
  for (int i = 0; i < 1000; ++i) {
    if (holds()) return true;
    wait_a_little();
  }
  return false;
}

}  // namespace gavel::http
