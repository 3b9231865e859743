// A socket pair is the child's standard input and output: unlike a pipe it takes MSG_NOSIGNAL, so that writing to a
// child that has gone is an error here and no signal to the whole program.

#include "runtime/tune/Process.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tile {

/// Of what a child writes to its standard error, the end is kept.
static constexpr size_t kKeptErrors = 16 << 10;
/// A line beyond this is no answer of ours.
static constexpr size_t kLongestLine = 16 << 20;
/// How long the end of a child is not noticed whose streams are held open by what it started.
static constexpr int kSliceMs = 100;
/// Between the end of its streams and its own there is next to nothing.
static constexpr int kEndingSliceMs = 1;

Deadline afterSeconds(double seconds) {
  return std::chrono::steady_clock::now() +
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds));
}

static Error systemError(const char *what) {
  return {ErrorCode::File, std::string(what) + ": " + std::strerror(errno)};
}

/// Becomes the program, in a process that was just forked: whatever is called here is safe in a copy of one thread.
[[noreturn]] static void becomeProgram(char *const *words, const char *program, int channel, int errorPipe,
                                       pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) // it died before the line above
    _exit(127);
  setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  // Where the parent has closed a standard stream, a channel may have its number.
  channel = fcntl(channel, F_DUPFD, STDERR_FILENO + 1);
  errorPipe = fcntl(errorPipe, F_DUPFD, STDERR_FILENO + 1);
  dup2(channel, STDIN_FILENO);
  dup2(channel, STDOUT_FILENO);
  dup2(errorPipe, STDERR_FILENO);
  close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  execvp(program, words);
  const char *reason = std::strerror(errno);
  for (const char *text : {"cannot run `", program, "`: ", reason})
    (void)!::write(STDERR_FILENO, text, std::strlen(text));
  _exit(127);
}

Result<std::unique_ptr<Process>> Process::start(const ProcessOptions &options) {
  int channel[2], errorPipe[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) != 0)
    return systemError("no channel to a process can be made");
  if (pipe2(errorPipe, O_CLOEXEC) != 0) {
    Error error = systemError("no channel to a process can be made");
    close(channel[0]);
    close(channel[1]);
    return error;
  }
  std::string name = options.program.substr(options.program.rfind('/') + 1);
  std::vector<char *> words{name.data()};
  for (const std::string &argument : options.arguments)
    words.push_back(const_cast<char *>(argument.c_str()));
  words.push_back(nullptr);
  pid_t parent = getpid(), child = fork();
  if (child == 0)
    becomeProgram(words.data(), options.program.c_str(), channel[1], errorPipe[1], parent);
  int error = errno;
  close(channel[1]);
  close(errorPipe[1]);
  if (child < 0) {
    close(channel[0]);
    close(errorPipe[0]);
    errno = error;
    return systemError("no process can be made");
  }
  setpgid(child, child); // whoever of the two is first
  for (int descriptor : {channel[0], errorPipe[0]})
    fcntl(descriptor, F_SETFL, O_NONBLOCK);
  return std::unique_ptr<Process>(new Process(child, channel[0], errorPipe[0]));
}

Process::~Process() {
  kill();
  close(channel);
  close(errorPipe);
}

void Process::send(std::string_view line) {
  if (ended)
    return;
  outgoing.append(line).push_back('\n');
  write();
}

void Process::write() {
  while (!outgoing.empty()) {
    ssize_t count = ::send(channel, outgoing.data(), outgoing.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0 && errno != EAGAIN)
      outgoing.clear(); // nobody reads any more, which shows as an end
    if (count <= 0)
      return;
    outgoing.erase(0, count);
  }
}

