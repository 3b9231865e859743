/// Embeds libdevice.10.bc through the assembler: half a megabyte as a C array costs seconds to compile.
#include "backend/ptx/Libdevice.h"

__asm__(".pushsection .rodata,\"a\",@progbits\n"
        ".balign 16\n"
        "tile_libdevice_begin:\n"
        ".incbin \"" TILE_LIBDEVICE "\"\n"
        "tile_libdevice_end:\n"
        ".popsection\n");

extern "C" const char tile_libdevice_begin[] __attribute__((visibility("hidden")));
extern "C" const char tile_libdevice_end[] __attribute__((visibility("hidden")));

llvm::StringRef tile::libdeviceBitcode() {
  return {tile_libdevice_begin, size_t(tile_libdevice_end - tile_libdevice_begin)};
}
