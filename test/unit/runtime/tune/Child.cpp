// What the tests of this folder start: a program that answers lines, and does what a child may do at worst. The words
// of a request say what: `echo TEXT`, `print TEXT` to standard error, `sleep SECONDS`, `crash`, `exit CODE`, `garbage`,
// `flood`, `spawn`, `files`. Words as arguments are done at once; beside those, `mute` closes the streams and stays,
// `answer TEXT` gives that to every request, `measure-but STEP TEXT` is a measurer that
// gives it to that step and to others what is right, `compile` is a worker whose compiler does what the kernel is
// called, and `measure` is a measurer.

#include "runtime/tune/CompileJob.h"
#include "runtime/tune/Measurement.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <thread>
#include <unistd.h>

static void answer(const std::string &line) { std::cout << line << std::endl; }

static void obey(const std::string &request) {
  size_t space = request.find(' ');
  std::string word = request.substr(0, space), rest = space == std::string::npos ? "" : request.substr(space + 1);
  if (word == "echo")
    answer(rest);
  else if (word == "print")
    std::cerr << rest << std::endl;
  else if (word == "sleep")
    std::this_thread::sleep_for(std::chrono::duration<double>(std::stod(rest)));
  else if (word == "crash") {
    std::signal(SIGSEGV, SIG_DFL); // a sanitizer has a handler
    raise(SIGSEGV);
  } else if (word == "exit")
    _exit(std::stoi(rest));
  else if (word == "garbage")
    std::cout << "\x01{no line" << std::flush;
  else if (word == "flood")
    for (std::string text(1 << 20, 'x');;)
      std::cout << text;
  else if (word == "spawn") {
    // What it starts holds its streams open.
    if (pid_t child = fork(); child == 0)
      while (true)
        pause();
    else
      answer(std::to_string(child));
  } else if (word == "files") {
    size_t count = 0;
    for ([[maybe_unused]] const auto &file : std::filesystem::directory_iterator("/proc/self/fd"))
      ++count;
    answer(std::to_string(count - 1)); // without that of the folder
  } else if (word.substr(0, 1) == "{") {
    answer("garbage");
  } else if (word == "mute") {
    close(STDOUT_FILENO);
    close(STDIN_FILENO);
    pause();
  }
}

static tile::CompileResult compile(const tile::CompileJob &job) {
  tile::CompileResult result;
  std::cout << "what a library prints\n" << std::flush;
  if (job.kernel == "bad") {
    result.failure = tile::TrialOutcome::CompileFailed;
    result.reason = "error[E0403]: bad tile";
    result.diagnostics = result.reason + "\n  all of it";
    return result;
  }
  if (job.kernel == "crash") {
    std::freopen("/dev/null", "w", stdout);
    std::cerr << "error[E0999]: the compiler crashed\n  = note: and so on" << std::endl;
    _exit(70);
  }
  if (job.kernel == "full") {
    result.failure = tile::TrialOutcome::NotTried;
    result.reason = "error[E0602]: no space left";
    return result;
  }
  if (job.kernel == "killed")
    raise(SIGKILL);
  while (job.kernel == "endless")
    pause();
  result.diagnostics = job.file + " " + job.kernel;
  for (const auto &all : {job.values, job.scalars})
    for (const auto &[name, value] : all)
      result.diagnostics += " " + name + "=" + value;
  result.diagnostics += " " + std::to_string(job.numSms.value_or(-1)) + " " + job.target + " " + job.assembleFor;
  for (const std::string &folder : job.includeFolders)
    result.diagnostics += " " + folder;
  result.diagnostics += " " + std::to_string(job.fuses) + " " + job.ptxas + " " + job.output;
  result.variant = "fast";
  result.registers = 128, result.spillBytes = 16, result.sharedBytes = 4096;
  result.warps = 8, result.programsPerSm = 2, result.milliseconds = 1.5;
  return result;
}

int main(int argc, char **argv) {
  std::string first = argc > 1 ? argv[1] : "";
  if (first == "compile")
    return tile::serveCompileJobs(compile);
  if (first == "measure")
    return tile::serveMeasurements();
  if (first == "answer") {
    answer("ready");
    for (std::string line; std::getline(std::cin, line);)
      answer(argv[2]);
    return 0;
  }
  if (first == "measure-but") {
    answer("{}");
    std::string step = std::string("\"do\":\"") + argv[2] + "\"";
    for (std::string line; std::getline(std::cin, line);)
      answer(line.find(step) == std::string::npos ? R"({"difference": "", "alike": 0, "us": 100})" : argv[3]);
    return 0;
  }
  if (argc > 1)
    obey(argc > 2 ? std::string(argv[1]) + " " + argv[2] : argv[1]);
  for (std::string line; std::getline(std::cin, line);)
    obey(line);
}
