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
  /// Set by a failed assert, and with `givenUp`: no further step of this program runs.
  bool stopped = false;
  /// The loops of this program have made more turns than are allowed.
  bool givenUp = false;
  int64_t turnsLeft = 0;
  /// Once given up: of the loops that were running, the one with the most turns.
  const Site *busiest = nullptr;
  int64_t busiestTurns = 0;
  /// How many elements a step in the combiner of a reduction works on.
  int64_t lanes = 1;
  int64_t bytesRead = 0, bytesWritten = 0;
  Findings findings;

  template <typename T = char> T *at(int64_t offset) { return reinterpret_cast<T *>(values + offset); }
};

/// Counts the turns of one loop while it runs.
class LoopTurns {
public:
  LoopTurns(Frame &frame, const Site &site) : frame(frame), site(site) {}
  LoopTurns(const LoopTurns &) = delete;
  ~LoopTurns() {
    if (frame.givenUp && turns > frame.busiestTurns) {
      frame.busiest = &site;
      frame.busiestTurns = turns;
    }
  }
  /// Whether the loop may make another turn.
  bool take() {
    ++turns;
    if (frame.turnsLeft-- > 0)
      return true;
    frame.givenUp = frame.stopped = true;
    return false;
  }

private:
  Frame &frame;
  const Site &site;
  int64_t turns = 0;
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
