// Binding: what fits gives which values, and the text of every refusal.

#include "runtime/launch/Bind.h"
#include "runtime/launch/Memory.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

namespace tile {
namespace {

KernelContract read(const std::string &json) {
  Result<KernelContract> kernel = readKernelContract(json);
  EXPECT_TRUE(kernel.ok()) << (kernel.ok() ? "" : kernel.error().message);
  return kernel.ok() ? *kernel : KernelContract();
}

const KernelContract &softmax() {
  static const KernelContract kernel = read(R"json({
    "name": "softmax",
    "parameters": [{"name": "x", "dtype": "f32", "extents": [["M"], ["N"]]},
                   {"name": "y", "dtype": "f32", "role": "out", "extents": [["M"], ["N"]]},
                   {"name": "scale", "kind": "scalar", "dtype": "f32"}],
    "dims": [{"name": "M", "parameter": "x", "axis": 0}, {"name": "N", "parameter": "x", "axis": 1}],
    "constants": [{"name": "BLOCK", "type": "int", "value": 1024, "source": "heuristic", "expr": ["N", "next_pow2"]}],
    "where": [{"expr": ["N", 3, "%", 0, "=="], "text": "N % 3 == 0"}],
    "grid": [["M"]],
    "abi": [{"pointer": "x"}, {"dim": "M"}, {"dim": "N"}, {"stride": "x", "axis": 0},
            {"pointer": "y"}, {"stride": "y", "axis": 0}, {"scalar": "scale"}],
    "variants": [{"name": "fast", "symbol": "softmax$fast", "requires": ["align16", "rows16", "offsets31"]},
                 {"name": "generic", "symbol": "softmax"}]})json");
  return kernel;
}

const void *at(uint64_t address) { return reinterpret_cast<const void *>(address); }

constexpr uint64_t kX = 1 << 20, kY = 1 << 28;

/// Arguments of softmax that fit, for tests that spoil one of them.
std::vector<Argument> fitting(int64_t m = 4, int64_t n = 768) {
  return {Argument::tensor(at(kX), DataType::F32, {m, n}), Argument::tensor(at(kY), DataType::F32, {m, n}),
          Argument::scalar(0.5)};
}

std::string errorOf(const KernelContract &kernel, const std::vector<Argument> &arguments,
                    const BindOptions &options = {}) {
  Result<Binding> binding = bindArguments(kernel, arguments, options);
  return binding.ok() ? "" : binding.error().message;
}

/// The error of softmax when argument `index` is replaced.
std::string spoilt(size_t index, const Argument &argument) {
  std::vector<Argument> arguments = fitting();
  arguments[index] = argument;
  return errorOf(softmax(), arguments);
}

Argument x(DataType type, std::vector<int64_t> extents, std::vector<int64_t> strides, uint64_t address = kX) {
  return Argument::tensor(at(address), type, extents, strides);
}

TEST(Bind, FillsTheAbiInOrder) {
  Result<Binding> binding = bindArguments(softmax(), fitting());
  ASSERT_TRUE(binding.ok()) << binding.error().message;
  float half = 0.5;
  uint64_t bits = 0;
  std::memcpy(&bits, &half, sizeof(half));
  EXPECT_EQ(binding->cells, (std::vector<uint64_t>{kX, 4, 768, 768, kY, 768, bits}));
  EXPECT_EQ(binding->grid, std::vector<int64_t>{4});
  EXPECT_FALSE(binding->isEmpty());
}

TEST(Bind, EmptyGridIsNoError) {
  Result<Binding> binding = bindArguments(softmax(), fitting(0));
  ASSERT_TRUE(binding.ok()) << binding.error().message;
  EXPECT_TRUE(binding->isEmpty());
}

TEST(Bind, CountOfArguments) {
  EXPECT_EQ(errorOf(softmax(), {}), "kernel `softmax` is given 0 arguments; expected 3: x, y, scale");
}

TEST(Bind, KindOfArgument) {
  EXPECT_EQ(spoilt(0, Argument::none()), "`x` is none; expected a value");
  EXPECT_EQ(spoilt(0, Argument::scalar(1)), "`x` is an integer; expected a tensor of f32");
  EXPECT_EQ(spoilt(0, Argument::pointer(at(kX))), "`x` is a pointer; expected a tensor of f32");
  EXPECT_EQ(spoilt(2, fitting()[0]), "`scale` is a tensor; expected a scalar of f32");
}

TEST(Bind, ElementTypeAndRank) {
  EXPECT_EQ(spoilt(0, x(DataType::F16, {4, 768}, {768, 1})), "`x` has elements of f16; expected f32");
  EXPECT_EQ(spoilt(0, x(DataType::F32, {768}, {1})), "`x` has rank 1; expected 2, [M, N]");
  std::vector<int64_t> many(40, 1);
  EXPECT_EQ(spoilt(0, x(DataType::F32, many, many)), "`x` has rank 40; expected 2, [M, N]");
}

TEST(Bind, ExtentMismatchNamesBothParametersAndExtents) {
  EXPECT_EQ(spoilt(1, x(DataType::F32, {5, 768}, {768, 1}, kY)),
            "extent 0 of `y` is 5; expected M = 4 from extent 0 of `x`");
}

TEST(Bind, NegativeAndHugeExtents) {
  EXPECT_EQ(spoilt(0, x(DataType::F32, {-1, 768}, {768, 1})), "extent 0 of `x` is -1; expected 0 or more");
  EXPECT_EQ(spoilt(0, x(DataType::F32, {int64_t(1) << 62, 768}, {768, 1})), "`x` spans more than the address space");
  EXPECT_EQ(spoilt(0, x(DataType::F32, {4, int64_t(1) << 60}, {1, 1}, ~uint64_t(0) - 1023)),
            "`x` spans more than the address space");
}

TEST(Bind, Strides) {
  EXPECT_EQ(spoilt(0, x(DataType::F32, {4, 768}, {-768, 1})), "stride 0 of `x` is -768; expected 0 or more");
  EXPECT_EQ(spoilt(0, x(DataType::F32, {4, 768}, {768 * 2, 2})),
            "stride 1 of `x` is 2; expected 1, the tensor is not declared `strided`");
  EXPECT_EQ(spoilt(0, x(DataType::F32, {4, 768}, {0, 1})), ""); // A broadcast input.
  EXPECT_EQ(spoilt(1, x(DataType::F32, {4, 768}, {0, 1}, kY)),
            "`y` is written and has one element under two indices; expected strides that keep them apart");
}

TEST(Bind, StrideThatIsNeverTakenMayBeAnything) {
  KernelContract kernel = read(R"json({"name": "k", "parameters": [{"name": "x", "dtype": "i8", "extents": [["N"]]}],
    "dims": [{"name": "N", "parameter": "x", "axis": 0}], "grid": [[1]], "abi": []})json");
  EXPECT_EQ(errorOf(kernel, {x(DataType::I8, {1}, {99})}), "");
  EXPECT_EQ(errorOf(kernel, {x(DataType::I8, {2}, {99})}),
            "stride 0 of `x` is 99; expected 1, the tensor is not declared `strided`");
}

