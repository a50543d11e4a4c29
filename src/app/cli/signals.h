// Signals: turns SIGINT, SIGTERM and SIGHUP into a call.
//
//   Signals signals;                                  // before any other thread
//   ...                                               // a signal that comes here waits
//   const Signals::Watch watch(signals, [&] { instance.stop(); });
//
// Signals blocks these signals for every thread that starts after it; a Watch takes them on a thread of its
// own. The first signal calls `first`; the second calls `last` and ends the process at once, for whoever asks
// twice does not want to wait. SIGHUP is one like the others, unless the watch has something else to do with
// it. A signal that is ignored when Signals is made (nohup, a background job) stays ignored. SIGPIPE and
// SIGXFSZ are ignored from then on: a peer that went away, and a file that met a limit of size (ulimit -f),
// are errors of one write.
#pragma once

#include <functional>
#include <thread>

#include "app/descriptor.h"

namespace gavel::app {

class Signals {
 public:
  Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  // One at a time.
  class Watch {
   public:
    // All run on the watch's thread and do not throw; none is called after the destructor. `last` finds
    // the other threads at work, and has only to tidy up what must not stay behind.
    // `hang_up` is called for each SIGHUP, which then asks nobody to end.
    Watch(const Signals& signals, std::function<void()> first, std::function<void()> last,
          std::function<void()> hang_up = nullptr);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    void run();

    const Signals& signals_;
    const std::function<void()> first_;
    const std::function<void()> last_;
    const std::function<void()> hang_up_;
    const Descriptor ended_;  // Readable when the watch goes.
    std::thread thread_;
  };

 private:
  Descriptor arrived_;  // Readable while a signal waits.
};

}  // namespace gavel::app
