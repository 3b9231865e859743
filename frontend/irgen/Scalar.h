/// The scalar types of the language. Signedness lives here and not in MLIR, whose integers are signless.
#ifndef FRONTEND_IRGEN_SCALAR_H
#define FRONTEND_IRGEN_SCALAR_H

#include "mlir/IR/Types.h"

#include <optional>
#include <string_view>

namespace tile::irgen {

enum class Scalar : uint8_t { Bool, I8, I16, I32, I64, U8, U16, U32, U64, Index, F8E4M3, F8E5M2, F16, BF16, F32, F64 };
enum class ScalarKind : uint8_t { Bool, Signed, Unsigned, Float };

struct ScalarInfo {
  std::string_view name;
  ScalarKind kind;
  unsigned bits;          // in meaning; `index` has 64
  unsigned precision = 0; // significant bits of a float
};

const ScalarInfo &info(Scalar scalar);
inline std::string_view nameOf(Scalar scalar) { return info(scalar).name; }
inline ScalarKind kindOf(Scalar scalar) { return info(scalar).kind; }
inline bool isFloat(Scalar scalar) { return kindOf(scalar) == ScalarKind::Float; }
/// A float that is only stored, moved and multiplied as matrices; all else is computed in `arithmeticType`.
inline bool isFloat8(Scalar scalar) { return isFloat(scalar) && info(scalar).bits == 8; }
/// What operations on `scalar` are computed in. Their operands widen to it, which is exact.
inline Scalar arithmeticType(Scalar scalar) { return isFloat8(scalar) ? Scalar::F32 : scalar; }
/// Not bool.
inline bool isInteger(Scalar scalar) {
  return kindOf(scalar) == ScalarKind::Signed || kindOf(scalar) == ScalarKind::Unsigned;
}

/// The scalar type spelled `name`.
std::optional<Scalar> scalarNamed(std::string_view name);

mlir::Type mlirTypeOf(Scalar scalar, mlir::MLIRContext *context);

/// Whether every value of `from` is one of `to` and the conversion is implicit: the same kind, no narrower. `index` is
/// the widest signed type.
bool widensTo(Scalar from, Scalar to);

/// The type that both widen to, or none.
std::optional<Scalar> commonScalar(Scalar lhs, Scalar rhs);

/// Integers of a compile-time value: wide enough for every i64 and u64.
using WideInt = __int128;

/// Whether integer type `scalar` holds `value`.
bool holds(Scalar scalar, WideInt value);
/// `value` reduced to the width of integer type `scalar`.
WideInt wrap(Scalar scalar, WideInt value);
std::string toString(WideInt value);

} // namespace tile::irgen

#endif
