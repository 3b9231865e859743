// The manifest reader on the README's own example: what it reads, what each damage says, and random damage.

#include "runtime/artifact/Manifest.h"
#include "runtime/artifact/File.h"

#include <gtest/gtest.h>

#include <random>

namespace tile {
namespace {

/// The JSON block of runtime/launch/README.md.
const std::string &example() {
  static const std::string text = [] {
    Result<std::string> readme = readFile(TILE_MANIFEST_README);
    if (!readme)
      return readme.error().message;
    size_t begin = readme->find("```json\n") + 8;
    return readme->substr(begin, readme->find("```", begin) - begin);
  }();
  return text;
}

/// The example with `from`, which occurs, replaced by `to`.
std::string with(const std::string &from, const std::string &to) {
  std::string text = example();
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

std::string errorOf(const std::string &json) {
  Result<Manifest> manifest = readManifest(json);
  return manifest.ok() ? "" : manifest.error().message;
}

TEST(Manifest, ReadsTheDocumentedExample) {
  Result<Manifest> manifest = readManifest(example());
  ASSERT_TRUE(manifest.ok()) << manifest.error().message;
  EXPECT_EQ(manifest->target, "sm_90a");
  EXPECT_EQ(manifest->sourceFile, "softmax.tile");
  EXPECT_EQ(manifest->flags, std::vector<std::string>{"--fp-contract=on"});
  ASSERT_EQ(manifest->compiler.size(), 3u);
  EXPECT_EQ(manifest->compiler[2], std::make_pair(std::string("assembler"), std::string("nvPTXCompiler 13.5")));
  ASSERT_EQ(manifest->kernels.size(), 1u);

  const KernelContract &kernel = manifest->kernels[0];
  EXPECT_EQ(kernel.name, "softmax");
  EXPECT_EQ(kernel.describeInstance(), "BLOCK = 1024");
  ASSERT_EQ(kernel.parameters.size(), 3u);
  EXPECT_EQ(kernel.parameters[1].role, Parameter::Role::Out);
  EXPECT_EQ(kernel.parameters[2].kind, Parameter::Kind::Scalar);
  ASSERT_EQ(kernel.abi.size(), 7u);
  EXPECT_EQ(kernel.abi[3].kind, AbiSlot::Kind::Stride);
  ASSERT_EQ(kernel.variants.size(), 2u);
  EXPECT_TRUE(kernel.variants[0].align16 && kernel.variants[0].offsets31);
  EXPECT_EQ(kernel.variants[1].symbol, "softmax");
  EXPECT_EQ(kernel.variants[1].registers, 40);
  EXPECT_EQ(kernel.tuning.state, "measured");
  EXPECT_EQ(kernel.tuning.key[0].print(kernel.names), "N");
  EXPECT_EQ(kernel.tuning.chosen[0].variant, "fast");
  EXPECT_EQ(kernel.tuning.chosen[0].key, std::vector<int64_t>{1000});
  EXPECT_EQ(kernel.grid[0].print(kernel.names), "M");
  EXPECT_EQ(kernel.constants[0].heuristic->print(kernel.names), "next_pow2(N)");
}

TEST(Manifest, ContractNeedsNoVariants) {
  Result<KernelContract> kernel = readKernelContract(R"json({
    "name": "k", "parameters": [{"name": "cu", "dtype": "i32", "extents": [["N", 1, "+"]]},
                                {"name": "w", "dtype": "f32", "optional": true, "present": false, "extents": [["Q"]]},
                                {"name": "n", "kind": "scalar", "dtype": "index"}],
    "constants": [{"name": "D", "type": "int", "value": 64}, {"name": "T", "type": "type", "value": "bf16"},
                  {"name": "C", "type": "bool", "value": true}, {"name": "E", "type": "float", "value": "-inf"}],
    "dims": [{"name": "N", "parameter": "cu", "axis": 0, "expr": ["extent", 1, "-"]}, {"name": "D", "value": 64}],
    "grid": [["N", "D", "cdiv", "has(w)", "bits(cu)", "*", "+", "n", "+", "num_sms", "min"]],
    "abi": [{"pointer": "cu"}, {"dim": "N"}, {"scalar": "n"}]})json");
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  EXPECT_EQ(kernel->describeInstance(), "D = 64, T = bf16, C = true, E = -inf");
  EXPECT_EQ(kernel->dims[1].slot, kernel->constants[0].slot);
  EXPECT_EQ(kernel->grid[0].print(kernel->names), "min(cdiv(N, D) + has(w) * bits(cu) + n, num_sms)");
}

TEST(Manifest, RealsMayBeStrings) {
  auto printGrid = [](const std::string &tokens) {
    Result<KernelContract> kernel =
        readKernelContract(R"({"name": "k", "parameters": [], "dims": [], "abi": [], "grid": [[)" + tokens + "]]}");
    return kernel.ok() ? kernel->grid[0].print(kernel->names) : kernel.error().message;
  };
  EXPECT_EQ(printGrid("\"2.0\", 3, \"*\""), "2.0 * 3");
  EXPECT_EQ(printGrid("\"-inf\", \"nan\", \"min\""), "min(-inf, nan)");
  EXPECT_EQ(printGrid("\"-1e-3\""), "-0.001");
  EXPECT_EQ(printGrid("\"-\", \"\", \"+\""), "manifest: `grid[0]`: operator `-` has 0 operands; expected 2");
  EXPECT_EQ(printGrid("\"0x10\""), "manifest: `grid[0]`: unknown name `0x10`");
  EXPECT_EQ(printGrid("\"1.2.3\""), "manifest: `grid[0]`: unknown name `1.2.3`");
  EXPECT_EQ(printGrid("\"INF\""), "manifest: `grid[0]`: unknown name `INF`");
  EXPECT_EQ(printGrid("\"\""), "manifest: `grid[0]`: unknown name ``");
}

TEST(Manifest, UnknownFieldsAreIgnored) {
  EXPECT_EQ(errorOf(with("\"target\":", "\"later\": {\"x\": [1]}, \"target\":")), "");
}

struct Damage {
  const char *from, *to, *message;
};

class DamagedManifest : public testing::TestWithParam<Damage> {};

TEST_P(DamagedManifest, IsRefusedWithItsPlace) {
  EXPECT_EQ(errorOf(with(GetParam().from, GetParam().to)), std::string("manifest: ") + GetParam().message);
}

const Damage kDamages[] = {
    {"{", "", "is no JSON object; the artifact is damaged"},
    {"\"schema\": 1", "\"schema\": 2",
     "schema is 2; expected 1 (recompile the kernel, or use the libtile of its compiler)"},
    {"\"schema\": 1,", "", "`schema` is missing"},
    {"\"schema\": 1", "\"schema\": \"1\"", "`schema` is string; expected 64-bit integer"},
    {"\"schema\": 1", "\"schema\": 99999999999999999999", "`schema` is number; expected 64-bit integer"},
    {"\"sm_90a\"", "90", "`target` is number; expected string"},
    {"[\"--fp-contract=on\"]", "[1]", "`flags[0]` is number; expected string"},
    {"\"kernels\": [{", "\"kernels\": [7, {", "`kernels[0]` is number; expected object"},
    {"\"dtype\": \"f32\", \"role\": \"in\"", "\"dtype\": \"f33\", \"role\": \"in\"",
     "`kernels[0].parameters[0].dtype` is `f33`; expected one of "
     "bool i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 f8e4m3 f8e5m2 index"},
    {"\"role\": \"in\"", "\"role\": \"both\"",
     "`kernels[0].parameters[0].role` is `both`; expected one of in out inout"},
    {"\"role\": \"in\"", "\"present\": false", "`kernels[0].parameters[0]` is absent but not optional"},
    {"\"role\": \"in\"", "\"optional\": true, \"present\": false",
     "`kernels[0].dims[0]` is bound by the absent parameter `x`"},
    {"\"name\": \"y\"", "\"name\": \"x\"", "`kernels[0].parameters[1].name` is `x`, which an earlier parameter has"},
    {"\"name\": \"y\"", "\"name\": \"\"", "`kernels[0].parameters[1].name` is empty"},
    {"[[\"M\"], [\"N\"]]", "[[], [], [], [], [], [], [], [], [], [], [], [], [], [], [], [], []]",
     "`kernels[0].parameters[0].extents` has 17 axes; expected at most 16"},
    {"[[\"M\"], [\"N\"]]", "[[\"M\"], [\"Q\"]]", "`kernels[0].parameters[0].extents[1]`: unknown name `Q`"},
    {"[[\"M\"], [\"N\"]]", "[[\"M\"], [\"extent\"]]", "`kernels[0].parameters[0].extents[1]`: unknown name `extent`"},
    {"[[\"M\"], [\"N\"]]", "[[\"M\"], \"N\"]", "`kernels[0].parameters[0].extents[1]` is string; expected array"},
    {"[[\"M\"], [\"N\"]]", "[[\"M\"], [true]]",
     "`kernels[0].parameters[0].extents[1]` holds boolean; expected numbers and names"},
    {"\"parameter\": \"x\", \"axis\": 0", "\"axis\": 0", "`kernels[0].dims[0].parameter` is missing"},
    {"\"parameter\": \"x\", \"axis\": 0", "\"parameter\": \"z\", \"axis\": 0",
     "`kernels[0].dims[0].parameter` names `z`; expected a parameter"},
    {"\"parameter\": \"x\", \"axis\": 0", "\"parameter\": \"x\", \"axis\": 2",
     "`kernels[0].dims[0].axis` is 2; `x` has rank 2"},
    {"{\"name\": \"M\",", "{\"name\": \"BLOCK\",",
     "`kernels[0].dims[0].name` is `BLOCK`, which is another value already"},
    {"{\"name\": \"M\",", "{\"name\": \"BLOCK\", \"value\": 8,",
     "`kernels[0].dims[0].value` is 8; the constant `BLOCK` is 1024"},
    {"\"value\": 1024", "\"value\": 1024.5",
     "`kernels[0].constants[0].value` is number; expected a value of type `int`"},
    {"\"value\": 1024,", "", "`kernels[0].constants[0].value` is missing"},
    {"\"type\": \"int\"", "\"type\": \"string\"",
     "`kernels[0].constants[0].type` is `string`; expected one of int bool float type fn"},
    {"\"text\": \"N > 0\"", "\"words\": 0", "`kernels[0].where[0].text` is missing"},
    {"[\"N\", 0, \">\"]", "[\"N\", \">\"]", "`kernels[0].where[0].expr`: operator `>` has 1 operands; expected 2"},
    {"\"grid\": [[\"M\"]]", "\"grid\": []", "`kernels[0].grid` is empty; expected at least one axis"},
    {"\"grid\": [[\"M\"]],", "", "`kernels[0].grid` is missing"},
    {"\"grid\": [[\"M\"]]", "\"grid\": [[1], [1], [1], [1]]",
     "`kernels[0].grid` has 4 axes; expected at most 3, or variants with a linear grid"},
    {"{\"pointer\": \"x\"}", "{}", "`kernels[0].abi[0]` names no argument; expected one of pointer dim stride scalar"},
    {"{\"pointer\": \"x\"}", "{\"pointer\": \"scale\"}",
     "`kernels[0].abi[0].pointer` names `scale`, which is a scalar"},
    {"{\"scalar\": \"scale\"}", "{\"scalar\": \"x\"}", "`kernels[0].abi[6].scalar` names `x`, which is no scalar"},
    {"{\"dim\": \"M\"}", "{\"dim\": \"K\"}", "`kernels[0].abi[1].dim` names `K`; expected a dim"},
    {"\"requires\": []", "\"requires\": [\"align8\"]",
     "`kernels[0].variants[1].requires[0]` is \"align8\"; expected one of align16 rows16 offsets31"},
    {"\"requires\": []", "\"requires\": [\"align16\"]",
     "`kernels[0].variants` does not end in a variant that requires nothing"},
    {"\"warps\": 4,\n       \"shared", "\"warps\": 33,\n       \"shared",
     "`kernels[0].variants[0].warps` is 33; expected 1 to 32"},
    {"\"shared_bytes\": 128", "\"shared_bytes\": -1",
     "`kernels[0].variants[0].shared_bytes` is -1; expected 0 to 1048576"},
    {"\"registers\": 32", "\"cluster\": [2, 1]",
     "`kernels[0].variants[0].cluster` is [2,1]; expected three integers from 1 to 16"},
    {"\"registers\": 32", "\"grid\": \"flat\"", "`kernels[0].variants[0].grid` is `flat`; expected one of axes linear"},
    {"\"measured\"", "\"guessed\"", "`kernels[0].tuning.state` is `guessed`; expected one of default model measured"},
    {"\"key\": [[\"N\"]],\n      \"chosen", "\"key\": [[\"Q\"]],\n      \"chosen",
     "`kernels[0].tuning.key[0]`: unknown name `Q`"},
    {"\"key\": [1000]", "\"key\": [1000, 2]",
     "`kernels[0].tuning.chosen[0].key` has 2 values; expected 1, one per expression of `kernels[0].tuning.key`"},
    {"\"key\": [1000]", "\"key\": [\"N\"]", "`kernels[0].tuning.chosen[0].key[0]` is \"N\"; expected an integer"},
    {"\"gpu\": \"NVIDIA H200\", ", "", "`kernels[0].tuning.chosen[0].gpu` is missing"},
    {"\"where\":", "\"alias\": [[\"x\", \"z\"]], \"where\":",
     "`kernels[0].alias[0]` is [\"x\",\"z\"]; expected two parameters"},
};

INSTANTIATE_TEST_SUITE_P(Fields, DamagedManifest, testing::ValuesIn(kDamages));

TEST(Manifest, DeepNestingIsRefusedBeforeParsing) {
  EXPECT_EQ(errorOf(std::string(100000, '[')), "manifest: nests deeper than 64 levels");
}

TEST(Manifest, RandomDamageNeverCrashes) {
  std::mt19937 random(11);
  static const char *const kPieces[] = {"[",     "]",  "{",    "}",       "\"",   ",",        ":",
                                        "1e400", "-1", "null", "\\u0000", "\xFF", "[[\"M\"]]"};
  int accepted = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = example();
    for (unsigned edits = 1 + random() % 3; edits > 0; --edits) {
      size_t at = random() % text.size();
      switch (random() % 3) {
      case 0:
        text.erase(at, 1 + random() % 20);
        break;
      case 1:
        text.insert(at, kPieces[random() % std::size(kPieces)]);
        break;
      default:
        text[at] = static_cast<char>(text[at] ^ (1 << random() % 8));
      }
    }
    Result<Manifest> manifest = readManifest(text);
    accepted += manifest.ok();
    if (!manifest.ok())
      EXPECT_EQ(manifest.error().code, ErrorCode::InvalidArtifact);
  }
  EXPECT_GT(accepted, 0); // Damage within a doc string is none.
}

} // namespace
} // namespace tile
