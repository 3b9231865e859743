/// Matrices that a warp holds together: `ldmatrix`, `stmatrix`, `movmatrix`, `mma`. (PTX ISA 9.0, 9.7.14.5)
#include "backend/simulator/exec/Converge.h"
#include "backend/simulator/exec/Families.h"
#include "backend/simulator/exec/MatrixTypes.h"
#include "backend/simulator/exec/Request.h"
#include "backend/simulator/machine/Cta.h"
#include "backend/simulator/machine/CtaChecks.h"

namespace tile::sim {

// ldmatrix and stmatrix: matrices of 8 rows of 16 bytes, the address of row r of matrix i from lane 8 i + r.

constexpr unsigned kRowBytes = 16;

namespace {
/// Where lane `lane` finds its two elements of 16 bits of a matrix: the row, and bytes into it.
struct Halves {
  unsigned row[2], byte[2];
};
} // namespace

static Halves halvesOf(unsigned lane, bool transposed) {
  unsigned first = lane / 4, second = 2 * (lane % 4);
  if (transposed)
    return {{second, second + 1}, {2 * first, 2 * first}};
  return {{first, first}, {2 * second, 2 * second + 2}};
}

/// Runs `visit` on the rows' addresses: only the lanes that give one take part.
template <class Visit>
static uint32_t visitRows(Warp &warp, const Op &op, const Access &access, unsigned count, AccessKind kind,
                          const Visit &visit) {
  uint32_t active = warp.active;
  warp.active = count == 4 ? kAllLanes : (1u << 8 * count) - 1;
  uint32_t visited = visitRequest(warp, op, access, kind, 0, visit);
  uint32_t missed = warp.active & ~visited;
  warp.active = active;
  return missed;
}

/// What each lane gets of the rows of a matrix; lane l's word is the l-th in order unless it is transposed.
template <bool transposed> static void distribute(const uint8_t (*rows)[kRowBytes], uint32_t (&words)[kLanes]) {
  if (!transposed) {
    std::memcpy(words, rows, sizeof(words));
    return;
  }
  uint16_t elements[8][8];
  std::memcpy(elements, rows, sizeof(elements));
  for (unsigned lane = 0; lane < kLanes; ++lane)
    words[lane] = elements[2 * (lane % 4)][lane / 4] | uint32_t(elements[2 * (lane % 4) + 1][lane / 4]) << 16;
}

/// One result for each matrix. The access holds 16 bytes in one element.
template <bool transposed> static Step runLoadMatrix(Warp &warp, const Op &op) {
  if (!convergeAll(warp, op))
    return Step::Block;
  const Access &access = warp.program.accesses[op.mode];
  uint8_t rows[kLanes][kRowBytes], marks[kLanes][kRowBytes];
  uint32_t missed = visitRows(warp, op, access, op.results, AccessKind::Read, [&](const Part &part) {
    if (warp.cta.checks)
      warp.cta.checks->access(warp, op, access, part, AccessKind::Read, kRowBytes);
    forLanes(part.lanes, [&](unsigned lane) {
      std::memcpy(rows[lane], part.region.bytes + part.offsets[lane], kRowBytes);
      if (warp.tracksUndefined)
        std::memcpy(marks[lane], part.region.defined + part.offsets[lane], kRowBytes);
    });
  });
  for (uint32_t rest = missed; rest; rest &= rest - 1) {
    std::memset(rows[__builtin_ctz(rest)], 0, kRowBytes);
    std::memset(marks[__builtin_ctz(rest)], 0, kRowBytes);
  }
  for (unsigned matrix = 0; matrix < op.results; ++matrix) {
    uint32_t values[kLanes], undefined = 0;
    distribute<transposed>(rows + 8 * matrix, values);
    warp.write(op.result(matrix), values);
    if (warp.tracksUndefined) {
      distribute<transposed>(marks + 8 * matrix, values);
      for (unsigned lane = 0; lane < kLanes; ++lane)
        undefined |= uint32_t(values[lane] != 0x01010101) << lane;
    }
    warp.writeUndefined(op.result(matrix), undefined);
  }
  return Step::Next;
}

/// Sources: the address, then one register for each matrix.
template <bool transposed> static Step runStoreMatrix(Warp &warp, const Op &op) {
  if (!convergeAll(warp, op))
    return Step::Block;
  const Access &access = warp.program.accesses[op.mode];
  visitRows(warp, op, access, op.sources - 1, AccessKind::Write, [&](const Part &part) {
    if (warp.cta.checks)
      warp.cta.checks->access(warp, op, access, part, AccessKind::Write, kRowBytes);
    for (unsigned matrix = 0; matrix + 1 < op.sources; ++matrix) {
      const uint32_t *values = warp.row<uint32_t>(op.source(1 + matrix));
      uint32_t undefined = warp.undefined(op.source(1 + matrix));
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        Halves halves = halvesOf(lane, transposed);
        for (unsigned i = 0; i < 2; ++i) {
          unsigned giver = 8 * matrix + halves.row[i];
          if (!(part.lanes >> giver & 1))
            continue;
          uint64_t offset = part.offsets[giver] + halves.byte[i];
          uint16_t half = uint16_t(values[lane] >> 16 * i);
          std::memcpy(part.region.bytes + offset, &half, sizeof(half));
          if (part.region.defined)
            std::memset(part.region.defined + offset, !(undefined >> lane & 1), sizeof(half));
        }
      }
    }
  });
  return Step::Next;
}

