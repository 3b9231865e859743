/// Constants and everything that works element by element.
#include "backend/interpreter/Compiler.h"

#include "ir/Tile/FloatToInteger.h"

using namespace mlir;
using namespace tile;
using namespace tile::interpreter;

std::string tile::interpreter::rowName(Operation *op) {
  auto kind = [&]() -> StringRef {
    return llvm::TypeSwitch<Operation *, StringRef>(op)
        .Case([](arith::CmpFOp cmp) { return stringifyCmpFPredicate(cmp.getPredicate()); })
        .Case([](arith::CmpIOp cmp) { return stringifyCmpIPredicate(cmp.getPredicate()); })
        .Case<DivIOp, RemIOp>([](auto typed) { return stringifySignedness(typed.getSign()); })
        .Case([](CastOp cast) { return stringifyCastKind(cast.getKind()); })
        .Case([](ShiftOp shift) { return stringifyShiftKind(shift.getKind()); })
        .Case([](ApproximateOp approximate) { return stringifyApproximateKind(approximate.getKind()); })
        .Default(StringRef());
  }();
  return (op->getName().getStringRef() + (kind.empty() ? "" : ".") + kind).str();
}

static std::string rowOfResult(OpResult result) {
  std::string name = rowName(result.getOwner());
  return result.getOwner()->getNumResults() == 1 ? name : name + "." + std::to_string(result.getResultNumber());
}

/// Whether a conversion says to round other than to nearest, ties to even.
static bool roundsOtherwise(Operation *op) {
  auto mode = op->getAttrOfType<arith::RoundingModeAttr>("roundingmode");
  return mode && mode.getValue() != arith::RoundingMode::to_nearest_even;
}

//===-- Constants -------------------------------------------------------------------------------------------------===//

static void append(std::string &data, const void *element, int64_t size) {
  data.append(static_cast<const char *>(element), size);
}

/// A float that is bounded: wrong by a rounding unless it has few digits, as a decimal number that is no float has not.
static Bounded boundedConstant(APFloat value, const FloatFormat &format) {
  unsigned precision = APFloat::semanticsPrecision(value.getSemantics());
  APInt mantissa = value.bitcastToAPInt().trunc(precision - 1);
  bool isShort = mantissa.countr_zero() >= precision / 2;
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  double exact = value.convertToDouble();
  double roundoff = format.storeRoundoff ? format.storeRoundoff : format.computeRoundoff;
  return {exact, isShort || !value.isFinite() ? 0 : std::abs(exact) * roundoff};
}

static std::optional<LogicalResult> compileConstant(Compiler &compiler, arith::ConstantOp op) {
  Element element = *compiler.elementFor(op.getType());
  std::string data;
  auto appendInteger = [&](const APInt &bits) {
    uint64_t word = bits.getZExtValue();
    append(data, &word, sizeOf(element));
  };
  auto appendFloat = [&](const APFloat &value) {
    if (!compiler.bounded)
      return appendInteger(value.bitcastToAPInt());
    Bounded bounded = boundedConstant(value, *compiler.formatFor(op.getType()));
    append(data, &bounded, sizeof(bounded));
  };
  if (auto integer = dyn_cast<IntegerAttr>(op.getValue())) {
    appendInteger(integer.getValue());
  } else if (auto number = dyn_cast<FloatAttr>(op.getValue())) {
    appendFloat(number.getValue());
  } else if (auto dense = dyn_cast<DenseElementsAttr>(op.getValue())) {
    if (isFloat(element))
      llvm::for_each(dense.getValues<APFloat>(), appendFloat);
    else
      llvm::for_each(dense.getValues<APInt>(), appendInteger);
  } else {
    return compiler.fail(op, "'arith.constant' has a value that the interpreter does not know");
  }
  if (compiler.laneCapacity) {
    std::string one = data;
    for (int64_t lane = 1; lane < compiler.laneCapacity; ++lane)
      data += one;
  }
  compiler.defineConstant(op, std::move(data));
  return success();
}

//===-- Elementwise ops -------------------------------------------------------------------------------------------===//

