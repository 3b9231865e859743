/// `base[…]`: accesses of tensors (region, point, gather), views, shape notation on tiles, elements of tuples.
#include "frontend/irgen/Evaluator.h"

#include "ir/Tile/TileOps.h"

using namespace tile;
using namespace tile::irgen;
using ast::dynCast;
using Position = ast::Position;

static bool makesView(const ast::Index &index) {
  return llvm::any_of(index.positions, [](const Position &position) {
    return position.kind == Position::Kind::Range || position.kind == Position::Kind::All;
  });
}

Value Evaluator::evaluateIndex(const ast::Index &index) {
  Operand base = evaluateBase(*index.base);
  if (base.value.isError())
    return {};
  if (const TupleValue *tuple = base.value.asTuple())
    return indexTuple(index, *tuple);
  if (base.value.isTile() && !base.value.type().shape.empty())
    return indexTile(index, base);
  if (!base.value.isView()) {
    DiagnosticBuilder diagnostic = report(Code::E0212, base.range, base.value.describe() + " cannot be indexed");
    if (base.value.type().element.isPointer)
      diagnostic.help("read through a pointer with `load(p + offset)`");
    return {};
  }
  bool addsDim = llvm::any_of(index.positions, [](const Position &p) { return p.kind == Position::Kind::NewAxis; });
  if (isSpec && addsDim)
    return indexTile(index, {readWhole(base), base.range});
  if (makesView(index))
    return makeView(index, base);
  std::optional<Access> access = resolveAccess(index, base);
  if (!access)
    return {};
  if (!access->viewType.isReadable) {
    report(Code::E0213, index.range, quote(text(base.range)) + " is `out`; it is written, never read")
        .help("declare it `inout` if the kernel needs what was there");
    return {};
  }
  return load(*access);
}

//===-- Accesses of views

/// The value of `with (cache = …)`.
static std::optional<CacheHint> cacheHint(Evaluator &evaluator, const ast::Index &index) {
  CacheHint hint = CacheHint::Default;
  for (const ast::Argument &option : index.options) {
    auto *name = dynCast<ast::Name>(option.value);
    std::optional<CacheHint> parsed = name ? symbolizeCacheHint(name->text) : std::nullopt;
    if (!option.name || option.name->text != "cache" || !parsed) {
      evaluator.report(
          Code::E0215, option.range,
          "unknown access option; expected `cache =` and `streaming`, `evict_first`, `evict_last` or `volatile`");
      return std::nullopt;
    }
    hint = *parsed;
  }
  return hint;
}

