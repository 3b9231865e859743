/// Matrix instructions of a warpgroup that go on beside its threads, `wgmma`. (PTX ISA 9.0, 9.7.15)
///
/// An instruction starts once its four warps have issued it, reads A, B and the accumulators and writes the
/// accumulators at one moment before the wait that guarantees it, and never before an earlier one of its warpgroup.
#include "backend/simulator/exec/Converge.h"
#include "backend/simulator/exec/Families.h"
#include "backend/simulator/exec/MatrixDescriptor.h"
#include "backend/simulator/exec/MatrixTypes.h"
#include "backend/simulator/machine/Cta.h"
#include "backend/simulator/machine/CtaChecks.h"
#include "backend/simulator/machine/Grid.h"

#include <algorithm>

namespace tile::sim {

constexpr unsigned kRows = 64, kWarpRows = 16, kMostColumns = 256;
/// Bytes of a row of A and of a column of B: K is 256 bits for every type.
constexpr unsigned kDepthBytes = 32;
/// Sources: the registers or the descriptor of A, the descriptor of B, whether to accumulate.
constexpr unsigned kRegistersOfA = 4;

namespace {
struct WgmmaForm {
  numerics::FragmentShape shape;
  const FactorRow *a, *b;
  const numerics::DotModel *model; ///< null for integers
  bool narrow;                     ///< accumulates in f16
  bool saturate;
  bool ofBits; ///< counts the bits that are set in both
  bool aInRegisters;
  bool negatesA, negatesB;
  bool aIsMajorInM, bIsMajorInN;
  bool accumulateNegated; ///< `!p`

  unsigned sourcesOfA() const { return aInRegisters ? kRegistersOfA : 1; }
  /// Equal for instructions that may follow each other on the same accumulators.
  uint32_t shapeKey() const { return uint32_t(shape.n) << 2 | uint32_t(narrow) << 1 | uint32_t(model == nullptr); }
};
} // namespace

static const WgmmaForm &formOf(const Program &program, const Op &op) {
  return *static_cast<const WgmmaForm *>(program.details[op.mode].get());
}

// Operands in shared memory.

/// Calls `visit(first, chunk, address)` for each chunk of 16 bytes of rows `from` to `to` of M or N: the row, or in
/// MN-major the first of its rows, and the chunk along K, or in MN-major the place along K.
template <class Visit>
static void visitChunks(const MatrixDescriptor &matrix, bool isMnMajor, unsigned from, unsigned to, Visit visit) {
  if (!isMnMajor) {
    for (unsigned row = from; row < to; ++row)
      for (unsigned chunk = 0; chunk < kDepthBytes / kChunkBytes; ++chunk)
        visit(row, chunk, matrix.kMajor(row, chunk));
    return;
  }
  // Only types of 16 bits.
  for (unsigned row = from; row < to; row += kChunkBytes / 2)
    for (unsigned k = 0; k < kDepthBytes / 2; ++k)
      visit(row, k, matrix.mnMajor(row / (kChunkBytes / 2), k));
}

namespace {
/// Rows of A or columns of B, one after the other, and which of them are undefined.
struct Factor {
  alignas(64) uint8_t bytes[kMostColumns * kDepthBytes] = {};
  std::vector<bool> undefined = std::vector<bool>(kMostColumns);
  bool anyUndefined = false;

