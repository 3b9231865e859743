/// What lanes of a warp tell each other: shuffles, votes, matches, reductions. (PTX ISA 9.0, 9.7.9.6, 9.7.13)
#include "backend/simulator/exec/Converge.h"
#include "backend/simulator/exec/Families.h"
#include "backend/simulator/machine/Cta.h"
#include "backend/simulator/machine/Grid.h"

#include <algorithm>

namespace tile::sim {

static bool convergeOn(Warp &warp, const Op &op, uint32_t wanted) {
  if (!warp.gather(op, wanted))
    return false;
  uint32_t away = wanted & warp.converged() & ~warp.active & ~warp.exited;
  if (away)
    warp.cta.report(Fault::BarrierDivergence, warp, __builtin_ctz(away), op,
                    "the mask names lane " + std::to_string(__builtin_ctz(away)) + ", which the guard keeps away");
  return true;
}

bool converge(Warp &warp, const Op &op, Slot mask) {
  const uint32_t *masks = warp.row<uint32_t>(mask);
  uint32_t wanted = masks[__builtin_ctz(warp.active)];
  if (!convergeOn(warp, op, wanted))
    return false;
  uint32_t named = 0, others = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    named |= masks[lane] & 1u << lane;
    others |= uint32_t(masks[lane] != wanted) << lane;
  }
  if (uint32_t unnamed = warp.active & ~named & ~warp.undefined(mask))
    warp.cta.report(Fault::BadOperand, warp, __builtin_ctz(unnamed), op,
                    "lane " + std::to_string(__builtin_ctz(unnamed)) + " runs it; the mask does not name it");
  if (uint32_t unsure = warp.undefined(mask) & warp.active; unsure)
    warp.cta.report(Fault::Undefined, warp, __builtin_ctz(unsure), op, "the mask is undefined");
  // Lanes of several masks are several groups, each by itself.
  if (others &= warp.active)
    warp.stay(others);
  return true;
}

bool convergeAll(Warp &warp, const Op &op) { return convergeOn(warp, op, warp.lanes); }

// shfl.

enum class Shuffle : uint32_t { Up, Down, Butterfly, Index };

/// Sources: value, lane, clamp, mask. Results: value, whether the source lane was in range.
template <Shuffle kind> static Step runShuffle(Warp &warp, const Op &op) {
  if (!converge(warp, op, op.source(3)))
    return Step::Block;
  const uint32_t *value = warp.row<uint32_t>(op.source(0));
  const uint32_t *lanes = warp.row<uint32_t>(op.source(1)), *clamps = warp.row<uint32_t>(op.source(2));
  uint32_t shuffled[kLanes], inRange = 0, undefined = 0, unsure = warp.undefined(op.source(0)) | ~warp.active;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    uint32_t amount = lanes[lane] & 31, clamp = clamps[lane] & 31, segment = clamps[lane] >> 8 & 31;
    int most = int((lane & segment) | (clamp & ~segment)), least = int(lane & segment), from = 0;
    switch (kind) {
    case Shuffle::Up:
      from = int(lane) - int(amount);
      break;
    case Shuffle::Down:
      from = int(lane + amount);
      break;
    case Shuffle::Butterfly:
      from = int(lane ^ amount);
      break;
    case Shuffle::Index:
      from = least | int(amount & ~segment);
      break;
    }
    bool fits = kind == Shuffle::Up ? from >= most : from <= most;
    from = fits ? from : int(lane);
    shuffled[lane] = value[from & 31];
    inRange |= uint32_t(fits) << lane;
    undefined |= (unsure >> (from & 31) & 1) << lane;
  }
  undefined |= warp.undefined(op.source(1)) | warp.undefined(op.source(2));
  warp.write(op.result(0), shuffled);
  warp.writeUndefined(op.result(0), undefined);
  if (op.results > 1) {
    warp.writePredicate(op.result(1), inRange);
    warp.writeUndefined(op.result(1), warp.undefined(op.source(1)) | warp.undefined(op.source(2)));
  }
  return Step::Next;
}

static void decodeShuffle(Form &form) {
  if (!form.take("sync"))
    return form.refuse("without `.sync` it is not part of PTX for sm_70 and later");
  static constexpr Handler kHandlers[] = {runShuffle<Shuffle::Up>, runShuffle<Shuffle::Down>,
                                          runShuffle<Shuffle::Butterfly>, runShuffle<Shuffle::Index>};
  int kind = form.takeOne({"up", "down", "bfly", "idx"});
  form.take("b32");
  if (kind < 0 || !form.expectOperands(5))
    return form.refuse("it names no mode");
  const ptx::Operand &target = form.operand(0);
  bool pair = target.kind == ptx::Operand::Kind::Pair;
  form.result(pair ? target.parts[0] : target, ptx::Type::B32);
  if (pair)
    form.result(target.parts[1], ptx::Type::Pred);
  for (size_t i = 1; i < 5; ++i)
    form.source(i, ptx::Type::B32);
  form.run(kHandlers[kind]);
}

