#include "bench/order_requests.h"

#include <algorithm>

#include "base/uuid.h"

namespace gavel::bench {

std::optional<app::HttpRequest> OrderRequests::next() {
  if (made_ >= orders_max_) return std::nullopt;
  return form_ == Form::single ? single() : many();
}

app::HttpRequest OrderRequests::single() {
  ++made_;
  return {.method = "POST", .target = "/v1/orders", .body = "{" + order() + "}", .key = key()};
}

app::HttpRequest OrderRequests::many() {
  app::HttpRequest request{.method = "POST", .target = "/v1/batch"};
  const std::size_t count = std::min(batch, orders_max_ - made_);
  for (std::size_t i = 0; i < count; ++i) {
    request.body += (i == 0 ? R"([{"request_id":")" : R"(,{"request_id":")") + key();
    request.body += R"(","act":"reserve",)" + order() + "}";
  }
  request.body += "]";
  made_ += count;
  return request;
}

std::string OrderRequests::key() { return to_text(make_uuid7(clock_.now(), random_)); }

std::string OrderRequests::order() {
  return R"("user":"u)" + std::to_string(random_.below(1'000'000'000'000)) + R"(","lines":[{"sku":")" + sku_ +
         R"(","quantity":1}])";
}

}  // namespace gavel::bench
