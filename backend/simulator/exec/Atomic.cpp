/// Atomic operations on memory. (PTX ISA 9.0, 9.7.13.5 and 9.7.13.6)
///
/// A kernel with atomics on global memory runs on one host thread (`Grid`), so that an operation needs no lock. Lanes
/// of a warp take their turns in an order that the seed draws.
#include "backend/simulator/exec/Families.h"
#include "backend/simulator/exec/Forms.h"
#include "backend/simulator/exec/MatrixTypes.h"
#include "backend/simulator/exec/Request.h"
#include "backend/simulator/machine/Cta.h"
#include "backend/simulator/machine/CtaChecks.h"
#include "backend/simulator/machine/Grid.h"
#include "backend/simulator/numerics/Arithmetic.h"

#include <algorithm>

namespace tile::sim {

using numerics::BFloat;
using numerics::Half;

namespace {
/// What an operation makes of the old value and its operands; bits in the low end.
using Combine = uint64_t (*)(uint64_t old, uint64_t b, uint64_t c);

struct AtomicRow {
  std::string_view operation;
  ptx::Type type;
  Combine combine;
  Combine inGlobal = nullptr; ///< in global memory, where that differs
  bool inVectors = false;     ///< of several elements, each of them an operation of its own
  bool alone = true;          ///< without a vector
};
} // namespace

template <class T> static T get(uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}
template <class T> static uint64_t rawBits(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  return bits;
}

template <class T> static uint64_t addInteger(uint64_t old, uint64_t b, uint64_t) { return rawBits(T(old + b)); }
template <class T> static uint64_t addFloat(uint64_t old, uint64_t b, uint64_t) {
  return rawBits(numerics::add(get<T>(b), get<T>(old)));
}
/// The caches that hold global memory flush subnormals of f32, as shared memory does not. (9.7.13.5)
static uint64_t addFlushing(uint64_t old, uint64_t b, uint64_t) {
  return rawBits(numerics::add(get<float>(b), get<float>(old), {numerics::Rounding::Nearest, true}));
}
/// Likewise of f64: they hand NaNs on as they are, that of the instruction first, where shared memory makes them quiet
/// and keeps its own.
static uint64_t addKeepingNaN(uint64_t old, uint64_t b, uint64_t) {
  double before = get<double>(old), value = get<double>(b);
  return numerics::isNaN(value) ? b : numerics::isNaN(before) ? old : rawBits(numerics::add(before, value));
}
/// Either half by `combine`.
template <Combine combine> static uint64_t onBoth(uint64_t old, uint64_t b, uint64_t) {
  return combine(old & 0xffff, b & 0xffff, 0) | combine(old >> 16 & 0xffff, b >> 16 & 0xffff, 0) << 16;
}
template <class T> static uint64_t leastFloat(uint64_t old, uint64_t b, uint64_t) {
  return rawBits(numerics::min(get<T>(old), get<T>(b)));
}
template <class T> static uint64_t mostFloat(uint64_t old, uint64_t b, uint64_t) {
  return rawBits(numerics::max(get<T>(old), get<T>(b)));
}
template <class T> static uint64_t least(uint64_t old, uint64_t b, uint64_t) {
  return rawBits(std::min(get<T>(old), get<T>(b)));
}
template <class T> static uint64_t most(uint64_t old, uint64_t b, uint64_t) {
  return rawBits(std::max(get<T>(old), get<T>(b)));
}
static uint64_t both(uint64_t old, uint64_t b, uint64_t) { return old & b; }
static uint64_t any(uint64_t old, uint64_t b, uint64_t) { return old | b; }
static uint64_t odd(uint64_t old, uint64_t b, uint64_t) { return old ^ b; }
static uint64_t exchange(uint64_t, uint64_t b, uint64_t) { return b; }
static uint64_t compareAndSwap(uint64_t old, uint64_t b, uint64_t c) { return old == b ? c : old; }
static uint64_t increment(uint64_t old, uint64_t b, uint64_t) { return old >= b ? 0 : old + 1; }
static uint64_t decrement(uint64_t old, uint64_t b, uint64_t) { return old == 0 || old > b ? b : old - 1; }

constexpr unsigned kMostElements = 8;
constexpr bool kInVectors = true, kOnlyInVectors = false;

static constexpr AtomicRow kRows[] = {
    {"add", ptx::Type::U32, addInteger<uint32_t>},
    {"add", ptx::Type::S32, addInteger<uint32_t>},
    {"add", ptx::Type::U64, addInteger<uint64_t>},
    {"add", ptx::Type::S64, addInteger<uint64_t>},
    {"add", ptx::Type::F32, addFloat<float>, addFlushing, kInVectors},
    {"add", ptx::Type::F64, addFloat<double>, addKeepingNaN},
    {"add", ptx::Type::F16, addFloat<Half>, nullptr, kInVectors},
    {"add", ptx::Type::BF16, addFloat<BFloat>, nullptr, kInVectors},
    {"add", ptx::Type::F16x2, onBoth<addFloat<Half>>, nullptr, kInVectors},
    {"add", ptx::Type::BF16x2, onBoth<addFloat<BFloat>>, nullptr, kInVectors},
    {"and", ptx::Type::B32, both},
    {"and", ptx::Type::B64, both},
    {"cas", ptx::Type::B16, compareAndSwap},
    {"cas", ptx::Type::B32, compareAndSwap},
    {"cas", ptx::Type::B64, compareAndSwap},
    {"cas", ptx::Type::B128, compareAndSwap},
    {"dec", ptx::Type::U32, decrement},
    {"exch", ptx::Type::B32, exchange},
    {"exch", ptx::Type::B64, exchange},
    {"exch", ptx::Type::B128, exchange},
    {"inc", ptx::Type::U32, increment},
    {"max", ptx::Type::F16, mostFloat<Half>, nullptr, kInVectors, kOnlyInVectors},
    {"max", ptx::Type::BF16, mostFloat<BFloat>, nullptr, kInVectors, kOnlyInVectors},
    {"max", ptx::Type::F16x2, onBoth<mostFloat<Half>>, nullptr, kInVectors, kOnlyInVectors},
    {"max", ptx::Type::BF16x2, onBoth<mostFloat<BFloat>>, nullptr, kInVectors, kOnlyInVectors},
    {"max", ptx::Type::S32, most<int32_t>},
    {"max", ptx::Type::S64, most<int64_t>},
    {"max", ptx::Type::U32, most<uint32_t>},
    {"max", ptx::Type::U64, most<uint64_t>},
    {"min", ptx::Type::F16, leastFloat<Half>, nullptr, kInVectors, kOnlyInVectors},
    {"min", ptx::Type::BF16, leastFloat<BFloat>, nullptr, kInVectors, kOnlyInVectors},
    {"min", ptx::Type::F16x2, onBoth<leastFloat<Half>>, nullptr, kInVectors, kOnlyInVectors},
    {"min", ptx::Type::BF16x2, onBoth<leastFloat<BFloat>>, nullptr, kInVectors, kOnlyInVectors},
    {"min", ptx::Type::S32, least<int32_t>},
    {"min", ptx::Type::S64, least<int64_t>},
    {"min", ptx::Type::U32, least<uint32_t>},
    {"min", ptx::Type::U64, least<uint64_t>},
    {"or", ptx::Type::B32, any},
    {"or", ptx::Type::B64, any},
    {"xor", ptx::Type::B32, odd},
    {"xor", ptx::Type::B64, odd},
};

namespace {
/// What a handler keeps: where the memory is, and what happens to it.
struct AtomicForm {
  Access access;
  Combine combine = nullptr, inGlobal = nullptr;
};
} // namespace

/// How a lane's element looks to `Combine`; `exch` and `cas` are all that 128 bits have.
template <class Word> static Word combined(Combine combine, Word old, Word b, Word c) {
  if constexpr (sizeof(Word) <= 8)
    return Word(combine(old, b, c));
  else
    return combine == exchange ? b : old.low == b.low && old.high == b.high ? c : old;
}

/// Sources: the address, then b, and c of `cas`; of a vector, its elements. Results, unless it is `red`: the old
/// values.
template <class Word> static Step runAtomic(Warp &warp, const Op &op) {
  const AtomicForm &form = *static_cast<const AtomicForm *>(warp.program.details[op.mode].get());
  unsigned bytes = form.access.bytes, count = form.access.count;
  Word old[kMostElements][kLanes] = {};
  uint32_t undefined[kMostElements];
  std::fill(std::begin(undefined), std::end(undefined), kAllLanes);
  bool hasThird = op.sources > 1 + count;
  visitRequest(warp, op, form.access, AccessKind::ReadWrite, 0, [&](const Part &part) {
    if (warp.cta.checks)
      warp.cta.checks->access(warp, op, form.access, part, AccessKind::ReadWrite, bytes * count);
    bool isGlobal = part.region.space == ptx::Space::Global;
    Combine combine = isGlobal && form.inGlobal ? form.inGlobal : form.combine;
    unsigned turn = unsigned(warp.cta.random.below(kLanes));
    for (unsigned i = 0; i < kLanes; ++i) {
      unsigned lane = (turn + i) % kLanes;
      if (!(part.lanes >> lane & 1))
        continue;
      for (unsigned element = 0; element < count; ++element) {
        uint64_t offset = part.offsets[lane] + element * bytes;
        uint8_t *place = part.region.bytes + offset, *marks = part.region.defined;
        Slot second = op.source(1 + element), third = op.source(hasThird ? 2 : 1);
        uint32_t unsure = warp.undefined(second) | (hasThird ? warp.undefined(third) : 0);
        Word before{};
        std::memcpy(&before, place, bytes);
        bool known = !marks || std::all_of(marks + offset, marks + offset + bytes, [](uint8_t mark) { return mark; });
        Word after = combined(combine, before, warp.row<Word>(second)[lane], warp.row<Word>(third)[lane]);
        std::memcpy(place, &after, bytes);
        bool overwrites = form.combine == exchange;
        bool isDefined = !(unsure >> lane & 1) && (known || overwrites);
        if (marks)
          std::memset(marks + offset, isDefined, bytes);
        if (!isDefined && isGlobal)
          warp.cta.report(Fault::Undefined, warp, lane, op,
                          "an undefined value goes into " + describe(part.region, offset, bytes));
        old[element][lane] = before;
        undefined[element] &= ~(uint32_t(known) << lane);
      }
    }
  });
  for (unsigned element = 0; element < op.results; ++element) {
    warp.write(op.result(element), old[element]);
    warp.writeUndefined(op.result(element), undefined[element]);
  }
  warp.cta.noteChange();
  return Step::Next;
}

/// A vector of two, four or eight elements: at most 16 bytes of global memory. (9.7.13.5)
static bool takeVector(Form &form, Access &access, const AtomicRow &row) {
  static constexpr unsigned kCounts[] = {2, 4, 8};
  int vector = form.takeOne({"v2", "v4", "v8"});
  if (vector < 0)
    return row.alone;
  access.count = uint8_t(kCounts[vector]);
  access.align = uint8_t(access.bytes * access.count);
  if (access.space != ptx::Space::Global)
    form.refuse("a vector lies in `.global` memory alone");
  return row.inVectors && access.bytes * access.count <= 16;
}

static void decodeAtomicOf(Form &form, bool hasResult) {
  auto details = std::make_shared<AtomicForm>();
  Access access = takeAccess(form);
  if (access.order == Access::Order::Weak)
    access.order = Access::Order::Relaxed; // the default (9.7.13.5)
  form.take("noftz");
  std::string_view operation;
  for (const AtomicRow &row : kRows)
    if (operation.empty() && form.take(row.operation))
      operation = row.operation;
  ptx::Type type = form.takeType();
  access.bytes = uint8_t(ptx::sizeOf(type));
  for (const AtomicRow &row : kRows)
    if (row.operation == operation && row.type == type && takeVector(form, access, row)) {
      details->combine = row.combine;
      details->inGlobal = row.inGlobal;
    }
  bool isSwap = operation == "cas";
  if (!details->combine || !expectOperandsAndPolicy(form, hasResult + 2 + isSwap))
    return form.refuse("this operation on this type is not known");
  std::vector<ptx::Operand> values = partsOf(form.operand(hasResult + 1));
  std::vector<ptx::Operand> targets = hasResult ? partsOf(form.operand(0)) : values;
  if (values.size() != access.count || targets.size() != access.count)
    return form.refuse("it names " + std::to_string(std::min(values.size(), targets.size())) + " registers; expected " +
                       std::to_string(access.count));
  if (hasResult)
    for (const ptx::Operand &target : targets)
      form.result(target, type);
  form.address(hasResult, access.space, access);
  for (const ptx::Operand &value : values)
    form.source(value, type);
  if (isSwap)
    form.source(hasResult + 2, type);
  form.noteCommunication(access);
  form.transfers(Transfer::Kind::Atomic, access);
  details->access = access;
  Handler handler = access.bytes == 16  ? runAtomic<Wide>
                    : access.bytes == 8 ? runAtomic<uint64_t>
                                        : runAtomic<uint32_t>;
  form.run(handler, std::move(details));
}

static void decodeAtomic(Form &form) { decodeAtomicOf(form, true); }
static void decodeReduction(Form &form) { decodeAtomicOf(form, false); }

InstructionRows atomicRows() {
  static constexpr std::string_view kForms =
      "all operations and types, `.b128` and vectors of f32, f16, bf16 and packed; orders and scopes";
  return {
      {"atom", "Parallel Synchronization and Communication", kForms, decodeAtomic},
      {"red", "Parallel Synchronization and Communication", kForms, decodeReduction},
  };
}

} // namespace tile::sim
