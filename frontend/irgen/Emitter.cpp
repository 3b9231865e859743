#include "frontend/irgen/Emitter.h"

#include "ir/Tile/TileOps.h"

using namespace tile;
using namespace tile::irgen;

std::string irgen::quote(std::string_view text) { return "`" + std::string(text) + "`"; }

std::string irgen::counted(size_t number, std::string_view noun) {
  return std::to_string(number) + " " + std::string(noun) + (number == 1 ? "" : "s");
}

//===-- Places and messages

mlir::Location Emitter::at(SourceRange range) {
  LineColumn place = sources.begin(range);
  mlir::Location location =
      mlir::FileLineColLoc::get(context(), llvm::StringRef(sources.name(range.file)), place.line, place.column);
  return calls.empty() ? location : mlir::CallSiteLoc::get(location, calls.back().location);
}

DiagnosticBuilder Emitter::report(Code code, SourceRange range, std::string message) {
  auto isStandard = [&](const SourceRange &place) { return sources.name(place.file) == kStandardLibrary; };
  if (isStandard(range))
    for (const CallSite &site : llvm::reverse(calls))
      if (!isStandard(site.range))
        return engine.report(code, site.range, std::move(message)).secondary(range, "in the standard library");
  DiagnosticBuilder diagnostic = engine.report(code, range, std::move(message));
  if (!calls.empty() && !(calls.back().range == range))
    diagnostic.secondary(calls.back().range, "in this call of " + quote(calls.back().callee));
  return diagnostic;
}

/// Whether what is written behind `operand` reaches all of it.
static bool isOneOperand(std::string_view operand) {
  int depth = 0;
  bool isOne = llvm::all_of(operand, [&](char c) {
    depth += (c == '(' || c == '[') - (c == ')' || c == ']');
    return depth > 0 || (depth == 0 && (std::isalnum(static_cast<unsigned char>(c)) ||
                                        std::string_view("_.)]").find(c) != std::string_view::npos));
  });
  return isOne && depth == 0;
}

std::string Emitter::spelledValue(const Operand &operand) const {
  std::string spelled = operand.value.as<FloatConstant>() ? text(operand.range) : "";
  bool isNumber = !spelled.empty() && spelled.find_first_not_of("0123456789._eE+-") == std::string::npos;
  return isNumber ? spelled : operand.value.describe();
}

std::string Emitter::spelledOperand(SourceRange range) const {
  std::string operand = text(range);
  return isOneOperand(operand) ? operand : "(" + operand + ")";
}

void Emitter::suggestCast(DiagnosticBuilder &diagnostic, SourceRange range, std::string_view type,
                          std::string lead) const {
  std::string operand = spelledOperand(range), base = text(range);
  // What is converted to a float already is converted otherwise: two conversions round twice. A conversion to an
  // integer stays, as it says more than a type.
  auto isOfFloat = [](std::string_view name) {
    std::optional<Scalar> scalar = scalarNamed(name);
    return scalar && isFloat(*scalar);
  };
  size_t as = base.rfind(" as ");
  while (as != std::string::npos && isOfFloat(base.substr(as + 4)) && isOfFloat(type)) {
    base.resize(as);
    if (isOneOperand(base))
      operand = base;
    as = base.rfind(" as ");
  }
  diagnostic.replace(range, operand + " as " + std::string(type), std::move(lead));
}

void Emitter::suggestRegion(DiagnosticBuilder &diagnostic, const Operand &operand) const {
  if (!operand.value.isView())
    return;
  if (sources.name(operand.range.file) == kStandardLibrary) {
    diagnostic.help("pass a region that is read from the tensor: `…[0 :+ BLOCK]`");
    return;
  }
  std::string written = text(operand.range);
  if (written.back() == ']' && written.find("..") != std::string::npos) {
    diagnostic.help("`lo .. hi` makes a view, which reads nothing; `lo :+ count` reads `count` elements");
    return;
  }
  std::string positions;
  for (size_t i = 0, rank = operand.value.type().extents.size(); i < rank; ++i)
    positions += i + 1 == rank ? "0 :+ BLOCK" : "i, ";
  diagnostic.help("a tensor is read region by region: " + quote(written + "[" + positions + "]"));
}

//===-- Constants

