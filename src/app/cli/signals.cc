#include "app/cli/signals.h"

#include <array>
#include <csignal>
#include <cstdint>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/check.h"

namespace gavel::app {
namespace {

constexpr int shell_code_of_signals = 128;  // What a shell calls the end by signal n: 128 + n.

bool is_ignored(int number) {
  struct sigaction action{};
  return ::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

sigset_t wanted_signals() {
  sigset_t wanted;
  sigemptyset(&wanted);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    if (!is_ignored(number)) sigaddset(&wanted, number);
  }
  return wanted;
}

}  // namespace

Signals::Signals() {
  CHECK(std::signal(SIGPIPE, SIG_IGN) != SIG_ERR);
  CHECK(std::signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
  const sigset_t wanted = wanted_signals();
  CHECK(::pthread_sigmask(SIG_BLOCK, &wanted, nullptr) == 0);
  arrived_ = Descriptor(::signalfd(-1, &wanted, SFD_CLOEXEC));
  CHECK(arrived_);
}

Signals::Watch::Watch(const Signals& signals, std::function<void()> first, std::function<void()> last,
                      std::function<void()> hang_up)
    : signals_(signals),
      first_(std::move(first)),
      last_(std::move(last)),
      hang_up_(std::move(hang_up)),
      ended_(::eventfd(0, EFD_CLOEXEC)) {
  CHECK(ended_);
  thread_ = std::thread([this] { run(); });
}

Signals::Watch::~Watch() {
  const std::uint64_t one = 1;
  CHECK(::write(ended_.number(), &one, sizeof one) == sizeof one);
  thread_.join();
}

void Signals::Watch::run() {
  const int arrived = signals_.arrived_.number();
  bool asked = false;
  while (true) {
    std::array<pollfd, 2> either = {pollfd{arrived, POLLIN, 0}, pollfd{ended_.number(), POLLIN, 0}};
    if (::poll(either.data(), either.size(), -1) < 0) continue;
    if (either[1].revents != 0) return;
    signalfd_siginfo signal{};
    if (::read(arrived, &signal, sizeof signal) != sizeof signal) continue;
    if (hang_up_ && signal.ssi_signo == SIGHUP) {
      hang_up_();
      continue;
    }
    if (asked) {
      last_();
      ::_exit(shell_code_of_signals + static_cast<int>(signal.ssi_signo));
    }
    asked = true;
    first_();
  }
}

}  // namespace gavel::app
