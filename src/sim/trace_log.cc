#include "sim/trace_log.h"

#include <array>
#include <cstdio>

namespace gavel::sim {

void TraceLog::add(std::string_view bytes) {
  for (const char c : bytes) {
    hash_ ^= static_cast<unsigned char>(c);
    hash_ *= 1099511628211ULL;
  }
}

void TraceLog::tell(std::string_view who, std::string_view what) {
  std::string shown;
  if (!hidden_.empty() && what.find(hidden_) != std::string_view::npos) {
    shown = what;
    for (auto at = shown.find(hidden_); at != std::string::npos; at = shown.find(hidden_, at)) {
      shown.replace(at, hidden_.size(), "…");
    }
    what = shown;
  }
  ++lines_;
  const std::int64_t now = scheduler_.now().count();
  std::array<char, 32> at{};
  const int length =
      std::snprintf(at.data(), at.size(), "%3lld.%06lld ", static_cast<long long>(now / 1'000'000),
                    static_cast<long long>(now % 1'000'000));
  const std::string_view time(at.data(), static_cast<std::size_t>(length));
  add(time);
  add(who);
  add("\t");
  add(what);
  if (!listener_) return;
  std::string line(time);
  line += who;
  line.append(who.size() < 10 ? 10 - who.size() : 1, ' ');
  line += what;
  listener_(line);
}

}  // namespace gavel::sim
