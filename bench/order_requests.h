// OrderRequests: orders of one unit of a SKU, each for another user under a new key: one to a request, or
// 1,000.
//
// For the programs of bench/ alone. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "app/load/load_engine.h"
#include "base/clock.h"
#include "base/random.h"

namespace gavel::bench {

class OrderRequests final : public app::Traffic {
 public:
  enum class Form : std::uint8_t { single, batched };
  static constexpr std::size_t batch = 1000;

  // So many orders, and no more.
  explicit OrderRequests(std::string sku, std::size_t orders_max = std::numeric_limits<std::size_t>::max())
      : sku_(std::move(sku)), orders_max_(orders_max) {}

  void set_form(Form form) { form_ = form; }
  std::size_t made() const { return made_; }

  std::optional<app::HttpRequest> next() override;
  void on_response(const app::HttpRequest&, const app::HttpResponse&, const std::string&) override {}

 private:
  app::HttpRequest single();
  app::HttpRequest many();
  std::string key();
  std::string order();

  const std::string sku_;
  const std::size_t orders_max_;
  const RealClock clock_;
  Random random_{1};
  Form form_ = Form::single;
  std::size_t made_ = 0;
};

}  // namespace gavel::bench
