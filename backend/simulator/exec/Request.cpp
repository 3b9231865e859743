#include "backend/simulator/exec/Request.h"

#include "backend/simulator/machine/Grid.h"

namespace tile::sim {

std::string describe(const Region &region, uint64_t offset, uint64_t count) {
  if (count == 1)
    return "byte " + std::to_string(offset) + " of `" + region.name + "`";
  return "bytes " + std::to_string(offset) + " to " + std::to_string(offset + count - 1) + " of `" + region.name + "`";
}

static std::string hex(uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

static const char *nameOf(ptx::Space space) {
  switch (space) {
  case ptx::Space::Shared:
    return "shared";
  case ptx::Space::Local:
    return "local";
  case ptx::Space::Parameter:
    return "parameter";
  case ptx::Space::Constant:
    return "constant";
  case ptx::Space::Global:
    return "global";
  default:
    return "any";
  }
}

namespace {
/// Where an address leads: a region that all lanes share, or one of the lane's own in `space`.
struct Found {
  Region *region = nullptr;
  ptx::Space own = ptx::Space::Generic;
  uint64_t offset = 0;
};
} // namespace

/// Finds the region of an address in `space`. An address that no region holds gives a nearest one with an offset
/// outside it, or none.
static Found find(Cta &cta, ptx::Space space, uint64_t address, bool isCallParameter) {
  if (space == ptx::Space::Generic) {
    uint64_t offset = address & (kWindowBytes - 1);
    switch (windowOf(address)) {
    case kSharedWindow:
      return {&cta.shared, ptx::Space::Generic, offset - cta.shared.start};
    case kLocalWindow:
      return {nullptr, ptx::Space::Local, offset};
    case kParameterWindow:
      return {&cta.grid.memory.parameters, ptx::Space::Generic, offset};
    default:
      break;
    }
    Region *region = cta.grid.regionAt(address);
    return {region, ptx::Space::Generic, region ? address - region->start : 0};
  }
  switch (space) {
  case ptx::Space::Shared:
    return {&cta.shared, ptx::Space::Generic, address - cta.shared.start};
  case ptx::Space::Local:
    return {nullptr, ptx::Space::Local, address};
  case ptx::Space::Parameter:
    if (isCallParameter)
      return {nullptr, ptx::Space::Parameter, address};
    return {&cta.grid.memory.parameters, ptx::Space::Generic, address};
  default:
    break;
  }
  Region *region = cta.grid.regionAt(address);
  if (region && (region->space == ptx::Space::Constant) != (space == ptx::Space::Constant))
    region = nullptr;
  return {region, ptx::Space::Generic, region ? address - region->start : 0};
}

static void readAddresses(const Warp &warp, const Op &op, const Access &access, Slot slot,
                          uint64_t (&addresses)[kLanes]) {
  const uint64_t displacement = op.immediate;
  if (access.narrowAddress) {
    const uint32_t *row = warp.row<uint32_t>(slot);
    for (unsigned lane = 0; lane < kLanes; ++lane)
      addresses[lane] = uint32_t(row[lane] + displacement);
    return;
  }
  const uint64_t *row = warp.row<uint64_t>(slot);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    addresses[lane] = row[lane] + displacement;
}

static uint64_t alignmentOf(const Access &access) {
  return access.align ? access.align : uint64_t(access.bytes) * access.count;
}

void findPlain(Warp &warp, const Op &op, const Access &access, AccessKind kind, unsigned addressSource,
               PlainRequest &request) {
  Slot slot = op.source(addressSource);
  const uint32_t active = warp.active;
  const uint64_t bytes = uint64_t(access.bytes) * access.count, align = alignmentOf(access);
  if (!active || warp.undefined(slot) & active || align & (align - 1))
    return;
  uint64_t (&places)[kLanes] = request.offsets; // first addresses, then offsets
  readAddresses(warp, op, access, slot, places);
  const unsigned first = __builtin_ctz(active);
  const Found found = find(warp.cta, access.space, places[first], access.isCallParameter);
  if (!found.region || bytes > found.region->size || (kind != AccessKind::Read && !found.region->writable))
    return;
  if (active != kAllLanes)
    for (unsigned lane = 0; lane < kLanes; ++lane)
      places[lane] = active >> lane & 1 ? places[lane] : places[first];
  // The highest bit is set of an offset before the region, and of the distance of one behind it to its end.
  const uint64_t base = places[first] - found.offset, last = found.region->size - bytes;
  uint64_t outside = 0, low = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    low |= places[lane];
    places[lane] -= base;
    outside |= places[lane] | (last - places[lane]);
  }
  if (!(outside >> 63) && !(low & (align - 1)))
    request.region = found.region;
}

uint32_t visitParts(Warp &warp, const Op &op, const Access &access, AccessKind kind, unsigned addressSource,
                    const std::function<void(const Part &)> &visit) {
  Cta &cta = warp.cta;
  Slot slot = op.source(addressSource);
  uint64_t addresses[kLanes];
  readAddresses(warp, op, access, slot, addresses);

  uint64_t bytes = uint64_t(access.bytes) * access.count, align = alignmentOf(access);
  uint32_t left = warp.active, visited = 0;
  if (uint32_t unsure = warp.undefined(slot) & left) {
    cta.report(Fault::Undefined, warp, __builtin_ctz(unsure), op, "the address is undefined");
    left &= ~unsure;
  }
  uint64_t offsets[kLanes] = {};
  while (left) {
    unsigned first = __builtin_ctz(left);
    Found found = find(cta, access.space, addresses[first], access.isCallParameter);
    Region own;
    uint32_t together = 0;
    if (!found.region && found.own != ptx::Space::Generic) {
      own = found.own == ptx::Space::Local ? cta.local(warp, first)
                                           : Region{"the call's parameters", ptx::Space::Parameter, 0,
                                                    warp.program.callBytes, cta.callMemory(warp, first)};
      found.region = &own;
      offsets[first] = found.offset;
      together = 1u << first;
    } else if (found.region) {
      // Every lane that the same region holds, whatever its offset.
      uint64_t base = addresses[first] - found.offset;
      for (unsigned lane = first; lane < kLanes; ++lane) {
        bool same = left >> lane & 1 && addresses[lane] - base < found.region->size;
        together |= uint32_t(same) << lane;
        offsets[lane] = addresses[lane] - base;
      }
      together |= 1u << first;
    } else {
      cta.report(Fault::OutOfBounds, warp, first, op,
                 "address " + hex(addresses[first]) + " lies in no " + nameOf(access.space) + " memory of this kernel",
                 addresses[first]);
      left &= left - 1;
      continue;
    }
    left &= ~together;
    const Region &region = *found.region;
    for (uint32_t rest = together; rest; rest &= rest - 1) {
      unsigned lane = __builtin_ctz(rest);
      uint64_t offset = offsets[lane];
      if (offset > region.size || bytes > region.size - offset) {
        cta.report(Fault::OutOfBounds, warp, lane, op,
                   int64_t(offset) < 0 ? std::to_string(-int64_t(offset)) + " bytes before `" + region.name + "`"
                                       : describe(region, offset, bytes) + "; it has " + std::to_string(region.size),
                   region, offset, bytes);
        together &= ~(1u << lane);
      } else if (addresses[lane] % align) {
        cta.report(Fault::Misaligned, warp, lane, op,
                   "address " + hex(addresses[lane]) + " in `" + region.name + "` is no multiple of " +
                       std::to_string(align) + " bytes",
                   region, offset, bytes);
        together &= ~(1u << lane);
      }
    }
    if (kind != AccessKind::Read && !region.writable && together) {
      unsigned lane = __builtin_ctz(together);
      cta.report(Fault::ReadOnly, warp, lane, op,
                 "a write to " + describe(region, offsets[lane], bytes) + ", which is no output", region, offsets[lane],
                 bytes);
      together = 0;
    }
    if (!together)
      continue;
    visit({*found.region, together, offsets});
    visited |= together;
  }
  return visited;
}

} // namespace tile::sim
