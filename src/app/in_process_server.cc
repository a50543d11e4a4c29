#include "app/in_process_server.h"

#include <map>
#include <optional>
#include <utility>

#include "app/operator_key.h"
#include "app/options.h"

namespace gavel::app {
namespace {

// The defaults, but for what keeps it apart from everything else on the machine.
Result<Options> options_in(const ScratchFolder& folder, const std::string& mode) {
  const auto nothing = [](const std::string&) -> std::optional<std::string> { return std::nullopt; };
  const std::map<std::string, std::string> chosen = {
      {"http.port", "0"},
      {"admin.port", "0"},
      {"judge.url", "sqlite:" + folder.file("gavel.db")},
      {"admin.key_file", folder.file("gavel.key")},
      {"log.file", folder.file("gavel.log")},
      {"pipeline.mode", mode},
  };
  const auto settings = Settings::load(all_settings(), "", nothing, chosen);
  if (!settings) return std::unexpected(settings.error());
  return options_of(*settings);
}

}  // namespace

Result<std::unique_ptr<InProcessServer>> InProcessServer::start(const ScratchFolder& folder,
                                                                const std::string& mode, Interrupt& ended) {
  const auto options = options_in(folder, mode);
  if (!options) return std::unexpected(options.error());
  auto key = take_operator_key(options->key_file);
  if (!key) return std::unexpected(key.error());
  std::unique_ptr<InProcessServer> server(new InProcessServer(folder, std::move(key->secret)));
  auto log = Log::open(options->log, server->clock_);
  if (!log) return std::unexpected(log.error());
  server->log_ = *std::move(log);
  auto instance = Instance::start(*options, server->accounts_, server->clock_, *server->log_);
  if (!instance) return std::unexpected(instance.error());
  server->instance_ = *std::move(instance);
  server->thread_ = std::thread([self = server.get(), &ended] {
    self->end_ = self->instance_->run();
    ended.raise();
  });
  return server;
}

Instance::Ended InProcessServer::stop() {
  if (thread_.joinable()) {
    instance_->stop();
    thread_.join();
  }
  return end_;
}

}  // namespace gavel::app
