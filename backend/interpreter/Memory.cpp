#include "backend/interpreter/Memory.h"

#include "backend/interpreter/Transfer.h"

#include "llvm/Support/raw_ostream.h"

using namespace tile;
using namespace tile::interpreter;

namespace {
/// Who wrote an element: the least and the greatest program number, plus one each, and whether any of them wrote
/// plainly rather than atomically. All zero if nobody did.
struct Writers {
  static constexpr int kBits = 31;
  static constexpr uint64_t kMask = (uint64_t(1) << kBits) - 1;
  uint64_t least, greatest;
  bool plain;

  static Writers unpack(uint64_t bits) { return {bits & kMask, (bits >> kBits) & kMask, (bits >> (2 * kBits)) != 0}; }
  uint64_t pack() const { return least | greatest << kBits | static_cast<uint64_t>(plain) << (2 * kBits); }
  bool conflict() const { return least != greatest && plain; }

  Writers with(int64_t program, bool atomic) const {
    uint64_t number = (static_cast<uint64_t>(program) + 1) & kMask;
    return {least ? std::min(least, number) : number, std::max(greatest, number), plain || !atomic};
  }
};
} // namespace

std::vector<bool> Memory::writtenElements(int buffer) const {
  const Region &region = regions[buffer];
  if (!region.written)
    return {};
  const std::atomic<bool> *first = region.written.get();
  return std::vector<bool>(first, first + (region.bytes + region.elementBytes - 1) / region.elementBytes);
}

BoundedElements Memory::boundedElements(int buffer) const {
  BoundedElements elements;
  for (const Bounded &element : regions[buffer].bounds) {
    elements.values.push_back(element.value);
    elements.errors.push_back(element.error);
  }
  return elements;
}

bool Memory::fits(Place place, Element element) const {
  Element held = buffers[place.buffer].element;
  return isFloat(element) ? element == held && place.offset % sizeOf(held) == 0 : !isFloat(held);
}

Memory::Memory(llvm::ArrayRef<Buffer> buffers, const InterpretOptions &options, bool bounded)
    : buffers(buffers), regions(new Region[buffers.size()]), trackConflicts(options.conflicts),
      trackReads(options.uninitialized), bounded(bounded) {
  for (auto [number, buffer] : llvm::enumerate(buffers)) {
    Region &region = regions[number];
    region.data = static_cast<char *>(buffer.base);
    region.address = reinterpret_cast<uint64_t>(buffer.base) & kAddressMask;
    region.bytes = std::max<int64_t>(buffer.bytes, 0);
    region.elementBytes = sizeOf(buffer.element);
    int64_t elements = (region.bytes + region.elementBytes - 1) / region.elementBytes;
    if (trackConflicts && buffer.writable)
      region.writers.reset(new std::atomic<uint64_t>[elements]());
    if (trackReads && !buffer.initialized)
      region.written.reset(new std::atomic<bool>[elements]());
    byAddress.push_back(number);
    if (!bounded || !isFloat(buffer.element))
      continue;
    int64_t whole = region.bytes / region.elementBytes;
    for (int64_t i = 0; i < whole; ++i)
      region.bounds.push_back({floatAt(region.data + i * region.elementBytes, buffer.element), 0});
    region.data = reinterpret_cast<char *>(region.bounds.data());
    region.bytes = whole * region.elementBytes;
    region.scale = sizeOf(Element::Bounded) / region.elementBytes;
  }
  llvm::sort(byAddress,
             [&](int a, int b) { return std::pair(regions[a].address, a) < std::pair(regions[b].address, b); });
}

uint64_t Memory::pointerTo(uint64_t address) const {
  address &= kAddressMask;
  auto after = llvm::upper_bound(byAddress, address, [&](uint64_t a, int b) { return a < regions[b].address; });
  // Of several buffers that start at or before it, the last that reaches it; one that only ends there comes second.
  int atEnd = -1;
  for (auto it = after; it != byAddress.begin();) {
    const Region &region = regions[*--it];
    uint64_t offset = address - region.address;
    if (offset < static_cast<uint64_t>(region.bytes) || (offset == 0 && region.bytes == 0))
      return address | static_cast<uint64_t>(*it + 1) << kAddressBits;
    if (offset == static_cast<uint64_t>(region.bytes) && atEnd < 0)
      atEnd = *it;
  }
  return atEnd < 0 ? address : address | static_cast<uint64_t>(atEnd + 1) << kAddressBits;
}

Place Memory::placeOf(uint64_t pointer) const {
  uint64_t number = pointer >> kAddressBits;
  if (number == 0)
    return {};
  int buffer = static_cast<int>(number) - 1;
  return {buffer, static_cast<int64_t>(addressOf(pointer)) - static_cast<int64_t>(regions[buffer].address)};
}

int64_t Memory::elementAt(Place place) const {
  if (place.buffer < 0)
    return 0;
  int64_t size = regions[place.buffer].elementBytes;
  return place.offset >= 0 ? place.offset / size : -((-place.offset + size - 1) / size);
}