std::optional<Evaluator::Access> Evaluator::resolveAccess(const ast::Index &index, const Operand &base) {
  Access access;
  access.view = base.value.ssa();
  access.viewType = base.value.type();
  access.isUnchecked = index.isUnchecked;
  access.syntax = &index;
  size_t rank = access.viewType.extents.size();
  if (index.positions.size() != rank) {
    report(Code::E0211, index.range,
           quote(text(base.range)) + " has " + counted(index.positions.size(), "position") + "; expected " +
               std::to_string(rank) + ", its rank")
        .secondary(base.range, base.value.describe());
    return std::nullopt;
  }
  std::optional<Operand> gathered; // the tiles of positions so far, broadcast together
  size_t gatheredAt = 0;
  bool isValid = true;
  for (auto [dim, position] : llvm::enumerate(index.positions)) {
    std::string what = "position " + std::to_string(dim) + " of " + quote(text(base.range));
    switch (position.kind) {
    case Position::Kind::Plain: {
      Operand value = operand(*position.value);
      Type type = value.value.type();
      if (!value.value.isTile() || type.shape.empty()) {
        access.indices.push_back(toIndex(value, what));
        access.sizes.push_back(ViewAccess::kPoint);
        break;
      }
      if (type.element.isPointer || !isInteger(type.element.scalar)) {
        report(Code::E0206, value.range, what + " is " + type.text() + "; expected an integer or a tile of integers");
        isValid = false;
        break;
      }
      if (!gathered) {
        gathered = value;
        gatheredAt = access.shape.size();
      } else {
        std::optional<std::vector<Dim>> shape = broadcastShapes(*gathered, value, index.range, "index tiles");
        isValid &= shape.has_value();
        if (shape)
          gathered = {Value(value.value.ssa(), Type::tile(type.element, *shape)), value.range};
      }
      // An unsigned index must not turn negative.
      bool isUnsigned = kindOf(type.element.scalar) == ScalarKind::Unsigned;
      access.indices.push_back(isUnsigned
                                   ? convert(value.value.ssa(), type.element.scalar, Scalar::Index, at(value.range))
                                   : value.value.ssa());
      access.sizes.push_back(ViewAccess::kGather);
      break;
    }
    case Position::Kind::Region: {
      access.indices.push_back(toIndex(operand(*position.value), what));
      std::optional<Dim> extent = toDim(operand(*position.bound), "the extent of a region");
      access.sizes.push_back(extent ? extent->value : 1);
      access.shape.push_back(extent.value_or(Dim::literal(1)));
      isValid &= extent.has_value();
      break;
    }
    case Position::Kind::Whole: {
      const std::optional<Dim> &extent = access.viewType.extents[dim];
      if (!extent) {
        report(Code::E0300, position.range, what + " takes the whole dim, whose extent is known only at run time")
            .help("read a region of compile-time extent: `0 :+ BLOCK`");
        return std::nullopt;
      }
      if (extent->value == 0 && !isSpec) {
        report(Code::E0301, position.range, what + " takes the whole dim, whose extent is 0; expected at least 1");
        return std::nullopt;
      }
      access.indices.push_back(this->index(0, position.range));
      access.sizes.push_back(extent->value);
      access.shape.push_back(*extent);
      break;
    }
    default:
      report(Code::E0212, position.range, "found `" + text(position.range) + "`; a tensor has no such position")
          .help("read the region first, then add the dim: `x[…][:, None]`");
      return std::nullopt;
    }
    isValid &= access.indices.empty() || bool(access.indices.back());
  }
  if (!isValid)
    return std::nullopt;
  if (gathered) {
    std::vector<Dim> shape = gathered->value.type().shape;
    access.shape.insert(access.shape.begin() + gatheredAt, shape.begin(), shape.end());
  }
  return access;
}

/// `y[b, ..]` where elements are wanted: `..` moves a base and reads nothing.
void Evaluator::reportViewAsAccess(const ast::Index &index, const Type &view, const std::string &what) {
  auto range = llvm::find_if(index.positions, [](const Position &position) {
    return position.kind == Position::Kind::Range || position.kind == Position::Kind::All;
  });
  size_t dim = std::count_if(index.positions.begin(), range,
                             [](const Position &before) { return before.kind != Position::Kind::NewAxis; });
  DiagnosticBuilder diagnostic = report(Code::E0212, range->range,
                                        what + " takes an element or region of a tensor; found " +
                                            quote(text(range->range)) + ", which makes a view of one");
  bool isKnown = dim < view.extents.size() && view.extents[dim];
  if (range->kind == Position::Kind::Range)
    diagnostic.help("a region begins at a corner and has a compile-time extent: " +
                    quote(text(range->value->range) + " :+ …"));
  else if (isKnown)
    diagnostic.replace(range->range, ":", "the whole dim is ");
  else
    diagnostic.help("the extent of the dim is known only at run time; a region has one of compile time: `0 :+ BLOCK`");
}

std::optional<Evaluator::Access> Evaluator::evaluateAccess(const ast::Expr &expr, const std::string &what) {
  auto *index = dynCast<ast::Index>(&expr);
  if (!index) {
    report(Code::E0212, expr.range, what + " takes an element or region of a tensor, `a[…]`");
    return std::nullopt;
  }
  Operand base = evaluateBase(*index->base);
  if (base.value.isError())
    return std::nullopt;
  if (!base.value.isView()) {
    report(Code::E0212, expr.range, what + " takes an element or region of a tensor; found " + base.value.describe());
    return std::nullopt;
  }
  if (makesView(*index)) {
    reportViewAsAccess(*index, base.value.type(), what);
    return std::nullopt;
  }
  if (index->fallback) {
    report(Code::E0212, index->fallback->range, what + " has no `else`: what is out of bounds is left alone");
    return std::nullopt;
  }
  return resolveAccess(*index, base);
}

