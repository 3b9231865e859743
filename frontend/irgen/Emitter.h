/// Emits typed operations: constants, conversions, broadcasts and operators on Values, with the numerics of the
/// language (LANGUAGE.md, Numerics). Knows source ranges but no syntax tree; who calls whom is kept for locations and
/// messages.
#ifndef FRONTEND_IRGEN_EMITTER_H
#define FRONTEND_IRGEN_EMITTER_H

#include "frontend/diagnostic/Diagnostic.h"
#include "frontend/irgen/Value.h"

#include "mlir/IR/Builders.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tile::irgen {

/// A value and the source it came from.
struct Operand {
  Value value;
  SourceRange range;
};

class Emitter {
public:
  Emitter(mlir::MLIRContext *context, SourceManager &sources, DiagnosticEngine &engine)
      : builder(context), sources(sources), engine(engine) {}

  mlir::OpBuilder builder;
  SourceManager &sources;
  DiagnosticEngine &engine;
  Equalities equalities;
  /// A spec is being evaluated: every float is f64, and a tensor used as a value is read as a whole.
  bool isSpec = false;
  /// The type of a float literal that stands alone.
  Scalar defaultFloat() const { return isSpec ? Scalar::F64 : Scalar::F32; }

  //===-- Places and messages

  /// A function being expanded: where it was called.
  struct CallSite {
    SourceRange range;
    std::string callee;
    mlir::Location location;
    const void *declaration;
  };
  std::vector<CallSite> calls;

  /// File, line and column of the beginning of `range`, within the calls that are being expanded.
  mlir::Location at(SourceRange range);
  /// Reports, with the innermost call as a label. What is wrong within the standard library is wrong with the call of
  /// it.
  DiagnosticBuilder report(Code code, SourceRange range, std::string message);
  /// Reports, and gives the value that silences what follows.
  Value fail(Code code, SourceRange range, std::string message) {
    report(code, range, std::move(message));
    return {};
  }
  std::string text(SourceRange range) const { return std::string(sources.text(range)); }
  /// What `operand` is, a number as the source spells it: `1e3`, not 1000.0.
  std::string spelledValue(const Operand &operand) const;
  /// What is at `range`, in parentheses unless what is written behind it would reach all of it.
  std::string spelledOperand(SourceRange range) const;
  /// Helps with `… as type` instead of what is at `range`.
  void suggestCast(DiagnosticBuilder &diagnostic, SourceRange range, std::string_view type, std::string lead) const;
  /// Helps to bring two operands of different kinds to one type that loses nothing, if there is one.
  void suggestCommonType(DiagnosticBuilder &diagnostic, const Operand &lhs, const Operand &rhs) const;
  /// Says how a tensor becomes a tile, if `operand` is one.
  void suggestRegion(DiagnosticBuilder &diagnostic, const Operand &operand) const;

  //===-- Constants

  /// `value` as SSA of type `scalar` and `shape`; integers are wrapped, floats rounded.
  mlir::Value constant(Scalar scalar, const std::vector<Dim> &shape, WideInt value, mlir::Location location);
  mlir::Value constant(Scalar scalar, const std::vector<Dim> &shape, double value, mlir::Location location);
  mlir::Value index(int64_t value, SourceRange range) { return constant(Scalar::Index, {}, WideInt(value), at(range)); }
  /// Constants become SSA values, of the type they have alone; elements of tuples likewise. What has no run-time form
  /// is reported.
  Value materialize(const Value &value, SourceRange range);

  //===-- Conversions