/// The first element for which a byte of `flags` is not 0; `count` if there is none.
static int64_t firstSet(const uint8_t *flags, int64_t count) {
  const void *found = memchr(flags, 1, count);
  return found ? static_cast<const uint8_t *>(found) - flags : count;
}

static int64_t integerAt(const char *data, Element element, int64_t index, bool isSigned) {
  uint64_t bits = 0;
  memcpy(&bits, data + index * sizeOf(element), sizeOf(element));
  int unused = 64 - 8 * sizeOf(element);
  return isSigned ? static_cast<int64_t>(bits << unused) >> unused : static_cast<int64_t>(bits);
}

/// What an edge of an integer op is called: `7 / 0`.
static std::string describeEdge(StringRef row, int64_t lhs, int64_t rhs, int64_t bits) {
  bool isUnsigned = row.contains("unsigned");
  auto print = [&](int64_t x) { return isUnsigned ? std::to_string(static_cast<uint64_t>(x)) : std::to_string(x); };
  if (row.contains("shift"))
    return llvm::formatv("shift of {0} bits by {1}; expected a count from 0 to {2}", bits, rhs, bits - 1);
  StringRef sign = row.contains("remi") ? "%" : "/";
  if (rhs == 0)
    return llvm::formatv("{0} {1} 0; expected a divisor other than 0", print(lhs), sign);
  return llvm::formatv("{0} {1} {2}, which overflows; expected a quotient that fits {3} bits", print(lhs), sign,
                       print(rhs), bits);
}

/// Reports where `op` is defined but rarely meant.
static void emitEdgeCheck(Compiler &compiler, Operation *op, const std::string &row) {
  Array lhs = compiler.at(op->getOperand(0)), rhs = compiler.at(op->getOperand(1));
  ElementLoop isEdge = findElementLoop((row + "?").c_str(), rhs.element, Element::I1);
  if (!isEdge || compiler.laneCapacity)
    return;
  int64_t flags = compiler.scratch(lhs.count);
  compiler.emit([=, &site = compiler.siteOf(op)](Frame &frame) {
    const void *in[] = {frame.at(lhs.offset), frame.at(rhs.offset)};
    isEdge(frame.at(flags), in, lhs.count, nullptr);
    int64_t first = firstSet(frame.at<uint8_t>(flags), lhs.count);
    if (first == lhs.count)
      return;
    bool isSigned = !StringRef(row).contains("unsigned");
    frame.findings.add(FindingKind::ArithmeticEdge, site, frame.program, -1, first, [&] {
      return describeEdge(row, integerAt(frame.at(lhs.offset), lhs.element, first, isSigned),
                          integerAt(frame.at(rhs.offset), rhs.element, first, true), 8 * sizeOf(lhs.element));
    });
  });
}

/// A scalar from outside a combiner, repeated for every lane.
static Array acrossLanes(Compiler &compiler, Array scalar) {
  Array lanes{compiler.scratch(compiler.laneCapacity * sizeOf(scalar.element)), scalar.element, compiler.laneCapacity};
  int64_t size = sizeOf(scalar.element);
  compiler.emit([=](Frame &frame) {
    for (int64_t lane = 0; lane < frame.lanes; ++lane)
      memcpy(frame.at(lanes.offset + lane * size), frame.at(scalar.offset), size);
  });
  return lanes;
}

/// A scalar condition chooses one of two values, of whatever type, as a whole.
static LogicalResult compileChoice(Compiler &compiler, arith::SelectOp op) {
  Array condition = compiler.at(op.getCondition());
  Array yes = compiler.at(op.getTrueValue()), no = compiler.at(op.getFalseValue());
  Array result = compiler.define(op);
  compiler.emit([=](Frame &frame) {
    memcpy(frame.at(result.offset), frame.at(*frame.at(condition.offset) ? yes.offset : no.offset), result.bytes());
  });
  return success();
}

/// Whether `value` becomes nothing but an integer, by way of limits at most.
static bool isOnlyConverted(Value value) {
  return llvm::all_of(value.getUsers(), [](Operation *user) {
    return isFloatToInteger(user) ||
           (isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp>(user) &&
            isOnlyConverted(user->getResult(0)));
  });
}

