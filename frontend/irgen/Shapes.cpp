/// When extents agree, and how operands of elementwise operations come to one shape and one scalar type.
#include "frontend/irgen/Emitter.h"

#include "ir/Tile/TileOps.h"

using namespace tile;
using namespace tile::irgen;

Emitter::Agreement Emitter::compare(const Dim &lhs, const Dim &rhs) const {
  if (lhs.value != rhs.value)
    return Agreement::Different;
  return equalities.areEqual(lhs.symbol, rhs.symbol) ? Agreement::Same : Agreement::ByChance;
}

/// `BM` if the extent has a name, else its value.
static std::string spelled(const Dim &dim) { return quote(dim.symbol.text()); }

void Emitter::reportExtents(Code code, const Dim &lhs, const Dim &rhs, SourceRange range, const Operand &left,
                            const Operand &right, const std::string &what, ShapesFit fits) {
  auto describeOperands = [&](DiagnosticBuilder &diagnostic) {
    if (!(left.range == range))
      diagnostic.secondary(left.range, left.value.describe());
    if (!(right.range == range) && !(right.range == left.range))
      diagnostic.secondary(right.range, right.value.describe());
  };
  if (lhs.value == rhs.value) {
    DiagnosticBuilder diagnostic =
        report(Code::E0202, range,
               "extents " + spelled(lhs) + " and " + spelled(rhs) + " agree only for this configuration; both are " +
                   std::to_string(lhs.value));
    describeOperands(diagnostic);
    diagnostic.note("no kernel is right for one configuration and ill-typed for the next");
    // The names in a spec are extents of the launch, of which only the launcher can be told.
    std::string condition = equalities.condition(lhs.symbol, rhs.symbol);
    std::string assertion = "say so: " + (isSpec ? quote("where " + condition) + " behind the grid of the kernel"
                                                 : quote("static_assert(" + condition + ")"));
    if (fits && suggestForm(diagnostic, left, right, fits))
      diagnostic.note("if they must agree, " + assertion);
    else
      diagnostic.help("if they must agree, " + assertion);
    return;
  }
  DiagnosticBuilder diagnostic = report(code, range, what);
  describeOperands(diagnostic);
  for (const Dim *dim : {&lhs, &rhs})
    if (!dim->symbol.asConstant())
      diagnostic.note(spelled(*dim) + " is " + std::to_string(dim->value) + " here");
  if (fits)
    suggestForm(diagnostic, left, right, fits);
}

static bool bySize(const std::vector<Dim> &lhs, const std::vector<Dim> &rhs) { return lhs.size() < rhs.size(); }

std::optional<std::vector<Dim>> Emitter::broadcastShapes(const Operand &lhs, const Operand &rhs, SourceRange range,
                                                         const std::string &what) {
  std::vector<Dim> left = lhs.value.type().shape, right = rhs.value.type().shape;
  if (left.empty() || right.empty())
    return left.empty() ? right : left;
  std::string shapes = lhs.value.describe() + " and " + rhs.value.describe();
  if (left.size() != right.size()) {
    const Operand &lower = left.size() < right.size() ? lhs : rhs;
    DiagnosticBuilder diagnostic = report(Code::E0201, range, "ranks of " + what + " differ: " + shapes);
    diagnostic.secondary(lhs.range, lhs.value.describe()).secondary(rhs.range, rhs.value.describe());
    const std::vector<Dim> &few = std::min(left, right, bySize), &many = std::max(left, right, bySize);
    if (few.size() != 1 || many.size() != 2)
      return std::nullopt;
    std::string operand = spelledOperand(lower.range), row = operand + "[None, :]", column = operand + "[:, None]";
    auto fits = [&](const Dim &dim) { return compare(few[0], dim) == Agreement::Same; };
    if (fits(many[0]) != fits(many[1]))
      diagnostic.replace(lower.range, fits(many[1]) ? row : column, "give it the missing dim: ");
    else
      diagnostic.help("give it the missing dim: " + quote(column) + " or " + quote(row));
    return std::nullopt;
  }
  std::vector<Dim> shape;
  for (size_t i = 0; i < left.size(); ++i) {
    if (left[i].isOne() || right[i].isOne()) {
      shape.push_back(left[i].isOne() ? right[i] : left[i]);
      continue;
    }
    if (compare(left[i], right[i]) != Agreement::Same) {
      auto broadcasts = [&](llvm::ArrayRef<Dim> first, llvm::ArrayRef<Dim> second) {
        return llvm::all_of(llvm::zip_equal(first, second), [&](const auto &dims) {
          auto [l, r] = dims;
          return l.isOne() || r.isOne() || compare(l, r) == Agreement::Same;
        });
      };
      reportExtents(Code::E0201, left[i], right[i], range, lhs, rhs, "shapes of " + what + " differ: " + shapes,
                    broadcasts);
      return std::nullopt;
    }
    // A name says more than a number.
    shape.push_back(left[i].symbol.asConstant() ? right[i] : left[i]);
  }
  return shape;
}

mlir::Value Emitter::broadcast(mlir::Value value, const Type &type, const std::vector<Dim> &shape,
                               mlir::Location location) {
  if (shape.empty())
    return value;
  mlir::Type target = mlirType(Type::tile(type.element, shape));
  if (!type.shape.empty())
    return value.getType() == target ? value : BroadcastOp::create(builder, location, target, value).getResult();
  // A constant scalar becomes a constant tile, and the scalar goes if it was made for this.
  mlir::Attribute attribute;
  if (mlir::matchPattern(value, mlir::m_Constant(&attribute))) {
    auto dense = mlir::DenseElementsAttr::get(llvm::cast<mlir::RankedTensorType>(target), attribute);
    if (value.use_empty())
      value.getDefiningOp()->erase();
    return mlir::arith::ConstantOp::create(builder, location, dense);
  }
  return SplatOp::create(builder, location, target, value);
}