  /// `value` as `target` by an implicit conversion; `what` begins the message otherwise: "`x` is f32; expected i32".
  /// Extents must agree; scalars do not become tiles.
  Value coerce(const Operand &operand, const Type &target, const std::string &what);
  /// A list of constants as a tile of `target`'s type: `[1, 2, 3]`, nested for each dim.
  Value tileOfConstants(const Operand &list, const Type &target, const std::string &what);
  /// Converts the scalar type implicitly and keeps the shape.
  Value coerceScalar(const Operand &operand, Scalar target, const std::string &what);
  /// What becomes of a value past the largest one of an 8-bit float: that, or infinity where there is one.
  enum class Overflow { Finite, Infinite };
  /// `value as target`.
  Value cast(const Operand &operand, Scalar target, Overflow overflow = Overflow::Finite);
  /// A run-time conversion, defined for every pair.
  mlir::Value convert(mlir::Value value, Scalar from, Scalar to, mlir::Location location,
                      Overflow overflow = Overflow::Finite);
  /// How an operation rounds: not at all, as the result is an operand or one's neighbour; a value in `arithmeticType`;
  /// or once, from more bits than f32 has.
  enum class Exactness { Exact, Rounded, Fused };
  using ComputeIn = llvm::function_ref<mlir::Value(llvm::ArrayRef<mlir::Value> operands, Scalar scalar)>;
  /// What `emit` computes of operands of type `scalar`: of 8-bit floats in a wider type, to which the operands widen
  /// and from which a result of that type is rounded.
  mlir::Value compute(Scalar scalar, llvm::ArrayRef<mlir::Value> operands, Exactness exactness, mlir::Location location,
                      ComputeIn emit);
  /// An integer scalar as `index`; reported otherwise.
  mlir::Value toIndex(const Operand &operand, const std::string &what);
  /// A compile-time integer; reported otherwise.
  std::optional<Dim> toDim(const Operand &operand, const std::string &what, int64_t least = 1);

  //===-- Shapes

  /// Whether two extents are the same; the third possibility is that they agree only in this configuration.
  enum class Agreement { Same, ByChance, Different };
  Agreement compare(const Dim &lhs, const Dim &rhs) const;
  /// The shape that two operands broadcast to; reported with `what` otherwise.
  std::optional<std::vector<Dim>> broadcastShapes(const Operand &lhs, const Operand &rhs, SourceRange range,
                                                  const std::string &what);
  /// A scalar is repeated, extents of 1 are repeated; the shapes are known to fit.
  mlir::Value broadcast(mlir::Value value, const Type &type, const std::vector<Dim> &shape, mlir::Location location);
  /// Operands of elementwise `what` brought to one scalar type and shape, as SSA. None if reported.
  struct Unified {
    std::vector<mlir::Value> values;
    Type type;
  };
  std::optional<Unified> unify(const std::vector<Operand> &operands, SourceRange range, const std::string &what);
  /// The scalar type that all operands widen to, literals adapting; none if reported.
  std::optional<Scalar> commonScalarOf(const std::vector<Operand> &operands, SourceRange range,
                                       const std::string &what);
  /// Whether tiles of two shapes may stand where others do not fit.
  using ShapesFit = llvm::function_ref<bool(llvm::ArrayRef<Dim> left, llvm::ArrayRef<Dim> right)>;
  /// Reports two extents that differ, or agree by chance. Where another form of an operand would make `fits` true, the
  /// help is that form.
  void reportExtents(Code code, const Dim &lhs, const Dim &rhs, SourceRange range, const Operand &left,
                     const Operand &right, const std::string &what, ShapesFit fits = nullptr);
  /// Helps with the other form of an operand (transposed, along the other axis) that makes `fits` true, if there is
  /// one. `right` may be what `left` is.
  bool suggestForm(DiagnosticBuilder &diagnostic, const Operand &left, const Operand &right, ShapesFit fits) const;
  /// Whether `from` may be used where a tile of shape `to` is expected.
  bool isSameShape(llvm::ArrayRef<Dim> from, llvm::ArrayRef<Dim> to) const;

  /// A reduction of a tile of rank 2 along one axis, by its op: what was meant may be the other.
  struct Reduced {
    std::vector<Dim> source;
    unsigned axis;
    bool keeps;
    SourceRange axisRange;
  };
  llvm::DenseMap<mlir::Operation *, Reduced> reductions;

