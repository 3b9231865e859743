/// What a compiled kernel is made of, and the state of one program that runs it.
#ifndef BACKEND_INTERPRETER_FRAME_H
#define BACKEND_INTERPRETER_FRAME_H

#include "backend/interpreter/Findings.h"
#include "backend/interpreter/Memory.h"

#include <functional>

namespace tile::interpreter {

/// State of the program that a thread runs.
struct Frame {
  /// Where every value of the kernel lives, at offsets that the compiler chose.
  char *values = nullptr;
  Memory *memory = nullptr;
  std::array<int64_t, 3> grid = {1, 1, 1};
  Program program;
  /// Set by a failed assert: no further step of this program runs.
  bool stopped = false;
  /// How many elements a step in the combiner of a reduction works on.
  int64_t lanes = 1;
  int64_t bytesRead = 0, bytesWritten = 0;
  Findings findings;

  template <typename T = char> T *at(int64_t offset) { return reinterpret_cast<T *>(values + offset); }
};

using Step = std::function<void(Frame &)>;

/// The steps of one block, in order.
struct Body {
  std::vector<Step> steps;

  void run(Frame &frame) const {
    for (const Step &step : steps) {
      step(frame);
      if (frame.stopped)
        return;
    }
  }
};

} // namespace tile::interpreter

#endif
