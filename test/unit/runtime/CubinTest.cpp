// The manifest section: what the appender keeps, what the reader finds, and that damaged files are refused.
//
// fixtures/add_one.cubin is `ptxas -arch=sm_80 add_one.ptx`.

#include "runtime/artifact/Cubin.h"
#include "runtime/artifact/File.h"

#include <gtest/gtest.h>

#include <elf.h>

#include <cstring>
#include <random>

namespace tile {
namespace {

std::string fixture() {
  Result<std::string> file = readFile(TILE_TEST_FIXTURES "/add_one.cubin");
  EXPECT_TRUE(file.ok());
  return file.ok() ? *file : "";
}

std::string errorOf(std::string_view cubin) {
  Result<std::string_view> found = findManifest(cubin);
  return found.ok() ? "" : found.error().message;
}

Elf64_Ehdr header(std::string_view cubin) {
  Elf64_Ehdr file;
  std::memcpy(&file, cubin.data(), sizeof(file));
  return file;
}

TEST(Cubin, ManifestIsFoundAgain) {
  std::string manifest = "{\"schema\": 1}";
  Result<std::string> cubin = appendManifest(fixture(), manifest);
  ASSERT_TRUE(cubin.ok());
  Result<std::string_view> found = findManifest(*cubin);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(*found, manifest);
}

TEST(Cubin, NothingBeforeTheNewPartMoves) {
  std::string before = fixture();
  Result<std::string> after = appendManifest(before, "{}");
  ASSERT_TRUE(after.ok());
  // Of the old bytes only the file header's `e_shoff` and `e_shnum` differ.
  Elf64_Ehdr expected = header(before), actual = header(*after);
  EXPECT_EQ(actual.e_shnum, expected.e_shnum + 1);
  EXPECT_GE(actual.e_shoff, before.size());
  actual.e_shnum = expected.e_shnum;
  actual.e_shoff = expected.e_shoff;
  EXPECT_EQ(std::memcmp(&actual, &expected, sizeof(actual)), 0);
  EXPECT_EQ(after->substr(sizeof(Elf64_Ehdr), before.size() - sizeof(Elf64_Ehdr)), before.substr(sizeof(Elf64_Ehdr)));
}

TEST(Cubin, OldSectionsKeepTheirPlaces) {
  std::string before = fixture();
  Result<std::string> after = appendManifest(before, "{}");
  ASSERT_TRUE(after.ok());
  Elf64_Ehdr old = header(before), now = header(*after);
  for (int i = 0; i < old.e_shnum; ++i) {
    Elf64_Shdr a, b;
    std::memcpy(&a, before.data() + old.e_shoff + i * sizeof(a), sizeof(a));
    std::memcpy(&b, after->data() + now.e_shoff + i * sizeof(b), sizeof(b));
    if (i == old.e_shstrndx)
      continue; // The section names are the one section that is written anew.
    EXPECT_EQ(std::memcmp(&a, &b, sizeof(a)), 0) << "section " << i;
  }
  Elf64_Shdr manifest;
  std::memcpy(&manifest, after->data() + now.e_shoff + old.e_shnum * sizeof(manifest), sizeof(manifest));
  EXPECT_EQ(manifest.sh_type, static_cast<Elf64_Word>(SHT_PROGBITS));
  EXPECT_EQ(manifest.sh_flags, 0u);
  EXPECT_EQ(manifest.sh_addr, 0u);
}

/// `cubin` with section `index` moved past the end of the file.
std::string withFarSection(std::string cubin, int index) {
  Elf64_Shdr section;
  char *place = cubin.data() + header(cubin).e_shoff + index * sizeof(section);
  std::memcpy(&section, place, sizeof(section));
  section.sh_offset = cubin.size() + 1;
  std::memcpy(place, &section, sizeof(section));
  return cubin;
}

TEST(Cubin, SectionsOutsideTheFileAreDamage) {
  Result<std::string> cubin = appendManifest(fixture(), "{}");
  ASSERT_TRUE(cubin.ok());
  std::string bytes = std::to_string(cubin->size());
  Elf64_Ehdr file = header(*cubin);
  EXPECT_EQ(errorOf(withFarSection(*cubin, file.e_shstrndx)),
            "cubin is damaged: its section names lie outside the file of " + bytes + " bytes");
  EXPECT_EQ(errorOf(withFarSection(*cubin, file.e_shnum - 1)),
            "cubin is damaged: its manifest lies outside the file of " + bytes + " bytes");
}

TEST(Cubin, SecondManifestReplacesTheFirst) {
  Result<std::string> once = appendManifest(fixture(), "{\"first\": 1}");
  ASSERT_TRUE(once.ok());
  Result<std::string> twice = appendManifest(*once, "{\"second\": 2}");
  ASSERT_TRUE(twice.ok());
  EXPECT_EQ(*findManifest(*twice), "{\"second\": 2}");
  EXPECT_EQ(header(*twice).e_shnum, header(*once).e_shnum);
}

TEST(Cubin, RefusalsSayWhatTheFileIs) {
  EXPECT_EQ(errorOf(""), "file is not ELF; expected a cubin");
  EXPECT_EQ(errorOf("// PTX text, which is longer than the header of an ELF file is"),
            "file is not ELF; expected a cubin");
  EXPECT_EQ(errorOf(std::string("\x50\xED\x55\xBA", 4)), "file is a fat binary; expected a cubin");
  EXPECT_EQ(
      errorOf(fixture()),
      "cubin has no manifest, the section `.tile.manifest`; expected one that tilec made of `.tile` or `.mlir`, for "
      "LLVM IR and PTX do not say what their kernels expect");
  std::string other = fixture();
  other[18] = EM_X86_64;
  EXPECT_EQ(errorOf(other), "file is ELF for machine 62; expected a cubin (machine 190)");
  std::string narrow = other;
  narrow[EI_CLASS] = ELFCLASS32;
  EXPECT_EQ(errorOf(narrow), "file is ELF of class 1 and byte order 1; expected a cubin (class 2, byte order 1)");
  EXPECT_EQ(errorOf(fixture().substr(0, 1000)),
            "cubin is damaged: its section headers lie outside the file of 1000 bytes");
}

TEST(Cubin, EveryTruncationIsRefused) {
  Result<std::string> cubin = appendManifest(fixture(), "{}");
  ASSERT_TRUE(cubin.ok());
  for (size_t size = 0; size < cubin->size(); ++size) {
    // A copy of just that size, so that the address sanitizer sees a read past it.
    std::string part(cubin->data(), size);
    part.shrink_to_fit();
    EXPECT_NE(errorOf(part), "") << size;
  }
}

TEST(Cubin, FlippedBitsNeverReadOutside) {
  Result<std::string> cubin = appendManifest(fixture(), std::string(200, ' '));
  ASSERT_TRUE(cubin.ok());
  Elf64_Ehdr file = header(*cubin);
  std::mt19937 random(3);
  for (int i = 0; i < 20000; ++i) {
    std::string damaged = *cubin;
    for (unsigned flips = 1 + random() % 4; flips > 0; --flips) {
      // In the file header or in the section headers, where it matters.
      bool inFile = random() % 3 == 0;
      size_t offset =
          inFile ? random() % sizeof(Elf64_Ehdr) : file.e_shoff + random() % (damaged.size() - file.e_shoff);
      damaged[offset] = static_cast<char>(damaged[offset] ^ (1 << random() % 8));
    }
    if (Result<std::string_view> found = findManifest(damaged); found.ok()) {
      std::string copy(*found); // Reads every byte.
      EXPECT_LE(copy.size(), damaged.size());
    }
    (void)appendManifest(damaged, "{}").ok();
  }
}

} // namespace
} // namespace tile