/// `movmatrix`: one matrix in registers, transposed.
static Step runMoveMatrix(Warp &warp, const Op &op) {
  if (!convergeAll(warp, op))
    return Step::Block;
  const uint32_t *source = warp.row<uint32_t>(op.source(0));
  uint32_t values[kLanes], undefined = 0, unsure = warp.undefined(op.source(0));
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    values[lane] = 0;
    for (unsigned i = 0; i < 2; ++i) {
      // Row and column of the result change places in the source.
      unsigned row = 2 * (lane % 4) + i, column = lane / 4, from = row * 4 + column / 2;
      values[lane] |= (source[from] >> 16 * (column % 2) & 0xffff) << 16 * i;
      undefined |= (unsure >> from & 1) << lane;
    }
  }
  warp.write(op.result(0), values);
  warp.writeUndefined(op.result(0), undefined);
  return Step::Next;
}

static void decodeMoveMatrix(Form &form) {
  for (const char *modifier : {"sync", "aligned", "m8n8", "trans", "b16"})
    if (!form.take(modifier))
      return form.refuse("expected `.sync.aligned.m8n8.trans.b16`");
  if (!form.expectOperands(2))
    return;
  form.result(0, ptx::Type::B32);
  form.source(1, ptx::Type::B32);
  form.run(runMoveMatrix);
}

static unsigned takeMatrixCount(Form &form) {
  static constexpr unsigned kCounts[] = {1, 2, 4};
  int count = form.takeOne({"x1", "x2", "x4"});
  if (!form.take("sync") || !form.take("aligned") || !form.take("m8n8") || count < 0)
    form.refuse("expected `.sync.aligned.m8n8` and `.x1`, `.x2` or `.x4`");
  return kCounts[std::max(count, 0)];
}

static Access matrixAccess(Form &form) {
  Access access;
  form.takeOne({"shared", "shared::cta"});
  if (!form.take("b16"))
    form.refuse("only elements of .b16 are known");
  access.bytes = kRowBytes;
  return access;
}

std::vector<ptx::Operand> partsOf(const ptx::Operand &operand) {
  return operand.kind == ptx::Operand::Kind::Vector ? operand.parts : std::vector<ptx::Operand>{operand};
}

static void decodeLoadMatrix(Form &form) {
  unsigned count = takeMatrixCount(form);
  bool transposed = form.take("trans");
  Access access = matrixAccess(form);
  if (!form.expectOperands(2))
    return;
  std::vector<ptx::Operand> targets = partsOf(form.operand(0));
  if (targets.size() != count)
    return form.refuse("it names " + std::to_string(targets.size()) + " registers; expected " + std::to_string(count));
  for (const ptx::Operand &target : targets)
    form.result(target, ptx::Type::B32);
  form.address(1, ptx::Space::Shared, access);
  form.transfers(Transfer::Kind::LoadMatrix, access);
  form.run(transposed ? runLoadMatrix<true> : runLoadMatrix<false>, access);
}

static void decodeStoreMatrix(Form &form) {
  unsigned count = takeMatrixCount(form);
  bool transposed = form.take("trans");
  Access access = matrixAccess(form);
  if (!form.expectOperands(2))
    return;
  std::vector<ptx::Operand> values = partsOf(form.operand(1));
  if (values.size() != count)
    return form.refuse("it names " + std::to_string(values.size()) + " registers; expected " + std::to_string(count));
  form.address(0, ptx::Space::Shared, access);
  for (const ptx::Operand &value : values)
    form.source(value, ptx::Type::B32);
  form.transfers(Transfer::Kind::StoreMatrix, access);
  form.run(transposed ? runStoreMatrix<true> : runStoreMatrix<false>, access);
}

// mma.

