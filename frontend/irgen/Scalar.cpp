#include "frontend/irgen/Scalar.h"

#include "mlir/IR/BuiltinTypes.h"

#include <algorithm>

using namespace tile;
using namespace tile::irgen;

static constexpr ScalarInfo kScalars[] = {
    {"bool", ScalarKind::Bool, 1},      {"i8", ScalarKind::Signed, 8},       {"i16", ScalarKind::Signed, 16},
    {"i32", ScalarKind::Signed, 32},    {"i64", ScalarKind::Signed, 64},     {"u8", ScalarKind::Unsigned, 8},
    {"u16", ScalarKind::Unsigned, 16},  {"u32", ScalarKind::Unsigned, 32},   {"u64", ScalarKind::Unsigned, 64},
    {"index", ScalarKind::Signed, 64},  {"f8e4m3", ScalarKind::Float, 8, 4}, {"f8e5m2", ScalarKind::Float, 8, 3},
    {"f16", ScalarKind::Float, 16, 11}, {"bf16", ScalarKind::Float, 16, 8},  {"f32", ScalarKind::Float, 32, 24},
    {"f64", ScalarKind::Float, 64, 53},
};

const ScalarInfo &irgen::info(Scalar scalar) { return kScalars[static_cast<size_t>(scalar)]; }

std::optional<Scalar> irgen::scalarNamed(std::string_view name) {
  for (size_t i = 0; i < std::size(kScalars); ++i)
    if (kScalars[i].name == name)
      return static_cast<Scalar>(i);
  return std::nullopt;
}

mlir::Type irgen::mlirTypeOf(Scalar scalar, mlir::MLIRContext *context) {
  switch (scalar) {
  case Scalar::Index:
    return mlir::IndexType::get(context);
  case Scalar::F8E4M3:
    return mlir::Float8E4M3FNType::get(context);
  case Scalar::F8E5M2:
    return mlir::Float8E5M2Type::get(context);
  case Scalar::F16:
    return mlir::Float16Type::get(context);
  case Scalar::BF16:
    return mlir::BFloat16Type::get(context);
  case Scalar::F32:
    return mlir::Float32Type::get(context);
  case Scalar::F64:
    return mlir::Float64Type::get(context);
  default:
    return mlir::IntegerType::get(context, info(scalar).bits);
  }
}

bool irgen::widensTo(Scalar from, Scalar to) {
  if (from == to)
    return true;
  if (kindOf(from) != kindOf(to) || from == Scalar::Index)
    return false;
  if (to == Scalar::Index)
    return true;
  return info(from).bits < info(to).bits;
}

std::optional<Scalar> irgen::commonScalar(Scalar lhs, Scalar rhs) {
  if (widensTo(lhs, rhs))
    return rhs;
  if (widensTo(rhs, lhs))
    return lhs;
  return std::nullopt;
}

WideInt irgen::wrap(Scalar scalar, WideInt value) {
  unsigned bits = info(scalar).bits;
  WideInt modulus = WideInt(1) << bits;
  WideInt low = value & (modulus - 1);
  bool isNegative = kindOf(scalar) == ScalarKind::Signed && (low >> (bits - 1)) != 0;
  return isNegative ? low - modulus : low;
}

bool irgen::holds(Scalar scalar, WideInt value) { return wrap(scalar, value) == value; }

std::string irgen::toString(WideInt value) {
  if (value == 0)
    return "0";
  std::string digits;
  for (WideInt rest = value; rest != 0; rest /= 10)
    digits.push_back(static_cast<char>('0' + static_cast<int>(rest % 10 < 0 ? -(rest % 10) : rest % 10)));
  if (value < 0)
    digits.push_back('-');
  std::reverse(digits.begin(), digits.end());
  return digits;
}
