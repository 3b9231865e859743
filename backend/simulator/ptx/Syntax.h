/// \file
/// What a PTX module says, before anyone asks what its instructions do: functions, variables, and instructions as an
/// opcode, its modifiers and its operands, each with its line. Nothing here knows which opcodes exist, so that PTX from
/// any compiler can be read; `decode/` gives instructions their meaning or refuses them. (PTX ISA 9.0, chapters 4 and
/// 5)
#ifndef BACKEND_SIMULATOR_PTX_SYNTAX_H
#define BACKEND_SIMULATOR_PTX_SYNTAX_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tile::sim::ptx {

/// A fundamental type without its dot: `u32`, `f16x2`, `pred`, `b128`; see `sizeOf`.
enum class Type : uint8_t {
  Pred,
  B8,
  B16,
  B32,
  B64,
  B128,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  F16x2,
  BF16,
  BF16x2,
  TF32,
  F32,
  F32x2,
  F64,
  E4M3,
  E5M2,
  E4M3x2,
  E5M2x2,
  U16x2,
  S16x2,
};

/// The type that a modifier or a declaration names, without the dot. Nothing if it names none.
std::optional<Type> typeNamed(std::string_view name);
/// The name of `type`, without the dot.
std::string_view nameOf(Type type);
/// Bytes that a value of `type` takes in memory; 0 for `pred`, which has none.
unsigned sizeOf(Type type);

enum class Space : uint8_t { Register, Parameter, Local, Shared, Constant, Global, Generic };

/// A position in the source that the PTX was compiled from: `.loc`. The file is an index into `Module::files`; line 0
/// means that the module does not say.
struct Location {
  unsigned file = 0, line = 0, column = 0;
};

/// One operand as written, but for names of inner scopes: see `Function`. `a|b` and vectors have parts; an address has
/// a base and a displacement.
struct Operand {
  enum class Kind : uint8_t {
    Register, ///< `%r1`, or a special register `%tid.x`: `name`
    Integer,  ///< `-7`, `0x10U`: `bits`, sign-extended to 64 bits
    Float32,  ///< `0f3F800000`: `bits`
    Float64,  ///< `0d…` or a decimal literal: `bits`
    Symbol,   ///< a label, function or variable: `name`, and `bits` bytes behind it: `mov.u64 %rd1, table+8;`
    Address, ///< `[base + displacement]`: `name` of a register or variable (empty if absolute), `bits` the displacement
             ///< in bytes; further parts in brackets (tensor coordinates, a matrix mask) are `parts`
    Vector,  ///< `{a, b}`: `parts`
    Pair,    ///< `a|b`: two `parts`
    List,    ///< `(a, b)` of a call: `parts`
    Sink,    ///< `_`
  };
  Kind kind = Kind::Sink;
  bool negated = false;    ///< `!%p` or `-%f`
  bool isRegister = false; ///< of an address: whether its base is a register
  std::string name;
  uint64_t bits = 0;
  std::vector<Operand> parts;
};

/// `@!%p opcode.modifier.modifier operands;`
struct Instruction {
  std::string guard; ///< the predicate register, or empty
  bool guardNegated = false;
  std::string opcode;                 ///< up to the first dot: `mma`
  std::vector<std::string> modifiers; ///< without dots: `sync`, `aligned`, `m16n8k16`; `shared::cta` is one
  std::vector<Operand> operands;
  unsigned line = 0; ///< in the PTX text, from 1
  Location location;
  Location caller; ///< where the function that it was inlined from was called, outermost; no line if it was not

  bool has(std::string_view modifier) const;
  /// `mma.sync.aligned`: opcode and modifiers as they were written.
  std::string mnemonic() const;
};

/// An address in an initial value, known only once variables have theirs: the bytes at `offset`, as many as the type of
/// the variable has, are `address & mask`, shifted down to the lowest bit of `mask`.
struct Relocation {
  uint64_t offset = 0;          ///< in bytes, of what is replaced
  std::string symbol;           ///< a variable or function
  uint64_t addend = 0;          ///< in bytes, added to the address; wraps
  uint64_t mask = ~uint64_t(0); ///< `0xff00(x)` takes a byte of it
  bool isGeneric = false;       ///< `generic(x)`: the generic address, else the one in the state space of `x`
};

/// A variable in a state space, or a parameter of a function: `.shared .align 16 .b8 buffer[1024];`
struct Variable {
  Space space = Space::Register;
  Type type = Type::B32;
  std::string name;
  uint64_t align = 0; ///< bytes; the type's size where it is not written
  uint64_t bytes = 0; ///< of the whole variable; 0 for an `.extern` array without extent
  bool isExtern = false;
  std::vector<uint8_t> initial;        ///< empty, or exactly `bytes` long
  std::vector<Relocation> relocations; ///< only where `initial` is not empty
  unsigned line = 0;
};

/// A family of registers: `.reg .b32 %r<100>;` declares `%r0` to `%r99`, `.reg .b32 %x;` one register and no count.
struct RegisterFamily {
  Type type;
  std::string name;
  std::optional<unsigned> count;
};

/// A function with its body, if it has one. Scopes in the body are gone: what the n-th `{ }` in it declares is called
/// `tmp@n` (a family `%r@n_`), wherever it is used. A vector register `v` is the registers `v.x`, `v.y`, ….
struct Function {
  std::string name;
  bool isKernel = false;      ///< `.entry`
  bool isDeclaration = false; ///< has no body
  std::vector<Variable> results, parameters;
  std::vector<RegisterFamily> registers;
  std::vector<Variable> variables; ///< local, shared and parameter-space variables of the body
  std::vector<Instruction> instructions;
  std::map<std::string, size_t, std::less<>> labels; ///< index of the instruction that follows, or their number
  /// `.branchtargets` and `.calltargets` lists, by label.
  std::map<std::string, std::vector<std::string>, std::less<>> branchTargets;
  std::map<std::string, std::string, std::less<>> prototypes; ///< `.callprototype`, by label, as written
  /// Performance directives: `reqntid` → {128, 1, 1}, `maxntid`, `minnctapersm`, `maxnreg`, `explicitcluster`, …
  std::map<std::string, std::vector<uint64_t>, std::less<>> directives;
  unsigned line = 0;
};

struct Module {
  unsigned versionMajor = 0, versionMinor = 0;
  std::string target; ///< `sm_90a`, with its options: `sm_90a, debug`
  unsigned addressBits = 64;
  std::vector<std::string> files; ///< by the index of `.file`; entry 0 is empty
  std::vector<Variable> variables;
  std::vector<Function> functions;                         ///< one of a name: the definition where there is one
  std::map<std::string, std::string, std::less<>> aliases; ///< `.alias`: another name of a function

  /// The function of that name or alias.
  const Function *find(std::string_view name) const;
};

} // namespace tile::sim::ptx

#endif // BACKEND_SIMULATOR_PTX_SYNTAX_H