static mlir::Value buildConstant(mlir::OpBuilder &builder, mlir::TypedAttr attribute, const std::vector<Dim> &shape,
                                 mlir::Location location) {
  if (!shape.empty()) {
    llvm::SmallVector<int64_t> sizes;
    for (const Dim &dim : shape)
      sizes.push_back(dim.value);
    auto type = mlir::RankedTensorType::get(sizes, attribute.getType());
    attribute = mlir::DenseElementsAttr::get(type, mlir::Attribute(attribute));
  }
  return mlir::arith::ConstantOp::create(builder, location, attribute);
}

static const llvm::fltSemantics &semanticsOf(Scalar scalar, mlir::MLIRContext *context) {
  return llvm::cast<mlir::FloatType>(mlirTypeOf(scalar, context)).getFloatSemantics();
}

static llvm::APFloat rounded(Scalar scalar, double value, mlir::MLIRContext *context) {
  llvm::APFloat number(value);
  bool losesInfo = false;
  number.convert(semanticsOf(scalar, context), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number;
}

/// An 8-bit float saturates, but of what is no number it keeps what it can: NaN, and infinity where it has one. To that
/// `overflow` may let it round.
static llvm::APFloat saturated(Scalar scalar, llvm::APFloat rounded, bool isFinite, bool isNegative,
                               Emitter::Overflow overflow) {
  const llvm::fltSemantics &semantics = rounded.getSemantics();
  isFinite &= overflow == Emitter::Overflow::Finite;
  bool isBeyond = isFloat8(scalar) && !rounded.isFinite() && (isFinite || scalar == Scalar::F8E4M3);
  return isBeyond ? llvm::APFloat::getLargest(semantics, isNegative) : rounded;
}

static double nearest(Scalar scalar, double value, mlir::MLIRContext *context,
                      Emitter::Overflow overflow = Emitter::Overflow::Finite) {
  llvm::APFloat number = rounded(scalar, value, context);
  if (!std::isnan(value))
    number = saturated(scalar, number, std::isfinite(value), value < 0, overflow);
  return number.convertToDouble();
}

/// Rounds once: an f64 in between would round an integer of more than 53 bits a first time.
static llvm::APFloat rounded(Scalar scalar, WideInt value, mlir::MLIRContext *context) {
  uint64_t words[] = {static_cast<uint64_t>(value), static_cast<uint64_t>(value >> 64)};
  llvm::APFloat number(semanticsOf(scalar, context));
  number.convertFromAPInt(llvm::APInt(128, words), /*IsSigned=*/true, llvm::APFloat::rmNearestTiesToEven);
  return number;
}

static double nearest(Scalar scalar, WideInt value, mlir::MLIRContext *context,
                      Emitter::Overflow overflow = Emitter::Overflow::Finite) {
  return saturated(scalar, rounded(scalar, value, context), /*isFinite=*/true, value < 0, overflow).convertToDouble();
}

mlir::Value Emitter::constant(Scalar scalar, const std::vector<Dim> &shape, WideInt value, mlir::Location location) {
  if (isFloat(scalar))
    return constant(scalar, shape, nearest(scalar, value, context()), location);
  WideInt wrapped = wrap(scalar, value);
  uint64_t words[] = {static_cast<uint64_t>(wrapped)};
  mlir::Type type = mlirTypeOf(scalar, context());
  unsigned bits = scalar == Scalar::Index ? 64 : info(scalar).bits;
  auto attribute = builder.getIntegerAttr(type, llvm::APInt(64, words).trunc(bits));
  return buildConstant(builder, attribute, shape, location);
}

mlir::Value Emitter::constant(Scalar scalar, const std::vector<Dim> &shape, double value, mlir::Location location) {
  auto attribute = builder.getFloatAttr(mlirTypeOf(scalar, context()), rounded(scalar, value, context()));
  return buildConstant(builder, attribute, shape, location);
}

Value Emitter::materialize(const Value &value, SourceRange range) {
  if (value.isError() || value.isRuntime())
    return value;
  if (value.isConstantScalar())
    return coerceScalar({value, range}, value.type().element.scalar, "");
  if (const TupleValue *tuple = value.asTuple()) {
    std::vector<Value> elements;
    for (const Value &element : tuple->elements) {
      elements.push_back(materialize(element, range));
      if (elements.back().isError())
        return {};
    }
    return Value::tuple(std::move(elements), tuple->isList);
  }
  return fail(Code::E0206, range, "found " + value.describe() + "; expected a value that exists at run time");
}

//===-- Conversions

/// Reports unless the constant is a value of `target`.
static bool checkFits(Emitter &emitter, const Operand &operand, Scalar target) {
  if (auto *constant = operand.value.as<IntConstant>()) {
    bool fits = isFloat(target) ? rounded(target, constant->value, emitter.context()).isFinite()
                                : holds(target, constant->value);
    if (fits)
      return true;
    emitter.report(Code::E0205, operand.range,
                   toString(constant->value) + " is no value of " + std::string(nameOf(target)));
    return false;
  }
  double value = operand.value.as<FloatConstant>()->value;
  llvm::APFloat number = rounded(target, value, emitter.context());
  if (std::isfinite(value) ? number.isFinite() : std::isnan(value) || number.isInfinity())
    return true;
  emitter.report(Code::E0205, operand.range,
                 emitter.spelledValue(operand) + " is no value of " + std::string(nameOf(target)));
  return false;
}

static void reportMismatch(Emitter &emitter, const Operand &operand, Scalar target, const std::string &what) {
  const Value &value = operand.value;
  std::string expected(nameOf(target));
  std::string type = value.isTile() ? Emitter::withScalar(value.type(), target).text() : expected;
  DiagnosticBuilder diagnostic =
      emitter.report(Code::E0206, operand.range,
                     (what.empty() ? "found " : what + " is ") + value.describeFound() + "; expected " + type);
  if (value.isConstantScalar() || value.isTile())
    emitter.suggestCast(diagnostic, operand.range, expected, "write ");
  emitter.suggestRegion(diagnostic, operand);
}

/// Reports unless `target` is what the constant may become without `as`.
static bool typedConstant(Emitter &emitter, const Operand &operand, Scalar target, const std::string &what) {
  const Value &value = operand.value;
  std::optional<Scalar> type = Scalar::Bool;
  if (auto *constant = value.as<IntConstant>())
    type = constant->type;
  if (auto *constant = value.as<FloatConstant>())
    type = constant->type;
  bool isAllowed = type ? widensTo(*type, target) : value.as<IntConstant>() ? target != Scalar::Bool : isFloat(target);
  if (isAllowed)
    return value.as<BoolConstant>() || checkFits(emitter, operand, target);
  reportMismatch(emitter, operand, target, what);
  return false;
}

Value Emitter::coerceScalar(const Operand &operand, Scalar target, const std::string &what) {
  const Value &value = operand.value;
  if (value.isError())
    return value;
  mlir::Location location = at(operand.range);
  if (value.isConstantScalar()) {
    if (!typedConstant(*this, operand, target, what))
      return {};
    Type type = Type::scalar(target);
    if (auto *number = value.as<IntConstant>())
      return Value(constant(target, {}, number->value, location), type);
    if (auto *number = value.as<FloatConstant>())
      return Value(constant(target, {}, number->value, location), type);
    return Value(constant(target, {}, WideInt(value.as<BoolConstant>()->value), location), type);
  }
  if (!value.isTile() || value.type().element.isPointer || !widensTo(value.type().element.scalar, target)) {
    reportMismatch(*this, operand, target, what);
    return {};
  }
  Type type = value.type();
  return Value(convert(value.ssa(), type.element.scalar, target, location), withScalar(type, target));
}

Value Emitter::coerce(const Operand &operand, const Type &target, const std::string &what) {
  const Value &value = operand.value;
  if (value.isError() || target.isError())
    return value;
  auto fits = [&](llvm::ArrayRef<Dim> shape, llvm::ArrayRef<Dim>) { return isSameShape(shape, target.shape); };
  auto mismatch = [&]() -> Value {
    DiagnosticBuilder diagnostic =
        report(Code::E0206, operand.range,
               (what.empty() ? "found " : what + " is ") + value.describeFound() + "; expected " + target.text());
    if (value.isTile() && target.isTile())
      suggestForm(diagnostic, operand, operand, fits);
    return {};
  };
  switch (target.kind) {
  case Type::Kind::Tile: {
    if (const TupleValue *list = value.asTuple(); list && list->isList && !target.shape.empty())
      return tileOfConstants(operand, target, what);
    if (!value.isConstantScalar() && !value.isTile())
      return mismatch();
    Type type = value.type();
    if (type.shape.size() != target.shape.size() || type.element.isPointer != target.element.isPointer)
      return mismatch();
    for (size_t i = 0; i < type.shape.size(); ++i) {
      Agreement agreement = compare(type.shape[i], target.shape[i]);
      if (agreement == Agreement::Different)
        return mismatch();
      if (agreement == Agreement::ByChance) {
        reportExtents(Code::E0202, type.shape[i], target.shape[i], operand.range, operand, operand, what, fits);
        return {};
      }
    }
    if (type.element.isPointer)
      return type.element == target.element ? value : mismatch();
    if (value.isConstantScalar()) {
      if (!typedConstant(*this, operand, target.element.scalar, what))
        return {};
      auto *number = value.as<FloatConstant>(); // of which a cast would bring infinity to the largest number
      return number ? folded(number->value, target.element.scalar) : cast(operand, target.element.scalar);
    }
    Value result = coerceScalar(operand, target.element.scalar, what);
    return result.isError() ? result : Value(result.ssa(), target);
  }
  case Type::Kind::Tuple: {
    const TupleValue *tuple = value.asTuple();
    if (!tuple && target.members.empty() && value.as<AbsentValue>())
      return Value::unit();
    if (!tuple || tuple->elements.size() != target.members.size())
      return mismatch();
    std::vector<Value> elements;
    for (size_t i = 0; i < tuple->elements.size(); ++i) {
      elements.push_back(coerce({tuple->elements[i], operand.range}, target.members[i], what));
      if (elements.back().isError())
        return {};
    }
    return Value::tuple(std::move(elements));
  }
  case Type::Kind::Int:
    if (auto *constant = value.as<IntConstant>())
      return IntConstant{constant->value, std::nullopt, constant->symbol};
    return mismatch();
  case Type::Kind::Float:
    if (auto *constant = value.as<IntConstant>(); constant && !constant->type)
      return FloatConstant{static_cast<double>(constant->value), std::nullopt};
    return value.as<FloatConstant>() ? value : mismatch();
  case Type::Kind::View:
    return isSameType(value.type(), target) ? value : mismatch();
  default:
    return value.type().kind == target.kind ? value : mismatch();
  }
}

Value Emitter::tileOfConstants(const Operand &list, const Type &target, const std::string &what) {
  std::vector<Value> elements = {list.value};
  for (const Dim &dim : target.shape) {
    std::vector<Value> inner;
    for (const Value &element : elements) {
      const TupleValue *part = element.asTuple();
      if (!part || static_cast<int64_t>(part->elements.size()) != dim.value)
        return fail(Code::E0206, list.range,
                    what + " is " + element.describe() + "; expected a list of " + counted(dim.value, "element"));
      inner.insert(inner.end(), part->elements.begin(), part->elements.end());
    }
    elements = std::move(inner);
  }
  llvm::SmallVector<mlir::Attribute> attributes;
  mlir::Block scratch; // the scalar constants are wanted as attributes only
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&scratch);
    for (const Value &element : elements) {
      Value scalar = coerceScalar({element, list.range}, target.element.scalar, "an element of " + what);
      mlir::Attribute attribute;
      if (scalar.isError())
        return {};
      if (!mlir::matchPattern(scalar.ssa(), mlir::m_Constant(&attribute)))
        return fail(Code::E0300, list.range,
                    "an element of " + what + " is " + element.describe() + "; expected a compile-time value");
      attributes.push_back(attribute);
    }
  }
  auto type = llvm::cast<mlir::RankedTensorType>(mlirType(target));
  auto op = mlir::arith::ConstantOp::create(builder, at(list.range), mlir::DenseElementsAttr::get(type, attributes));
  return Value(op.getResult(), target);
}

