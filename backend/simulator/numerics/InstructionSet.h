/// \file
/// The name of the instruction set that a file is compiled for, as an inline namespace around everything inline here.
/// Hot loops are compiled twice, for the least x86-64 and for x86-64-v3, in one program; without the namespace the
/// linker would keep one copy of each inline function for both, and an old machine could meet an instruction that it
/// lacks.
#ifndef BACKEND_SIMULATOR_NUMERICS_INSTRUCTIONSET_H
#define BACKEND_SIMULATOR_NUMERICS_INSTRUCTIONSET_H

#if defined(__AVX512F__)
#define TILE_SIM_ISA v4
#elif defined(__AVX2__)
#define TILE_SIM_ISA v3
#else
#define TILE_SIM_ISA baseline
#endif

#endif // BACKEND_SIMULATOR_NUMERICS_INSTRUCTIONSET_H
