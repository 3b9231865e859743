#include "runtime/compile/Identity.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>
#include <elf.h>
#include <link.h>

using namespace llvm;

namespace tile {

/// The content of the GNU build-id note in `notes`, as hexadecimal digits; empty if it is not there.
static std::string findBuildId(StringRef notes) {
  while (notes.size() > sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header;
    std::memcpy(&header, notes.data(), sizeof(header));
    size_t name = sizeof(header), content = name + alignTo(header.n_namesz, 4);
    if (notes.size() < content + header.n_descsz)
      return "";
    if (header.n_type == NT_GNU_BUILD_ID && notes.substr(name, header.n_namesz) == StringRef("GNU\0", 4))
      return toHex(notes.substr(content, header.n_descsz), /*LowerCase=*/true);
    notes = notes.drop_front(std::min<size_t>(notes.size(), content + alignTo(header.n_descsz, 4)));
  }
  return "";
}

/// Of the object that holds this function.
static std::string buildId() {
  std::string found;
  auto visit = [](dl_phdr_info *object, size_t, void *result) {
    auto own = reinterpret_cast<ElfW(Addr)>(&findBuildId);
    bool isOwn = false;
    for (const ElfW(Phdr) &segment : ArrayRef(object->dlpi_phdr, object->dlpi_phnum))
      isOwn |= segment.p_type == PT_LOAD && own - object->dlpi_addr - segment.p_vaddr < segment.p_memsz;
    for (const ElfW(Phdr) &segment : ArrayRef(object->dlpi_phdr, object->dlpi_phnum))
      if (isOwn && segment.p_type == PT_NOTE && static_cast<std::string *>(result)->empty())
        *static_cast<std::string *>(result) = findBuildId(
            StringRef(reinterpret_cast<const char *>(object->dlpi_addr + segment.p_vaddr), segment.p_memsz));
    return int(isOwn);
  };
  dl_iterate_phdr(visit, &found);
  if (!found.empty())
    return found;
  sys::fs::file_status status;
  std::error_code problem = sys::fs::status("/proc/self/exe", status);
  return problem ? "unknown" : utohexstr(status.getLastModificationTime().time_since_epoch().count(), true);
}

std::string compilerIdentity(const AssembleOptions &assembler) {
  static const std::string compiler = "tilec " TILE_VERSION " build " + buildId() + ", LLVM " LLVM_VERSION_STRING;
  Expected<std::string> version = assemblerVersion(assembler);
  return compiler + ", " + (version ? *version : toString(version.takeError()));
}

} // namespace tile