Value Emitter::folded(WideInt result, std::optional<Scalar> type, const Symbolic &symbol, SourceRange range) {
  if (!type && !holds(Scalar::I64, result) && !holds(Scalar::U64, result))
    return fail(Code::E0205, range, toString(result) + " does not fit in 64 bits");
  if (!type || holds(*type, result))
    return IntConstant{result, type, symbol};
  WideInt wrapped = wrap(*type, result);
  return IntConstant{wrapped, type, Symbolic(static_cast<int64_t>(wrapped))};
}

Value Emitter::folded(double result, std::optional<Scalar> type) {
  return FloatConstant{type ? nearest(*type, result, context()) : result, type};
}

double Emitter::computed(double result, std::optional<Scalar> type) {
  if (!type || !isFloat8(*type) || !std::isinf(result))
    return result;
  return std::copysign(llvm::APFloat::getLargest(semanticsOf(*type, context())).convertToDouble(), result);
}

std::optional<std::vector<Operand>> Emitter::unifyConstants(std::vector<Operand> operands, SourceRange range,
                                                            const std::string &what) {
  if (llvm::all_of(operands, [](const Operand &operand) { return operand.value.isUntyped(); }))
    return operands;
  std::optional<Scalar> type = commonScalarOf(operands, range, what);
  if (!type)
    return std::nullopt;
  for (Operand &operand : operands) {
    operand.value = coerce(operand, Type::scalar(*type), "");
    if (operand.value.isError())
      return std::nullopt;
  }
  return operands;
}