static llvm::StringRef describe(AccessKind kind) {
  return kind == AccessKind::Read ? "read" : kind == AccessKind::Write ? "write" : "atomic";
}

bool Memory::allow(AccessKind kind, Place place, int64_t count, int64_t size, int64_t stride, const Program &program,
                   const Site &site, Findings &findings) {
  Region &region = regions[place.buffer];
  const Buffer &buffer = buffers[place.buffer];
  if (kind != AccessKind::Read && !buffer.writable) {
    findings.add(FindingKind::ReadOnlyWrite, site, program, place.buffer, elementAt(place), [&] {
      return llvm::formatv("{0} of element {1} of `{2}`, which is only read; expected an `out` or `inout` tensor",
                           describe(kind), elementAt(place), buffer.name)
          .str();
    });
    return false;
  }
  if (!region.writers && !region.written)
    return true;
  for (int64_t i = 0; i < count; ++i) {
    int64_t first = (place.offset + i * stride) / region.elementBytes;
    int64_t last = (place.offset + i * stride + size - 1) / region.elementBytes;
    for (int64_t element = first; element <= last; ++element) {
      if (kind != AccessKind::Write && region.written && !region.written[element].load(std::memory_order_relaxed))
        findings.add(FindingKind::UninitializedRead, site, program, place.buffer, element, [&] {
          return llvm::formatv("read of element {0} of `{1}`, which nothing has written; expected a write before it",
                               element, buffer.name)
              .str();
        });
      if (kind == AccessKind::Read)
        continue;
      if (region.written)
        region.written[element].store(true, std::memory_order_relaxed);
      if (!region.writers)
        continue;
      std::atomic<uint64_t> &word = region.writers[element];
      uint64_t before = word.load(std::memory_order_relaxed), after;
      do
        after = Writers::unpack(before).with(program.number, kind == AccessKind::Atomic).pack();
      while (after != before && !word.compare_exchange_weak(before, after, std::memory_order_relaxed));
      if (!Writers::unpack(after).conflict())
        continue;
      const Site *earlier = region.conflict.load();
      while ((!earlier || site.order < earlier->order) && !region.conflict.compare_exchange_weak(earlier, &site))
        ;
    }
  }
  return true;
}

void Memory::reportOutside(AccessKind kind, uint64_t pointer, Element element, const Program &program, const Site &site,
                           Findings &findings) const {
  Place place = placeOf(pointer);
  // Where `advanceElements` leaves a pointer that went too far for its element to be known.
  uint64_t address = addressOf(pointer);
  bool isFar =
      place.buffer >= 0 && address != regions[place.buffer].address && (address == 0 || address == kAddressMask);
  int64_t number = isFar ? 0 : elementAt(place);
  findings.add(FindingKind::OutOfBounds, site, program, place.buffer, number, [&]() -> std::string {
    if (place.buffer < 0)
      return llvm::formatv("{0} at address {1:x}, which is in no buffer; expected one of the arguments", describe(kind),
                           addressOf(pointer));
    int64_t bytes = regions[place.buffer].bytes;
    if (isFar)
      return llvm::formatv("{0} far {1} `{2}`; expected elements at least 0 and below {3}", describe(kind),
                           address ? "behind" : "before", buffers[place.buffer].name,
                           bytes / regions[place.buffer].elementBytes);
    if (bounded && place.offset >= 0 && place.offset <= bytes - sizeOf(element))
      return llvm::formatv("{0} of element {1} of `{2}` as another type; expected the type that it holds",
                           describe(kind), elementAt(place), buffers[place.buffer].name);
    return llvm::formatv("{0} of element {1} of `{2}`; expected at least 0 and below {3}", describe(kind),
                         elementAt(place), buffers[place.buffer].name,
                         regions[place.buffer].bytes / regions[place.buffer].elementBytes);
  });
}

static std::string describe(const std::array<int64_t, 3> &program) {
  return llvm::formatv("({0}, {1}, {2})", program[0], program[1], program[2]);
}

void Memory::reportConflicts(const std::array<int64_t, 3> &grid, Findings &findings) const {
  auto programOf = [&](uint64_t number) -> Program {
    int64_t n = number - 1;
    return {{n % grid[0], n / grid[0] % grid[1], n / grid[0] / grid[1]}, n};
  };
  for (int number = 0, end = buffers.size(); number < end; ++number) {
    const Region &region = regions[number];
    const Site *site = region.conflict.load();
    int64_t elements = site ? (region.bytes + region.elementBytes - 1) / region.elementBytes : 0;
    for (int64_t element = 0; element < elements; ++element) {
      Writers writers = Writers::unpack(region.writers[element].load());
      if (!writers.conflict())
        continue;
      Program first = programOf(writers.least), last = programOf(writers.greatest);
      findings.add(FindingKind::WriteConflict, *site, first, number, element, [&] {
        return llvm::formatv("element {0} of `{1}` is written by programs {2} and {3}; expected one program", element,
                             buffers[number].name, describe(first.position), describe(last.position))
            .str();
      });
    }
  }
}
