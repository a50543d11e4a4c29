#include "sim/seeds.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <utility>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"

namespace gavel::sim {
namespace {

// A run takes milliseconds; one that takes so long goes round in circles.
constexpr unsigned seconds_max = 60;

// Of one worker, what it is about and what it has said.
struct Worker {
  pid_t process = 0;
  int pipe = -1;
  std::string said;                   // Not yet read.
  std::optional<std::uint64_t> seed;  // Under way.
  std::uint64_t next = 0;             // The seed to go on with.
};

void put(int pipe, const std::string& line) {
  const std::string whole = line + "\n";
  std::size_t done = 0;
  while (done < whole.size()) {
    const ssize_t count = write(pipe, whole.data() + done, whole.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) _exit(1);  // Nobody listens any more.
    done += static_cast<std::size_t>(count);
  }
}

void put_report(int pipe, const Report& report) {
  for (std::size_t i = 0; i < faults_count; ++i) {
    if (report.faults[i] > 0)
      put(pipe, "fault " + std::to_string(i) + " " + std::to_string(report.faults[i]));
  }
  for (std::size_t i = 0; i < rares_count; ++i) {
    if (report.rares[i] > 0) put(pipe, "rare " + std::to_string(i) + " " + std::to_string(report.rares[i]));
  }
  for (const std::string& what : report.violations) put(pipe, "violation " + what);
  put(pipe, "end " + std::to_string(report.hash) + " " + std::to_string(report.events));
}

// The life of a worker's process.
[[noreturn]] void work(int pipe, const SeedRange& range, std::uint64_t seed, const RunSeed& run) {
  const std::uint64_t end = range.first + range.count;
  for (; seed < end; seed += range.jobs) {
    put(pipe, "begin " + std::to_string(seed));
    alarm(seconds_max);
    RunOptions options;
    options.seed = seed;
    options.operations = range.operations;
    Report report = run(options);
    if (seed - range.first < range.twice) {
      const Report again = run(options);
      if (again.hash != report.hash)
        report.violations.emplace_back("repeat: a second run of the seed went another way");
    }
    put_report(pipe, report);
  }
  _exit(0);
}

void start(Worker& worker, const SeedRange& range, const RunSeed& run) {
  std::array<int, 2> ends{};
  CHECK(pipe(ends.data()) == 0);
  std::fflush(nullptr);
  worker.process = fork();
  CHECK(worker.process >= 0);
  if (worker.process == 0) {
    close(ends[0]);
    work(ends[1], range, worker.next, run);
  }
  close(ends[1]);
  worker.pipe = ends[0];
}

std::string death(int status) {
  if (!WIFSIGNALED(status)) return "the process ended with code " + std::to_string(WEXITSTATUS(status));
  if (WTERMSIG(status) == SIGALRM) return "the run took longer than " + std::to_string(seconds_max) + " s";
  return "the process died by signal " + std::to_string(WTERMSIG(status)) + ", and said why above";
}

class Gathering {
 public:
  Gathering(Totals& totals, const std::function<void(const Violation&)>& say) : totals_(totals), say_(say) {}

  void take(Worker& worker, const std::string& line) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    if (kind != "violation") words >> first >> second;
    if (kind == "begin") worker.seed = first;
    if (kind == "fault") totals_.faults.at(first) += second;
    if (kind == "rare") totals_.rares.at(first) += second;
    if (kind == "violation") add({*worker.seed, line.substr(kind.size() + 1)});
    if (kind == "end") {
      ++totals_.seeds;
      totals_.events += second;
      totals_.hash += first * (2 * *worker.seed + 1);  // In whatever order the seeds end.
      worker.seed.reset();
    }
  }

  void add(Violation violation) {
    say_(violation);
    totals_.violations.push_back(std::move(violation));
  }

 private:
  Totals& totals_;
  const std::function<void(const Violation&)>& say_;
};

// Reads what the worker has said; false at its end.
bool hear(Worker& worker, Gathering& gathering) {
  std::array<char, 65536> bytes{};
  const ssize_t count = read(worker.pipe, bytes.data(), bytes.size());
  if (count < 0 && errno == EINTR) return true;
  if (count <= 0) return false;
  worker.said.append(bytes.data(), static_cast<std::size_t>(count));
  std::size_t begin = 0;
  for (std::size_t end = worker.said.find('\n'); end != std::string::npos;
       end = worker.said.find('\n', begin)) {
    gathering.take(worker, worker.said.substr(begin, end - begin));
    begin = end + 1;
  }
  worker.said.erase(0, begin);
  return true;
}

}  // namespace

std::uint64_t Totals::faults_fired() const {
  std::uint64_t sum = 0;
  for (const std::uint64_t count : faults) sum += count;
  return sum;
}

std::uint64_t Totals::rares_reached() const {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(rares, [](std::uint64_t count) { return count > 0; }));
}

std::vector<std::string> Totals::unreached() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < rares_count; ++i) {
    if (rares[i] == 0) names.emplace_back(word(static_cast<RareState>(i)));
  }
  for (std::size_t i = 0; i < faults_count; ++i) {
    if (faults[i] == 0) names.emplace_back(word(static_cast<Fault>(i)));
  }
  return names;
}

Totals run_seeds(const SeedRange& range, const RunSeed& run,
                 const std::function<void(const Violation&)>& say) {
  CHECK(range.jobs >= 1);
  Totals totals;
  Gathering gathering(totals, say);
  const std::uint64_t end = range.first + range.count;
  std::vector<Worker> workers(range.jobs);
  for (unsigned i = 0; i < range.jobs; ++i) {
    workers[i].next = range.first + i;
    start(workers[i], range, run);
  }
  while (!workers.empty()) {
    std::vector<pollfd> waits;
    for (const Worker& worker : workers) waits.push_back({worker.pipe, POLLIN, 0});
    if (poll(waits.data(), waits.size(), -1) < 0) continue;
    for (std::size_t i = workers.size(); i-- > 0;) {
      Worker& worker = workers[i];
      if (waits[i].revents == 0 || hear(worker, gathering)) continue;
      int status = 0;
      close(worker.pipe);
      waitpid(worker.process, &status, 0);
      if (worker.seed) {
        ++totals.seeds;
        gathering.add({*worker.seed, "crash: " + death(status)});
        worker.next = *worker.seed + range.jobs;
        worker.seed.reset();
        worker.said.clear();
        if (worker.next < end) {
          start(worker, range, run);
          continue;
        }
      }
      workers.erase(workers.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  std::ranges::stable_sort(totals.violations, {}, &Violation::seed);
  return totals;
}

std::uint64_t shrink(std::uint64_t seed, std::uint64_t operations, const RunSeed& run) {
  for (std::uint64_t fewer = 5; fewer < operations; fewer *= 2) {
    const Totals totals =
        run_seeds({.first = seed, .count = 1, .operations = fewer}, run, [](const Violation&) {});
    if (!totals.violations.empty()) return fewer;
  }
  return operations;
}

}  // namespace gavel::sim