// vote, match, elect, activemask.

enum class Vote : uint32_t { All, Any, Uniform, Ballot };

/// Sources: predicate, mask. The mode: the vote, and in bit 8 whether the predicate is negated.
static Step runVote(Warp &warp, const Op &op) {
  if (!converge(warp, op, op.source(1)))
    return Step::Block;
  uint32_t votes = warp.predicate(op.source(0)) ^ (op.mode >> 8 & 1 ? kAllLanes : 0);
  votes &= warp.active;
  uint32_t unsure = warp.undefined(op.source(0)) & warp.active ? kAllLanes : 0;
  Vote vote = Vote(op.mode & 0xff);
  if (vote == Vote::Ballot) {
    uint32_t values[kLanes];
    std::fill(std::begin(values), std::end(values), votes);
    warp.write(op.result(0), values);
  } else {
    bool all = votes == warp.active, none = votes == 0;
    bool holds = vote == Vote::All ? all : vote == Vote::Any ? !none : all || none;
    warp.writePredicate(op.result(0), holds ? kAllLanes : 0);
  }
  warp.writeUndefined(op.result(0), unsure);
  return Step::Next;
}

static void decodeVote(Form &form) {
  if (!form.take("sync"))
    return form.refuse("without `.sync` it is not part of PTX for sm_70 and later");
  int vote = form.takeOne({"all", "any", "uni", "ballot"});
  form.takeOne({"pred", "b32"});
  if (vote < 0 || !form.expectOperands(3))
    return form.refuse("it names no vote");
  form.result(0, Vote(vote) == Vote::Ballot ? ptx::Type::B32 : ptx::Type::Pred);
  form.source(1, ptx::Type::Pred);
  form.source(2, ptx::Type::B32);
  form.run(runVote, uint32_t(vote) | form.operand(1).negated << 8);
}

/// Sources: value, mask. Results: lanes with the same value, and for `.all` whether that is everyone.
template <class Word, bool all> static Step runMatch(Warp &warp, const Op &op) {
  if (!converge(warp, op, op.source(1)))
    return Step::Block;
  const Word *value = warp.row<Word>(op.source(0));
  uint32_t values[kLanes] = {}, everyone = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    for (unsigned other = 0; other < kLanes; ++other)
      values[lane] |= uint32_t(warp.active >> other & 1 && value[other] == value[lane]) << other;
    everyone |= uint32_t(values[lane] == warp.active) << lane;
    if (all && values[lane] != warp.active)
      values[lane] = 0;
  }
  warp.write(op.result(0), values);
  uint32_t unsure = warp.undefined(op.source(0)) & warp.active ? kAllLanes : 0;
  warp.writeUndefined(op.result(0), unsure);
  if (op.results > 1) {
    warp.writePredicate(op.result(1), everyone);
    warp.writeUndefined(op.result(1), unsure);
  }
  return Step::Next;
}

static void decodeMatch(Form &form) {
  int kind = form.takeOne({"any", "all"});
  if (!form.take("sync") || kind < 0)
    return form.refuse("it lacks `.any` or `.all`, or `.sync`");
  ptx::Type type = form.takeType();
  if (!form.expectOperands(3))
    return;
  const ptx::Operand &target = form.operand(0);
  bool pair = target.kind == ptx::Operand::Kind::Pair;
  form.result(pair ? target.parts[0] : target, ptx::Type::B32);
  if (pair)
    form.result(target.parts[1], ptx::Type::Pred);
  form.source(1, type);
  form.source(2, ptx::Type::B32);
  bool wide = ptx::sizeOf(type) == 8;
  static constexpr Handler kHandlers[2][2] = {{runMatch<uint32_t, false>, runMatch<uint32_t, true>},
                                              {runMatch<uint64_t, false>, runMatch<uint64_t, true>}};
  form.run(kHandlers[wide][kind]);
}

