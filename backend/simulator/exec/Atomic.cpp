/// Atomic operations on memory. (PTX ISA 9.0, 9.7.13.5 and 9.7.13.6)
///
/// A kernel with atomics on global memory runs on one host thread (`Grid`), so that an operation needs no lock. Lanes
/// of a warp take their turns in an order that the seed draws.
#include "backend/simulator/exec/Families.h"
#include "backend/simulator/exec/Forms.h"
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
/// Keeps subnormals: `.f32` on global memory flushes them (9.7.13.5), on shared memory it does not.
template <class T> static uint64_t addFloat(uint64_t old, uint64_t b, uint64_t) {
  return rawBits(numerics::add(get<T>(old), get<T>(b)));
}
template <class T> static uint64_t addHalves(uint64_t old, uint64_t b, uint64_t) {
  auto half = [&](unsigned shift) {
    return uint64_t(numerics::add(T{uint16_t(old >> shift)}, T{uint16_t(b >> shift)}).bits) << shift;
  };
  return half(0) | half(16);
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

static constexpr AtomicRow kRows[] = {
    {"add", ptx::Type::U32, addInteger<uint32_t>},
    {"add", ptx::Type::S32, addInteger<uint32_t>},
    {"add", ptx::Type::U64, addInteger<uint64_t>},
    {"add", ptx::Type::S64, addInteger<uint64_t>},
    {"add", ptx::Type::F32, addFloat<float>},
    {"add", ptx::Type::F64, addFloat<double>},
    {"add", ptx::Type::F16, addFloat<Half>},
    {"add", ptx::Type::BF16, addFloat<BFloat>},
    {"add", ptx::Type::F16x2, addHalves<Half>},
    {"add", ptx::Type::BF16x2, addHalves<BFloat>},
    {"and", ptx::Type::B32, both},
    {"and", ptx::Type::B64, both},
    {"cas", ptx::Type::B16, compareAndSwap},
    {"cas", ptx::Type::B32, compareAndSwap},
    {"cas", ptx::Type::B64, compareAndSwap},
    {"dec", ptx::Type::U32, decrement},
    {"exch", ptx::Type::B32, exchange},
    {"exch", ptx::Type::B64, exchange},
    {"inc", ptx::Type::U32, increment},
    {"max", ptx::Type::S32, most<int32_t>},
    {"max", ptx::Type::S64, most<int64_t>},
    {"max", ptx::Type::U32, most<uint32_t>},
    {"max", ptx::Type::U64, most<uint64_t>},
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
  Combine combine = nullptr;
};
} // namespace

/// Sources: the address, then b, and c of `cas`. A result, unless it is `red`: the old value.
template <class Word> static Step runAtomic(Warp &warp, const Op &op) {
  const AtomicForm &form = *static_cast<const AtomicForm *>(warp.program.details[op.mode].get());
  unsigned bytes = form.access.bytes;
  Word old[kLanes] = {};
  uint32_t undefined = kAllLanes;
  bool hasThird = op.sources > 2;
  uint32_t unsure = warp.undefined(op.source(1)) | (hasThird ? warp.undefined(op.source(2)) : 0);
  visitRequest(warp, op, form.access, AccessKind::ReadWrite, 0, [&](const Part &part) {
    if (warp.cta.checks)
      warp.cta.checks->access(warp, op, form.access, part, AccessKind::ReadWrite, bytes);
    unsigned turn = unsigned(warp.cta.random.below(kLanes));
    for (unsigned i = 0; i < kLanes; ++i) {
      unsigned lane = (turn + i) % kLanes;
      if (!(part.lanes >> lane & 1))
        continue;
      uint8_t *place = part.region.bytes + part.offsets[lane], *marks = part.region.defined;
      uint64_t before = 0, b = warp.row<Word>(op.source(1))[lane];
      std::memcpy(&before, place, bytes);
      bool known = !marks || std::all_of(marks + part.offsets[lane], marks + part.offsets[lane] + bytes,
                                         [](uint8_t mark) { return mark; });
      uint64_t after = form.combine(before, b, hasThird ? warp.row<Word>(op.source(2))[lane] : 0);
      std::memcpy(place, &after, bytes);
      bool overwrites = form.combine == exchange;
      bool isDefined = !(unsure >> lane & 1) && (known || overwrites);
      if (marks)
        std::memset(marks + part.offsets[lane], isDefined, bytes);
      if (!isDefined && part.region.space == ptx::Space::Global && warp.cta.grid.options.checks)
        warp.cta.report(Fault::Undefined, warp, lane, op,
                        "an undefined value goes into " + describe(part.region, part.offsets[lane], bytes));
      old[lane] = Word(before);
      undefined &= ~(uint32_t(known) << lane);
    }
  });
  if (op.results) {
    warp.write(op.result(0), old);
    warp.writeUndefined(op.result(0), undefined);
  }
  warp.cta.noteChange();
  return Step::Next;
}

/// `.f32` adds of two or more elements at once, and 128 bits, are not known.
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
  for (const AtomicRow &row : kRows)
    if (row.operation == operation && row.type == type)
      details->combine = row.combine;
  size_t sources = operation == "cas" ? 2 : 1;
  if (!details->combine || !form.expectOperands(hasResult + 1 + sources))
    return form.refuse("this operation on this type is not known");
  access.bytes = uint8_t(ptx::sizeOf(type));
  if (hasResult)
    form.result(0, type);
  form.address(hasResult, access.space, access);
  for (size_t i = 0; i < sources; ++i)
    form.source(hasResult + 1 + i, type);
  form.noteCommunication(access);
  form.transfers(Transfer::Kind::Atomic, access);
  details->access = access;
  form.run(access.bytes == 8 ? runAtomic<uint64_t> : runAtomic<uint32_t>, std::move(details));
}

static void decodeAtomic(Form &form) { decodeAtomicOf(form, true); }
static void decodeReduction(Form &form) { decodeAtomicOf(form, false); }

InstructionRows atomicRows() {
  static constexpr std::string_view kForms = "all scalar operations up to 64 bits, f16x2 and bf16x2; orders and scopes";
  return {
      {"atom", "9.7.13.5", kForms, decodeAtomic},
      {"red", "9.7.13.6", kForms, decodeReduction},
  };
}

} // namespace tile::sim