Value Evaluator::load(const Access &access) {
  const ast::Index &index = *access.syntax;
  Type type = Type::tile(access.viewType.element, access.shape);
  mlir::Value other;
  if (index.fallback) {
    Value fallback = coerceScalar(operand(*index.fallback), type.element.scalar, "the value of `else`");
    if (fallback.isError())
      return {};
    if (!fallback.type().shape.empty())
      return fail(Code::E0206, index.fallback->range,
                  "the value of `else` is " + fallback.describe() + "; expected a scalar");
    other = fallback.ssa();
  }
  std::optional<CacheHint> hint = cacheHint(*this, index);
  if (!hint)
    return {};
  auto op = LoadOp::create(builder, at(index.range), mlirType(type), access.view, access.indices, access.sizes,
                           access.isUnchecked, other, *hint);
  return Value(op.getResult(), type);
}

void Evaluator::store(const Access &access, const Operand &operand) {
  const ast::Index &index = *access.syntax;
  if (!access.viewType.isWritable) {
    report(Code::E0214, index.range,
           quote(text(index.base->range)) + " is not declared `out` or `inout`; it cannot be written")
        .help("write `out` or `inout` before the parameter");
    return;
  }
  Type type = Type::tile(access.viewType.element, access.shape);
  std::string what = "the value stored to " + quote(text(index.base->range));
  Value value = operand.value;
  if (value.isError())
    return;
  value = value.type().isScalar() ? coerceScalar(operand, type.element.scalar, what) : coerce(operand, type, what);
  std::optional<CacheHint> hint = cacheHint(*this, index);
  if (value.isError() || !hint)
    return;
  mlir::Location location = at(index.range);
  mlir::Value stored = broadcast(value.ssa(), value.type(), type.shape, location);
  StoreOp::create(builder, location, stored, access.view, access.indices, access.sizes, access.isUnchecked, *hint);
}

//===-- Whole tensors, in a spec

Operand Evaluator::evaluateBase(const ast::Expr &expr) {
  auto *name = dynCast<ast::Name>(&expr);
  return name ? Operand{lookup(*name), expr.range} : operand(expr);
}

/// All of a tensor as an access.
static Evaluator::Access wholeAccess(Evaluator &evaluator, const Operand &tensor) {
  Evaluator::Access access;
  access.view = tensor.value.ssa();
  access.viewType = tensor.value.type();
  for (const std::optional<Dim> &extent : access.viewType.extents) {
    access.indices.push_back(evaluator.index(0, tensor.range));
    access.sizes.push_back(extent->value);
    access.shape.push_back(*extent);
  }
  return access;
}

Value Evaluator::readWhole(const Operand &operand) {
  if (!isSpec || !operand.value.isView())
    return operand.value;
  Access access = wholeAccess(*this, operand);
  Type type = Type::tile(access.viewType.element, access.shape);
  auto op = LoadOp::create(builder, at(operand.range), mlirType(type), access.view, access.indices, access.sizes,
                           /*unchecked=*/false, /*other=*/mlir::Value());
  return Value(op.getResult(), type);
}

void Evaluator::storeWhole(const Operand &tensor, const Operand &value) {
  if (value.value.isError())
    return;
  Access access = wholeAccess(*this, tensor);
  Type type = Type::tile(access.viewType.element, access.shape);
  std::string what = "the value of " + quote(text(tensor.range));
  Value stored =
      value.value.type().isScalar() ? coerceScalar(value, type.element.scalar, what) : coerce(value, type, what);
  if (stored.isError())
    return;
  mlir::Location location = at(tensor.range);
  StoreOp::create(builder, location, broadcast(stored.ssa(), stored.type(), type.shape, location), access.view,
                  access.indices, access.sizes);
}

//===-- Views

