// The manifest as values: what a cubin says about its kernels. The JSON schema is in runtime/launch/README.md.
//
// `readManifest` checks everything a launcher relies on (types of fields, names that resolve, an ABI that only mentions
// what exists), so that code behind it indexes without further tests. JSON stays inside this folder.

#ifndef TILE_RUNTIME_ARTIFACT_MANIFEST_H
#define TILE_RUNTIME_ARTIFACT_MANIFEST_H

#include "runtime/Result.h"
#include "runtime/artifact/DataType.h"
#include "runtime/artifact/Expression.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tile {

/// The schema this reader knows.
constexpr int64_t kManifestSchema = 1;

/// Axes a tensor may have at most: a bound of the binary layout of arguments, far above what kernels use.
constexpr int kMaxRank = 16;

/// A leaf of the kernel's parameters.
struct Parameter {
  enum class Kind : uint8_t { Tensor, Scalar, Pointer };
  enum class Role : uint8_t { In, Out, InOut };

  std::string name;
  Kind kind = Kind::Tensor;
  DataType type = DataType::F32;
  Role role = Role::In;
  bool optional = false;
  bool present = true;
  bool strided = false;
  /// Of a tensor, one per axis; no expression: any extent.
  std::vector<std::optional<Expression>> extents;
  int hasSlot = -1;   ///< `has(p)` in the name table.
  int bitsSlot = -1;  ///< `bits(p)`.
  int valueSlot = -1; ///< Of a scalar: its value.

  bool isWritten() const { return role != Role::In; }
};

/// A name bound by an extent, or at compile time.
struct Dim {
  std::string name;
  int parameter = -1; ///< Where it is bound; -1 for a dim with a value that no extent binds.
  int axis = 0;
  /// From the slot `extent`, where the place is not the bare name.
  std::optional<Expression> expression;
  std::optional<int64_t> value;
  int slot = -1;
};

/// A compile-time parameter.
struct Constant {
  std::string name;
  std::string type;   ///< `int`, `bool`, `float`, `type` or `fn`.
  std::string text;   ///< The value as the language writes it.
  std::string source; ///< `given`, `default`, `heuristic`, `autotune`, `argument` or `compiler`.
  Value value;        ///< Of an `int`, `bool` or `float`.
  std::optional<Expression> heuristic;
  int slot = -1; ///< -1 for a type or a function.
};

struct Precondition {
  Expression expression;
  std::string text;
};

/// One argument of the compiled code.
struct AbiSlot {
  enum class Kind : uint8_t { Pointer, Dim, Stride, Scalar };
  Kind kind = Kind::Pointer;
  int index = 0; ///< Of a dim, else of a parameter.
  int axis = 0;
};

/// A compiled form of an instance.
struct Variant {
  std::string name;
  std::string symbol;
  bool align16 = false;
  bool rows16 = false;
  bool offsets31 = false;
  bool linearGrid = false;
  int64_t warps = 4;
  int64_t cluster[3] = {1, 1, 1};
  int64_t sharedBytes = 0;
  int64_t registers = 0;
  int64_t spillBytes = 0;

  bool requiresNothing() const { return !align16 && !rows16 && !offsets31; }
};

/// Something that a variant may require of arguments: its word in manifests, and what it is for people.
struct VariantRequirement {
  const char *word;
  bool Variant::*member;
  const char *meaning;
};
constexpr VariantRequirement kVariantRequirements[] = {
    {"align16", &Variant::align16, "16-byte alignment"},
    {"rows16", &Variant::rows16, "rows of whole 16 bytes"},
    {"offsets31", &Variant::offsets31, "offsets below 2^31"},
};

/// Launches for which an instance was chosen by measuring.
struct ChosenFor {
  std::string gpu;          ///< By the name that its driver gives.
  std::string variant;      ///< That arguments of the measured kind take.
  std::vector<int64_t> key; ///< The value of each expression of `Tuning::key`.
  std::string why;
};

/// How an instance came by its configuration.
struct Tuning {
  std::string state; ///< `default`, `model` or `measured`; empty for a kernel that is not tuned.
  std::string why;
  std::vector<Expression> key; ///< What tells sizes apart for which different instances are best, buckets applied.
  std::vector<ChosenFor> chosen;
};

/// What one instance of a kernel expects of its caller.
struct KernelContract {
  std::string name;
  std::string doc;
  std::vector<Parameter> parameters;
  std::vector<Dim> dims;
  std::vector<Constant> constants;
  std::vector<Precondition> where;
  std::vector<std::pair<int, int>> alias; ///< Parameters that may overlap.
  std::vector<Expression> grid;
  std::vector<AbiSlot> abi;
  std::vector<Variant> variants; ///< Empty before code generation.
  std::string decorators;        ///< JSON text of an array.
  Tuning tuning;
  /// The name of each slot of expressions. Slots 0 and 1 are `num_sms` and `extent`.
  std::vector<std::string> names;

  static constexpr int kNumSmsSlot = 0;
  static constexpr int kExtentSlot = 1;

  /// The index of a parameter, or -1.
  int findParameter(std::string_view name) const;
  /// Compile-time parameters for people: `BLOCK = 1024, T = bf16`; empty without any.
  std::string describeInstance() const;
};

struct Manifest {
  std::string target;
  std::vector<std::pair<std::string, std::string>> compiler;
  std::vector<std::string> flags;
  std::string sourceFile;
  std::string sourceHash;
  std::vector<KernelContract> kernels;
};

/// Reads and checks a manifest. Fails with the path of the first field that is wrong.
Result<Manifest> readManifest(std::string_view json);

/// Reads and checks one entry of `kernels`, with or without `variants`: the contract of a kernel that has no cubin.
Result<KernelContract> readKernelContract(std::string_view json);

} // namespace tile

#endif // TILE_RUNTIME_ARTIFACT_MANIFEST_H