TEST(Bind, Memory) {
  EXPECT_EQ(spoilt(0, x(DataType::F32, {4, 768}, {768, 1}, 0)), "`x` is a null pointer; expected 12288 bytes");
  EXPECT_EQ(spoilt(0, x(DataType::F32, {4, 768}, {768, 1}, kX + 2)),
            "`x` is at 0x100002; expected a multiple of 4 bytes for f32");
  std::vector<Argument> arguments = fitting();
  arguments[1].device = 1;
  BindOptions options;
  options.device = 0;
  EXPECT_EQ(errorOf(softmax(), arguments, options), "`y` is on device 1; the launch is on device 0");
}

TEST(Bind, OverlapWithAWrittenTensor) {
  EXPECT_EQ(spoilt(1, x(DataType::F32, {4, 768}, {768, 1}, kX + 16)),
            "`y` is written and shares memory with `x`; expected them apart, or `alias(y, x)` in the kernel");
  // Interleaved rows of one buffer.
  std::vector<Argument> rows = {x(DataType::F32, {4, 768}, {1536, 1}), x(DataType::F32, {4, 768}, {1536, 1}, kX + 3072),
                                Argument::scalar(1.0)};
  EXPECT_EQ(errorOf(softmax(), rows), "");
}

TEST(Bind, DeclaredAliasMayOverlap) {
  KernelContract kernel = softmax();
  kernel.alias.emplace_back(0, 1);
  std::vector<Argument> arguments = fitting();
  arguments[1].address = kX;
  EXPECT_EQ(errorOf(kernel, arguments), "");
}

