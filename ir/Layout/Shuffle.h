//===- Shuffle.h - a conversion by lane shuffles ----------------*- C++ -*-===//
//
// The program for a conversion in which every warp keeps its data. Three steps, all of them linear:
//   before   each lane permutes its registers, by a permutation that depends on the lane and the warp;
//   rounds   each lane sends registers fixed by the round, and receives from `lane(round)`;
//   after    each lane permutes what it received, by a permutation that depends on the lane.
// The permutations are by exclusive or with a linear function of the lane, so each is a few stages of selects, and any
// conversion within a warp fits: where two lanes would need different registers of one lane in the same round, `after`
// lets them fill different registers.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_IR_LAYOUT_SHUFFLE_H
#define TILE_IR_LAYOUT_SHUFFLE_H

#include "ir/Layout/Layout.h"

namespace tile {

/// Where parity(lane & laneMask) xor parity(warp & warpMask) is 1, register i takes the value of i ^ registerXor, all
/// registers at once.
struct SelectStage {
  uint64_t laneMask = 0;
  uint64_t warpMask = 0;
  int64_t registerXor = 0;
};

/// One shuffle of a 32-bit word (of several words where an element is wider): the elements of `sources` side by side,
/// to be found in `results`. A bool takes a byte.
struct ShuffleRound {
  std::vector<int64_t> sources;
  std::vector<int64_t> results;
  uint64_t laneXor = 0; // the lane received from is laneXor ^ laneFunction(lane) ^ warpFunction(warp)
  bool local = false;   // it is the lane itself: no shuffle
};

struct ShuffleProgram {
  std::vector<int64_t> inputs; // working register i is register inputs[i] of the source
  std::vector<SelectStage> before;
  std::vector<uint64_t> laneColumns; // laneFunction: the bits that each bit of the lane contributes
  std::vector<uint64_t> warpColumns; // warpFunction
  std::vector<ShuffleRound> rounds;
  std::vector<SelectStage> after; // on the received registers; there are `numReceived` of them
  int64_t numReceived = 0;
  std::vector<int64_t> outputs; // register i of the destination is received register outputs[i]

  /// The lane that `lane` of `warp` receives from.
  uint64_t sourceLane(const ShuffleRound &round, uint64_t lane, uint64_t warp) const {
    return round.laneXor ^ applyColumns(laneColumns, lane) ^ applyColumns(warpColumns, warp);
  }
};

/// The program from `src` to `dst`, or none when data must change its warp or block.
std::optional<ShuffleProgram> planShuffle(const Layout &src, const Layout &dst, int elementBits);
/// The same program on words of `perWord` neighbouring registers each, where it parts none of them: register i of a
/// word is working register `word * perWord + i`, and the program's inputs and outputs are its words in their order.
std::optional<ShuffleProgram> inWords(const ShuffleProgram &program, int64_t perWord);
/// Estimated issue cycles per warp.
double shuffleCost(const ShuffleProgram &program, int elementBits);

} // namespace tile

#endif // TILE_IR_LAYOUT_SHUFFLE_H
