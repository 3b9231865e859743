#include "runtime/search/LaunchValues.h"

#include "ir/TileGPU/TileGPUOps.h"
#include "runtime/artifact/Expression.h"

using namespace mlir;

namespace tile {

/// The value of a postfix expression of the contract; none if it uses a name that `values` lack.
static std::optional<int64_t> evaluate(ArrayAttr expression, const std::map<std::string, int64_t> &values) {
  std::vector<Expression::Token> tokens;
  for (Attribute token : expression) {
    if (auto number = dyn_cast<IntegerAttr>(token))
      tokens.emplace_back(number.getInt());
    else if (auto real = dyn_cast<FloatAttr>(token))
      tokens.emplace_back(real.getValueAsDouble());
    else
      tokens.emplace_back(cast<StringAttr>(token).str());
  }
  std::vector<Value> slots;
  Result<Expression> read = Expression::create(tokens, [&](std::string_view name) {
    auto value = values.find(std::string(name));
    if (value == values.end())
      return -1;
    slots.emplace_back(value->second);
    return static_cast<int>(slots.size()) - 1;
  });
  return read ? std::optional(read->evaluate(slots).toInteger()) : std::nullopt;
}

LaunchValues::LaunchValues(func::FuncOp kernel, const std::map<std::string, int64_t> &values) : kernel(kernel) {
  auto contract = kernel->getAttrOfType<DictionaryAttr>(TileDialect::kContract);
  auto abi = contract.getAs<ArrayAttr>("abi");
  for (auto [argument, entry] : llvm::zip(kernel.getArguments(), abi.getAsRange<DictionaryAttr>()))
    for (StringRef kind : {"dim", "scalar"})
      if (auto name = entry.getAs<StringAttr>(kind))
        if (auto value = values.find(name.str()); value != values.end())
          fixed[argument] = value->second;
  gridShape.emplace();
  for (auto axis : contract.getAs<ArrayAttr>("grid").getAsRange<ArrayAttr>()) {
    std::optional<int64_t> extent = evaluate(axis, values);
    if (!extent) {
      gridShape.reset();
      break;
    }
    gridShape->push_back(std::max<int64_t>(*extent, 0));
  }
  setProgram(0);
}

int64_t LaunchValues::countPrograms() const {
  int64_t count = 1;
  for (int64_t extent : gridShape ? *gridShape : llvm::SmallVector<int64_t>())
    count = llvm::SaturatingMultiply<uint64_t>(count, extent) & std::numeric_limits<int64_t>::max();
  return count;
}

void LaunchValues::setProgram(int64_t number) {
  known = fixed;
  program.assign(3, 0);
  if (!gridShape || kernel->hasAttr(tgpu::TileGPUDialect::kLinearGrid)) {
    program[0] = number;
    return;
  }
  for (auto [axis, extent] : llvm::enumerate(*gridShape)) {
    program[axis] = extent ? number % extent : 0;
    number /= std::max<int64_t>(extent, 1);
  }
}

std::optional<int64_t> LaunchValues::integer(mlir::Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  std::optional<int64_t> result = compute(value);
  known[value] = result;
  return result;
}

std::optional<int64_t> LaunchValues::compute(mlir::Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !value.getType().isIntOrIndex())
    return std::nullopt;
  if (isa<ProgramIdOp, NumProgramsOp>(op))
    return ofLaunch(op);
  return op->getNumRegions() ? std::nullopt : fold(op, cast<OpResult>(value).getResultNumber());
}

std::optional<int64_t> LaunchValues::ofLaunch(Operation *op) const {
  if (auto id = dyn_cast<ProgramIdOp>(op))
    return program[id.getAxis()];
  size_t axis = cast<NumProgramsOp>(op).getAxis();
  return gridShape && axis < gridShape->size() ? std::optional((*gridShape)[axis]) : std::nullopt;
}

std::optional<int64_t> LaunchValues::fold(Operation *op, unsigned result) {
  SmallVector<Attribute> operands;
  for (mlir::Value operand : op->getOperands()) {
    std::optional<int64_t> value = operand.getType().isIntOrIndex() ? integer(operand) : std::nullopt;
    operands.push_back(value ? IntegerAttr::get(operand.getType(), *value) : Attribute());
  }
  // A fold without a result has changed the op itself, and may do more the next time.
  for (unsigned i = 0; i < 2; ++i) {
    SmallVector<OpFoldResult> results;
    if (failed(op->fold(operands, results)))
      return std::nullopt;
    if (results.empty())
      continue;
    if (auto constant = dyn_cast<Attribute>(results[result])) {
      auto number = dyn_cast<IntegerAttr>(constant);
      if (!number)
        return std::nullopt;
      return number.getType().isInteger(1) ? number.getValue().getZExtValue() : number.getValue().getSExtValue();
    }
    return integer(cast<mlir::Value>(results[result]));
  }
  return std::nullopt;
}

std::optional<int64_t> LaunchValues::trips(scf::ForOp loop) {
  std::optional<int64_t> low = integer(loop.getLowerBound()), high = integer(loop.getUpperBound()),
                         step = integer(loop.getStep());
  if (!low || !high || !step || *step <= 0)
    return std::nullopt;
  return *high <= *low ? 0 : (*high - *low + *step - 1) / *step;
}

void LaunchValues::setTrip(scf::ForOp loop, int64_t trip) {
  std::optional<int64_t> low = integer(loop.getLowerBound()), step = integer(loop.getStep());
  // What was computed of the iteration before is forgotten.
  loop.getBody()->walk([&](Operation *op) {
    for (mlir::Value value : op->getResults())
      known.erase(value);
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        known.erase(argument);
  });
  for (BlockArgument argument : loop.getBody()->getArguments())
    known[argument] = std::nullopt;
  if (low && step)
    known[loop.getInductionVar()] = *low + trip * *step;
  for (auto [argument, init, next] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getInitArgs(), *loop.getYieldedValuesMutable())) {
    auto sum = next.get().getDefiningOp<arith::AddIOp>();
    if (!sum || sum.getLhs() != argument)
      continue;
    std::optional<int64_t> first = integer(init), each = integer(sum.getRhs());
    if (first && each)
      known[argument] = *first + trip * *each;
  }
}

} // namespace tile
