/// \file
/// The state spaces. A space is a set of regions: every global buffer is one, so is the shared memory of a CTA, the
/// local memory of a warp's threads, the constant bank and the kernel's parameters. Each region lives in a window of
/// the generic address space that no other region shares, and far from its neighbours, so that an access that leaves
/// its buffer never lands in another one. Addresses that a kernel sees: global and constant ones are generic addresses;
/// shared, local and parameter ones are offsets from the start of their window. (PTX ISA 9.0, 5.1 and 6.4.1.1)
#ifndef BACKEND_SIMULATOR_MACHINE_MEMORY_H
#define BACKEND_SIMULATOR_MACHINE_MEMORY_H

#include "backend/simulator/ptx/Syntax.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tile::sim {

/// Distance of two windows in the generic address space; no region is larger.
constexpr unsigned kWindowBits = 40;
constexpr uint64_t kWindowBytes = 1ull << kWindowBits;
/// Windows 1 … are the buffers of the launch, those from `kVariableWindow` the module's variables, these the other
/// spaces.
constexpr uint64_t kVariableWindow = 0x4000;
constexpr uint64_t kSharedWindow = 0x8000, kLocalWindow = 0x8001, kParameterWindow = 0x8002, kConstantWindow = 0x8003;
/// The first byte of shared memory that a kernel gets: what lies below belongs to the system on sm_90, and a null
/// pointer must not be a valid address.
constexpr uint64_t kSharedStart = 1024;

/// Contiguous bytes that a kernel may name. Each byte has a mark that says whether its value was ever defined.
struct Region {
  std::string name;
  ptx::Space space = ptx::Space::Global;
  uint64_t start = 0; ///< address of the first byte, as the space's own loads see it
  uint64_t size = 0;  ///< bytes
  uint8_t *bytes = nullptr;
  uint8_t *defined = nullptr; ///< 1 or 0 for each byte; null if nobody asks
  bool writable = true;
  uint32_t number = 0; ///< of a global region: a number that no other has

  bool contains(uint64_t address, uint64_t count) const {
    return address >= start && count <= size && address - start <= size - count;
  }
};

/// The window of a generic address.
inline uint64_t windowOf(uint64_t address) { return address >> kWindowBits; }
/// The generic address of the byte at `offset` in `window`.
inline uint64_t genericAddress(uint64_t window, uint64_t offset) { return (window << kWindowBits) + offset; }

/// What the whole grid sees: global buffers, the module's variables, the kernel's parameters.
struct GridMemory {
  std::vector<Region> buffers;   ///< number i lives in window i + 1
  std::vector<Region> variables; ///< number i lives in window kVariableWindow + i
  Region constant;
  Region parameters;
};

} // namespace tile::sim

#endif // BACKEND_SIMULATOR_MACHINE_MEMORY_H
