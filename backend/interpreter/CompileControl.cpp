/// Structured control flow. What a loop carries stays at one place: it is moved there before the loop and by each
/// yield.
#include "backend/interpreter/Compiler.h"

using namespace mlir;
using namespace tile;
using namespace tile::interpreter;

namespace {
/// Values of given types that a loop or a conditional keeps in place while its blocks run.
class Carried {
public:
  Carried(Compiler &compiler, TypeRange types) : compiler(compiler) {
    for (Type type : types) {
      auto view = dyn_cast<ViewType>(type);
      Element element = view ? Element::I64 : *compiler.elementFor(type);
      int64_t count = view ? viewWords(view.getRank()) : ShapedType::getNumElements(shapeOf(type));
      numbers.push_back(compiler.slots.carry(element, count));
      arrays.push_back(compiler.slots.carried(numbers.back(), element, count));
    }
  }

  ArrayRef<Array> getArrays() const { return arrays; }
  void bind(ValueRange values) const {
    for (auto [value, number, array] : llvm::zip_equal(values, numbers, arrays))
      compiler.slots.bindCarried(value, number, array.element, array.count);
  }
  /// Copies `values` here.
  void emitMovesFrom(ValueRange values) const {
    SmallVector<Array> sources;
    for (Value value : values)
      sources.push_back(compiler.at(value));
    compiler.emitMoves(sources, arrays);
  }
  /// The blocks are compiled: `results` own the places from here on.
  void release(ValueRange results) const {
    bind(results);
    release();
  }
  void release() const {
    for (int number : numbers)
      compiler.slots.release(number);
  }

private:
  Compiler &compiler;
  SmallVector<int> numbers;
  SmallVector<Array> arrays;
};
} // namespace

static int64_t signedAt(Frame &frame, Array array) {
  return array.element == Element::I64 ? *frame.at<int64_t>(array.offset) : *frame.at<int32_t>(array.offset);
}

static LogicalResult compileFor(Compiler &compiler, scf::ForOp op) {
  Array lower = compiler.at(op.getLowerBound()), upper = compiler.at(op.getUpperBound()),
        step = compiler.at(op.getStep());
  if (lower.element != Element::I32 && lower.element != Element::I64)
    return compiler.fail(op, "'scf.for' counts in a type that the interpreter does not know for it");
  Carried induction(compiler, op.getInductionVar().getType()), carried(compiler, op.getResultTypes());
  carried.emitMovesFrom(op.getInitArgs());
  induction.bind(op.getInductionVar());
  carried.bind(op.getRegionIterArgs());
  auto body = std::make_shared<Body>();
  auto yield = [&] { carried.emitMovesFrom(op.getBody()->getTerminator()->getOperands()); };
  if (failed(compiler.compileBlock(*op.getBody(), *body, yield)))
    return failure();
  carried.release(op.getResults());
  induction.release();
  Array counter = induction.getArrays().front();
  bool isUnsigned = op.getUnsignedCmp();
  compiler.emit([=, &site = compiler.siteOf(op)](Frame &frame) {
    int64_t first = signedAt(frame, lower), last = signedAt(frame, upper), by = signedAt(frame, step);
    if (isUnsigned && lower.element == Element::I32)
      first = static_cast<uint32_t>(first), last = static_cast<uint32_t>(last), by = static_cast<uint32_t>(by);
    bool runs = isUnsigned ? static_cast<uint64_t>(first) < static_cast<uint64_t>(last) : first < last;
    if (!runs)
      return;
    if (isUnsigned ? by == 0 : by < 1) {
      frame.findings.add(FindingKind::ArithmeticEdge, site, frame.program, -1, 0,
                         [&] { return llvm::formatv("loop step is {0}; expected at least 1", by).str(); });
      return;
    }
    // The distance fits 64 bits without a sign, so that the last step cannot wrap.
    uint64_t trips = (static_cast<uint64_t>(last) - static_cast<uint64_t>(first) - 1) / static_cast<uint64_t>(by) + 1;
    LoopTurns turns(frame, site);
    for (uint64_t trip = 0; trip < trips && !frame.stopped && turns.take(); ++trip) {
      uint64_t value = static_cast<uint64_t>(first) + trip * static_cast<uint64_t>(by);
      memcpy(frame.at(counter.offset), &value, sizeOf(counter.element));
      body->run(frame);
    }
  });
  return success();
}

static LogicalResult compileWhile(Compiler &compiler, scf::WhileOp op) {
  Carried before(compiler, op.getInits().getTypes()), after(compiler, op.getResultTypes());
  before.emitMovesFrom(op.getInits());
  before.bind(op.getBeforeArguments());
  after.bind(op.getAfterArguments());
  auto test = std::make_shared<Body>(), body = std::make_shared<Body>();
  int64_t goes = compiler.scratch(1);
  auto condition = [&] {
    Array flag = compiler.at(op.getConditionOp().getCondition());
    compiler.emit([=](Frame &frame) { *frame.at(goes) = *frame.at(flag.offset); });
    after.emitMovesFrom(op.getConditionOp().getArgs());
  };
  auto yield = [&] { before.emitMovesFrom(op.getYieldOp().getResults()); };
  if (failed(compiler.compileBlock(*op.getBeforeBody(), *test, condition)) ||
      failed(compiler.compileBlock(*op.getAfterBody(), *body, yield)))
    return failure();
  after.release(op.getResults());
  before.release();
  compiler.emit([=, &site = compiler.siteOf(op)](Frame &frame) {
    LoopTurns turns(frame, site);
    for (test->run(frame); !frame.stopped && *frame.at(goes) && turns.take(); test->run(frame)) {
      body->run(frame);
      if (frame.stopped)
        return;
    }
  });
  return success();
}

static LogicalResult compileIf(Compiler &compiler, scf::IfOp op) {
  Array condition = compiler.at(op.getCondition());
  Carried results(compiler, op.getResultTypes());
  auto compileBranch = [&](Region &region, Body &body) -> LogicalResult {
    if (region.empty())
      return success();
    Block &block = region.front();
    return compiler.compileBlock(block, body, [&] { results.emitMovesFrom(block.getTerminator()->getOperands()); });
  };
  auto thenBody = std::make_shared<Body>(), elseBody = std::make_shared<Body>();
  if (failed(compileBranch(op.getThenRegion(), *thenBody)) || failed(compileBranch(op.getElseRegion(), *elseBody)))
    return failure();
  results.release(op.getResults());
  compiler.emit([=](Frame &frame) { (*frame.at(condition.offset) ? thenBody : elseBody)->run(frame); });
  return success();
}

std::optional<LogicalResult> tile::interpreter::compileControl(Compiler &compiler, Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<LogicalResult>>(op)
      .Case([&](scf::ForOp loop) { return compileFor(compiler, loop); })
      .Case([&](scf::WhileOp loop) { return compileWhile(compiler, loop); })
      .Case([&](scf::IfOp conditional) { return compileIf(compiler, conditional); })
      .Default(std::nullopt);
}
