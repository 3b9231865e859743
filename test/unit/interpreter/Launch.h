/// Runs a kernel that a test writes as tile IR, on arrays of the test.
#ifndef TEST_UNIT_INTERPRETER_LAUNCH_H
#define TEST_UNIT_INTERPRETER_LAUNCH_H

#include "backend/interpreter/Bounds.h"
#include "ir/Tile/TileOps.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace tile {

template <typename T> constexpr Element storedAs() {
  if constexpr (std::is_same_v<T, float>)
    return Element::F32;
  else if constexpr (std::is_same_v<T, double>)
    return Element::F64;
  else if constexpr (std::is_same_v<T, E4M3>)
    return Element::F8E4M3;
  else if constexpr (std::is_same_v<T, Half>)
    return Element::F16;
  else if constexpr (std::is_same_v<T, BFloat>)
    return Element::BF16;
  else if constexpr (std::is_same_v<T, bool>)
    return Element::I1;
  else
    return sizeof(T) == 1 ? Element::I8 : sizeof(T) == 2 ? Element::I16 : sizeof(T) == 4 ? Element::I32 : Element::I64;
}

class Launch {
public:
  /// `kernel` is one `func.func`.
  explicit Launch(llvm::StringRef kernel) {
    context.loadDialect<TileDialect, mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::math::MathDialect,
                        mlir::scf::SCFDialect>();
    module = mlir::parseSourceString<mlir::ModuleOp>(kernel, &context, "kernel.mlir");
    EXPECT_TRUE(module) << kernel.str();
  }

  /// The next argument is a pointer to `data`, a buffer of its own, called a, b, c, … in the order of the calls.
  template <typename T> Launch &in(std::vector<T> &data) { return buffer(data, false, true); }
  template <typename T> Launch &inout(std::vector<T> &data) { return buffer(data, true, true); }
  template <typename T> Launch &out(std::vector<T> &data) { return buffer(data, true, false); }
  /// The next argument is a scalar.
  template <typename T> Launch &scalar(T value) {
    arguments.push_back(0);
    memcpy(&arguments.back(), &value, sizeof(value));
    return *this;
  }
  Launch &index(int64_t value) { return scalar(value); }

  llvm::Expected<InterpretReport> tryRun(std::array<int64_t, 3> grid = {1, 1, 1}) {
    return interpret(*module->getOps<mlir::func::FuncOp>().begin(), {arguments, grid, buffers}, options);
  }
  InterpretReport run(std::array<int64_t, 3> grid = {1, 1, 1}) {
    auto report = tryRun(grid);
    if (report)
      return *report;
    ADD_FAILURE() << llvm::toString(report.takeError());
    return {};
  }
  BoundsReport bounds(std::array<int64_t, 3> grid = {1, 1, 1}) {
    auto report = interpretBounds(*module->getOps<mlir::func::FuncOp>().begin(), {arguments, grid, buffers}, options);
    if (report)
      return std::move(*report);
    ADD_FAILURE() << llvm::toString(report.takeError());
    return {};
  }
  /// Runs a kernel in which nothing must be found.
  void runClean(std::array<int64_t, 3> grid = {1, 1, 1}) {
    for (const Finding &finding : run(grid).findings)
      ADD_FAILURE() << finding.message;
  }

  InterpretOptions options;
  std::vector<Buffer> buffers;
  std::vector<uint64_t> arguments;

private:
  template <typename T> Launch &buffer(std::vector<T> &data, bool writable, bool initialized) {
    std::string name(1, static_cast<char>('a' + buffers.size()));
    int64_t bytes = data.size() * sizeof(T);
    buffers.push_back({name, data.data(), bytes, storedAs<T>(), writable, initialized});
    arguments.push_back(reinterpret_cast<uint64_t>(data.data()));
    return *this;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace tile

#endif