  void setUndefined(unsigned row) { undefined[row] = anyUndefined = true; }
};
} // namespace

static void readShared(const Cta &cta, uint64_t descriptor, bool isMnMajor, unsigned rows, Factor &factor) {
  visitChunks(MatrixDescriptor(descriptor), isMnMajor, 0, rows, [&](unsigned row, unsigned place, uint32_t address) {
    bool exists = cta.shared.contains(address, kChunkBytes);
    const uint8_t *from = cta.shared.bytes + (address - cta.shared.start);
    const uint8_t *defined = cta.shared.defined ? cta.shared.defined + (address - cta.shared.start) : nullptr;
    if (exists && !isMnMajor) {
      std::memcpy(factor.bytes + row * kDepthBytes + place * kChunkBytes, from, kChunkBytes);
      if (defined && std::find(defined, defined + kChunkBytes, 0) != defined + kChunkBytes)
        factor.setUndefined(row);
      return;
    }
    for (unsigned i = 0; i < kChunkBytes; ++i) {
      unsigned target =
          isMnMajor ? (row + i / 2) * kDepthBytes + place * 2 + i % 2 : row * kDepthBytes + place * kChunkBytes + i;
      if (exists)
        factor.bytes[target] = from[i];
      if (!exists || (defined && !defined[i]))
        factor.setUndefined(target / kDepthBytes);
    }
  });
}

/// Of single bits, eight to a byte, with `.and.popc`. (9.7.15.5.2)
static void multiplyBits(const numerics::FragmentShape &shape, const uint8_t *a, const uint8_t *b, uint32_t *sums) {
  for (int row = 0; row < shape.m; ++row)
    for (int column = 0; column < shape.n; ++column)
      for (unsigned i = 0; i < kDepthBytes; ++i)
        sums[row * shape.n + column] += __builtin_popcount(a[row * kDepthBytes + i] & b[column * kDepthBytes + i]);
}

static void negate(Factor &factor, unsigned rows, unsigned elementBytes) {
  for (unsigned i = elementBytes - 1; i < rows * kDepthBytes; i += elementBytes)
    factor.bytes[i] ^= 0x80;
}

// The operation.

namespace {
class Multiply : public AsyncOperation {
public:
  Multiply(const WgmmaForm &form, const Warpgroup::Issue &issue) : form(form), issue(issue) {}

  std::vector<Warp *> warps; ///< in the order of their rows

  void finish(Cta &cta) override {
    unsigned columns = form.shape.n;
    Factor a, b;
    if (form.aInRegisters)
      for (unsigned i = 0; i < warps.size(); ++i)
        readRegisters(*warps[i], i * kWarpRows, a);
    else
      readShared(cta, issue.a, form.aIsMajorInM, kRows, a);
    readShared(cta, issue.b, form.bIsMajorInN, columns, b);
    if (form.negatesA)
      negate(a, kRows, form.a->bytes);
    if (form.negatesB)
      negate(b, columns, form.b->bytes);

    std::vector<uint32_t> sums(kRows * columns);
    if (issue.accumulates)
      readAccumulators(sums);
    if (form.model)
      numerics::multiplyFragment(*form.model, *form.a->format, *form.b->format, form.shape, a.bytes, b.bytes,
                                 sums.data(), sums.data());
    else if (form.ofBits)
      multiplyBits(form.shape, a.bytes, b.bytes, sums.data());
    else
      numerics::multiplyFragmentBytes(form.shape, {form.a->isSigned, form.b->isSigned}, form.saturate, a.bytes, b.bytes,
                                      reinterpret_cast<int32_t *>(sums.data()),
                                      reinterpret_cast<int32_t *>(sums.data()));
    writeAccumulators(a, b, sums);
  }

private:
  void readRegisters(const Warp &warp, unsigned firstRow, Factor &a) const {
    const Slot *slots = issue.op->operands + issue.op->results;
    unsigned pack = 4 / form.a->bytes;
    gatherMatrix<uint32_t>(warp, slots, kRegistersOfA, form.a->bytes, kDepthBytes / form.a->bytes, kWarpRows / 8,
                           a.bytes + firstRow * kDepthBytes);
    for (unsigned number = 0; number < kRegistersOfA; ++number)
      for (uint32_t rest = warp.undefined(slots[number]); rest; rest &= rest - 1)
        a.setUndefined(firstRow + elementOf(__builtin_ctz(rest), number, 0, pack, kWarpRows / 8).row);
  }

  /// Where the rows of warp `w` begin.
  uint8_t *rowsOf(unsigned w, std::vector<uint32_t> &sums) const {
    return reinterpret_cast<uint8_t *>(sums.data()) + w * kWarpRows * form.shape.n * (form.narrow ? 2 : 4);
  }

  void readAccumulators(std::vector<uint32_t> &sums) const {
    for (unsigned w = 0; w < warps.size(); ++w)
      gatherAccumulators<uint32_t>(*warps[w], issue.op->operands, issue.op->results, form.narrow, form.shape.n,
                                   rowsOf(w, sums));
  }