Value Emitter::cast(const Operand &operand, Scalar target, Overflow overflow) {
  const Value &value = operand.value;
  if (value.isError())
    return value;
  if (auto *constant = value.as<IntConstant>()) {
    if (isInteger(target))
      return folded(constant->value, target, constant->symbol, operand.range);
    if (target == Scalar::Bool)
      return Value::boolean(constant->value != 0);
    return FloatConstant{nearest(target, constant->value, context(), overflow), target};
  }
  if (auto *constant = value.as<FloatConstant>(); constant && isFloat(target)) {
    double number = overflow == Overflow::Finite ? computed(constant->value, target) : constant->value;
    return FloatConstant{nearest(target, number, context(), overflow), target};
  }
  if (auto *constant = value.as<BoolConstant>()) {
    if (target == Scalar::Bool)
      return value;
    if (isInteger(target))
      return IntConstant{constant->value, target, Symbolic(constant->value)};
    return FloatConstant{constant->value ? 1.0 : 0.0, target};
  }
  Value runtime = materialize(value, operand.range);
  if (runtime.isError())
    return runtime;
  if (!runtime.isTile() || runtime.type().element.isPointer) {
    DiagnosticBuilder diagnostic =
        report(Code::E0210, operand.range, value.describe() + " cannot become " + std::string(nameOf(target)));
    suggestRegion(diagnostic, operand);
    return {};
  }
  Type type = runtime.type();
  return Value(convert(runtime.ssa(), type.element.scalar, target, at(operand.range), overflow),
               withScalar(type, target));
}

