/// Puts grids of several axes on the first axis of the hardware, which takes 2^31 programs where the others take 65535.
/// The extents are computed in the kernel, from the expressions of its contract; a grid whose expressions need more
/// than sums, products and rounded-up quotients of dims stays on the axes of the hardware.
#include "ir/Tile/TileOps.h"
#include "ir/TileGPU/TileGPUOps.h"
#include "ir/TileToTileGPU/Passes.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

namespace tile::tgpu {
#define GEN_PASS_DEF_LINEARIZEGRIDPASS
#include "ir/TileToTileGPU/Passes.h.inc"
} // namespace tile::tgpu

namespace {
/// Emits postfix expressions of the contract (runtime/launch/README.md, Expressions) as values of type index.
class ExpressionEmitter {
public:
  ExpressionEmitter(func::FuncOp kernel, DictionaryAttr contract)
      : builder(OpBuilder::atBlockBegin(&kernel.getBody().front())), loc(kernel.getLoc()) {
    if (auto abi = contract.getAs<ArrayAttr>("abi"))
      for (auto [argument, entry] : llvm::zip(kernel.getArguments(), abi.getAsRange<DictionaryAttr>()))
        if (auto dim = entry.getAs<StringAttr>("dim"))
          values[dim.getValue()] = argument;
    for (StringRef list : {"dims", "constants"})
      if (auto entries = contract.getAs<ArrayAttr>(list))
        for (auto entry : entries.getAsRange<DictionaryAttr>())
          if (auto value = entry.getAs<IntegerAttr>("value"))
            constants[entry.getAs<StringAttr>("name").getValue()] = value.getInt();
  }

  /// Null where the expression has a name or an operator that is not covered.
  Value emit(ArrayAttr postfix) {
    SmallVector<Value> stack;
    for (Attribute word : postfix) {
      Value value;
      if (auto number = dyn_cast<IntegerAttr>(word))
        value = constant(number.getInt());
      else if (auto name = dyn_cast<StringAttr>(word))
        value = isOperator(name) ? apply(name, stack) : lookUp(name);
      if (!value)
        return Value();
      stack.push_back(value);
    }
    return stack.size() == 1 ? stack.front() : Value();
  }

private:
  static bool isOperator(StringRef word) { return llvm::is_contained({"+", "-", "*", "cdiv", "min", "max"}, word); }
  Value constant(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }

  Value lookUp(StringRef name) {
    if (auto known = constants.find(name); known != constants.end())
      return constant(known->second);
    return values.lookup(name);
  }

  Value apply(StringRef name, SmallVector<Value> &stack) {
    if (stack.size() < 2)
      return Value();
    Value rhs = stack.pop_back_val(), lhs = stack.pop_back_val();
    if (name == "+")
      return builder.createOrFold<arith::AddIOp>(loc, lhs, rhs);
    if (name == "-")
      return builder.createOrFold<arith::SubIOp>(loc, lhs, rhs);
    if (name == "*")
      return builder.createOrFold<arith::MulIOp>(loc, lhs, rhs);
    if (name == "min")
      return builder.createOrFold<arith::MinSIOp>(loc, lhs, rhs);
    if (name == "max")
      return builder.createOrFold<arith::MaxSIOp>(loc, lhs, rhs);
    // A grid is launched only if it is not empty, so the dividend is positive.
    APInt divisor;
    if (!matchPattern(rhs, m_ConstantInt(&divisor)) || divisor.sle(0))
      return Value();
    Value padded = builder.createOrFold<arith::AddIOp>(loc, lhs, constant(divisor.getSExtValue() - 1));
    return builder.createOrFold<arith::DivUIOp>(loc, padded, rhs);
  }

  OpBuilder builder;
  Location loc;
  llvm::StringMap<Value> values;
  llvm::StringMap<int64_t> constants;
};

struct LinearizeGridPass : public tgpu::impl::LinearizeGridPassBase<LinearizeGridPass> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    auto contract = kernel->getAttrOfType<DictionaryAttr>(TileDialect::kContract);
    auto grid = contract ? contract.getAs<ArrayAttr>("grid") : ArrayAttr();
    if (!grid || grid.size() < 2 || kernel->hasAttr(TileGPUDialect::kLinearGrid))
      return;
    SmallVector<Value> extents;
    ExpressionEmitter expressions(kernel, contract);
    for (auto axis : grid.getAsRange<ArrayAttr>()) {
      extents.push_back(expressions.emit(axis));
      if (!extents.back())
        return;
    }
    replacePrograms(kernel, extents);
    kernel->setAttr(TileGPUDialect::kLinearGrid, UnitAttr::get(&getContext()));
  }

private:
  void replacePrograms(func::FuncOp kernel, ArrayRef<Value> extents) {
    // An axis that the grid does not have holds one program.
    kernel.walk([&](NumProgramsOp op) {
      OpBuilder b(op);
      op.replaceAllUsesWith(op.getAxis() < extents.size()
                                ? extents[op.getAxis()]
                                : arith::ConstantIndexOp::create(b, op.getLoc(), 1).getResult());
      op.erase();
    });
    SmallVector<ProgramIdOp> programs;
    kernel.walk([&](ProgramIdOp op) { programs.push_back(op); });
    for (ProgramIdOp op : programs) {
      OpBuilder b(op);
      Location loc = op.getLoc();
      if (op.getAxis() >= extents.size()) {
        op.replaceAllUsesWith(arith::ConstantIndexOp::create(b, loc, 0).getResult());
        op.erase();
        continue;
      }
      Type i32 = b.getI32Type();
      // All extents and their product are below 2^31, so 32 bits are enough, and faster to divide.
      Value id = arith::IndexCastOp::create(b, loc, i32, ProgramIdOp::create(b, loc, 0));
      for (size_t axis = 0; axis < op.getAxis(); ++axis)
        id = arith::DivUIOp::create(b, loc, id, arith::IndexCastOp::create(b, loc, i32, extents[axis]));
      if (op.getAxis() + 1 < extents.size())
        id = arith::RemUIOp::create(b, loc, id, arith::IndexCastOp::create(b, loc, i32, extents[op.getAxis()]));
      op.replaceAllUsesWith(arith::IndexCastUIOp::create(b, loc, b.getIndexType(), id).getResult());
      op.erase();
    }
  }
};
} // namespace
