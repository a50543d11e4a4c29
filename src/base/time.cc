#include "base/time.h"

#include <algorithm>
#include <cstdint>

namespace gavel {
namespace {

using std::chrono::days;
using std::chrono::sys_days;
using std::chrono::year;

constexpr Time earliest = sys_days(year(1970) / 1 / 1);
constexpr Time latest = sys_days(year(10000) / 1 / 1) - Duration(1);

// Writes `value` with leading zeros into exactly `width` characters. Times are in every answer and every line
// of the log; this is several times as fast as snprintf.
void put(char* at, int width, unsigned value) {
  for (int i = width - 1; i >= 0; --i) {
    at[i] = static_cast<char>('0' + value % 10);
    value /= 10;
  }
}

// Reads a text from front to back. The first thing that does not fit makes every later step fail too.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  // Exactly `width` digits, at most `most`.
  unsigned number(std::size_t width, unsigned most) {
    unsigned value = 0;
    for (std::size_t i = 0; i < width; ++i) value = value * 10 + digit();
    if (value > most) good_ = false;
    return value;
  }

  // Takes one character if it is one of `allowed` and says which; else it takes none and says '\0'.
  char any_of(std::string_view allowed) {
    if (rest_.empty() || !allowed.contains(rest_.front())) return '\0';
    const char taken = rest_.front();
    rest_.remove_prefix(1);
    return taken;
  }

  void must_be(std::string_view allowed) {
    if (any_of(allowed) == '\0') good_ = false;
  }

  // One to nine decimals of a second, cut to milliseconds.
  unsigned milliseconds() {
    unsigned value = digit();
    int decimals = 1;
    while (const char next = any_of("0123456789")) {
      if (++decimals <= 3) value = value * 10 + static_cast<unsigned>(next - '0');
    }
    if (decimals > 9) good_ = false;
    for (int i = decimals; i < 3; ++i) value *= 10;
    return value;
  }

  bool finished() const { return good_ && rest_.empty(); }

 private:
  unsigned digit() {
    const char taken = any_of("0123456789");
    if (taken == '\0') good_ = false;
    return taken == '\0' ? 0 : static_cast<unsigned>(taken - '0');
  }

  std::string_view rest_;
  bool good_ = true;
};

// How far local time is ahead of UTC: "Z", "+08:00", "-03:30".
Duration read_offset(Reader& reader) {
  if (reader.any_of("Zz") != '\0') return Duration::zero();
  const bool behind = reader.any_of("-") != '\0';
  if (!behind) reader.must_be("+");
  const std::chrono::hours hours(reader.number(2, 23));
  reader.must_be(":");
  const std::chrono::minutes minutes(reader.number(2, 59));
  return behind ? -(hours + minutes) : hours + minutes;
}

Duration read_time_of_day(Reader& reader) {
  const std::chrono::hours hours(reader.number(2, 23));
  reader.must_be(":");
  const std::chrono::minutes minutes(reader.number(2, 59));
  reader.must_be(":");
  // A leap second (60) has no place in a count of milliseconds since 1970 and is refused.
  const std::chrono::seconds seconds(reader.number(2, 59));
  const Duration fraction(reader.any_of(".") == '\0' ? 0 : reader.milliseconds());
  return hours + minutes + seconds + fraction;
}

}  // namespace

std::string to_text(Time time) {
  const auto characters = characters_of(time);
  return {characters.data(), characters.size()};
}

std::array<char, time_chars> characters_of(Time time) {
  time = std::clamp(time, earliest, latest);
  const sys_days day = std::chrono::floor<days>(time);
  const std::chrono::year_month_day date(day);
  const auto in_day = static_cast<unsigned>((time - day).count());
  std::array<char, time_chars> text;
  std::ranges::copy(std::string_view("0000-00-00T00:00:00.000Z"), text.begin());
  put(&text[0], 4, static_cast<unsigned>(static_cast<int>(date.year())));
  put(&text[5], 2, static_cast<unsigned>(date.month()));
  put(&text[8], 2, static_cast<unsigned>(date.day()));
  put(&text[11], 2, in_day / 3'600'000);
  put(&text[14], 2, in_day / 60'000 % 60);
  put(&text[17], 2, in_day / 1'000 % 60);
  put(&text[20], 3, in_day % 1'000);
  return text;
}

std::optional<Time> parse_time(std::string_view text) {
  Reader reader(text);
  const year years(static_cast<int>(reader.number(4, 9999)));
  reader.must_be("-");
  const std::chrono::month months(reader.number(2, 12));
  reader.must_be("-");
  const std::chrono::day days(reader.number(2, 31));
  reader.must_be("Tt");
  const Duration in_day = read_time_of_day(reader);
  const Duration offset = read_offset(reader);
  const std::chrono::year_month_day date(years, months, days);
  if (!reader.finished() || !date.ok()) return std::nullopt;
  const Time time = sys_days(date) + in_day - offset;
  if (time < earliest || time > latest) return std::nullopt;
  return time;
}

}  // namespace gavel
