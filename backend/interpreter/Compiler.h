/// Turns a kernel function into steps, each op by the file of its family. An op that no family knows is an error,
/// before anything runs.
#ifndef BACKEND_INTERPRETER_COMPILER_H
#define BACKEND_INTERPRETER_COMPILER_H

#include "backend/interpreter/ElementLoops.h"
#include "backend/interpreter/Frame.h"
#include "backend/interpreter/Slots.h"
#include "ir/Tile/TileOps.h"

#include <deque>
#include <optional>

namespace tile::interpreter {

/// A kernel that is ready to run.
struct CompiledKernel {
  Body body;
  /// One per argument of the function.
  std::vector<Array> arguments;
  /// Constants, written once into the values of each thread.
  std::vector<std::pair<int64_t, std::string>> constants;
  int64_t valueBytes = 0;
  std::deque<Site> sites;
};

/// Bytes that the values of all running programs may take.
int64_t memoryLimit(const InterpretOptions &options);

class Compiler {
public:
  /// `bounded`: every float is a `Bounded`.
  Compiler(mlir::func::FuncOp kernel, const InterpretOptions &options, bool bounded)
      : options(options), bounded(bounded), slots(kernel), kernel(kernel), memory(memoryLimit(options)),
        compiled(new CompiledKernel) {}

  llvm::Expected<std::unique_ptr<CompiledKernel>> compile();

  //===-- For the families ----------------------------------------------------------------------------------------===//

  /// How a scalar or the elements of a tile live in the frame; none for a type that the interpreter does not know.
  std::optional<Element> elementFor(mlir::Type type) const;
  /// What rounding to a type of floats costs; null unless `bounded`, and for other types.
  const FloatFormat *formatFor(mlir::Type type) const;

  Array at(mlir::Value value) const { return slots.at(value); }
  /// Room for a result. Views and all types that `elementFor` knows have one; `compileBlock` has checked it.
  Array define(mlir::Value result);
  /// Lets `result`, of the same elements, share the bytes of `operand`.
  void defineAlias(mlir::Value result, mlir::Value operand);
  /// Bytes that only the current op uses.
  int64_t scratch(int64_t bytes);
  /// `value` keeps `data` through the whole run.
  void defineConstant(mlir::Value value, std::string data);

  void emit(Step step) { current->steps.push_back(std::move(step)); }
  /// Copies `sources` to `targets`, as if all at once.
  void emitMoves(llvm::ArrayRef<Array> sources, llvm::ArrayRef<Array> targets);

  /// Compiles the ops of `block` but for its terminator to the end of `body`; its arguments are bound already.
  /// `terminate` compiles the terminator, while its operands are alive.
  mlir::LogicalResult compileBlock(mlir::Block &block, Body &body, llvm::function_ref<void()> terminate);

  const Site &siteOf(mlir::Operation *op);
  /// The first failure becomes the error of `compile`.
  mlir::LogicalResult fail(mlir::Operation *op, const llvm::Twine &message);

  const InterpretOptions &options;
  const bool bounded;
  Slots slots;
  /// While the combiner of a reduction is compiled lane-wise: how many elements each of its scalars holds; else 0.
  int64_t laneCapacity = 0;

private:
  mlir::LogicalResult compileOp(mlir::Operation *op);
  double bytesOf(mlir::Type type) const;

  mlir::func::FuncOp kernel;
  const int64_t memory;
  std::unique_ptr<CompiledKernel> compiled;
  Body *current = nullptr;
  std::vector<int> scratches;
  std::optional<std::pair<mlir::Location, std::string>> failure;
};

/// How a scalar or the elements of a tile are stored in memory; none for a type that the interpreter does not know.
std::optional<Element> storedElementFor(mlir::Type type);

/// A family compiles the ops it knows and gives none for all others.
using Family = std::optional<mlir::LogicalResult> (*)(Compiler &compiler, mlir::Operation *op);

std::optional<mlir::LogicalResult> compileControl(Compiler &compiler, mlir::Operation *op);
std::optional<mlir::LogicalResult> compileDot(Compiler &compiler, mlir::Operation *op);
std::optional<mlir::LogicalResult> compileElementwise(Compiler &compiler, mlir::Operation *op);
std::optional<mlir::LogicalResult> compilePointerAccess(Compiler &compiler, mlir::Operation *op);
std::optional<mlir::LogicalResult> compileProgram(Compiler &compiler, mlir::Operation *op);
std::optional<mlir::LogicalResult> compileReduce(Compiler &compiler, mlir::Operation *op);
std::optional<mlir::LogicalResult> compileShape(Compiler &compiler, mlir::Operation *op);
std::optional<mlir::LogicalResult> compileView(Compiler &compiler, mlir::Operation *op);
std::optional<mlir::LogicalResult> compileViewAccess(Compiler &compiler, mlir::Operation *op);

/// Whether `op` works element by element, each of its results by one row of Elementwise.def.
bool isElementwise(mlir::Operation *op);

/// The name of `op` in Elementwise.def, but for the number of the result.
std::string rowName(mlir::Operation *op);

/// A view in the frame: 64-bit words, then `rank` extents, then `rank` strides in elements.
enum ViewWord : int64_t {
  /// The pointer to element 0.
  ViewBase,
  /// Not 0 if every element within the extents is in the buffer.
  ViewInside,
  ViewExtents
};
inline int64_t viewWords(int64_t rank) { return ViewExtents + 2 * rank; }

} // namespace tile::interpreter

#endif
