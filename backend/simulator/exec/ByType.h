/// \file
/// Handlers chosen by the type that an instruction names: one template per operation, instantiated for the types that
/// the operation has; a type that it has not gives null, which refuses the instruction.
#ifndef BACKEND_SIMULATOR_EXEC_BYTYPE_H
#define BACKEND_SIMULATOR_EXEC_BYTYPE_H

#include "backend/simulator/exec/Lanewise.h"
#include "backend/simulator/numerics/Arithmetic.h"

namespace tile::sim {

/// `F<T>::handler` for the integer type that `type` names. A `.b` type counts as unsigned.
template <template <class> class F> Handler forInteger(ptx::Type type) {
  switch (type) {
  case ptx::Type::B16:
  case ptx::Type::U16:
    return F<uint16_t>::handler;
  case ptx::Type::S16:
    return F<int16_t>::handler;
  case ptx::Type::B32:
  case ptx::Type::U32:
    return F<uint32_t>::handler;
  case ptx::Type::S32:
    return F<int32_t>::handler;
  case ptx::Type::B64:
  case ptx::Type::U64:
    return F<uint64_t>::handler;
  case ptx::Type::S64:
    return F<int64_t>::handler;
  default:
    return nullptr;
  }
}

/// Likewise for a type of 32 or 64 bits.
template <template <class> class F> Handler forWord(ptx::Type type) {
  return ptx::sizeOf(type) < 4 ? nullptr : forInteger<F>(type);
}

/// Likewise for a type of bits; a predicate is one bit.
template <template <class> class F> Handler forBits(ptx::Type type) {
  switch (type) {
  case ptx::Type::Pred:
    return F<bool>::handler;
  case ptx::Type::B16:
    return F<uint16_t>::handler;
  case ptx::Type::B32:
    return F<uint32_t>::handler;
  case ptx::Type::B64:
    return F<uint64_t>::handler;
  default:
    return nullptr;
  }
}

/// Likewise for f32, f64, f16 and bf16.
template <template <class> class F> Handler forFloat(ptx::Type type) {
  switch (type) {
  case ptx::Type::F32:
    return F<float>::handler;
  case ptx::Type::F64:
    return F<double>::handler;
  case ptx::Type::F16:
    return F<numerics::Half>::handler;
  case ptx::Type::BF16:
    return F<numerics::BFloat>::handler;
  default:
    return nullptr;
  }
}

} // namespace tile::sim

#endif // BACKEND_SIMULATOR_EXEC_BYTYPE_H
