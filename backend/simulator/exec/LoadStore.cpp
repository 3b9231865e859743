/// Loads and stores. (PTX ISA 9.0, 9.7.9)
#include "backend/simulator/exec/Families.h"
#include "backend/simulator/exec/Forms.h"
#include "backend/simulator/exec/Request.h"
#include "backend/simulator/machine/Cta.h"
#include "backend/simulator/machine/CtaChecks.h"
#include "backend/simulator/machine/Grid.h"

namespace tile::sim {

/// Calls `with(Element())` for the type of an access' elements; signed ones extend by sign.
template <class With> static void withElement(const Access &access, const With &with) {
  switch (access.bytes) {
  case 1:
    return access.isSigned ? with(int8_t()) : with(uint8_t());
  case 2:
    return access.isSigned ? with(int16_t()) : with(uint16_t());
  case 4:
    return access.isSigned ? with(int32_t()) : with(uint32_t());
  case 8:
    return with(uint64_t());
  default:
    return with(Wide());
  }
}

/// An element as what a register holds, and back. 128 bits come from and go to such registers alone.
template <class To, class From> static To converted(From from) {
  if constexpr (std::is_same_v<To, From>)
    return from;
  else if constexpr (std::is_same_v<To, Wide> || std::is_same_v<From, Wide>)
    return {};
  else
    return To(from);
}

/// 0 if they are equal.
template <class Element> static uint64_t difference(Element a, Element b) {
  if constexpr (std::is_same_v<Element, Wide>)
    return (a.low ^ b.low) | (a.high ^ b.high);
  else
    return uint64_t(a ^ b);
}

/// The marks of a defined element, as a number of its size.
template <class Element> constexpr Element kDefined = Element(0x0101010101010101);
template <> constexpr Wide kDefined<Wide> = {kDefined<uint64_t>, kDefined<uint64_t>};

template <class Element> static Element elementAt(const uint8_t *bytes) {
  Element element;
  std::memcpy(&element, bytes, sizeof(element));
  return element;
}

/// Those of `lanes` whose elements have a byte without a value.
template <class Element>
static uint32_t undefinedLanes(const uint8_t *marks, const uint64_t (&offsets)[kLanes], uint32_t lanes) {
  auto differs = [&](unsigned lane) {
    return difference(elementAt<Element>(marks + offsets[lane]), kDefined<Element>);
  };
  uint64_t any = 0;
  forLanes(lanes, [&](unsigned lane) { any |= differs(lane); });
  uint32_t undefined = 0;
  if (any)
    forLanes(lanes, [&](unsigned lane) { undefined |= uint32_t(differs(lane) != 0) << lane; });
  return undefined;
}

/// The bits that marks of an element leave undefined, as a register holds them; of 128, all.
template <class Element> static uint64_t undefinedBits(const uint8_t *marks) {
  if constexpr (std::is_same_v<Element, Wide>) {
    return ~0ull;
  } else {
    using Bits = std::make_unsigned_t<Element>;
    return uint64_t(Element(Bits(~(elementAt<Bits>(marks) * 0xffull))));
  }
}

/// Results: one register an element, each of 4 or 8 bytes (`Word`). Lanes that cannot read get an undefined zero.
template <class Word> static Step runLoad(Warp &warp, const Op &op) {
  const Access &access = warp.program.accesses[op.mode];
  uint32_t undefined[8] = {};
  uint64_t bits[8][kLanes]; // of the lanes in `undefined`
  uint32_t visited = visitRequest(warp, op, access, AccessKind::Read, 0, [&](const Part &part) {
    if (warp.cta.checks)
      warp.cta.checks->access(warp, op, access, part, AccessKind::Read, access.bytes * access.count);
    withElement(access, [&](auto zero) {
      using Element = decltype(zero);
      for (unsigned i = 0; i < access.count; ++i) {
        const uint8_t *from = part.region.bytes + i * sizeof(Element);
        Word *row = warp.target<Word>(op.result(i));
        forLanes(part.lanes,
                 [&](unsigned lane) { row[lane] = converted<Word>(elementAt<Element>(from + part.offsets[lane])); });
        if (!part.region.defined)
          continue;
        const uint8_t *marks = part.region.defined + i * sizeof(Element);
        uint32_t unsure = undefinedLanes<Element>(marks, part.offsets, part.lanes);
        undefined[i] |= unsure;
        for (; unsure; unsure &= unsure - 1) {
          unsigned lane = __builtin_ctz(unsure);
          bits[i][lane] = undefinedBits<Element>(marks + part.offsets[lane]);
        }
      }
    });
  });
  const uint32_t missed = warp.active & ~visited;
  for (unsigned i = 0; i < access.count; ++i) {
    for (uint32_t rest = missed; rest; rest &= rest - 1)
      warp.target<Word>(op.result(i))[__builtin_ctz(rest)] = {};
    if (!undefined[i]) {
      warp.writeUndefined(op.result(i), missed);
      continue;
    }
    for (unsigned lane = 0; lane < kLanes; ++lane)
      bits[i][lane] = missed >> lane & 1 ? ~0ull : undefined[i] >> lane & 1 ? bits[i][lane] : 0;
    warp.writeUndefinedBits(op.result(i), bits[i]);
  }
  return Step::Next;
}

namespace {
struct StoredPart {
  const Warp &warp;
  const Op &op;
  const Access &access;
  const Part &part;
};
} // namespace

/// Whether the two lanes store the same.
template <class Word> static bool storeAlike(const StoredPart &stored, unsigned left, unsigned right) {
  for (unsigned i = 0; i < stored.access.count; ++i) {
    const Word *row = stored.warp.row<Word>(stored.op.source(1 + i));
    bool same = true;
    withElement(stored.access, [&](auto zero) {
      using Element = decltype(zero);
      same = !difference(converted<Element>(row[left]), converted<Element>(row[right]));
    });
    if (!same)
      return false;
  }
  return true;
}

/// Lanes whose store will leave what is there, one lane after the other: what the latest lane before it stored to the
/// same place, else what memory holds.
template <class Word> static uint32_t findUnchanged(const void *write) {
  const StoredPart &stored = *static_cast<const StoredPart *>(write);
  const Part &part = stored.part;
  uint32_t same = part.lanes, unsure = 0;
  withElement(stored.access, [&](auto zero) {
    using Element = decltype(zero);
    for (unsigned i = 0; i < stored.access.count; ++i) {
      const uint8_t *at = part.region.bytes + i * sizeof(Element);
      const Word *row = stored.warp.row<Word>(stored.op.source(1 + i));
      unsure |= stored.warp.undefined(stored.op.source(1 + i));
      forLanes(part.lanes, [&](unsigned lane) {
        uint64_t changes = difference(elementAt<Element>(at + part.offsets[lane]), converted<Element>(row[lane]));
        same &= ~(uint32_t(changes != 0) << lane);
      });
      if (part.region.defined)
        same &= ~undefinedLanes<Element>(part.region.defined + i * sizeof(Element), part.offsets, part.lanes);
    }
  });
  forLanes(part.lanes, [&](unsigned lane) {
    uint32_t before = part.lanes & ((1u << lane) - 1);
    while (before) {
      // Places are multiples of their size, so that two of them are one or have nothing in common.
      unsigned latest = 31 - __builtin_clz(before);
      before &= ~(1u << latest);
      if (part.offsets[latest] != part.offsets[lane])
        continue;
      bool alike = !(unsure >> latest & 1) && storeAlike<Word>(stored, latest, lane);
      same = (same & ~(1u << lane)) | uint32_t(alike) << lane;
      break;
    }
  });
  return same & ~unsure;
}

/// Marks what a register with undefined lanes has stored, byte by byte. Returns the lanes that stored undefined bits.
template <class Element>
static uint32_t markStored(const Warp &warp, Slot source, const Part &part, uint64_t displacement) {
  uint32_t undefined = 0;
  for (uint32_t rest = part.lanes; rest; rest &= rest - 1) {
    unsigned lane = __builtin_ctz(rest);
    uint64_t bits = warp.undefinedBits(source, lane); // of 128, all or none
    if (sizeof(Element) < 8)
      bits &= (1ull << 8 * sizeof(Element) % 64) - 1;
    undefined |= uint32_t(bits != 0) << lane;
    for (unsigned byte = 0; part.region.defined && byte < sizeof(Element); ++byte)
      part.region.defined[part.offsets[lane] + displacement + byte] = (bits >> 8 * (byte % 8) & 0xff) == 0;
  }
  return undefined;
}

/// Sources: the address, then one register an element.
template <class Word> static Step runStore(Warp &warp, const Op &op) {
  const Access &access = warp.program.accesses[op.mode];
  visitRequest(warp, op, access, AccessKind::Write, 0, [&](const Part &part) {
    if (warp.cta.checks) {
      StoredPart stored{warp, op, access, part};
      warp.cta.checks->access(warp, op, access, part, AccessKind::Write, access.bytes * access.count,
                              {findUnchanged<Word>, &stored});
    }
    withElement(access, [&](auto zero) {
      using Element = decltype(zero);
      for (unsigned i = 0; i < access.count; ++i) {
        const Word *row = warp.row<Word>(op.source(1 + i));
        uint32_t undefined = warp.undefined(op.source(1 + i)) & part.lanes;
        uint8_t *to = part.region.bytes + i * sizeof(Element);
        forLanes(part.lanes, [&](unsigned lane) {
          Element element = converted<Element>(row[lane]);
          std::memcpy(to + part.offsets[lane], &element, sizeof(element));
        });
        if (undefined)
          undefined = markStored<Element>(warp, op.source(1 + i), part, i * sizeof(Element));
        else if (uint8_t *marks = part.region.defined)
          forLanes(part.lanes, [&](unsigned lane) {
            std::memcpy(marks + part.offsets[lane] + i * sizeof(Element), &kDefined<Element>, sizeof(Element));
          });
        // Within the CTA an undefined value may travel; what leaves it must have one.
        if (undefined && part.region.space == ptx::Space::Global) {
          unsigned lane = __builtin_ctz(undefined);
          warp.cta.report(Fault::Undefined, warp, lane, op,
                          "an undefined value is stored to " +
                              describe(part.region, part.offsets[lane] + i * access.bytes, access.bytes),
                          part.region, part.offsets[lane] + i * access.bytes, access.bytes);
        }
      }
    });
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