mlir::Value Emitter::convert(mlir::Value value, Scalar from, Scalar to, mlir::Location location, Overflow overflow) {
  if (from == to)
    return value;
  auto typed = [&](Scalar scalar) -> mlir::Type {
    return tileOf(shapeOf(value.getType()), mlirTypeOf(scalar, context()));
  };
  mlir::Type target = typed(to);
  bool isUnsigned = kindOf(from) != ScalarKind::Signed;
  // Widening is exact. An integer that f32 rounds is past all 8-bit floats, which the second rounding does not change.
  bool throughF32 =
      isFloat8(to) ? from != Scalar::F32 && from != Scalar::F64 : isFloat8(from) && (!isFloat(to) || isFloat8(to));
  if (throughF32)
    return convert(convert(value, from, Scalar::F32, location), Scalar::F32, to, location, overflow);
  if (isFloat8(to)) {
    bool isInfinite = overflow == Overflow::Infinite && to == Scalar::F8E5M2;
    return CastOp::create(builder, location, target, isInfinite ? CastKind::Infinite : CastKind::Finite, value);
  }
  if (to == Scalar::Bool) {
    auto shape = value.getType();
    auto zero =
        mlir::arith::ConstantOp::create(builder, location, llvm::cast<mlir::TypedAttr>(builder.getZeroAttr(shape)));
    if (isFloat(from))
      return mlir::arith::CmpFOp::create(builder, location, mlir::arith::CmpFPredicate::UNE, value, zero);
    return mlir::arith::CmpIOp::create(builder, location, mlir::arith::CmpIPredicate::ne, value, zero);
  }
  if (isFloat(from) && isFloat(to)) {
    if (info(from).bits == info(to).bits)
      return convert(convert(value, from, Scalar::F32, location), Scalar::F32, to, location);
    if (info(from).bits < info(to).bits)
      return mlir::arith::ExtFOp::create(builder, location, target, value);
    return mlir::arith::TruncFOp::create(builder, location, target, value);
  }
  if (isFloat(from)) {
    if (to == Scalar::Index)
      return convert(convert(value, from, Scalar::I64, location), Scalar::I64, to, location);
    CastKind kind = kindOf(to) == ScalarKind::Signed ? CastKind::Signed : CastKind::Unsigned;
    return CastOp::create(builder, location, target, kind, value);
  }
  if (isFloat(to)) {
    if (from == Scalar::Index)
      return convert(convert(value, from, Scalar::I64, location), Scalar::I64, to, location);
    if (isUnsigned)
      return mlir::arith::UIToFPOp::create(builder, location, target, value);
    return mlir::arith::SIToFPOp::create(builder, location, target, value);
  }
  if (from == Scalar::Index || to == Scalar::Index) {
    if (isUnsigned)
      return mlir::arith::IndexCastUIOp::create(builder, location, target, value);
    return mlir::arith::IndexCastOp::create(builder, location, target, value);
  }
  if (info(from).bits == info(to).bits)
    return value;
  if (info(from).bits > info(to).bits)
    return mlir::arith::TruncIOp::create(builder, location, target, value);
  if (isUnsigned)
    return mlir::arith::ExtUIOp::create(builder, location, target, value);
  return mlir::arith::ExtSIOp::create(builder, location, target, value);
}