TEST(Bind, PreconditionPrintsItsTextAndValues) {
  EXPECT_EQ(errorOf(softmax(), fitting(4, 800)), "`where N % 3 == 0` does not hold: N = 800 from extent 1 of `x`");
}

TEST(Bind, HeuristicOfAnotherValueIsNotCompiled) {
  Result<Binding> binding = bindArguments(softmax(), fitting(4, 3000));
  ASSERT_FALSE(binding.ok());
  EXPECT_EQ(binding.error().code, ErrorCode::NotCompiled);
  EXPECT_EQ(binding.error().message, "compiled for BLOCK = 1024; N = 3000 needs 4096");
}

TEST(Bind, GivenValueReplacesTheHeuristic) {
  BindOptions options;
  options.given = {{"BLOCK", 1024}};
  EXPECT_EQ(errorOf(softmax(), fitting(4, 300), options), "");
  options.given = {{"BLOCK", 512}};
  EXPECT_EQ(errorOf(softmax(), fitting(4, 300), options), "compiled for BLOCK = 1024; asked for 512");
}

TEST(Bind, FastVariantNeedsAlignedBasesAndRows) {
  auto variantOf = [](const std::vector<Argument> &arguments) {
    Result<Binding> binding = bindArguments(softmax(), arguments);
    return binding.ok() ? binding->variant->name : binding.error().message;
  };
  EXPECT_EQ(variantOf(fitting()), "fast");
  std::vector<Argument> shifted = fitting();
  shifted[1].address += 4;
  EXPECT_EQ(variantOf(shifted), "generic");
  EXPECT_EQ(variantOf(fitting(4, 765)), "generic"); // Rows of 3060 bytes.
  EXPECT_EQ(variantOf(fitting(1, 765)), "generic"); // One row: its stride is never taken, its end cuts a vector.
  std::vector<Argument> oneRow = fitting(1, 768);
  oneRow[0].strides[0] = 765;
  EXPECT_EQ(variantOf(oneRow), "fast");
  std::vector<Argument> padded = fitting(4, 765);
  padded[0].strides[0] = padded[1].strides[0] = 768;
  EXPECT_EQ(variantOf(padded), "generic"); // Rows begin at multiples of 16 bytes, and end within them.
}

TEST(Bind, SaysWhyTheFastVariantIsNotTaken) {
  auto reasonOf = [](const std::vector<Argument> &arguments) {
    Result<Binding> binding = bindArguments(softmax(), arguments);
    return binding.ok() ? whyNotPreferred(softmax(), *binding->variant, arguments) : binding.error().message;
  };
  EXPECT_EQ(reasonOf(fitting()), "");
  EXPECT_EQ(reasonOf(fitting(4, 765)), "rows of `x` are 765 elements of 4 bytes, which is no multiple of 16 bytes");
  std::vector<Argument> arguments = fitting();
  arguments[1].address += 4;
  EXPECT_EQ(reasonOf(arguments), "`y` is at 0x10000004, which is no multiple of 16 bytes");
  arguments = fitting();
  arguments[1].strides[0] = 770;
  EXPECT_EQ(reasonOf(arguments),
            "the stride of axis 0 of `y` is 770 elements of 4 bytes, which is no multiple of 16 bytes");
  arguments = fitting();
  arguments[0].strides[0] = 178956716;
  arguments[1].address = uint64_t(1) << 40;
  EXPECT_EQ(reasonOf(arguments), "`x` spans 2147483664 bytes, more than 2^31");
  EXPECT_EQ(whyNotPreferred(softmax(), softmax().variants.back(), fitting(int64_t(1) << 31)),
            "extent 0 of `x` is 2147483648, which is not below 2^31");
}

