#include "app/client/call.h"

#include <algorithm>

#include "app/client/http_client.h"
#include "app/client/retry.h"
#include "base/check.h"

namespace gavel::app {
namespace {

constexpr Duration response_within{10'000};  // Of one try.
constexpr Duration pause_first{100};
constexpr Duration pause_max{2'000};

bool asks_for_another_try(unsigned status) { return status == 429 || status == 503 || status == 504; }

}  // namespace

Result<HttpResponse> call(const ServerAddress& server, HttpRequest request, const Clock& clock,
                          const std::function<void(Duration)>& wait) {
  CHECK(request.method == "GET" || !request.key.empty());
  auto client = HttpClient::create(server.url, server.ca_file);
  if (!client) return std::unexpected(client.error());
  request.bearer = server.key;
  const Duration until = clock.steady() + call_within;
  Duration pause = pause_first;
  bool perhaps_done = false;
  for (;;) {
    auto response = client->ask(request, response_within);
    if (response && !asks_for_another_try(response->status)) return response;
    // Nobody is there: certainly not done, unless an earlier try may have been.
    const bool nobody = !response && response.error().code != ErrorCode::unknown;
    if (nobody && !perhaps_done) return response;
    perhaps_done = perhaps_done || (!response && !nobody) || (response && response->status == 504);
    if (response) pause = std::max<Duration>(pause, retry_after(*response).value_or(std::chrono::seconds(0)));
    if (clock.steady() + pause >= until) {
      if (!response && perhaps_done) return fail(ErrorCode::unknown, response.error().message);
      return response;
    }
    wait(pause);
    pause = std::min(2 * pause, pause_max);
  }
}

}  // namespace gavel::app
