#include "app/cli/find_server.h"

#include <utility>

#include "app/operator_key.h"
#include "app/serving_file.h"
#include "base/check.h"

namespace gavel::app {

Result<ServerAddress> find_server(const Options& options, const std::string& address,
                                  const std::string& ca_file) {
  ServerAddress server{.url = address, .key = "", .key_file = options.key_file, .ca_file = ca_file};
  if (address.empty() && options.judge.kind == JudgeUrl::Kind::sqlite) {
    const auto serving = read_serving_file(options.judge.path);
    if (!serving) return std::unexpected(serving.error());
    // The server that happens to listen at the usual address may serve another database.
    if (!*serving) {
      return fail(ErrorCode::unavailable,
                  "no server has " + options.judge.path + " open (there is no file " +
                      serving_file_of(options.judge.path) +
                      "); start gavel serve, or give the operators' address with --server");
    }
    server.url = (*serving)->operators;
    server.key_file = (*serving)->key_file;
  }
  if (server.url.empty()) {
    const bool is_six = options.operators.address.contains(':');
    const std::string host = is_six ? "[" + options.operators.address + "]" : options.operators.address;
    server.url = "http://" + host + ":" + std::to_string(options.operators.port);
  }
  auto key = read_operator_key(server.key_file);
  if (!key) return std::unexpected(key.error());
  server.key = *std::move(key);
  CHECK(!server.url.empty() && !server.key.empty());
  return server;
}

}  // namespace gavel::app