TEST(Bind, FastVariantNeedsOffsetsBelow2To31) {
  auto variantOf = [](int64_t stride) {
    std::vector<Argument> arguments = fitting();
    arguments[0].strides[0] = stride;
    arguments[1].address = uint64_t(1) << 40;
    return bindArguments(softmax(), arguments)->variant->name;
  };
  // The last element's last byte is at offset (3 * stride + 768) * 4 - 1.
  EXPECT_EQ(variantOf(178956712), "fast");
  EXPECT_EQ(variantOf(178956716), "generic");
}

const KernelContract &ragged() {
  static const KernelContract kernel = read(R"json({
    "name": "ragged",
    "parameters": [{"name": "cu", "dtype": "i32", "extents": [["N", 1, "+"]]},
                   {"name": "s", "dtype": "bf16", "strided": true, "extents": [["N", "D", "*"], ["_"]]},
                   {"name": "w", "dtype": "f32", "optional": true, "present": false, "extents": [["N"]]},
                   {"name": "n", "kind": "scalar", "dtype": "u8"},
                   {"name": "p", "kind": "pointer", "dtype": "f32"},
                   {"name": "q", "dtype": "f16", "extents": [["D"]]}],
    "dims": [{"name": "N", "parameter": "cu", "axis": 0, "expr": ["extent", 1, "-"]},
             {"name": "D", "value": 64, "parameter": "q", "axis": 0}],
    "where": [{"expr": ["n", "num_sms", "<="], "text": "n <= num_sms()"}],
    "grid": [["N", "n", "-"], ["has(w)", 1, "+"]],
    "abi": [{"pointer": "p"}, {"stride": "s", "axis": 1}, {"scalar": "n"}]})json");
  return kernel;
}

std::vector<Argument> raggedArguments() {
  return {Argument::tensor(at(kX), DataType::I32, {8}),
          Argument::tensor(at(kX), DataType::BF16, {448, 3}, {1, 448}),
          Argument::none(),
          Argument::scalar(5),
          Argument::pointer(at(77)),
          Argument::tensor(at(kX), DataType::F16, {64})};
}

std::string spoiltRagged(size_t index, const Argument &argument) {
  std::vector<Argument> arguments = raggedArguments();
  arguments[index] = argument;
  BindOptions options;
  options.numSms = 132;
  return errorOf(ragged(), arguments, options);
}

