// `mma.sync` of every shape and every pair of types that sm_90 has, on matrices of several kinds of numbers.
#include "test/simulator/validate/Matrices.h"

#include <iterator>

namespace tile::sim::validate {

namespace {
struct MmaRow {
  unsigned m, n, k;
  const char *d, *a, *b;
  bool canSaturate = false;
};
} // namespace

static constexpr MmaRow kRows[] = {
    {8, 8, 4, "f64", "f64", "f64"},       {16, 8, 4, "f64", "f64", "f64"},      {16, 8, 8, "f64", "f64", "f64"},
    {16, 8, 16, "f64", "f64", "f64"},     {16, 8, 8, "f32", "f16", "f16"},      {16, 8, 16, "f32", "f16", "f16"},
    {16, 8, 8, "f16", "f16", "f16"},      {16, 8, 16, "f16", "f16", "f16"},     {16, 8, 8, "f32", "bf16", "bf16"},
    {16, 8, 16, "f32", "bf16", "bf16"},   {16, 8, 4, "f32", "tf32", "tf32"},    {16, 8, 8, "f32", "tf32", "tf32"},
    {16, 8, 32, "f32", "e4m3", "e4m3"},   {16, 8, 32, "f32", "e4m3", "e5m2"},   {16, 8, 32, "f32", "e5m2", "e4m3"},
    {16, 8, 32, "f32", "e5m2", "e5m2"},   {16, 8, 32, "f16", "e4m3", "e4m3"},   {16, 8, 32, "f16", "e5m2", "e5m2"},
    {16, 8, 16, "f32", "e4m3", "e4m3"},   {16, 8, 16, "f32", "e4m3", "e5m2"},   {16, 8, 16, "f32", "e5m2", "e4m3"},
    {16, 8, 16, "f32", "e5m2", "e5m2"},   {16, 8, 16, "f16", "e4m3", "e4m3"},   {16, 8, 16, "f16", "e5m2", "e5m2"},
    {8, 8, 16, "s32", "s8", "s8", true},  {8, 8, 16, "s32", "u8", "u8", true},  {8, 8, 16, "s32", "u8", "s8", true},
    {8, 8, 16, "s32", "s8", "u8", true},  {16, 8, 16, "s32", "s8", "s8", true}, {16, 8, 16, "s32", "u8", "u8", true},
    {16, 8, 16, "s32", "u8", "s8", true}, {16, 8, 16, "s32", "s8", "u8", true}, {16, 8, 32, "s32", "s8", "s8", true},
    {16, 8, 32, "s32", "u8", "u8", true}, {16, 8, 32, "s32", "u8", "s8", true}, {16, 8, 32, "s32", "s8", "u8", true},
};

struct Kinds {
  Kind a, b, c;
};
/// Every kind of A and B with every kind of C; then, for as many elements again, what rounds in ways of its own.
constexpr unsigned kEachWithEach = 7 * 7 * 8, kWarps = 2 * kEachWithEach;
static constexpr Kinds kMore[] = {
    {Kind::Tiny, Kind::Moderate, Kind::Zero}, {Kind::Tiny, Kind::Small, Kind::Zero},
    {Kind::Small, Kind::Tiny, Kind::Tiny},    {Kind::Specials, Kind::Specials, Kind::Zero},
    {Kind::Wide, Kind::Wide, Kind::Moderate}, {Kind::Mixed, Kind::Specials, Kind::Mixed}};

static Kinds kindsOf(unsigned warp) {
  if (warp >= kEachWithEach)
    return kMore[warp % std::size(kMore)];
  return {Kind(warp % 7), Kind(warp / 7 % 7), Kind(warp / 49)};
}

static void giveOne(const Sink &sink, const MmaRow &row, bool saturate) {
  std::string shape = "m" + std::to_string(row.m) + "n" + std::to_string(row.n) + "k" + std::to_string(row.k);
  std::string types = std::string(row.d) + "." + row.a + "." + row.b + "." + row.d;
  Kernel kernel;
  kernel.name = "mma.sync.aligned." + shape + ".row.col" + (saturate ? ".satfinite." : ".") + types;
  kernel.grid = {kWarps / 4, 1, 1};
  kernel.body = "mov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\nshr.u32 %r2, %r0, 5;\nmad.lo.u32 %r2, %r1, 4, %r2;\n"
                "and.b32 %r3, %r0, 31;\n";
  bool wide = std::string(row.d) == "f64";
  unsigned wordBytes = wide ? 8 : 4;
  Random random(row.k * 1000 + row.m + (row.d[0] << 8));
  auto count = [&](unsigned elements, const char *type) { return elements * elementBytes(type) / wordBytes / 32; };
  unsigned counts[] = {count(row.m * row.k, row.a), count(row.n * row.k, row.b), count(row.m * row.n, row.d)};
  const char *names[] = {row.a, row.b, row.d};
  std::string lists[4];
  for (unsigned i = 0; i < 3; ++i) {
    Bytes data;
    for (unsigned warp = 0; warp < kWarps; ++warp) {
      Kinds kinds = kindsOf(warp);
      Bytes matrix = randomMatrix(random, names[i], counts[i] * 32 * wordBytes / elementBytes(names[i]),
                                  i == 0   ? kinds.a
                                  : i == 1 ? kinds.b
                                           : kinds.c);
      data.insert(data.end(), matrix.begin(), matrix.end());
    }
    kernel.inputs.push_back(std::move(data));
    std::string prefix = std::string("%m") + "abc"[i];
    lists[i + 1] = registerList(prefix, counts[i]);
    kernel.declarations +=
        ".reg .b" + std::to_string(8 * wordBytes) + " " + prefix + "<" + std::to_string(counts[i]) + ">;\n";
    kernel.body += loadFragments(prefix, counts[i], wordBytes, 100 + i);
  }
  kernel.declarations += ".reg .b" + std::to_string(8 * wordBytes) + " %md<" + std::to_string(counts[2]) + ">;\n";
  lists[0] = registerList("%md", counts[2]);
  kernel.body += kernel.name + " " + lists[0] + ", " + lists[1] + ", " + lists[2] + ", " + lists[3] + ";\n";
  unsigned bytes = elementBytes(row.d);
  kernel.addResult(kernel.name, size_t(kWarps) * counts[2] * 32 * wordBytes / bytes, bytes);
  kernel.body += storeFragments("%md", counts[2], wordBytes, kernel.outputPointer());
  sink(kernel);
}

void giveMma(const Sink &sink) {
  for (const MmaRow &row : kRows)
    for (bool saturate : {false, true})
      if (!saturate || row.canSaturate)
        giveOne(sink, row, saturate);
}

} // namespace tile::sim::validate
