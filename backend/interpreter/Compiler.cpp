#include "backend/interpreter/Compiler.h"

using namespace mlir;
using namespace tile;
using namespace tile::interpreter;

/// Which family an op belongs to is its own knowledge; the order does not matter.
static constexpr Family kFamilies[] = {
    compileControl, compileDot,   compileElementwise, compilePointerAccess, compileProgram,
    compileReduce,  compileShape, compileView,        compileViewAccess,
};

std::optional<Element> tile::interpreter::storedElementFor(Type type) {
  type = elementOf(type);
  if (isa<IndexType, PtrType>(type))
    return Element::I64;
  if (isa<Float8E4M3FNType>(type))
    return Element::F8E4M3;
  if (isa<Float8E5M2Type>(type))
    return Element::F8E5M2;
  if (type.isF16())
    return Element::F16;
  if (type.isBF16())
    return Element::BF16;
  if (type.isF32())
    return Element::F32;
  if (type.isF64())
    return Element::F64;
  if (!isa<IntegerType>(type))
    return std::nullopt;
  switch (type.getIntOrFloatBitWidth()) {
  case 1:
    return Element::I1;
  case 8:
    return Element::I8;
  case 16:
    return Element::I16;
  case 32:
    return Element::I32;
  case 64:
    return Element::I64;
  default:
    return std::nullopt;
  }
}

std::optional<Element> Compiler::elementFor(Type type) const {
  std::optional<Element> stored = storedElementFor(type);
  return stored && isFloat(*stored) && bounded ? Element::Bounded : stored;
}

const FloatFormat *Compiler::formatFor(Type type) const {
  // The 8- and 16-bit types are computed in f32, whose subnormals an approximate function may flush.
  static constexpr FloatFormat kF8E4M3{0x1p-24, 0x1p-4, 0x1p-10, 0x1p-126, 448};
  static constexpr FloatFormat kF8E5M2{0x1p-24, 0x1p-3, 0x1p-17, 0x1p-126, 57344};
  static constexpr FloatFormat kF16{0x1p-24, 0x1p-11, 0x1p-25, 0x1p-126, 65504};
  static constexpr FloatFormat kBF16{0x1p-24, 0x1p-8, 0x1p-134, 0x1p-126, 0x1.fep127};
  static constexpr FloatFormat kF32{0x1p-24, 0, 0x1p-150, 0x1p-126, 0x1.fffffep127};
  static constexpr FloatFormat kF64{0x1p-53, 0, 0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp1023};
  std::optional<Element> stored = storedElementFor(type);
  if (!bounded || !stored)
    return nullptr;
  switch (*stored) {
  case Element::F8E4M3:
    return &kF8E4M3;
  case Element::F8E5M2:
    return &kF8E5M2;
  case Element::F16:
    return &kF16;
  case Element::BF16:
    return &kBF16;
  case Element::F32:
    return &kF32;
  case Element::F64:
    return &kF64;
  default:
    return nullptr;
  }
}

/// How many elements the array of a value of `type` has.
static int64_t countOf(Type type) {
  if (auto view = dyn_cast<ViewType>(type))
    return viewWords(view.getRank());
  return ShapedType::getNumElements(shapeOf(type));
}

Array Compiler::define(Value result) {
  Element element = isa<ViewType>(result.getType()) ? Element::I64 : *elementFor(result.getType());
  return slots.define(result, element, laneCapacity ? laneCapacity : countOf(result.getType()));
}

void Compiler::defineAlias(Value result, Value operand) {
  Array from = at(operand);
  slots.alias(result, operand, from.element, from.count);
}

int64_t Compiler::scratch(int64_t bytes) {
  scratches.push_back(slots.carry(Element::I8, bytes));
  return slots.carried(scratches.back(), Element::I8, bytes).offset;
}

void Compiler::defineConstant(Value value, std::string data) {
  Element element = *elementFor(value.getType());
  Array array = slots.reserve(element, data.size() / sizeOf(element));
  compiled->constants.emplace_back(array.offset, std::move(data));
  slots.bind(value, array);
}

