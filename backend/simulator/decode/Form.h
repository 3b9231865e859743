/// \file
/// What a decode function works on: one instruction, whose modifiers it takes one by one and whose operands it turns
/// into slots. A modifier that nobody takes, an operand that nobody expects or a register of the wrong width refuses
/// the instruction: what is not known is never skipped.
#ifndef BACKEND_SIMULATOR_DECODE_FORM_H
#define BACKEND_SIMULATOR_DECODE_FORM_H

#include "backend/simulator/machine/Program.h"
#include "backend/simulator/numerics/TensorCore.h"
#include "backend/simulator/ptx/Syntax.h"

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tile::sim {

class Decoder;

class Form {
public:
  Form(Decoder &decoder, const ptx::Instruction &instruction)
      : instruction(instruction), decoder(decoder), taken(instruction.modifiers.size(), false) {}

  const ptx::Instruction &instruction;

  // Modifiers.

  /// Takes `modifier` if the instruction has it.
  bool take(std::string_view modifier);
  /// Takes the first of `modifiers` that the instruction has, and says which; -1 if none.
  int takeOne(std::initializer_list<std::string_view> modifiers);
  /// Takes the next type, from the left. Refuses an instruction without one.
  ptx::Type takeType();
  /// Likewise, but an instruction may have none.
  std::optional<ptx::Type> takeTypeIfAny();
  /// Takes whatever has no effect on the values, cache hints and the like: each modifier of these names, and with
  /// `L2::` each that begins so.
  void ignore(std::initializer_list<std::string_view> names);

  // Operands, by their place in the instruction.

  size_t operandCount() const { return instruction.operands.size(); }
  const ptx::Operand &operand(size_t index) const { return instruction.operands[index]; }
  /// Refuses unless there are this many.
  bool expectOperands(size_t count);

  /// Adds a result of `type`: a register that the operation writes; `_` gives a register that nobody reads. A wider
  /// register than the type is taken only where `mayBeWider` (ld, cvt).
  Slot result(const ptx::Operand &operand, ptx::Type type, bool mayBeWider = false);
  Slot result(size_t index, ptx::Type type, bool mayBeWider = false) {
    return result(operand(index), type, mayBeWider);
  }
  /// Adds a source of `type`: a register, a special register, an immediate or the address of a variable.
  Slot source(const ptx::Operand &operand, ptx::Type type, bool mayBeWider = false);
  Slot source(size_t index, ptx::Type type, bool mayBeWider = false) {
    return source(operand(index), type, mayBeWider);
  }
  /// Adds a source that holds `bits` in every lane.
  Slot constant(uint64_t bits, ptx::Type type);
  /// Adds the carry, `CC.CF`, as a result or a source.
  void carryResult();
  void carrySource();
  /// Adds the address of `[base + displacement]` in `space` as a source and its displacement as the immediate. Tells by
  /// the type of the base whether the address has 32 bits.
  void address(size_t index, ptx::Space space, Access &access);
  /// Makes a label the immediate: the target of a branch.
  void target(size_t index);
  /// Likewise the place behind the function's last instruction.
  void targetEnd();
  /// Makes a list of `.branchtargets` the operation's targets, and `handler` its handler.
  void targets(size_t index, Handler handler);
  /// Whether the instruction is part of a function that a call inlines.
  bool isInlined() const;

  /// Which tensor cores the module's target has.
  numerics::Generation generation() const;
  /// Makes the operation one whose registers are read and written after it has run.
  void startsAsyncMatrix();
  /// Notes that CTAs, or lanes, may talk to each other through this access.
  void noteCommunication(const Access &access);
  /// Tells the counters of the access whose address was added last, the source `addressSource`.
  Transfer &transfers(Transfer::Kind kind, const Access &access, unsigned addressSource = 0);
  /// Tells the counters what a matrix instruction computes: a warp's part of `shape`.
  MatrixWork &multiplies(const numerics::FragmentShape &shape, std::string types, unsigned warps);

  /// The width of a register in bytes, as it is kept: 4, 8 or 16; 0 for a predicate.
  unsigned width(const ptx::Operand &operand);

  // The operation.

  void run(Handler handler, uint32_t mode = 0) {
    op.run = handler;
    op.mode = mode;
  }
  /// Adds an access descriptor; the handler finds it by `Op::mode`.
  void run(Handler handler, const Access &access);
  /// Adds details that only the handler understands; it finds them by `Op::mode`.
  void run(Handler handler, std::shared_ptr<const void> details);
  Op op;

  void refuse(std::string message);
  bool refused() const { return !problem.empty(); }
  const std::string &refusal() const { return problem; }

private:
  friend class Decoder;
  void finish();

  Decoder &decoder;
  std::vector<bool> taken;
  std::vector<Slot> results, sources;
  std::string problem;
};

} // namespace tile::sim

#endif // BACKEND_SIMULATOR_DECODE_FORM_H
