/// What a program knows of the grid, and asserts.
#include "backend/interpreter/Compiler.h"

using namespace mlir;
using namespace tile;
using namespace tile::interpreter;

static LogicalResult compileAssert(Compiler &compiler, AssertOp op) {
  Array condition = compiler.at(op.getCondition());
  bool isTile = !shapeOf(op.getCondition().getType()).empty();
  compiler.emit([=, &site = compiler.siteOf(op), text = op.getMessage().str()](Frame &frame) {
    const char *flags = frame.at(condition.offset);
    auto *failed = static_cast<const char *>(memchr(flags, 0, condition.count));
    if (!failed)
      return;
    frame.stopped = true;
    int64_t element = failed - flags;
    frame.findings.add(FindingKind::AssertFailed, site, frame.program, -1, element, [&]() -> std::string {
      return isTile ? llvm::formatv("assertion failed at element {0}: {1}", element, text).str()
                    : "assertion failed: " + text;
    });
  });
  return success();
}

std::optional<LogicalResult> tile::interpreter::compileProgram(Compiler &compiler, Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<LogicalResult>>(op)
      .Case([&](ProgramIdOp id) {
        Array result = compiler.define(id);
        compiler.emit([=, axis = id.getAxis()](Frame &frame) {
          *frame.at<int64_t>(result.offset) = frame.program.position[axis];
        });
        return success();
      })
      .Case([&](NumProgramsOp number) {
        Array result = compiler.define(number);
        compiler.emit(
            [=, axis = number.getAxis()](Frame &frame) { *frame.at<int64_t>(result.offset) = frame.grid[axis]; });
        return success();
      })
      .Case([&](AssertOp assertion) { return compileAssert(compiler, assertion); })
      .Default(std::nullopt);
}