/// Whether `op` takes one end of what its operand may be, where the run asks for it. What steps on the way to an
/// integer does so too: its own bound would let a value next to one step pass on both sides.
static bool takesEnd(const Compiler &compiler, Operation *op) {
  if (!compiler.bounded || compiler.options.converted == Converted::Exact)
    return false;
  bool isStep = isa<math::CeilOp, math::FloorOp, math::RoundOp, math::RoundEvenOp, math::TruncOp>(op);
  return isFloatToInteger(op) || (isStep && isOnlyConverted(op->getResult(0)));
}

/// That end of each element of `operand`.
static Array endOf(Compiler &compiler, Array operand) {
  Array end{compiler.scratch(operand.bytes()), operand.element, operand.count};
  bool isLeast = compiler.options.converted == Converted::Least;
  compiler.emit([=](Frame &frame) {
    auto *from = frame.at<Bounded>(operand.offset), *to = frame.at<Bounded>(end.offset);
    for (int64_t i = 0; i < operand.count; ++i) {
      double error = from[i].error;
      // Without a bound it may be anything, also where the value is no number.
      to[i] = {std::isinf(error) ? (isLeast ? -error : error) : from[i].value + (isLeast ? -error : error), 0};
    }
  });
  return end;
}

bool tile::interpreter::isElementwise(Operation *op) {
  if (isa<arith::ConstantOp>(op))
    return true;
  if (op->getNumOperands() == 0 || op->getNumOperands() > 3 || op->getNumRegions() || op->getNumResults() == 0)
    return false;
  // Which types are no matter here: any row of that name will do.
  constexpr Element kAll[] = {Element::I1,     Element::I8,  Element::I16,  Element::I32, Element::I64, Element::F8E4M3,
                              Element::F8E5M2, Element::F16, Element::BF16, Element::F32, Element::F64};
  std::string name = rowOfResult(op->getResult(0));
  for (Element from : kAll)
    for (Element to : kAll)
      if (findElementLoop(name.c_str(), from, to))
        return true;
  return false;
}

std::optional<LogicalResult> tile::interpreter::compileElementwise(Compiler &compiler, Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return compileConstant(compiler, constant);
  if (auto select = dyn_cast<arith::SelectOp>(op); select && !compiler.laneCapacity)
    if (isa<ViewType>(select.getType()) ||
        (shapeOf(select.getCondition().getType()).empty() && !shapeOf(select.getType()).empty()))
      return compileChoice(compiler, select);
  if (!isElementwise(op))
    return std::nullopt;
  if (roundsOtherwise(op))
    return compiler.fail(op, "'" + op->getName().getStringRef() + "' rounds other than to nearest, ties to even");

  SmallVector<Array, 3> operands;
  for (Value operand : op->getOperands()) {
    Array array = compiler.at(operand);
    operands.push_back(compiler.laneCapacity && array.count == 1 ? acrossLanes(compiler, array) : array);
    if (takesEnd(compiler, op))
      operands.back() = endOf(compiler, operands.back());
  }
  if (compiler.options.checked)
    emitEdgeCheck(compiler, op, rowName(op));
  for (OpResult opResult : op->getResults()) {
    std::string name = rowOfResult(opResult);
    Element to = *compiler.elementFor(opResult.getType());
    ElementLoop loop = findElementLoop(name.c_str(), operands.back().element, to);
    if (!loop)
      return compiler.fail(op, "'" + op->getName().getStringRef() +
                                   "' works on types that the interpreter does not "
                                   "know for it");
    Array result = compiler.define(opResult);
    std::array<int64_t, 3> offsets = {};
    llvm::transform(operands, offsets.begin(), [](Array array) { return array.offset; });
    bool laneWise = compiler.laneCapacity;
    const FloatFormat *format = compiler.formatFor(opResult.getType());
    compiler.emit([=](Frame &frame) {
      const void *in[] = {frame.at(offsets[0]), frame.at(offsets[1]), frame.at(offsets[2])};
      loop(frame.at(result.offset), in, laneWise ? frame.lanes : result.count, format);
    });
  }
  return success();
}
