// What the tests of this folder start: a program that answers lines, and does what a child may do at worst. The words
// of a request say what: `echo TEXT`, `print TEXT` to standard error, `sleep SECONDS`, `crash`, `exit CODE`, `garbage`,
// `flood`, `spawn`, `files`. As its only argument, `mute` closes the streams and stays, any other word is done at once.

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
  } else if (word == "mute") {
    close(STDOUT_FILENO);
    close(STDIN_FILENO);
    pause();
  }
}

int main(int argc, char **argv) {
  if (argc > 1)
    obey(argc > 2 ? std::string(argv[1]) + " " + argv[2] : argv[1]);
  for (std::string line; std::getline(std::cin, line);)
    obey(line);
}
