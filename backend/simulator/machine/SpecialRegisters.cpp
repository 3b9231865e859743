#include "backend/simulator/machine/SpecialRegisters.h"

#include "backend/simulator/machine/Grid.h"

namespace tile::sim {

namespace {
/// A thread that asks.
struct Asking {
  const Cta &cta;
  const Warp &warp;
  unsigned lane;
};

struct SpecialRow {
  std::string_view name;
  ptx::Type type;
  uint64_t (*value)(const Asking &);
};
} // namespace

template <unsigned axis> static uint64_t tid(const Asking &a) { return a.cta.threadIndex(a.warp, a.lane)[axis]; }
template <unsigned axis> static uint64_t ntid(const Asking &a) { return a.cta.grid.launch.block[axis]; }
template <unsigned axis> static uint64_t ctaid(const Asking &a) { return a.cta.index[axis]; }
template <unsigned axis> static uint64_t nctaid(const Asking &a) { return a.cta.grid.launch.grid[axis]; }
template <uint64_t number> static uint64_t constant(const Asking &) { return number; }

/// Without what the system reserves, in units of 128 bytes, which `%aggr_smem_size` does not round to. (an H200)
static uint64_t sharedSize(const Asking &a) { return (a.cta.shared.size + 127) / 128 * 128; }

/// A grid without clusters is one of clusters of a single CTA (PTX ISA 9.0, 10.11 to 10.19).
static constexpr SpecialRow kRows[] = {
    {"%aggr_smem_size", ptx::Type::U32, [](const Asking &a) { return kSharedStart + a.cta.shared.size; }},
    {"%cluster_ctaid.x", ptx::Type::U32, constant<0>},
    {"%cluster_ctaid.y", ptx::Type::U32, constant<0>},
    {"%cluster_ctaid.z", ptx::Type::U32, constant<0>},
    {"%cluster_ctarank", ptx::Type::U32, constant<0>},
    {"%cluster_nctaid.x", ptx::Type::U32, constant<1>},
    {"%cluster_nctaid.y", ptx::Type::U32, constant<1>},
    {"%cluster_nctaid.z", ptx::Type::U32, constant<1>},
    {"%cluster_nctarank", ptx::Type::U32, constant<1>},
    {"%clusterid.x", ptx::Type::U32, ctaid<0>},
    {"%clusterid.y", ptx::Type::U32, ctaid<1>},
    {"%clusterid.z", ptx::Type::U32, ctaid<2>},
    {"%ctaid.x", ptx::Type::U32, ctaid<0>},
    {"%ctaid.y", ptx::Type::U32, ctaid<1>},
    {"%ctaid.z", ptx::Type::U32, ctaid<2>},
    {"%dynamic_smem_size", ptx::Type::U32, [](const Asking &a) -> uint64_t { return a.cta.grid.launch.dynamicShared; }},
    {"%gridid", ptx::Type::U64, constant<1>},
    {"%is_explicit_cluster", ptx::Type::Pred, constant<0>},
    {"%laneid", ptx::Type::U32, [](const Asking &a) { return uint64_t(a.lane); }},
    {"%lanemask_eq", ptx::Type::U32, [](const Asking &a) -> uint64_t { return 1ull << a.lane; }},
    {"%lanemask_ge", ptx::Type::U32, [](const Asking &a) { return uint64_t(kAllLanes << a.lane); }},
    {"%lanemask_gt", ptx::Type::U32, [](const Asking &a) { return uint64_t(uint32_t(0xfffffffeull << a.lane)); }},
    {"%lanemask_le", ptx::Type::U32, [](const Asking &a) -> uint64_t { return (2ull << a.lane) - 1; }},
    {"%lanemask_lt", ptx::Type::U32, [](const Asking &a) -> uint64_t { return (1ull << a.lane) - 1; }},
    {"%nclusterid.x", ptx::Type::U32, nctaid<0>},
    {"%nclusterid.y", ptx::Type::U32, nctaid<1>},
    {"%nclusterid.z", ptx::Type::U32, nctaid<2>},
    {"%nctaid.x", ptx::Type::U32, nctaid<0>},
    {"%nctaid.y", ptx::Type::U32, nctaid<1>},
    {"%nctaid.z", ptx::Type::U32, nctaid<2>},
    {"%nsmid", ptx::Type::U32, constant<kResidentCtas>},
    {"%ntid.x", ptx::Type::U32, ntid<0>},
    {"%ntid.y", ptx::Type::U32, ntid<1>},
    {"%ntid.z", ptx::Type::U32, ntid<2>},
    {"%nwarpid", ptx::Type::U32, constant<64>},
    {"%reserved_smem_offset_begin", ptx::Type::U32, constant<0>},
    {"%reserved_smem_offset_cap", ptx::Type::U32, constant<kSharedStart>},
    {"%smid", ptx::Type::U32, [](const Asking &a) { return uint64_t(a.cta.index[0] % kResidentCtas); }},
    {"%tid.x", ptx::Type::U32, tid<0>},
    {"%tid.y", ptx::Type::U32, tid<1>},
    {"%tid.z", ptx::Type::U32, tid<2>},
    {"%total_smem_size", ptx::Type::U32, sharedSize},
    {"%warpid", ptx::Type::U32, [](const Asking &a) { return uint64_t(a.warp.number); }},
};

static const SpecialRow *find(std::string_view name) {
  for (const SpecialRow &row : kRows)
    if (row.name == name)
      return &row;
  return nullptr;
}

std::optional<ptx::Type> typeOfSpecialRegister(std::string_view name) {
  const SpecialRow *row = find(name);
  return row ? std::optional(row->type) : std::nullopt;
}

void fillSpecialRegisters(Cta &cta, Warp &warp) {
  warp.active = kAllLanes;
  for (const SpecialRegister &special : warp.program.specials) {
    const SpecialRow *row = find(special.name);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      uint64_t value = row->value({cta, warp, lane});
      if (row->type == ptx::Type::Pred)
        warp.writePredicate(special.slot, value ? kAllLanes : 0);
      else if (row->type == ptx::Type::U64)
        warp.target<uint64_t>(special.slot)[lane] = value;
      else
        warp.target<uint32_t>(special.slot)[lane] = value;
    }
    warp.writeUndefined(special.slot, 0);
  }
}

} // namespace tile::sim