/// The smallest type that holds every value of two integer types of different signs; none beside an u64.
static std::optional<Scalar> scalarOfBothSigns(Scalar one, Scalar other) {
  bool isFirstSigned = kindOf(one) == ScalarKind::Signed;
  Scalar with = isFirstSigned ? one : other, without = isFirstSigned ? other : one;
  for (Scalar candidate : {with, Scalar::I16, Scalar::I32, Scalar::I64})
    if (info(candidate).bits > info(without).bits && info(candidate).bits >= info(with).bits)
      return candidate;
  return std::nullopt;
}

void Emitter::suggestCommonType(DiagnosticBuilder &diagnostic, const Operand &lhs, const Operand &rhs) const {
  Type left = lhs.value.type(), right = rhs.value.type();
  if (!left.isTile() || !right.isTile() || left.element.isPointer || right.element.isPointer)
    return;
  Scalar from = left.element.scalar, to = right.element.scalar;
  if (isFloat8(from) && isFloat8(to)) {
    suggestCast(diagnostic, lhs.range, "f16", "`f16` holds every value of both: ");
    return;
  }
  if (!isInteger(from) || !isInteger(to)) {
    // The side to convert: the integer, or the one of fewer bits.
    bool convertLeft = isFloat(from) == isFloat(to) ? info(from).bits <= info(to).bits : !isFloat(from);
    std::string lead = "convert one of them: ";
    if (isFloat(from) && isFloat(to) && info(from).bits == info(to).bits) {
      convertLeft = to == Scalar::BF16; // the other way large values become infinite
      lead = "`bf16` has the range of both, and fewer digits: ";
    }
    suggestCast(diagnostic, (convertLeft ? lhs : rhs).range, nameOf(convertLeft ? to : from), lead);
    return;
  }
  std::optional<Scalar> both = scalarOfBothSigns(from, to);
  if (!both) {
    diagnostic.help("no integer type holds every value of both; convert the one whose values fit the other type");
    return;
  }
  std::string type(nameOf(*both)), lead = quote(type) + " holds every value of both: ";
  if (from == *both || to == *both)
    suggestCast(diagnostic, (from == *both ? rhs : lhs).range, type, "convert one of them: ");
  else
    diagnostic.help(lead + quote(spelledOperand(lhs.range) + " as " + type) + " and " +
                    quote(spelledOperand(rhs.range) + " as " + type));
}

std::optional<Scalar> Emitter::commonScalarOf(const std::vector<Operand> &operands, SourceRange range,
                                              const std::string &what) {
  const Operand *typed = nullptr, *untypedFloat = nullptr;
  std::optional<Scalar> result;
  auto mismatch = [&](const Operand &lhs, const Operand &rhs) {
    DiagnosticBuilder diagnostic =
        report(Code::E0200, range,
               what + " are " + lhs.value.describe() + " and " + rhs.value.describe() + "; expected one kind");
    diagnostic.secondary(lhs.range, lhs.value.describe()).secondary(rhs.range, rhs.value.describe());
    suggestCommonType(diagnostic, lhs, rhs);
    return std::nullopt;
  };
  for (const Operand &operand : operands) {
    const Value &value = operand.value;
    if (value.isUntyped()) {
      if (value.as<FloatConstant>())
        untypedFloat = &operand;
      continue;
    }
    Type type = value.type();
    if (!type.isTile() || type.element.isPointer) {
      DiagnosticBuilder diagnostic = report(
          Code::E0206, operand.range, "found " + value.describe() + "; expected a number, a bool or a tile of them");
      suggestRegion(diagnostic, operand);
      return std::nullopt;
    }
    std::optional<Scalar> common = result ? irgen::commonScalar(*result, type.element.scalar) : type.element.scalar;
    if (!common)
      return mismatch(*typed, operand);
    if (!typed || *common != *result)
      typed = &operand;
    result = common;
  }
  if (result && untypedFloat && !isFloat(*result))
    return mismatch(*typed, *untypedFloat);
  if (result)
    return result;
  if (untypedFloat)
    return defaultFloat();
  Scalar integer = Scalar::I32;
  for (const Operand &operand : operands)
    if (operand.value.type().element.scalar == Scalar::I64)
      integer = Scalar::I64;
  return integer;
}

std::optional<Emitter::Unified> Emitter::unify(const std::vector<Operand> &operands, SourceRange range,
                                               const std::string &what) {
  for (const Operand &operand : operands)
    if (operand.value.isError())
      return std::nullopt;
  std::optional<Scalar> scalar = commonScalarOf(operands, range, what);
  if (!scalar)
    return std::nullopt;
  Unified result;
  Operand widest = operands.front();
  std::vector<Value> values;
  for (const Operand &operand : operands) {
    std::optional<std::vector<Dim>> shape = broadcastShapes(widest, operand, range, what);
    Value value = coerceScalar(operand, *scalar, "");
    if (!shape || value.isError())
      return std::nullopt;
    result.type = Type::tile({*scalar}, *shape);
    values.push_back(value);
    if (operand.value.type().shape.size() >= shape->size())
      widest = {Value(value.ssa(), result.type), operand.range};
  }
  // A tile is made where an operand is used, not where its scalar came from.
  for (auto [value, operand] : llvm::zip_equal(values, operands))
    result.values.push_back(broadcast(value.ssa(), value.type(), result.type.shape, at(operand.range)));
  return result;
}
