// Ctrl-C as a flag: whoever searches stops, keeps what there is and reports it.

#ifndef TILE_RUNTIME_TUNE_INTERRUPT_H
#define TILE_RUNTIME_TUNE_INTERRUPT_H

#include <atomic>
#include <csignal>

namespace tile {

/// While it lives, the first SIGINT, SIGTERM or SIGHUP sets the flag and ends a wait; a second one ends the program. A
/// SIGHUP that is ignored, as `nohup` has it, still is. One at a time.
class Interrupt {
public:
  Interrupt();
  Interrupt(const Interrupt &) = delete;
  ~Interrupt();

  /// Lives as long as the program.
  const std::atomic<bool> &flag() const;
  /// The exit code of a program that such a signal has stopped, as shells have it; 0 where none came.
  int exitCode() const;

private:
  static constexpr int kSignals = 3;
  struct sigaction before[kSignals]; ///< As they were.
};

} // namespace tile

#endif // TILE_RUNTIME_TUNE_INTERRUPT_H
