// ServerAddresses: both listeners of one Gavel server, and what its operators need. A value.
#pragma once

#include <string>

namespace gavel::app {

struct ServerAddresses {
  std::string shop;           // "http://127.0.0.1:8080"
  std::string operators;      // "http://127.0.0.1:8081",
  std::string key;            // and the operators' key.
  std::string ca_file = {};   // As http_client.h has it.
  std::string shop_key = {};  // That the shop's listener asks for; empty: none.
};

}  // namespace gavel::app
