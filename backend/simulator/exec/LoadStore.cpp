/// Loads and stores. (PTX ISA 9.0, 9.7.9)
#include "backend/simulator/exec/Families.h"
#include "backend/simulator/exec/Forms.h"
#include "backend/simulator/exec/Request.h"
#include "backend/simulator/machine/Cta.h"
#include "backend/simulator/machine/CtaChecks.h"
#include "backend/simulator/machine/Grid.h"

namespace tile::sim {

/// Reads an element of `bytes` bytes at `from`.
static uint64_t readElement(const uint8_t *from, unsigned bytes, bool isSigned) {
  uint64_t value = 0;
  std::memcpy(&value, from, bytes);
  unsigned unused = 64 - 8 * bytes;
  return isSigned && unused ? uint64_t(int64_t(value << unused) >> unused) : value;
}

/// The bits of an element that its marks leave undefined, as the register holds them.
static uint64_t undefinedIn(const uint8_t *marks, unsigned bytes, bool isSigned) {
  uint8_t undefined[8];
  for (unsigned i = 0; i < bytes; ++i)
    undefined[i] = marks[i] ? 0 : 0xff;
  return readElement(undefined, bytes, isSigned);
}

template <class Word> static Word readWord(const uint8_t *from, unsigned bytes, bool isSigned) {
  if constexpr (sizeof(Word) <= 8) {
    return Word(readElement(from, bytes, isSigned));
  } else {
    Word value;
    std::memcpy(&value, from, sizeof(value));
    return value;
  }
}

static bool allDefined(const uint8_t *marks, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i)
    if (!marks[i])
      return false;
  return true;
}

/// Results: one register an element, each of 4 or 8 bytes (`wide`, in bit 0 of the upper half of the mode).
template <class Word> static Step runLoad(Warp &warp, const Op &op) {
  const Access &access = warp.program.accesses[op.mode];
  Word values[8][kLanes] = {};
  uint32_t undefined[8], partly[8] = {};
  uint64_t undefinedBits[8][kLanes]; // of lanes that read at all; only where some element has them
  for (uint32_t &mask : undefined)
    mask = kAllLanes;
  visitRequest(warp, op, access, AccessKind::Read, 0, [&](const Part &part) {
    if (warp.cta.checks)
      warp.cta.checks->access(warp, op, access, part, AccessKind::Read, access.bytes * access.count);
    for (uint32_t rest = part.lanes; rest; rest &= rest - 1) {
      unsigned lane = __builtin_ctz(rest);
      uint64_t offset = part.offsets[lane];
      for (unsigned i = 0; i < access.count; ++i, offset += access.bytes) {
        values[i][lane] = readWord<Word>(part.region.bytes + offset, access.bytes, access.isSigned);
        bool known = !part.region.defined || allDefined(part.region.defined + offset, access.bytes);
        undefined[i] &= ~(uint32_t(known) << lane);
        if (!known && access.bytes <= 8) {
          undefinedBits[i][lane] = undefinedIn(part.region.defined + offset, access.bytes, access.isSigned);
          partly[i] |= 1u << lane;
        }
      }
    }
  });
  for (unsigned i = 0; i < access.count; ++i) {
    warp.write(op.result(i), values[i]);
    if (!partly[i]) {
      warp.writeUndefined(op.result(i), undefined[i]);
      continue;
    }
    for (unsigned lane = 0; lane < kLanes; ++lane)
      if (!(partly[i] >> lane & 1))
        undefinedBits[i][lane] = undefined[i] >> lane & 1 ? ~0ull : 0;
    warp.writeUndefinedBits(op.result(i), undefinedBits[i]);
  }
  return Step::Next;
}

/// Lanes whose write leaves what was there.
template <class Word>
static uint32_t unchangedLanes(const Warp &warp, const Op &op, const Access &access, const Part &part) {
  uint32_t same = part.lanes;
  for (uint32_t rest = part.lanes; rest; rest &= rest - 1) {
    unsigned lane = __builtin_ctz(rest);
    uint64_t offset = part.offsets[lane];
    for (unsigned i = 0; i < access.count; ++i, offset += access.bytes)
      if (std::memcmp(part.region.bytes + offset, &warp.row<Word>(op.source(1 + i))[lane], access.bytes) != 0 ||
          (part.region.defined && !allDefined(part.region.defined + offset, access.bytes)))
        same &= ~(1u << lane);
  }
  return same;
}