mlir::Value Emitter::compute(Scalar scalar, llvm::ArrayRef<mlir::Value> operands, Exactness exactness,
                             mlir::Location location, ComputeIn emit) {
  if (!isFloat8(scalar))
    return emit(operands, scalar);
  Scalar wide = exactness == Exactness::Fused ? Scalar::F64 : arithmeticType(scalar);
  llvm::SmallVector<mlir::Value, 3> widened;
  for (mlir::Value operand : operands)
    widened.push_back(convert(operand, scalar, wide, location));
  mlir::Value result = emit(widened, wide);
  if (elementOf(result.getType()) != mlirTypeOf(wide, context()))
    return result; // a bool
  return convert(result, wide, scalar, location, exactness == Exactness::Exact ? Overflow::Infinite : Overflow::Finite);
}

mlir::Value Emitter::toIndex(const Operand &operand, const std::string &what) {
  if (operand.value.isError())
    return {};
  if (operand.value.as<IntConstant>()) {
    Value result = coerceScalar(operand, Scalar::Index, what);
    return result.isError() ? mlir::Value() : result.ssa();
  }
  Type type = operand.value.type();
  if (!type.isScalar() || type.element.isPointer || !isInteger(type.element.scalar)) {
    report(Code::E0206, operand.range, what + " is " + spelledValue(operand) + "; expected an integer");
    return {};
  }
  return convert(operand.value.ssa(), type.element.scalar, Scalar::Index, at(operand.range));
}

/// Whether `value` is an extent that the launcher passes.
static bool isExtent(const Value &value) {
  if (!value.isRuntime() || value.isView() || !mlir::isa<mlir::IndexType>(value.ssa().getType()))
    return false;
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(value.ssa());
  return argument && mlir::isa<mlir::FunctionOpInterface>(argument.getOwner()->getParentOp());
}

static bool isIdentifier(llvm::StringRef text) {
  return llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

std::optional<Dim> Emitter::toDim(const Operand &operand, const std::string &what, int64_t least) {
  if (operand.value.isError())
    return std::nullopt;
  auto *constant = operand.value.as<IntConstant>();
  if (!constant) {
    DiagnosticBuilder diagnostic =
        report(Code::E0300, operand.range, what + " is " + spelledValue(operand) + "; expected a compile-time integer");
    if (std::string name = text(operand.range); isExtent(operand.value) && isIdentifier(name))
      diagnostic.help("declare it as a compile-time parameter: " + quote(name + ": int") + " in `<…>` of the kernel");
    return std::nullopt;
  }
  // The tiles of a spec have the extents of its tensors.
  least = isSpec ? 0 : least;
  if (constant->value < least || constant->value > INT32_MAX) {
    report(Code::E0301, operand.range,
           what + " is " + toString(constant->value) + "; expected " + std::to_string(least) + " to 2147483647");
    return std::nullopt;
  }
  return Dim{static_cast<int64_t>(constant->value), constant->symbol};
}
