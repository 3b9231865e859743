#include "runtime/tune/Interrupt.h"

#include <iterator>

namespace tile {

static constexpr int kStopping[] = {SIGINT, SIGTERM, SIGHUP};

static std::atomic<bool> isInterrupted = false;
static std::atomic<int> bySignal = 0;
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "a handler may set them");

Interrupt::Interrupt() {
  static_assert(std::size(kStopping) == kSignals);
  isInterrupted = false;
  bySignal = 0;
  struct sigaction action{};
  action.sa_handler = [](int signal) {
    bySignal = signal;
    isInterrupted = true;
  };
  action.sa_flags = static_cast<int>(SA_RESETHAND); // without SA_RESTART: a wait ends
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < kSignals; ++i) {
    sigaction(kStopping[i], nullptr, &before[i]);
    if (kStopping[i] != SIGHUP || before[i].sa_handler != SIG_IGN)
      sigaction(kStopping[i], &action, nullptr);
  }
}

Interrupt::~Interrupt() {
  for (int i = 0; i < kSignals; ++i)
    sigaction(kStopping[i], &before[i], nullptr);
}

const std::atomic<bool> &Interrupt::flag() const { return isInterrupted; }

int Interrupt::exitCode() const { return isInterrupted ? 128 + bySignal : 0; }

} // namespace tile