/// Sources: the address, then one register an element.
template <class Word> static Step runStore(Warp &warp, const Op &op) {
  const Access &access = warp.program.accesses[op.mode];
  visitRequest(warp, op, access, AccessKind::Write, 0, [&](const Part &part) {
    if (warp.cta.checks)
      warp.cta.checks->access(warp, op, access, part, AccessKind::Write, access.bytes * access.count,
                              unchangedLanes<Word>(warp, op, access, part));
    for (unsigned i = 0; i < access.count; ++i) {
      const Word *row = warp.row<Word>(op.source(1 + i));
      uint32_t undefined = warp.undefined(op.source(1 + i));
      for (uint32_t rest = part.lanes; rest; rest &= rest - 1) {
        unsigned lane = __builtin_ctz(rest);
        uint64_t offset = part.offsets[lane] + i * access.bytes;
        std::memcpy(part.region.bytes + offset, &row[lane], access.bytes);
        if (!(undefined >> lane & 1)) {
          if (part.region.defined)
            std::memset(part.region.defined + offset, 1, access.bytes);
          continue;
        }
        // Of 128 bits all are undefined, or none.
        uint64_t bits = warp.undefinedBits(op.source(1 + i), lane);
        if (access.bytes < 8)
          bits &= (1ull << 8 * access.bytes) - 1;
        if (!bits)
          undefined &= ~(1u << lane);
        for (unsigned byte = 0; part.region.defined && byte < access.bytes; ++byte)
          part.region.defined[offset + byte] = (bits >> 8 * (byte % 8) & 0xff) == 0;
      }
      // Within the CTA an undefined value may travel; what leaves it must have one.
      if (undefined &= part.lanes; undefined && part.region.space == ptx::Space::Global) {
        unsigned lane = __builtin_ctz(undefined);
        warp.cta.report(Fault::Undefined, warp, lane, op,
                        "an undefined value is stored to " +
                            describe(part.region, part.offsets[lane] + i * access.bytes, access.bytes),
                        part.region.start + part.offsets[lane]);
      }
    }
  });
  return Step::Next;
}

static ptx::Space takeSpace(Form &form) {
  static constexpr std::pair<std::string_view, ptx::Space> kSpaces[] = {
      {"const", ptx::Space::Constant},
      {"global", ptx::Space::Global},
      {"local", ptx::Space::Local},
      {"param", ptx::Space::Parameter},
      {"param::entry", ptx::Space::Parameter},
      {"param::func", ptx::Space::Parameter},
      {"shared", ptx::Space::Shared},
      {"shared::cta", ptx::Space::Shared},
      {"shared::cluster", ptx::Space::Shared}, // a cluster of one
  };
  for (auto [name, space] : kSpaces)
    if (form.take(name))
      return space;
  return ptx::Space::Generic;
}

Access takeAccess(Form &form) {
  Access access;
  static constexpr Access::Order kOrders[] = {Access::Order::Weak,           Access::Order::Relaxed,
                                              Access::Order::Acquire,        Access::Order::Release,
                                              Access::Order::AcquireRelease, Access::Order::Volatile};
  form.take("mmio"); // memory of a device, which nothing here is
  int order = form.takeOne({"weak", "relaxed", "acquire", "release", "acq_rel", "volatile"});
  if (order >= 0)
    access.order = kOrders[order];
  static constexpr Access::Scope kScopes[] = {Access::Scope::Cta, Access::Scope::Cluster, Access::Scope::Gpu,
                                              Access::Scope::System};
  int scope = form.takeOne({"cta", "cluster", "gpu", "sys"});
  if (scope >= 0)
    access.scope = kScopes[scope];
  access.space = takeSpace(form);
  // Which cache holds a line has no effect on its value.
  form.ignore({"ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc", "L1::", "L2::"});
  return access;
}

bool expectOperandsAndPolicy(Form &form, size_t count) {
  return form.expectOperands(count + form.instruction.has("L2::cache_hint"));
}