  //===-- Operators

  Value unary(ast::UnaryOp op, const Operand &operand, SourceRange range);
  Value binary(ast::BinaryOp op, const Operand &lhs, const Operand &rhs, SourceRange opRange);
  /// Matrix product plus `accumulator`, or plus nothing if that is absent.
  struct DotOptions {
    bool isTf32 = false;
    /// Where the product stands in a sum that gives it its accumulator; that may be of a wider type or shape, and is
    /// then added afterwards.
    SourceRange inSum;
    SourceRange precision; ///< where it is given
    /// How many products of 8-bit floats the tensor cores add up before an ordinary addition; 0: all.
    int64_t promote = 0;
    SourceRange promoteRange = {};
    std::string_view spelled = "@"; ///< how messages call it: as it was written
  };
  Value dot(const Operand &lhs, const Operand &rhs, const std::optional<Operand> &accumulator, SourceRange opRange,
            DotOptions options);
  /// Constant operands of one elementwise operation as it has them at run time: of the type that all widen to, literals
  /// rounded to it; literals alone stay as they are. None if reported.
  std::optional<std::vector<Operand>> unifyConstants(std::vector<Operand> operands, SourceRange range,
                                                     const std::string &what);
  /// What folding gives, as it would be at run time: in the width of `type`, or rounded to it. Without a type an
  /// integer has 64 bits, which is reported otherwise.
  Value folded(WideInt result, std::optional<Scalar> type, const Symbolic &symbol, SourceRange range);
  Value folded(double result, std::optional<Scalar> type);
  /// What a rounded operation or `as` gives in `type` for `result`: an infinity becomes the largest 8-bit float.
  double computed(double result, std::optional<Scalar> type);
  /// Folds an operator on constants; also that of host expressions. None if it has no meaning on them.
  std::optional<Value> foldBinary(ast::BinaryOp op, const Operand &lhs, const Operand &rhs, SourceRange opRange);
  mlir::Value compare(ast::BinaryOp op, mlir::Value lhs, mlir::Value rhs, Scalar scalar, mlir::Location location);
  mlir::Value binary(ast::BinaryOp op, mlir::Value lhs, mlir::Value rhs, Scalar scalar, mlir::Location location);
  /// Logical negation of bools.
  mlir::Value negateBool(mlir::Value value, mlir::Location location);
  /// The shape and element of `type` with another scalar type.
  static Type withScalar(const Type &type, Scalar scalar) { return Type::tile({scalar}, type.shape); }

  mlir::MLIRContext *context() { return builder.getContext(); }
  mlir::Type mlirType(const Type &type) { return mlirTypeOf(type, context()); }

private:
  /// Another form of an operand, by an edit.
  struct Form {
    std::vector<Dim> shape;
    SourceRange range;
    std::string text, lead, trail;
    /// How likely another one is meant: a reduction that is written in the operand, then a row that is written as a
    /// column and a reduction before it, then any transposed tile.
    enum class Doubt { Little, Some, Much } doubt;
  };
  std::vector<Form> formsOf(const Operand &operand) const;
  void warnOfWidenedOperand(const Operand &lhs, const Operand &rhs, SourceRange opRange, std::string_view spelled);
  const Reduced *reductionBehind(mlir::Value value) const;
  Value pointerOffset(ast::BinaryOp op, const Operand &pointer, const Operand &offset, SourceRange opRange);
  std::optional<Value> foldShift(ast::BinaryOp op, const Operand &lhs, const Operand &rhs, SourceRange opRange);
  Value shift(ast::BinaryOp op, const Operand &lhs, const Operand &rhs, SourceRange opRange);
};

/// Whether `op` gives a bool.
bool isComparison(ast::BinaryOp op);
bool isLogical(ast::BinaryOp op);
std::string quote(std::string_view text);
/// `1 position`, `2 positions`.
std::string counted(size_t number, std::string_view noun);

} // namespace tile::irgen

#endif
