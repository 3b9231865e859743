/// \file
/// From a kernel's instructions to a program: names become slots, labels places, calls the body of what they call.
#ifndef BACKEND_SIMULATOR_DECODE_DECODER_H
#define BACKEND_SIMULATOR_DECODE_DECODER_H

#include "backend/simulator/Simulator.h"
#include "backend/simulator/decode/Form.h"

#include <map>
#include <memory>
#include <set>

namespace tile::sim {

/// Operations of a program with all its calls inlined. More are a tower of calls, not a kernel.
constexpr size_t kMostOperations = 4'000'000;

class Decoder {
public:
  explicit Decoder(const ptx::Module &module) : module(module), program(std::make_unique<Program>()) {}

  std::variant<std::unique_ptr<const Program>, Refusal> decode(const ptx::Function &kernel);

private:
  friend class Form;

  /// A register with the type that it was declared with.
  struct Register {
    Slot slot;
    ptx::Type type;
  };
  /// A function as it is being inlined: its names, and where its labels ended up.
  struct Frame {
    const ptx::Function &function;
    std::map<std::string, Register, std::less<>> registers;
    std::map<std::string, uint64_t, std::less<>> callVariables; ///< offsets in the parameter space of calls
    std::vector<uint32_t> places;                               ///< of the function's instructions, by index
    std::vector<std::pair<uint32_t, size_t>> branches;          ///< operation, index of the instruction it goes to
    std::vector<std::pair<uint32_t, std::vector<size_t>>> indexedBranches; ///< list, likewise
    ptx::Location call; ///< the line that calls it; none of the kernel
    ptx::Location line; ///< of its instruction that was decoded last
  };

  using Names = std::set<std::string_view>;
  /// Bytes that may lie in a space.
  struct SpaceLimit {
    uint64_t bytes;
    std::string what, of; ///< for messages: what they are made of, and whose they are
  };

  Names namesUsedBy(const ptx::Function &kernel) const;
  std::optional<uint64_t> takePlace(const ptx::Variable &variable, uint64_t &end, const SpaceLimit &limit);
  bool placeModuleVariables(const ptx::Function &kernel);
  void placeDynamicShared();
  bool relocate();
  std::optional<bool> decodeSystemCall(const std::string &name, const ptx::Operand &results,
                                       const ptx::Operand &arguments, const ptx::Instruction &instruction);
  bool readGuard(const ptx::Instruction &instruction, Op &op);
  bool placeVariable(const ptx::Variable &variable);
  bool placeParameters(const ptx::Function &kernel);
  bool decodeBody(Frame &frame);
  bool decodeInstruction(Frame &frame, const ptx::Instruction &instruction);
  bool decodeCall(const ptx::Instruction &instruction);
  bool bindArguments(Frame &callee, const std::vector<ptx::Variable> &formals, const ptx::Operand &actuals,
                     const ptx::Instruction &instruction);
  void append(Op op, const std::vector<Slot> &results, const std::vector<Slot> &sources, uint32_t origin);
  ptx::Location lineOf(const ptx::Instruction &instruction);
  uint32_t addOrigin(const ptx::Instruction &instruction);
  void appendExit(const ptx::Function &kernel);
  void markLeaders();
  void readDirectives(const ptx::Function &kernel);

  Slot newRegister(ptx::Type type);
  Slot carrySlot();
  Slot constantSlot(uint64_t bits, ptx::Type type);
  const Register *findRegister(Frame &frame, std::string_view name);
  const PlacedVariable *findVariable(std::string_view name) const;
  bool refuse(std::string message, unsigned line);

  const ptx::Module &module;
  std::unique_ptr<Program> program;
  std::vector<Frame *> frames; ///< from the kernel to what is being inlined
  std::map<std::pair<uint64_t, unsigned>, Slot> constants;
  std::map<std::string, Slot, std::less<>> specials;
  std::vector<std::pair<size_t, size_t>> operandRanges;
  std::optional<Slot> carry;
  uint64_t variableWindows = 0, globalBytes = 0; ///< of `.global` variables
  Refusal refusal;
};

} // namespace tile::sim

#endif // BACKEND_SIMULATOR_DECODE_DECODER_H