/// What the type of a load or store says, and the registers that it names: one, or a vector of two, four or eight.
static std::vector<ptx::Operand> takeElements(Form &form, Access &access, ptx::Type &type, const ptx::Operand &data) {
  static constexpr unsigned kCounts[] = {2, 4, 8};
  int vector = form.takeOne({"v2", "v4", "v8"});
  access.count = vector < 0 ? 1 : kCounts[vector];
  type = form.takeType();
  access.bytes = ptx::sizeOf(type);
  access.isSigned = type == ptx::Type::S8 || type == ptx::Type::S16 || type == ptx::Type::S32;
  std::vector<ptx::Operand> elements =
      data.kind == ptx::Operand::Kind::Vector ? data.parts : std::vector<ptx::Operand>{data};
  if (elements.size() != access.count)
    form.refuse("it names " + std::to_string(elements.size()) + " registers; expected " + std::to_string(access.count));
  if (access.bytes == 0 || (access.bytes == 16 && access.count > 1))
    form.refuse("elements of ." + std::string(ptx::nameOf(type)) + " are not known");
  return elements;
}

/// Whether the elements' registers hold 8 bytes. All must be alike.
static bool areWide(Form &form, const std::vector<ptx::Operand> &elements, ptx::Type type) {
  bool wide = ptx::sizeOf(type) == 8;
  for (const ptx::Operand &element : elements)
    if (form.width(element) == 8)
      wide = true;
  return wide;
}

static void decodeLoad(Form &form) {
  Access access = takeAccess(form);
  if (!expectOperandsAndPolicy(form, 2))
    return;
  ptx::Type type;
  std::vector<ptx::Operand> elements = takeElements(form, access, type, form.operand(0));
  bool wide = areWide(form, elements, type);
  for (const ptx::Operand &element : elements)
    form.result(element, wide ? ptx::Type::B64 : type, true);
  form.address(1, access.space, access);
  form.noteCommunication(access);
  form.transfers(Transfer::Kind::Load, access);
  form.run(access.bytes == 16 ? runLoad<Wide> : wide ? runLoad<uint64_t> : runLoad<uint32_t>, access);
}

static void decodeStore(Form &form) {
  Access access = takeAccess(form);
  if (!expectOperandsAndPolicy(form, 2))
    return;
  ptx::Type type;
  std::vector<ptx::Operand> elements = takeElements(form, access, type, form.operand(1));
  bool wide = areWide(form, elements, type);
  form.address(0, access.space, access);
  for (const ptx::Operand &element : elements)
    form.source(element, wide ? ptx::Type::B64 : type, true);
  form.noteCommunication(access);
  form.transfers(Transfer::Kind::Store, access);
  form.run(access.bytes == 16 ? runStore<Wide> : wide ? runStore<uint64_t> : runStore<uint32_t>, access);
}

/// What only warms a cache does nothing.
static Step runNothing(Warp &, const Op &) { return Step::Next; }

static Step runPolicy(Warp &warp, const Op &op) {
  uint64_t none[kLanes] = {};
  warp.write(op.result(0), none);
  warp.writeUndefined(op.result(0), 0);
  return Step::Next;
}

static void decodeHint(Form &form) {
  takeSpace(form);
  form.ignore({"L1", "L2", "L1::", "L2::", "tensormap"});
  form.run(runNothing);
}

/// What a policy holds is the caches' affair.
static void decodePolicy(Form &form) {
  form.ignore({"fractional", "range", "cvt", "global", "L2", "L2::"});
  if (!form.take("b64") || !form.operandCount())
    return form.refuse("expected `.b64` and a register");
  form.result(0, ptx::Type::B64);
  form.run(runPolicy);
}

InstructionRows memoryRows() {
  return {
      {"applypriority", "Data Movement and Conversion", "no effect", decodeHint},
      {"createpolicy", "Data Movement and Conversion", "no effect", decodePolicy},
      {"discard", "Data Movement and Conversion", "no effect", decodeHint},
      {"ld", "Data Movement and Conversion",
       "all spaces, vectors up to `.v8`, `.b128`, all orders; cache hints have no effect", decodeLoad},
      {"ldu", "Data Movement and Conversion", "like `ld`", decodeLoad},
      {"prefetch", "Data Movement and Conversion", "no effect", decodeHint},
      {"prefetchu", "Data Movement and Conversion", "no effect", decodeHint},
      {"st", "Data Movement and Conversion",
       "all spaces, vectors up to `.v8`, `.b128`, all orders; cache hints have no effect", decodeStore},
  };
}

} // namespace tile::sim