void Compiler::emitMoves(ArrayRef<Array> sources, ArrayRef<Array> targets) {
  SmallVector<std::pair<Array, Array>> moves;
  for (auto [source, target] : llvm::zip_equal(sources, targets))
    if (source.offset != target.offset)
      moves.emplace_back(source, target);
  // A source that another move overwrites is saved first.
  for (auto &[source, target] : moves) {
    auto overwrites = [at = source.offset](auto &move) { return move.second.offset == at; };
    if (llvm::none_of(moves, overwrites))
      continue;
    Array saved{scratch(source.bytes()), source.element, source.count};
    emit([from = source.offset, to = saved.offset, bytes = source.bytes()](Frame &frame) {
      memcpy(frame.at(to), frame.at(from), bytes);
    });
    source = saved;
  }
  for (auto &[source, target] : moves)
    emit([from = source.offset, to = target.offset, bytes = target.bytes()](Frame &frame) {
      memcpy(frame.at(to), frame.at(from), bytes);
    });
}

const Site &Compiler::siteOf(Operation *op) {
  auto &sites = compiled->sites;
  return sites.emplace_back(Site{op->getLoc(), static_cast<int64_t>(sites.size())});
}

LogicalResult Compiler::fail(Operation *op, const Twine &message) {
  if (!failure)
    failure.emplace(op->getLoc(), message.str());
  return LogicalResult::failure();
}

/// What the elements of `type` take; a double, as extents may be such that an integer would wrap.
double Compiler::bytesOf(Type type) const {
  if (isa<ViewType>(type))
    return 0;
  double bytes = sizeOf(*elementFor(type));
  for (int64_t extent : shapeOf(type))
    bytes *= static_cast<double>(extent);
  return bytes;
}

LogicalResult Compiler::compileOp(Operation *op) {
  for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
    if (!isa<ViewType>(type) && !elementFor(type))
      return fail(op, "'" + op->getName().getStringRef() + "' works on a type that the interpreter does not know");
  // Asked for each, as constants are written while they are compiled.
  for (Type type : op->getResultTypes())
    if (double bytes = bytesOf(type); bytes > static_cast<double>(memory))
      return fail(op, llvm::formatv("tile takes {0:f0} bytes on the CPU; expected at most {1}, as this machine has no "
                                    "more memory",
                                    bytes, memory)
                          .str());
  for (Family family : kFamilies)
    if (auto result = family(*this, op))
      return *result;
  return fail(op, "'" + op->getName().getStringRef() + "' is an op that the interpreter does not know");
}

LogicalResult Compiler::compileBlock(Block &block, Body &body, function_ref<void()> terminate) {
  Body *outer = std::exchange(current, &body);
  for (Operation &op : block) {
    size_t mark = scratches.size();
    if (&op == block.getTerminator())
      terminate();
    else if (failed(compileOp(&op)))
      return LogicalResult::failure();
    while (scratches.size() > mark) {
      slots.release(scratches.back());
      scratches.pop_back();
    }
    slots.finish(&op);
  }
  current = outer;
  return success();
}

llvm::Expected<std::unique_ptr<CompiledKernel>> Compiler::compile() {
  auto error = [&]() -> llvm::Error {
    return llvm::make_error<InterpretError>(failure->first, std::move(failure->second));
  };
  if (!llvm::hasSingleElement(kernel.getBody())) {
    (void)fail(kernel, "kernel `" + kernel.getName() + "` has " + Twine(kernel.getBody().getBlocks().size()) +
                           " blocks; expected 1");
    return error();
  }
  for (BlockArgument argument : kernel.getArguments()) {
    std::optional<Element> element = elementFor(argument.getType());
    if (!element || isa<RankedTensorType>(argument.getType())) {
      (void)fail(kernel, "argument " + Twine(argument.getArgNumber()) + " of kernel `" + kernel.getName() +
                             "` is neither a scalar nor a pointer");
      return error();
    }
    Array array = slots.reserve(*element, 1);
    slots.bind(argument, array);
    compiled->arguments.push_back(array);
  }
  if (failed(compileBlock(kernel.getBody().front(), compiled->body, [] {})))
    return error();
  compiled->valueBytes = slots.totalBytes();
  return std::move(compiled);
}