TEST(Bind, ComputedDimsStridesAndOptionals) {
  BindOptions options;
  options.numSms = 132;
  Result<Binding> binding = bindArguments(ragged(), raggedArguments(), options);
  ASSERT_TRUE(binding.ok()) << binding.error().message;
  EXPECT_EQ(binding->cells, (std::vector<uint64_t>{77, 448, 5}));
  EXPECT_EQ(binding->grid, (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(binding->variant, nullptr);
}

TEST(Bind, ComputedExtentSaysHowItWasComputed) {
  EXPECT_EQ(spoiltRagged(1, Argument::tensor(at(kX), DataType::BF16, {447, 3})),
            "extent 0 of `s` is 447; expected N * D = 448 where N = 7 from extent 0 of `cu`, "
            "D = 64, which is compiled in");
}

TEST(Bind, CompiledInExtentIsNotCompiled) {
  EXPECT_EQ(spoiltRagged(5, Argument::tensor(at(kX), DataType::F16, {128})),
            "extent 0 of `q` is 128; expected D = 64, which is compiled in");
  EXPECT_EQ(bindArguments(ragged(), raggedArguments()).error().code, ErrorCode::InvalidArgument); // num_sms is 1.
}

TEST(Bind, OptionalParameterCompiledWithoutOrWith) {
  EXPECT_EQ(spoiltRagged(2, Argument::tensor(at(kX), DataType::F32, {7})),
            "`w` is given; compiled without it; expected `@instances(has(w) = [true, false])` or `-D 'has(w)=true'`");
  KernelContract kernel = ragged();
  kernel.parameters[2].present = true;
  EXPECT_EQ(errorOf(kernel, raggedArguments()),
            "`w` is none; compiled with it; expected `@instances(has(w) = [true, false])` or `-D 'has(w)=false'`");
}

TEST(Bind, ScalarsOutOfRange) {
  EXPECT_EQ(spoiltRagged(3, Argument::scalar(256)), "`n` is 256, which is no value of u8");
  EXPECT_EQ(spoiltRagged(3, Argument::scalar(~uint64_t(0))), "`n` is 18446744073709551615, which is no value of u8");
  EXPECT_EQ(spoiltRagged(3, Argument::scalar(1.5)), "`n` is 1.5; expected a scalar of u8");
  EXPECT_EQ(spoiltRagged(3, Argument::scalar(200)), "`where n <= num_sms()` does not hold: n = 200, num_sms = 132");
}

TEST(Bind, PointerParameter) {
  EXPECT_EQ(spoiltRagged(4, Argument::scalar(1)), "`p` is an integer; expected a pointer");
}

TEST(Bind, NegativeGridIsRefused) {
  EXPECT_EQ(spoiltRagged(3, Argument::scalar(9)), "grid axis 0, N - n, is -2; expected 0 or more");
}

TEST(Bind, GridWithTooManyPrograms) {
  KernelContract kernel = read(R"json({"name": "k", "parameters": [{"name": "n", "kind": "scalar", "dtype": "i64"}],
    "dims": [], "grid": [["n"], ["n"], ["n"]], "abi": []})json");
  EXPECT_EQ(errorOf(kernel, {Argument::scalar(int64_t(1) << 40)}), "grid has more than 2^63 programs");
}

TEST(Bind, ScalarsTakeTheirTypesBits) {
  auto bitsOf = [](const char *type, const Argument &argument) {
    KernelContract kernel =
        read(std::string(R"({"name": "k", "parameters": [{"name": "n", "kind": "scalar", "dtype": ")") + type +
             R"("}], "dims": [], "grid": [[1]], "abi": [{"scalar": "n"}]})");
    Result<Binding> binding = bindArguments(kernel, {argument});
    EXPECT_TRUE(binding.ok()) << (binding.ok() ? "" : binding.error().message);
    return binding.ok() ? binding->cells[0] : 0;
  };
  EXPECT_EQ(bitsOf("f16", Argument::scalar(1.0)), 0x3C00u);
  EXPECT_EQ(bitsOf("bf16", Argument::scalar(2)), 0x4000u);
  EXPECT_EQ(bitsOf("f64", Argument::scalar(1.0)), 0x3FF0000000000000u);
  EXPECT_EQ(bitsOf("f8e5m2", Argument::scalar(std::numeric_limits<double>::infinity())), 0x7Cu);
  EXPECT_EQ(bitsOf("f8e4m3", Argument::scalar(std::numeric_limits<double>::infinity())), 0x7Eu);
  EXPECT_EQ(bitsOf("i32", Argument::scalar(-1)), ~uint64_t(0));
  EXPECT_EQ(bitsOf("u64", Argument::scalar(~uint64_t(0))), ~uint64_t(0));
  EXPECT_EQ(bitsOf("bool", Argument::scalar(true)), 1u);
  EXPECT_EQ(bitsOf("index", Argument::scalar(int64_t(1) << 40)), uint64_t(1) << 40);
}

TEST(Bind, TheInstanceThatFitsIsTaken) {
  KernelContract large = softmax();
  large.constants[0].value = int64_t(4096);
  large.constants[0].text = "4096";
  std::vector<const KernelContract *> instances = {&softmax(), &large};
  EXPECT_EQ(bindInstance(instances, fitting(4, 3000))->kernel, &large);
  EXPECT_EQ(bindInstance(instances, fitting(4, 768))->kernel, &softmax());
  EXPECT_EQ(bindInstance(instances, fitting(4, 300)).error().message,
            "kernel `softmax` has no instance for these arguments:\n"
            "  BLOCK = 1024: compiled for BLOCK = 1024; N = 300 needs 512\n"
            "  BLOCK = 4096: compiled for BLOCK = 4096; N = 300 needs 512");
  // What no instance could take is said once.
  EXPECT_EQ(bindInstance(instances, {}).error().message, errorOf(softmax(), {}));
  std::vector<Argument> half = fitting();
  half[0].type = DataType::F16;
  EXPECT_EQ(bindInstance(instances, half).error().message, "`x` has elements of f16; expected f32");
}

