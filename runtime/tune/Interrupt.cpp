#include "runtime/tune/Interrupt.h"

namespace tile {

static std::atomic<bool> isInterrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a handler may set it");

Interrupt::Interrupt() {
  isInterrupted = false;
  struct sigaction action{};
  action.sa_handler = [](int) { isInterrupted = true; };
  action.sa_flags = static_cast<int>(SA_RESETHAND); // without SA_RESTART: a wait ends
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &interrupt);
  sigaction(SIGTERM, &action, &termination);
}

Interrupt::~Interrupt() {
  sigaction(SIGINT, &interrupt, nullptr);
  sigaction(SIGTERM, &termination, nullptr);
}

const std::atomic<bool> &Interrupt::flag() const { return isInterrupted; }

} // namespace tile
