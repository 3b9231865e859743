// The element types a kernel's parameters can have, by the language's names, with widths and host conversions.
//
// One table in DataType.cpp says everything; nothing else in the runtime switches over types.

#ifndef TILE_RUNTIME_ARTIFACT_DATATYPE_H
#define TILE_RUNTIME_ARTIFACT_DATATYPE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tile {

enum class DataType : uint8_t {
  Bool,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  F16,
  BF16,
  F32,
  F64,
  F8E4M3,
  F8E5M2,
  Index, ///< A scalar parameter's 64-bit signed index; never an element type.
};

/// The language's name of a type: `bf16`.
const char *getName(DataType type);

/// The type called `name`; nothing when there is none.
std::optional<DataType> findDataType(std::string_view name);

/// Every name, separated by spaces, for messages.
std::string listDataTypes();
/// Of these, those that a tensor of this version of the language may hold.
std::string listTensorTypes();

/// Bytes of one element. Also the size and the alignment of a scalar argument.
int64_t getBytes(DataType type);

bool isFloat(DataType type);
bool isSignedInteger(DataType type);

/// Bits of the mantissa of a float type, without the one that is not stored; 0 for other types.
int getMantissaBits(DataType type);

/// The bits of `value` in the float type `type`, rounded to nearest, ties to even. Past the largest finite value the
/// result is infinity, but the 8-bit types saturate. NaN gives the type's quiet NaN.
uint64_t roundToBits(DataType type, double value);

/// The same for a number that is given, not computed: an infinity stays one where the type has it.
uint64_t encode(DataType type, double value);

/// The exact value of `bits` in the float type `type`.
double fromBits(DataType type, uint64_t bits);

/// True if the integer `value`, an u64 when `isUnsigned`, is a value of the integer type `type`.
bool holdsInteger(DataType type, int64_t value, bool isUnsigned);

} // namespace tile

#endif // TILE_RUNTIME_ARTIFACT_DATATYPE_H
