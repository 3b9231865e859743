// Ctrl-C as a flag: whoever searches stops, keeps what there is and reports it.

#ifndef TILE_RUNTIME_TUNE_INTERRUPT_H
#define TILE_RUNTIME_TUNE_INTERRUPT_H

#include <atomic>
#include <csignal>

namespace tile {

/// While it lives, the first SIGINT or SIGTERM sets the flag and ends a wait; a second one ends the program. One at a
/// time.
class Interrupt {
public:
  Interrupt();
  Interrupt(const Interrupt &) = delete;
  ~Interrupt();

  /// Lives as long as the program.
  const std::atomic<bool> &flag() const;

private:
  struct sigaction interrupt, termination; ///< As they were.
};

} // namespace tile

#endif // TILE_RUNTIME_TUNE_INTERRUPT_H