Value Evaluator::makeView(const ast::Index &index, const Operand &base) {
  Type type = base.value.type();
  if (index.positions.size() != type.extents.size())
    return fail(Code::E0211, index.range,
                quote(text(base.range)) + " has " + counted(index.positions.size(), "position") + "; expected " +
                    std::to_string(type.extents.size()) + ", its rank");
  if (index.fallback || index.isUnchecked || !index.options.empty())
    return fail(Code::E0212, index.range,
                "`..` makes a view, which reads nothing; `else`, `with` and `unchecked` stand at its accesses");
  llvm::SmallVector<mlir::Value> lows, highs;
  llvm::SmallVector<bool> kept;
  std::vector<std::optional<Dim>> extents;
  mlir::Location location = at(index.range);
  for (auto [dim, position] : llvm::enumerate(index.positions)) {
    std::string what = "position " + std::to_string(dim) + " of " + quote(text(base.range));
    mlir::Value low, high;
    switch (position.kind) {
    case Position::Kind::Plain:
      low = toIndex(operand(*position.value), what);
      break;
    case Position::Kind::Range:
      warnOfEmptyRange(*position.value, *position.bound, position.range);
      low = toIndex(operand(*position.value), what);
      high = toIndex(operand(*position.bound), what);
      extents.push_back(std::nullopt);
      if (!high)
        return {};
      break;
    case Position::Kind::Whole:
    case Position::Kind::All:
      low = this->index(0, position.range);
      high = DimOp::create(builder, location, base.value.ssa(), dim);
      extents.push_back(type.extents[dim]);
      break;
    default:
      return fail(Code::E0212, position.range,
                  what + " is `" + text(position.range) + "`; a view is made of plain indices and ranges");
    }
    if (!low)
      return {};
    lows.push_back(low);
    kept.push_back(bool(high));
    if (high)
      highs.push_back(high);
  }
  Type result = type;
  result.extents = std::move(extents);
  result.isStrided = type.isStrided || (!kept.back() && !highs.empty());
  auto view = SubviewOp::create(builder, location, mlirType(result), base.value.ssa(), lows, highs, kept);
  return Value(view.getResult(), result);
}

//===-- Tiles and tuples

/// Reports what only an access of a tensor may have.
bool Evaluator::checkPlain(const ast::Index &index) {
  if (!index.fallback && index.options.empty() && !index.isUnchecked)
    return true;
  report(Code::E0212, index.range,
         "`else`, `with` and `unchecked` stand at accesses of a tensor; " + quote(text(index.base->range)) +
             " is none");
  return false;
}

/// `x[:, None]`: dims of extent 1 are added where `None` stands.
Value Evaluator::indexTile(const ast::Index &index, const Operand &base) {
  if (!checkPlain(index))
    return {};
  Value value = base.value;
  size_t axis = 0;
  size_t rank = base.value.type().shape.size();
  size_t positions = llvm::count_if(index.positions,
                                    [](const Position &position) { return position.kind != Position::Kind::NewAxis; });
  if (positions != rank)
    return fail(Code::E0211, index.range,
                quote(text(base.range)) + " has " + counted(positions, "position") + " besides `None`; expected " +
                    std::to_string(rank) + ", its rank");
  for (const Position &position : index.positions) {
    if (position.kind == Position::Kind::NewAxis) {
      Type type = value.type();
      type.shape.insert(type.shape.begin() + axis, Dim::literal(1));
      value = Value(ExpandDimsOp::create(builder, at(index.range), mlirType(type), value.ssa(), axis), type);
    } else if (position.kind != Position::Kind::Whole) {
      DiagnosticBuilder diagnostic =
          report(Code::E0900, position.range,
                 "indexing a tile by anything but `:` and `None` is not supported by this version");
      Dim extent = base.value.type().shape.front();
      if (position.kind == Position::Kind::Plain && rank == 1 && base.value.type().element.scalar != Scalar::Bool)
        diagnostic.help("an element is a sum that leaves out the others: " +
                        quote("sum(where(iota<i32>[" + extent.symbol.text() + "] == " + text(position.range) + ", " +
                              text(base.range) + ", 0))"));
      return {};
    }
    ++axis;
  }
  return value;
}

Value Evaluator::indexTuple(const ast::Index &index, const TupleValue &tuple) {
  if (!checkPlain(index))
    return {};
  if (index.positions.size() != 1 || index.positions.front().kind != Position::Kind::Plain)
    return fail(Code::E0211, index.range, "a tuple is indexed by one compile-time integer");
  const ast::Expr &position = *index.positions.front().value;
  Value value = evaluate(position);
  if (value.isError())
    return {};
  auto *constant = value.as<IntConstant>();
  if (!constant)
    return fail(Code::E0300, position.range,
                "index of a tuple is " + value.describe() + "; expected a compile-time integer");
  if (constant->value < 0 || constant->value >= static_cast<WideInt>(tuple.elements.size()))
    return fail(Code::E0301, position.range,
                "index " + toString(constant->value) + " is out of range for a tuple of " +
                    std::to_string(tuple.elements.size()));
  return tuple.elements[static_cast<size_t>(constant->value)];
}
