#include "bench/server.h"

#include <algorithm>
#include <map>
#include <utility>

#include "app/client/http_connection.h"
#include "app/options.h"
#include "base/check.h"
#include "judge/sqlite/store.h"

namespace gavel::bench {
namespace {

constexpr const char* operators_key = "bench";
constexpr std::int64_t receipt_units_max = 1'000'000;

app::Options options_with(const std::map<std::string, std::string>& chosen) {
  const auto nothing = [](const std::string&) -> std::optional<std::string> { return std::nullopt; };
  const auto settings = Settings::load(app::all_settings(), "", nothing, chosen);
  CHECK(settings.has_value());
  auto options = app::options_of(*settings);
  CHECK(options.has_value());
  return *std::move(options);
}

}  // namespace

Server::Server(const std::string& mode) {
  auto folder = app::TemporaryDataFolder::make();
  CHECK(folder.has_value());
  folder_.emplace(*std::move(folder));
  const app::Options options = options_with({{"judge.url", "sqlite:" + database()},
                                             {"http.port", "0"},
                                             {"admin.port", "0"},
                                             {"pipeline.mode", mode}});
  auto instance = app::Instance::start(options, operators_key, clock_, *log_);
  CHECK(instance.has_value());
  instance_ = *std::move(instance);
  thread_ = std::thread([this] { CHECK(instance_->run().broken.empty()); });
  stock("tee", 20 * receipt_units_max);
  stock("gone", 0);
}

std::uint16_t Server::port() const {
  const std::string& url = instance_->shop();
  return static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
}

std::string Server::operate(std::string method, std::string target, std::string body, std::string key) {
  auto connection = app::HttpConnection::open(instance_->operators());
  CHECK(connection.has_value());
  auto answer =
      connection->ask({std::move(method), std::move(target), std::move(body), std::move(key), operators_key},
                      Duration(10'000));
  CHECK(answer.has_value() && (answer->status == 200 || answer->status == 201));
  return std::move(answer->body);
}

void Server::stock(const std::string& sku, std::int64_t units) {
  operate("PUT", "/v1/skus/" + sku, "", "sku-" + sku);
  for (int n = 0; units > 0; ++n) {
    const std::int64_t part = std::min(units, receipt_units_max);
    operate("POST", "/v1/stock/" + sku + "/receive", R"({"quantity":)" + std::to_string(part) + "}",
            "in-" + sku + "-" + std::to_string(n));
    units -= part;
  }
}

std::unique_ptr<judge::Reader> Server::open_reader() const {
  auto reader = judge::open_sqlite_reader(judge::SqliteOptions{.path = database(), .vfs = ""});
  CHECK(reader.has_value());
  return *std::move(reader);
}

Audited Server::verify() {
  stop();
  return audited(*open_reader());
}

void Server::stop() {
  if (!thread_.joinable()) return;
  instance_->stop();
  thread_.join();
  instance_.reset();
}

}  // namespace gavel::bench