namespace {
struct MmaForm {
  numerics::FragmentShape shape;
  const FactorRow *a, *b;
  std::string_view accumulator; ///< `f32`, `f16`, `s32`, `f64`
  const numerics::DotModel *model;
  bool saturate;
};
} // namespace

static constexpr FactorRow kFactors[] = {
    {"bf16", 2, &numerics::kBF16, numerics::FactorType::BFloat, false},
    {"e4m3", 1, &numerics::kE4M3, numerics::FactorType::Byte, false},
    {"e5m2", 1, &numerics::kE5M2, numerics::FactorType::Byte, false},
    {"f16", 2, &numerics::kF16, numerics::FactorType::Half, false},
    {"f64", 8, nullptr, numerics::FactorType::Half, false},
    {"s8", 1, nullptr, numerics::FactorType::Half, true},
    {"tf32", 4, &numerics::kTF32, numerics::FactorType::Tf32, false},
    {"u8", 1, nullptr, numerics::FactorType::Half, false},
};

/// `Word` is what a register holds.
template <class Word> static Step runMma(Warp &warp, const Op &op) {
  if (!convergeAll(warp, op))
    return Step::Block;
  const MmaForm &form = *static_cast<const MmaForm *>(warp.program.details[op.mode].get());
  unsigned m = form.shape.m, n = form.shape.n, k = form.shape.k;
  unsigned bytes = form.a->bytes, pack = sizeof(Word) / bytes;
  bool narrow = form.accumulator == "f16";
  unsigned aCount = m * k / pack / kLanes, bCount = n * k / pack / kLanes, dCount = op.results;

  alignas(64) uint8_t a[16 * 64 * 4], b[8 * 64 * 4];
  alignas(64) uint8_t c[16 * 8 * 8], d[16 * 8 * 8];
  const Slot *sources = op.operands + op.results;
  gatherMatrix<Word>(warp, sources, aCount, bytes, k, m / 8, a);
  gatherMatrix<Word>(warp, sources + aCount, bCount, bytes, k, 1, b);
  gatherAccumulators<Word>(warp, sources + aCount + bCount, dCount, narrow, n, c);
  if (form.model)
    numerics::multiplyFragment(*form.model, *form.a->format, *form.b->format, form.shape, a, b, c, d);
  else if (sizeof(Word) == 8)
    numerics::multiplyFragmentF64(form.shape, reinterpret_cast<double *>(a), reinterpret_cast<double *>(b),
                                  reinterpret_cast<double *>(c), reinterpret_cast<double *>(d));
  else
    numerics::multiplyFragmentBytes(form.shape, {form.a->isSigned, form.b->isSigned}, form.saturate, a, b,
                                    reinterpret_cast<int32_t *>(c), reinterpret_cast<int32_t *>(d));
  scatterAccumulators<Word>(warp, op.operands, dCount, narrow, n, d);
  // A row of A and a column of B meet in every element; which ones an undefined register reaches is not followed.
  uint32_t undefined = warp.undefinedSources(op) ? kAllLanes : 0;
  for (unsigned number = 0; number < dCount; ++number)
    warp.writeUndefined(op.result(number), undefined);
  return Step::Next;
}

std::optional<numerics::FragmentShape> takeShape(Form &form) {
  for (const std::string &modifier : form.instruction.modifiers) {
    int m, n, k, end = 0;
    if (std::sscanf(modifier.c_str(), "m%dn%dk%d%n", &m, &n, &k, &end) == 3 && size_t(end) == modifier.size() &&
        form.take(modifier))
      return numerics::FragmentShape{m, n, k};
  }
  form.refuse("it names no shape");
  return std::nullopt;
}

static const FactorRow *findFactor(std::string_view name) {
  for (const FactorRow &row : kFactors)
    if (row.name == name)
      return &row;
  return nullptr;
}

const FactorRow *takeFactor(Form &form) {
  for (const std::string &modifier : form.instruction.modifiers)
    if (const FactorRow *row = findFactor(modifier); row && form.take(modifier))
      return row;
  form.refuse("its types are not known");
  return nullptr;
}

std::string typesOf(const FactorRow &a, const FactorRow &b, std::string_view accumulator) {
  return std::string(a.name) + " x " + std::string(b.name) + " -> " + std::string(accumulator);
}

/// Whether there is such a shape for A of this type. (PTX ISA 9.0, 9.7.14.5)
static bool hasShape(const numerics::FragmentShape &shape, const FactorRow &a) {
  const unsigned rowBytes = shape.k * a.bytes;
  if (shape.n != 8 || (shape.m != 16 && shape.m != 8))
    return false;
  if (a.bytes == 8)
    return shape.k == 4 || (shape.m == 16 && (shape.k == 8 || shape.k == 16));
  return shape.m == 16 ? rowBytes == 16 || rowBytes == 32 : rowBytes == 16 && !a.format;
}