TEST(Bind, TheInstanceThatWasTunedIsTaken) {
  auto instance = [](const std::string &tuning) {
    return read(R"json({"name": "scale", "parameters": [{"name": "x", "dtype": "f32", "extents": [["M"], ["N"]]}],
      "dims": [{"name": "M", "parameter": "x", "axis": 0}, {"name": "N", "parameter": "x", "axis": 1}],
      "grid": [["M"]], "abi": [{"pointer": "x"}], "tuning": )json" +
                tuning + R"json(,
      "variants": [{"name": "fast", "symbol": "f", "requires": ["align16", "rows16"]},
                   {"name": "generic", "symbol": "g"}]})json");
  };
  std::string key = R"("key": [["M", "next_pow2"], ["N"]])";
  KernelContract plain = instance("{\"state\": \"default\", " + key + "}");
  KernelContract tuned = instance("{\"state\": \"measured\", " + key + R"(, "chosen": [
    {"gpu": "GPU A", "variant": "fast", "key": [4, 64]}, {"gpu": "GPU B", "variant": "generic", "key": [8, 7]}]})");
  std::vector<const KernelContract *> instances = {&plain, &tuned};
  auto takesTuned = [&](int64_t m, int64_t n, std::string_view gpu) {
    BindOptions options;
    options.gpu = gpu;
    Result<Binding> binding = bindInstance(instances, {Argument::tensor(at(kX), DataType::F32, {m, n})}, options);
    EXPECT_TRUE(binding.ok());
    return binding.ok() && binding->kernel == &tuned;
  };
  EXPECT_TRUE(takesTuned(4, 64, "GPU A"));
  EXPECT_TRUE(takesTuned(3, 64, "GPU A")); // of the same bucket
  EXPECT_FALSE(takesTuned(5, 64, "GPU A"));
  EXPECT_FALSE(takesTuned(4, 128, "GPU A"));
  EXPECT_FALSE(takesTuned(4, 64, "GPU B"));
  EXPECT_FALSE(takesTuned(4, 64, ""));
  EXPECT_TRUE(takesTuned(7, 7, "GPU B")); // whose rows only the generic variant takes
  EXPECT_FALSE(takesTuned(7, 7, "GPU A"));
  // Where the first one's condition is false the others may do; if none does, that is said.
  KernelContract narrow = instance("{\"state\": \"default\", " + key +
                                   "}, \"where\": [{\"expr\": [\"N\", 8, \"==\"], "
                                   "\"text\": \"N == 8\"}]");
  instances = {&narrow, &tuned};
  EXPECT_TRUE(takesTuned(4, 64, "GPU A"));
  EXPECT_TRUE(takesTuned(4, 128, "GPU A")); // the only one that fits
  instances = {&narrow, &narrow, &tuned};
  EXPECT_EQ(bindInstance(instances, {Argument::tensor(at(kX), DataType::F32, {2, 3, 4})}).error().message,
            "`x` has rank 3; expected 2, [M, N]");
  instances = {&plain, &tuned};
  // An instance that does not fit is not taken, whatever it was chosen for.
  tuned.parameters[0].type = DataType::F16;
  EXPECT_FALSE(takesTuned(4, 64, "GPU A"));
}

TEST(Bind, HardwareGrid) {
  Variant variant;
  unsigned grid[3];
  ASSERT_TRUE(layOutGrid(variant, {7, 5}, grid).ok());
  EXPECT_EQ(std::vector<unsigned>(grid, grid + 3), (std::vector<unsigned>{7, 5, 1}));
  EXPECT_EQ(layOutGrid(variant, {7, 65536}, grid).error().message,
            "grid axis 1 has 65536 programs; the GPU takes 65535");
  variant.linearGrid = true;
  ASSERT_TRUE(layOutGrid(variant, {7, 65536}, grid).ok());
  EXPECT_EQ(std::vector<unsigned>(grid, grid + 3), (std::vector<unsigned>{7 * 65536, 1, 1}));
  EXPECT_EQ(layOutGrid(variant, {int64_t(1) << 31}, grid).error().message,
            "grid axis 0 has 2147483648 programs; the GPU takes 2147483647");
}

} // namespace
} // namespace tile
