// A child process that speaks in lines: requests to its standard input, answers from its standard output.
//
// For work that may crash, hang or print: the child runs in a process group of its own, so that a ctrl-C reaches the
// parent alone and a kill reaches whatever the child started. It dies with the thread that started it, which therefore
// has to live as long as it is needed. Nothing here blocks but `waitForAny`, and that until its deadline; no signal is
// raised by a child that has gone. The child sees no open file of the parent but its three streams.

#ifndef TILE_RUNTIME_TUNE_PROCESS_H
#define TILE_RUNTIME_TUNE_PROCESS_H

#include "runtime/Result.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tile {

using Deadline = std::chrono::steady_clock::time_point;

/// The point of time in `seconds` from now.
Deadline afterSeconds(double seconds);

struct ProcessOptions {
  /// This program, also where its file was replaced meanwhile. A name without a slash is looked for in PATH.
  std::string program = "/proc/self/exe";
  std::vector<std::string> arguments; ///< Without the program's name.
};

class Process {
public:
  /// Fails where the system gives no process. That the program cannot be run is an early end of the child.
  static Result<std::unique_ptr<Process>> start(const ProcessOptions &options);
  Process(const Process &) = delete;
  Process &operator=(const Process &) = delete;
  /// Kills it.
  ~Process();

  /// Queues `line`, which has no line end.
  void send(std::string_view line);
  /// The next line that has come; nothing where none is complete.
  std::optional<std::string> takeLine();
  /// Whether it is over, by itself or by `kill`. Lines that came before can still be taken.
  bool hasEnded() const { return ended; }
  /// Ends it at once, with all that it started.
  void kill();

  /// What `hasEnded` was, in words that follow a name: `exited with code 3`, `was ended by SIGSEGV (Segmentation
  /// fault)`, with the last error that it wrote to its standard error, else the last line.
  std::string howItEnded() const;
  /// Whether a signal from outside ended it, such as the system sends where memory runs out: that says nothing of its
  /// work.
  bool wasKilledFromOutside() const;
  /// The end of what it wrote to its standard error.
  const std::string &printed() const { return errors; }
  int id() const { return child; }

private:
  friend bool waitForAny(const std::vector<Process *> &, Deadline, const std::atomic<bool> *);
  Process(int child, int channel, int errorPipe) : child(child), channel(channel), errorPipe(errorPipe) {}
  void write();
  void read();
  void lookForEnd();

  int child;
  int channel;                                       ///< A socket: both standard streams of the child.
  int errorPipe;                                     ///< Its standard error.
  bool isChannelOpen = true, isErrorPipeOpen = true; ///< At the child's side.
  std::string outgoing, incoming, errors;
  bool ended = false, isKilledByUs = false, isTooLong = false;
  int status = 0; ///< As `waitpid` gives it, once ended.
};

/// Moves what there is to move until a line of one of `processes` can be taken or one of them has ended: true. False at
/// the deadline, and where `cancelled` is set, which is noticed within a tenth of a second and at once by a signal.
bool waitForAny(const std::vector<Process *> &processes, Deadline deadline,
                const std::atomic<bool> *cancelled = nullptr);

} // namespace tile

#endif // TILE_RUNTIME_TUNE_PROCESS_H