  /// An undefined row of A or column of B makes what it meets undefined; so does an accumulator itself.
  void writeAccumulators(const Factor &a, const Factor &b, std::vector<uint32_t> &sums) const {
    for (unsigned w = 0; w < warps.size(); ++w) {
      Warp &warp = *warps[w];
      scatterAccumulators<uint32_t>(warp, issue.op->operands, issue.op->results, form.narrow, form.shape.n,
                                    rowsOf(w, sums));
      uint32_t active = warp.active;
      warp.active = kAllLanes;
      for (unsigned number = 0; number < issue.op->results; ++number) {
        Slot slot = issue.op->result(number);
        uint32_t undefined = issue.accumulates ? warp.undefined(slot) : 0;
        if (a.anyUndefined || b.anyUndefined)
          undefined |= undefinedByFactors(w, number, a, b);
        warp.writeUndefined(slot, undefined);
      }
      warp.active = active;
    }
  }
  uint32_t undefinedByFactors(unsigned w, unsigned number, const Factor &a, const Factor &b) const {
    uint32_t undefined = 0;
    for (unsigned lane = 0; lane < kLanes; ++lane)
      for (unsigned part = 0; part < (form.narrow ? 2 : 1); ++part) {
        Element element = accumulatorElement(lane, number, part, form.narrow);
        undefined |= uint32_t(a.undefined[element.row + w * kWarpRows] || b.undefined[element.column]) << lane;
      }
    return undefined;
  }