/// Whether there is an instruction that multiplies A and B of these types: those of 8 bits go with each other, integers
/// with integers, all others with themselves alone.
static bool meet(const FactorRow &a, const FactorRow &b, std::string_view accumulator) {
  bool alike = &a == &b || (a.bytes == 1 && b.bytes == 1 && !a.format == !b.format);
  if (!a.format)
    return alike && accumulator == (a.bytes == 8 ? "f64" : "s32");
  return alike && (accumulator == "f32" || (accumulator == "f16" && (a.bytes == 1 || a.name == "f16")));
}

static void decodeMma(Form &form) {
  if (!form.take("sync") || !form.take("aligned"))
    return form.refuse("expected `.sync.aligned`");
  std::optional<numerics::FragmentShape> shape = takeShape(form);
  if (!form.take("row") || !form.take("col"))
    return form.refuse("only `.row.col` is known");
  auto details = std::make_shared<MmaForm>();
  // Types stand in the order D, A, B, C.
  static constexpr std::string_view kAccumulators[] = {"f32", "f16", "s32", "f64"};
  std::string_view types[4];
  size_t count = 0;
  for (const std::string &modifier : form.instruction.modifiers)
    if (count < 4 && (ptx::typeNamed(modifier) || modifier == "tf32" || modifier == "e4m3" || modifier == "e5m2"))
      types[count++] = modifier;
  if (count != 4 || types[0] != types[3] || !shape)
    return form.refuse("expected four types, the first and the last the same");
  for (std::string_view type : types)
    form.take(type);
  for (std::string_view known : kAccumulators)
    if (known == types[0])
      details->accumulator = known;
  details->a = findFactor(types[1]);
  details->b = findFactor(types[2]);
  if (!details->a || !details->b || details->accumulator.empty())
    return form.refuse("its types are not known");
  details->shape = *shape;
  auto [m, n, k] = *shape;
  unsigned bytes = details->a->bytes, pack = bytes == 8 ? 1 : 4 / bytes;
  bool floating = details->a->format != nullptr;
  if (floating)
    details->model = numerics::findDotModel(form.generation(), numerics::MatrixUnit::MmaSync, details->a->factor,
                                            details->accumulator == "f16" ? numerics::AccumulatorType::F16
                                                                          : numerics::AccumulatorType::F32);
  if (!floating && bytes == 1)
    details->saturate = form.take("satfinite");
  if (!hasShape(*shape, *details->a) || !meet(*details->a, *details->b, details->accumulator) ||
      (floating && !details->model))
    return form.refuse("this shape and these types are not known");
  if (!form.expectOperands(4))
    return;
  ptx::Type factor = bytes == 8 ? ptx::Type::F64 : ptx::Type::B32;
  unsigned dCount = details->accumulator == "f16" ? m * n / 2 / kLanes : m * n / kLanes;
  size_t expected[] = {dCount, m * k / pack / kLanes, n * k / pack / kLanes, dCount};
  for (size_t i = 0; i < 4; ++i) {
    std::vector<ptx::Operand> parts = partsOf(form.operand(i));
    if (parts.size() != expected[i])
      return form.refuse("operand " + std::to_string(i + 1) + " has " + std::to_string(parts.size()) +
                         " registers; expected " + std::to_string(expected[i]));
    for (const ptx::Operand &part : parts)
      i == 0 ? form.result(part, factor) : form.source(part, factor);
  }
  form.multiplies(*shape, typesOf(*details->a, *details->b, details->accumulator), 1);
  form.run(bytes == 8 ? runMma<uint64_t> : runMma<uint32_t>, std::move(details));
}

InstructionRows matrixRows() {
  return {
      {"ldmatrix", "Warp-Level Matrix", "`.m8n8 .b16`, `.x1 .x2 .x4`, `.trans`", decodeLoadMatrix},
      {"mma", "Warp-Level Matrix", "`.row.col`, n = 8: f16, bf16, tf32, f8, 8-bit integers, f64", decodeMma},
      {"movmatrix", "Warp-Level Matrix", "`.m8n8.trans.b16`", decodeMoveMatrix},
      {"stmatrix", "Warp-Level Matrix", "`.m8n8 .b16`, `.x1 .x2 .x4`, `.trans`", decodeStoreMatrix},
  };
}

} // namespace tile::sim