/// The ISA leaves open which lane is elected; hardware takes the lowest.
static Step runElect(Warp &warp, const Op &op) {
  if (!converge(warp, op, op.source(0)))
    return Step::Block;
  unsigned leader = __builtin_ctz(warp.active);
  uint32_t values[kLanes];
  std::fill(std::begin(values), std::end(values), leader);
  warp.write(op.result(0), values);
  warp.writeUndefined(op.result(0), 0);
  warp.writePredicate(op.result(1), 1u << leader);
  warp.writeUndefined(op.result(1), 0);
  return Step::Next;
}

static void decodeElect(Form &form) {
  if (!form.take("sync") || !form.expectOperands(2) || form.operand(0).kind != ptx::Operand::Kind::Pair)
    return form.refuse("expected `elect.sync lane|leader, mask`");
  form.result(form.operand(0).parts[0], ptx::Type::B32);
  form.result(form.operand(0).parts[1], ptx::Type::Pred);
  form.source(1, ptx::Type::B32);
  form.run(runElect);
}

static Step runActiveMask(Warp &warp, const Op &op) {
  uint32_t values[kLanes];
  std::fill(std::begin(values), std::end(values), warp.active);
  warp.write(op.result(0), values);
  warp.writeUndefined(op.result(0), 0);
  return Step::Next;
}

static void decodeActiveMask(Form &form) {
  form.take("b32");
  form.result(0, ptx::Type::B32);
  form.run(runActiveMask);
}

// redux.

template <class T> using Combine = T (*)(T, T);

/// Sources: value, mask.
template <class T, T (*combine)(T, T)> static Step runReduce(Warp &warp, const Op &op) {
  if (!converge(warp, op, op.source(1)))
    return Step::Block;
  const uint32_t *value = warp.row<uint32_t>(op.source(0));
  T sum = T(value[__builtin_ctz(warp.active)]);
  for (uint32_t rest = warp.active & (warp.active - 1); rest; rest &= rest - 1)
    sum = combine(sum, T(value[__builtin_ctz(rest)]));
  uint32_t values[kLanes];
  std::fill(std::begin(values), std::end(values), uint32_t(sum));
  warp.write(op.result(0), values);
  warp.writeUndefined(op.result(0), warp.undefined(op.source(0)) & warp.active ? kAllLanes : 0);
  return Step::Next;
}

static uint32_t sumOf(uint32_t a, uint32_t b) { return a + b; }
static uint32_t bothOf(uint32_t a, uint32_t b) { return a & b; }
static uint32_t anyOf(uint32_t a, uint32_t b) { return a | b; }
static uint32_t oddOf(uint32_t a, uint32_t b) { return a ^ b; }
template <class T> static T leastOf(T a, T b) { return std::min(a, b); }
template <class T> static T mostOf(T a, T b) { return std::max(a, b); }

static void decodeReduce(Form &form) {
  if (!form.take("sync"))
    return form.refuse("it lacks `.sync`");
  int kind = form.takeOne({"add", "min", "max", "and", "or", "xor"});
  ptx::Type type = form.takeType();
  if (type == ptx::Type::F32)
    return form.refuse("`.f32` needs sm_100; up to sm_90 it reduces integers alone");
  if (kind < 0 || ptx::sizeOf(type) != 4)
    return form.refuse("only integers of 32 bits are known");
  bool isSigned = type == ptx::Type::S32;
  const Handler handlers[] = {runReduce<uint32_t, sumOf>,
                              isSigned ? runReduce<int32_t, leastOf<int32_t>> : runReduce<uint32_t, leastOf<uint32_t>>,
                              isSigned ? runReduce<int32_t, mostOf<int32_t>> : runReduce<uint32_t, mostOf<uint32_t>>,
                              runReduce<uint32_t, bothOf>,
                              runReduce<uint32_t, anyOf>,
                              runReduce<uint32_t, oddOf>};
  if (!form.expectOperands(3))
    return;
  form.result(0, type);
  form.source(1, type);
  form.source(2, ptx::Type::B32);
  form.run(handlers[kind]);
}

InstructionRows collectiveRows() {
  return {
      {"activemask", "Parallel Synchronization and Communication", "", decodeActiveMask},
      {"elect", "Parallel Synchronization and Communication", "`.sync`", decodeElect},
      {"match", "Parallel Synchronization and Communication", "`.any .all`, 32 and 64 bits", decodeMatch},
      {"redux", "Parallel Synchronization and Communication", "integers of 32 bits", decodeReduce},
      {"shfl", "Data Movement and Conversion", "`.sync`, all modes", decodeShuffle},
      {"vote", "Parallel Synchronization and Communication", "`.sync`, all votes", decodeVote},
  };
}

} // namespace tile::sim