/// Appends what can be read now. False at the end.
static bool readAvailable(int descriptor, std::string &text) {
  char buffer[1 << 14];
  while (true) {
    ssize_t count = ::read(descriptor, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return count < 0 && errno == EAGAIN;
    text.append(buffer, count);
    if (text.size() > kLongestLine + sizeof(buffer))
      return true; // the rest when this is taken
  }
}

void Process::read() {
  isErrorPipeOpen = isErrorPipeOpen && readAvailable(errorPipe, errors);
  if (errors.size() > kKeptErrors)
    errors.erase(0, errors.size() - kKeptErrors);
  isChannelOpen = isChannelOpen && readAvailable(channel, incoming);
  if (incoming.size() > kLongestLine && incoming.find('\n') == std::string::npos) {
    isTooLong = true;
    incoming.clear();
    kill();
  }
}

/// Ends what the child started before the child is reaped, while its number is still its own.
void Process::lookForEnd() {
  siginfo_t info{};
  if (ended || waitid(P_PID, child, &info, WEXITED | WNOWAIT | WNOHANG) != 0 || info.si_pid != child)
    return;
  ::kill(-child, SIGKILL);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  ended = true;
  read();
}

void Process::kill() {
  lookForEnd();
  if (ended)
    return;
  isKilledByUs = true;
  ::kill(-child, SIGKILL);
  ::kill(child, SIGKILL); // its group is made by whoever is first
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  ended = true;
}

std::optional<std::string> Process::takeLine() {
  size_t end = incoming.find('\n');
  if (end == std::string::npos)
    return std::nullopt;
  std::string line = incoming.substr(0, end);
  incoming.erase(0, end + 1);
  return line;
}

/// Of `text`, the last line that says what went wrong: one of an error, else the last.
static std::string lastWords(const std::string &text) {
  std::string words;
  bool isError = false;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    bool says = line.rfind("error", 0) == 0;
    if (!line.empty() && (says || !isError))
      words = line;
    isError |= says;
    begin = end + 1;
  }
  return words;
}

std::string Process::howItEnded() const {
  if (isTooLong)
    return "was ended: it wrote more than " + std::to_string(kLongestLine) + " bytes without a line end";
  std::string text;
  if (isKilledByUs)
    text = "was ended";
  else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
    text = "was ended by SIGKILL, as the system does where memory runs out";
  else if (WIFSIGNALED(status))
    text =
        "was ended by SIG" + std::string(sigabbrev_np(WTERMSIG(status))) + " (" + sigdescr_np(WTERMSIG(status)) + ")";
  else
    text = "exited with code " + std::to_string(WEXITSTATUS(status));
  std::string words = lastWords(errors);
  return words.empty() ? text : text + ": " + words;
}

bool Process::wasKilledFromOutside() const {
  constexpr int kSent[] = {SIGHUP, SIGINT, SIGKILL, SIGTERM}; // the others are raised by faults as well
  return ended && !isKilledByUs && WIFSIGNALED(status) &&
         std::find(std::begin(kSent), std::end(kSent), WTERMSIG(status)) != std::end(kSent);
}

bool waitForAny(const std::vector<Process *> &processes, Deadline deadline, const std::atomic<bool> *cancelled) {
  while (true) {
    for (Process *process : processes)
      if (process->ended || process->incoming.find('\n') != std::string::npos)
        return true;
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() < 0 || (cancelled && *cancelled))
      return false;
    std::vector<pollfd> polled;
    int64_t slice = kSliceMs;
    for (const Process *process : processes) {
      if (process->isErrorPipeOpen)
        polled.push_back({process->errorPipe, POLLIN, 0});
      if (process->isChannelOpen)
        polled.push_back(
            {process->channel, static_cast<short>(process->outgoing.empty() ? POLLIN : POLLIN | POLLOUT), 0});
      else
        slice = kEndingSliceMs;
    }
    poll(polled.data(), polled.size(), static_cast<int>(std::min<int64_t>(left.count() + 1, slice)));
    for (Process *process : processes) {
      process->write();
      process->read();
      process->lookForEnd();
    }
  }
}

} // namespace tile
