/// How much of a kernel has been expanded. Functions and `static for` make copies, and every branch that stands in
/// another one costs each later pass a recursion: a few lines could otherwise keep the compiler busy for ever, or end
/// it for want of stack. The limits are far above what a GPU can run.
#ifndef FRONTEND_IRGEN_EXPANSION_H
#define FRONTEND_IRGEN_EXPANSION_H

#include <cstddef>

namespace tile::irgen {

/// Statements and calls of a kernel, copies included.
constexpr unsigned kMaxExpanded = 100'000;
/// Branches and loops in one another, in the kernel that comes out.
constexpr unsigned kMaxNesting = 256;
/// Functions that are being expanded, each called by the one before. A place in the code knows them all.
constexpr unsigned kMaxCalls = 256;
/// Expressions and statements that are being evaluated; 1000 of them may nest in the source alone.
constexpr unsigned kMaxDepth = 2'500;
/// What that takes of the stack, several times over: a thread may have as little as a megabyte.
constexpr unsigned kStackBytes = 64u << 20;
/// Values in a tuple, those of the tuples in it included.
constexpr size_t kMaxTuple = 4'096;

struct Expansion {
  unsigned expanded = 0;
  unsigned nesting = 0;
  unsigned depth = 0;
  bool isExhausted = false; // reported; the rest is silent
};

/// One more level while it lives, as `nesting` or `depth` counts.
class Level {
public:
  explicit Level(unsigned &count) : count(++count) {}
  ~Level() { --count; }
  Level(const Level &) = delete;
  Level &operator=(const Level &) = delete;

private:
  unsigned &count;
};

} // namespace tile::irgen

#endif
