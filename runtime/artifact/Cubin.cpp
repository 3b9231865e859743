// ELF64 as far as cubins need it: file header, section headers, section names.
//
// The structures are from <elf.h>; they are copied in and out, so that neither alignment nor the file's size is
// trusted.

#include "runtime/artifact/Cubin.h"

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace tile {
namespace {

constexpr uint32_t kFatBinaryMagic = 0xBA55ED50;

Error invalid(const std::string &message) { return {ErrorCode::InvalidArtifact, message}; }

template <typename T> T load(std::string_view bytes, uint64_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

template <typename T> void append(std::string &bytes, const T &value) {
  bytes.append(reinterpret_cast<const char *>(&value), sizeof(T));
}

bool inside(std::string_view bytes, uint64_t offset, uint64_t size) {
  return offset <= bytes.size() && size <= bytes.size() - offset;
}

struct Sections {
  Elf64_Ehdr file;
  std::vector<Elf64_Shdr> headers;
  std::string_view names;

  /// The name of a section; empty when its offset is out of range.
  std::string_view name(const Elf64_Shdr &header) const {
    if (header.sh_name >= names.size())
      return {};
    std::string_view rest = names.substr(header.sh_name);
    return rest.substr(0, rest.find('\0'));
  }

  /// The manifest's index, or 0, which is no section.
  size_t findManifest() const {
    for (size_t i = 1; i < headers.size(); ++i)
      if (name(headers[i]) == kManifestSection)
        return i;
    return 0;
  }
};

Result<Sections> readSections(std::string_view cubin) {
  if (cubin.size() >= sizeof(uint32_t) && load<uint32_t>(cubin, 0) == kFatBinaryMagic)
    return invalid("file is a fat binary; expected a cubin");
  if (cubin.size() < sizeof(Elf64_Ehdr) || std::memcmp(cubin.data(), ELFMAG, SELFMAG) != 0)
    return invalid("file is not ELF; expected a cubin");
  Sections sections;
  sections.file = load<Elf64_Ehdr>(cubin, 0);
  const Elf64_Ehdr &file = sections.file;
  if (file.e_ident[EI_CLASS] != ELFCLASS64 || file.e_ident[EI_DATA] != ELFDATA2LSB)
    return invalid("file is ELF of class " + std::to_string(file.e_ident[EI_CLASS]) + " and byte order " +
                   std::to_string(file.e_ident[EI_DATA]) + "; expected a cubin (class " + std::to_string(ELFCLASS64) +
                   ", byte order " + std::to_string(ELFDATA2LSB) + ")");
  if (file.e_machine != EM_CUDA)
    return invalid("file is ELF for machine " + std::to_string(file.e_machine) + "; expected a cubin (machine " +
                   std::to_string(EM_CUDA) + ")");
  if (file.e_shentsize != sizeof(Elf64_Shdr) || file.e_shnum == 0 ||
      !inside(cubin, file.e_shoff, uint64_t(file.e_shnum) * sizeof(Elf64_Shdr)) || file.e_shstrndx >= file.e_shnum)
    return invalid("cubin is damaged: its section headers lie outside the file of " + std::to_string(cubin.size()) +
                   " bytes");
  for (uint16_t i = 0; i < file.e_shnum; ++i)
    sections.headers.push_back(load<Elf64_Shdr>(cubin, file.e_shoff + i * sizeof(Elf64_Shdr)));
  const Elf64_Shdr &names = sections.headers[file.e_shstrndx];
  if (!inside(cubin, names.sh_offset, names.sh_size))
    return invalid("cubin is damaged: its section names lie outside the file of " + std::to_string(cubin.size()) +
                   " bytes");
  sections.names = cubin.substr(names.sh_offset, names.sh_size);
  return sections;
}

} // namespace

Result<std::string> appendManifest(std::string_view cubin, std::string_view manifest) {
  Result<Sections> sections = readSections(cubin);
  if (!sections)
    return sections.error();
  std::string out(cubin);
  out.resize((out.size() + 7) & ~size_t(7));

  size_t index = sections->findManifest();
  if (index == 0) {
    if (sections->headers.size() + 1 >= SHN_LORESERVE)
      return invalid("cubin has " + std::to_string(sections->headers.size()) + " sections; expected fewer than " +
                     std::to_string(SHN_LORESERVE - 1));
    Elf64_Shdr header{};
    header.sh_type = SHT_PROGBITS;
    header.sh_addralign = 1;
    header.sh_name = static_cast<uint32_t>(sections->names.size());
    index = sections->headers.size();
    sections->headers.push_back(header);

    Elf64_Shdr &names = sections->headers[sections->file.e_shstrndx];
    names.sh_offset = out.size();
    names.sh_size += kManifestSection.size() + 1;
    out += sections->names;
    out += kManifestSection;
    out += '\0';
  }
  sections->headers[index].sh_offset = out.size();
  sections->headers[index].sh_size = manifest.size();
  out += manifest;

  out.resize((out.size() + 7) & ~size_t(7));
  sections->file.e_shoff = out.size();
  sections->file.e_shnum = static_cast<uint16_t>(sections->headers.size());
  for (const Elf64_Shdr &header : sections->headers)
    append(out, header);
  std::memcpy(out.data(), &sections->file, sizeof(sections->file));
  return out;
}

Result<std::string_view> findManifest(std::string_view cubin) {
  Result<Sections> sections = readSections(cubin);
  if (!sections)
    return sections.error();
  size_t index = sections->findManifest();
  if (index == 0)
    return invalid(
        "cubin has no manifest, the section `.tile.manifest`; expected one that tilec made of `.tile` or `.mlir`, for "
        "LLVM IR and PTX do not say what their kernels expect");
  const Elf64_Shdr &header = sections->headers[index];
  if (header.sh_type != SHT_PROGBITS || !inside(cubin, header.sh_offset, header.sh_size))
    return invalid("cubin is damaged: its manifest lies outside the file of " + std::to_string(cubin.size()) +
                   " bytes");
  return cubin.substr(header.sh_offset, header.sh_size);
}

} // namespace tile