  const WgmmaForm &form;
  const Warpgroup::Issue issue;
};
} // namespace

// Issue.

/// The value that all active lanes have in common. One that differs or is undefined is reported.
template <class Word> static Word uniform(Warp &warp, const Op &op, unsigned source, const char *name) {
  const Word *lanes = warp.row<Word>(op.source(source));
  unsigned first = __builtin_ctz(warp.active);
  bool differs = false;
  for (uint32_t rest = warp.active; rest; rest &= rest - 1)
    differs |= lanes[__builtin_ctz(rest)] != lanes[first];
  if (differs)
    warp.cta.report(Fault::BadOperand, warp, first, op,
                    std::string(name) + " is not the same in all lanes of the warp");
  if (warp.undefined(op.source(source)) & warp.active)
    warp.cta.report(Fault::Undefined, warp, first, op, std::string(name) + " is undefined");
  return lanes[first];
}

static bool accumulates(Warp &warp, const Op &op, const WgmmaForm &form) {
  Slot slot = op.source(form.sourcesOfA() + 1);
  unsigned first = __builtin_ctz(warp.active);
  uint32_t wanted = (warp.predicate(slot) ^ (form.accumulateNegated ? kAllLanes : 0)) & warp.active;
  if (wanted && wanted != warp.active)
    warp.cta.report(Fault::BadOperand, warp, first, op, "`scale-d` is not the same in all lanes of the warp");
  if (warp.undefined(slot) & warp.active)
    warp.cta.report(Fault::Undefined, warp, first, op, "`scale-d` is undefined");
  return wanted >> first & 1;
}

static MatrixPieces findPieces(const Region &shared, uint64_t descriptor, bool isMnMajor, unsigned from, unsigned to) {
  MatrixPieces pieces;
  std::vector<uint32_t> addresses;
  visitChunks(MatrixDescriptor(descriptor), isMnMajor, from, to, [&](unsigned, unsigned, uint32_t address) {
    if (shared.contains(address, kChunkBytes))
      addresses.push_back(address);
    else if (!pieces.outside)
      pieces.outside = address;
  });
  std::sort(addresses.begin(), addresses.end());
  for (uint32_t address : addresses) {
    uint64_t offset = address - shared.start;
    uint64_t end = pieces.inside.empty() ? 0 : pieces.inside.back().offset + pieces.inside.back().bytes;
    if (!pieces.inside.empty() && offset < end)
      continue; // rows may share their memory
    if (!pieces.inside.empty() && offset == end)
      pieces.inside.back().bytes += kChunkBytes;
    else
      pieces.inside.push_back({offset, kChunkBytes});
  }
  return pieces;
}

/// The contiguous pieces that rows `from` to `to` of a matrix take in shared memory. One outside is reported.
static const std::vector<AsyncPiece> &piecesOf(Warp &warp, const Op &op, uint64_t descriptor, bool isMnMajor,
                                               unsigned from, unsigned to) {
  /// More than the stages of a ring have; a kernel that has more computes them anew.
  constexpr size_t kMostKept = 512;
  const Region &shared = warp.cta.shared;
  auto &known = warp.cta.warpgroupOf(warp).pieces;
  Warpgroup::MatrixKey key(descriptor, isMnMajor, from, to);
  auto found = known.find(key);
  if (found == known.end()) {
    if (known.size() >= kMostKept)
      known.clear();
    found = known.emplace(key, findPieces(shared, descriptor, isMnMajor, from, to)).first;
  }
  if (std::optional<uint32_t> address = found->second.outside)
    warp.cta.report(Fault::OutOfBounds, warp, __builtin_ctz(warp.active), op,
                    "the matrix reaches byte " + std::to_string(int64_t(*address) - int64_t(shared.start)) + " of `" +
                        shared.name + "`; it has " + std::to_string(shared.size),
                    *address);
  return found->second.inside;
}

/// What each of the four warps must have said alike.
static bool agree(const Warpgroup::Issue &issue, const Op &op, uint64_t a, uint64_t b, bool accumulates) {
  return issue.op == &op && issue.a == a && issue.b == b && issue.accumulates == accumulates;
}

/// The warps of a warpgroup that the CTA has.
static uint32_t warpsOfGroup(const Cta &cta, unsigned first) {
  unsigned count = std::min<unsigned>(kWarpgroupWarps, (cta.threads() + kLanes - 1) / kLanes - first);
  return (1u << count) - 1;
}

static void startMultiply(Cta &cta, const WgmmaForm &form, Warpgroup &group, uint64_t number, unsigned firstWarp) {
  Warpgroup::Issue &issue = group.at(number);
  auto multiply = std::make_unique<Multiply>(form, issue);
  for (unsigned i = 0; i < kWarpgroupWarps; ++i)
    if (issue.warps >> i & 1)
      multiply->warps.push_back(cta.allWarps()[firstWarp + i].get());
  if (number > group.first)
    multiply->after = {group.at(number - 1).ticket};
  issue.ticket = cta.start(std::move(multiply));
  cta.wakeAll(); // a warp may wait for the others to come
}

static Step runMultiply(Warp &warp, const Op &op) {
  if (!convergeAll(warp, op))
    return Step::Block;
  Cta &cta = warp.cta;
  const WgmmaForm &form = formOf(warp.program, op);
  uint64_t a = form.aInRegisters ? 0 : uniform<uint64_t>(warp, op, 0, "the descriptor of A");
  uint64_t b = uniform<uint64_t>(warp, op, form.sourcesOfA(), "the descriptor of B");
  bool accumulate = accumulates(warp, op, form);

  unsigned first = warp.number / kWarpgroupWarps * kWarpgroupWarps, rank = warp.number - first;
  uint32_t everyone = warpsOfGroup(cta, first);
  if (everyone != (1u << kWarpgroupWarps) - 1)
    cta.report(Fault::BarrierDivergence, warp, __builtin_ctz(warp.active), op,
               "the warpgroup has " + std::to_string(__builtin_popcount(everyone)) + " warps; expected 4");
  Warpgroup &group = cta.warpgroupOf(warp);
  uint64_t number = ++warp.matrices.issued;
  if (number == group.first + group.issues.size())
    group.issues.push_back({&op, a, b, accumulate});
  Warpgroup::Issue &issue = group.at(number);
  if (!agree(issue, op, a, b, accumulate)) {
    Place other = cta.placeOf(*cta.allWarps()[first + __builtin_ctz(issue.warps)], 0, *issue.op);
    cta.report(Fault::BarrierDivergence, warp, __builtin_ctz(warp.active), op,
               "the warps of the warpgroup run different matrix instructions, or with different descriptors or "
               "`scale-d`",
               other);
  }
  issue.warps |= 1u << rank;

  if (warp.watch)
    warp.watch->start(warp, op, number, &op.operands[op.results], form.aInRegisters ? kRegistersOfA : 0,
                      form.shapeKey());
  std::vector<AsyncPiece> pieces = piecesOf(warp, op, b, form.bIsMajorInN, 0, form.shape.n);
  if (!form.aInRegisters) {
    const std::vector<AsyncPiece> &ofA =
        piecesOf(warp, op, a, form.aIsMajorInM, rank * kWarpRows, (rank + 1) * kWarpRows);
    pieces.insert(pieces.end(), ofA.begin(), ofA.end());
  }
  if (cta.checks)
    cta.checks->readByMatrix(warp, op, pieces);

  if (issue.warps == everyone)
    startMultiply(cta, form, group, number, first);
  return Step::Next;
}

static Step runMatrixFence(Warp &warp, const Op &op) {
  if (!convergeAll(warp, op))
    return Step::Block;
  if (warp.watch)
    warp.watch->fence();
  return Step::Next;
}

static Step runMatrixCommit(Warp &warp, const Op &op) {
  if (!convergeAll(warp, op))
    return Step::Block;
  warp.matrices.groups.push_back(warp.matrices.issued);
  return Step::Next;
}

/// Forgets what no warp of the group may still ask for: the last one stays, for its ticket.
static void trim(Cta &cta, Warpgroup &group, unsigned firstWarp) {
  uint64_t awaited = UINT64_MAX;
  for (unsigned i = 0; i < kWarpgroupWarps && firstWarp + i < cta.allWarps().size(); ++i)
    awaited = std::min(awaited, cta.allWarps()[firstWarp + i]->matrices.awaited);
  while (group.first < awaited && group.issues.size() > 1) {
    group.issues.pop_front();
    ++group.first;
  }
}

/// The mode: the groups that may still be pending.
static Step runMatrixWait(Warp &warp, const Op &op) {
  if (!convergeAll(warp, op))
    return Step::Block;
  MatrixQueue &queue = warp.matrices;
  if (queue.groups.size() <= op.mode)
    return Step::Next;
  auto end = queue.groups.end() - op.mode;
  uint64_t last = *(end - 1);
  if (last > queue.awaited) {
    Warpgroup &group = warp.cta.warpgroupOf(warp);
    uint64_t ticket = group.at(last).ticket;
    if (!ticket)
      return Step::Block;
    warp.cta.finish(ticket);
    queue.awaited = last;
    if (warp.watch)
      warp.watch->await(last);
    if (warp.cta.checks)
      warp.cta.checks->awaitMatrices(warp, last);
    trim(warp.cta, group, warp.number / kWarpgroupWarps * kWarpgroupWarps);
  }
  queue.groups.erase(queue.groups.begin(), end);
  return Step::Next;
}

// Decoding.

static bool takeAligned(Form &form, std::string_view operation) {
  form.take(operation);
  bool aligned = form.take("sync");
  aligned &= form.take("aligned");
  if (!aligned)
    form.refuse("expected `.sync.aligned`");
  return aligned;
}

/// Takes an immediate operand that is one of two values; says whether it is the second.
static bool takeChoice(Form &form, size_t index, int64_t first, int64_t second, const char *name) {
  const ptx::Operand &operand = form.operand(index);
  bool known = operand.kind == ptx::Operand::Kind::Integer &&
               (int64_t(operand.bits) == first || int64_t(operand.bits) == second);
  if (!known)
    form.refuse(std::string("`") + name + "` is not " + std::to_string(first) + " or " + std::to_string(second));
  return known && int64_t(operand.bits) == second;
}

/// Eight elements in a byte of a factor.
static constexpr FactorRow kBits = {"b1", 1, nullptr, numerics::FactorType::Half, false};

static const FactorRow *takeFactorOrBits(Form &form) { return form.take(kBits.name) ? &kBits : takeFactor(form); }

/// Shapes: N in steps of 8, for integers of 16 from 32 on but for 24. (9.7.15.2)
static bool isKnownShape(const numerics::FragmentShape &shape, bool isInteger, unsigned elementBits) {
  if (shape.m != kRows || shape.k * elementBits != 8 * kDepthBytes || shape.n < 8 || shape.n > int(kMostColumns) ||
      shape.n % 8)
    return false;
  return !isInteger || shape.n % 16 == 0 || shape.n == 8 || shape.n == 24;
}

static void decodeMultiply(Form &form) {
  if (!takeAligned(form, "mma_async"))
    return;
  auto details = std::make_shared<WgmmaForm>(WgmmaForm{});
  std::optional<numerics::FragmentShape> shape = takeShape(form);
  details->saturate = form.take("satfinite");
  static constexpr const char *kAccumulators[] = {"f32", "f16", "s32"};
  int accumulator = form.takeOne({kAccumulators[0], kAccumulators[1], kAccumulators[2]});
  details->a = takeFactorOrBits(form);
  details->b = takeFactorOrBits(form);
  if (form.refused() || accumulator < 0)
    return form.refuse("its types are not known");
  details->shape = *shape;
  details->narrow = accumulator == 1;
  bool isInteger = accumulator == 2, isHalf = details->a->bytes == 2;
  details->ofBits = details->a == &kBits;
  if (details->ofBits && !(form.take("and") && form.take("popc")))
    return form.refuse("expected `.and.popc`");
  if (!isInteger && details->a->format && details->b->format)
    details->model =
        numerics::findDotModel(form.generation(), numerics::MatrixUnit::Wgmma, details->a->factor,
                               details->narrow ? numerics::AccumulatorType::F16 : numerics::AccumulatorType::F32);
  bool sameTypes = details->a == details->b || (details->a->bytes == 1 && !details->ofBits && details->b != &kBits);
  bool bothIntegers = !details->a->format && !details->b->format && details->a->bytes == 1;
  if (!isKnownShape(*shape, isInteger, details->ofBits ? 1 : 8 * details->a->bytes) || !sameTypes ||
      (isInteger ? !bothIntegers || (details->ofBits && details->saturate) : !details->model || details->saturate))
    return form.refuse("this shape and these types are not known");

  details->aInRegisters = form.operandCount() > 1 && form.operand(1).kind == ptx::Operand::Kind::Vector;
  size_t scales = isInteger ? 0 : 2, transposes = isHalf ? (details->aInRegisters ? 1 : 2) : 0;
  if (!form.expectOperands(4 + scales + transposes))
    return;
  std::vector<ptx::Operand> d = partsOf(form.operand(0)), a = partsOf(form.operand(1));
  size_t expected = shape->n / (details->narrow ? 4 : 2);
  if (d.size() != expected || (details->aInRegisters && a.size() != kRegistersOfA))
    return form.refuse("it names " + std::to_string(d.size()) + " registers for D" +
                       (details->aInRegisters ? " and " + std::to_string(a.size()) + " for A" : "") + "; expected " +
                       std::to_string(expected) + (details->aInRegisters ? " and 4" : ""));
  for (const ptx::Operand &part : d)
    form.result(part, ptx::Type::B32);
  for (const ptx::Operand &part : a)
    form.source(part, details->aInRegisters ? ptx::Type::B32 : ptx::Type::B64);
  form.source(2, ptx::Type::B64);
  form.source(3, ptx::Type::Pred);
  details->accumulateNegated = form.operand(3).negated;
  if (scales) {
    details->negatesA = takeChoice(form, 4, 1, -1, "imm-scale-a");
    details->negatesB = takeChoice(form, 5, 1, -1, "imm-scale-b");
  }
  if (transposes == 2)
    details->aIsMajorInM = takeChoice(form, 6, 0, 1, "imm-trans-a");
  if (transposes)
    details->bIsMajorInN = takeChoice(form, 5 + transposes, 0, 1, "imm-trans-b");
  MatrixWork &work =
      form.multiplies(*shape, typesOf(*details->a, *details->b, kAccumulators[accumulator]), kWarpgroupWarps);
  work.sharedBytes = kDepthBytes * (shape->n + (details->aInRegisters ? 0 : kRows)) / kWarpgroupWarps;
  form.startsAsyncMatrix();
  form.run(runMultiply, std::move(details));
}

static void decodeMatrixFence(Form &form) {
  if (takeAligned(form, "fence") && form.expectOperands(0))
    form.run(runMatrixFence);
}

static void decodeMatrixCommit(Form &form) {
  if (takeAligned(form, "commit_group") && form.expectOperands(0))
    form.run(runMatrixCommit);
}

static void decodeMatrixWait(Form &form) {
  if (!takeAligned(form, "wait_group") || !form.expectOperands(1))
    return;
  if (form.operand(0).kind != ptx::Operand::Kind::Integer)
    return form.refuse("operand 1 is no constant");
  form.run(runMatrixWait, uint32_t(form.operand(0).bits));
}

InstructionRows wgmmaRows() {
  return {
      {"wgmma.commit_group", "Asynchronous Warpgroup-Level Matrix", "", decodeMatrixCommit},
      {"wgmma.fence", "Asynchronous Warpgroup-Level Matrix", "", decodeMatrixFence},
      {"wgmma.mma_async", "Asynchronous Warpgroup-Level Matrix",
       "f16, bf16, tf32, f8, 8-bit integers and bits; A in registers or shared memory; all swizzles, both majors",
       decodeMultiply},
      {"wgmma.wait_group", "Asynchronous Warpgroup-Level Matrix", "", decodeMatrixWait},
  };
}

} // namespace tile::sim
