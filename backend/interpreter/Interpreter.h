/// Runs a kernel in tile IR on the CPU: the reference semantics of the language, and the checker of what a program
/// promises. A kernel is compiled once into steps over typed arrays and run for every program of the grid.
///
/// Nothing outside the given buffers is ever read or written, whatever the kernel does; what it does wrong is a
/// finding.
#ifndef BACKEND_INTERPRETER_INTERPRETER_H
#define BACKEND_INTERPRETER_INTERPRETER_H

#include "backend/interpreter/Element.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <array>
#include <string>
#include <vector>

namespace tile {

/// Memory that the kernel may touch.
struct Buffer {
  /// As findings call it.
  std::string name;
  void *base = nullptr;
  int64_t bytes = 0;
  /// What it holds; the unit of the element index in findings.
  Element element = Element::I8;
  /// Whether a write is legal: `out` and `inout`.
  bool writable = false;
  /// False for `out`: an element read before it is written is a finding when `uninitialized` is checked.
  bool initialized = true;
};

/// One launch.
struct Invocation {
  /// One per argument of the kernel function, in the low bits: scalars as their bits, pointers as host addresses.
  llvm::ArrayRef<uint64_t> arguments;
  std::array<int64_t, 3> grid = {1, 1, 1};
  llvm::ArrayRef<Buffer> buffers;
};

/// Which of the values that a float may have by its bound becomes an integer; see Bounds.h.
enum class Converted : int8_t { Least = -1, Exact = 0, Greatest = 1 };

struct InterpretOptions {
  /// 0: one per core.
  unsigned threads = 0;
  /// Reports what is defined but rarely meant: division by zero, its overflow, shifts past the width.
  bool checked = false;
  /// Reports bytes that two programs write, unless both do so atomically. Costs eight bytes per element of each
  /// writable buffer.
  bool conflicts = false;
  /// Reports reads of elements of `out` buffers that nobody wrote.
  bool uninitialized = false;
  /// How many turns all loops of one program may make together; 0: any number. Where a program makes more, it and those
  /// that have not started are given up, and the finding names the loop that made most of them.
  int64_t maxLoopTurns = 0;
  /// What the values of programs may take, in bytes; fewer threads run where it is little. 0: the machine's memory.
  int64_t maxValueBytes = 0;
  /// 0 starts programs in order of their linear id; any other value in an order of its own.
  uint64_t seed = 0;
  /// Of runs that carry bounds.
  Converted converted = Converted::Exact;
};

enum class FindingKind : uint8_t {
  OutOfBounds,
  ReadOnlyWrite,
  SubviewOutOfBounds,
  WriteConflict,
  UninitializedRead,
  AssertFailed,
  ArithmeticEdge,
  LoopLimit
};

/// `out-of-bounds`, `read-only-write`, …
llvm::StringRef toString(FindingKind kind);

/// Something a program did wrong, at one place in its source: of all occurrences, the one in the first program.
struct Finding {
  FindingKind kind;
  /// What was found, then what was expected.
  std::string message;
  mlir::Location location;
  std::array<int64_t, 3> program;
  /// Index into the buffers of the invocation; -1 where no buffer is concerned or none holds the address.
  int buffer = -1;
  /// In elements of the buffer; negative or past the end where out of bounds.
  int64_t element = 0;
  /// How many elements of how many programs did the same here.
  int64_t count = 1;
};

struct InterpretReport {
  /// By program, then place in the kernel. Empty for a correct run.
  std::vector<Finding> findings;
  int64_t programs = 0;
  int64_t bytesRead = 0, bytesWritten = 0;
  /// Per buffer, which elements hold a value; empty where all do, or where `uninitialized` is not checked.
  std::vector<std::vector<bool>> written;
};

/// An op that the interpreter does not know, an invocation that does not fit the kernel, or too little memory for it.
class InterpretError : public llvm::ErrorInfo<InterpretError> {
public:
  static char ID;
  InterpretError(mlir::Location location, std::string message) : location(location), message(std::move(message)) {}
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  mlir::Location location;
  std::string message;
};

/// Runs `kernel` for every program of the grid. Fails before anything runs, with an `InterpretError`.
llvm::Expected<InterpretReport> interpret(mlir::func::FuncOp kernel, const Invocation &invocation,
                                          const InterpretOptions &options = {});

} // namespace tile

#endif
