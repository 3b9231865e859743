/// PTX to cubin in this process: code, resources, errors, options.
#include "backend/ptx/Assemble.h"

#include "llvm/Support/FileSystem.h"

#include <gtest/gtest.h>

namespace tile {

/// A kernel that passes values to its neighbours through `buf`, with `body` before its last store.
static std::string kernel(llvm::StringRef body, unsigned sharedBytes = 512) {
  return (R"(.version 8.0
.target sm_90a
.address_size 64
.visible .entry shift(.param .u64 a)
.reqntid 128
{
  .reg .f32 %f<4>; .reg .b64 %rd<4>; .reg .b32 %r<4>;
  .shared .align 16 .b8 buf[)" +
          llvm::Twine(sharedBytes) + R"(];
  ld.param.u64 %rd1, [a];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd1, %rd1, %rd2;
  ld.global.f32 %f1, [%rd1];
  mov.u32 %r2, buf;
  st.shared.f32 [%r2], %f1;
  bar.sync 0;
  ld.shared.f32 %f2, [%r2];
  )" + body +
          R"(
  st.global.f32 [%rd1], %f2;
  ret;
}
)")
      .str();
}

/// The faults of an assembly that must fail.
static std::vector<AssemblerFault> faultsOf(llvm::Expected<Assembly> assembly) {
  EXPECT_FALSE(static_cast<bool>(assembly));
  std::vector<AssemblerFault> faults;
  llvm::handleAllErrors(assembly.takeError(), [&](const AssemblyError &error) { faults = error.faults; });
  return faults;
}

static const Target &hopper() { return *findTarget("sm_90a"); }

TEST(AssembleTest, GivesAnElfFileAndItsResources) {
  llvm::Expected<Assembly> assembly = assemble(kernel(""), hopper());
  ASSERT_TRUE(static_cast<bool>(assembly)) << llvm::toString(assembly.takeError());
  EXPECT_EQ(assembly->cubin.substr(0, 4), "\x7f"
                                          "ELF");
  ASSERT_EQ(assembly->kernels.size(), 1u);
  EXPECT_EQ(assembly->kernels[0].name, "shift");
  EXPECT_GT(assembly->kernels[0].registers, 0u);
  EXPECT_EQ(assembly->kernels[0].barriers, 1u);
  EXPECT_EQ(assembly->kernels[0].staticSharedBytes, 512u);
}

TEST(AssembleTest, SyntaxErrorNamesTheLine) {
  std::vector<AssemblerFault> faults = faultsOf(assemble(kernel("foo %f1;"), hopper()));
  ASSERT_FALSE(faults.empty());
  EXPECT_EQ(faults[0].kind, AssemblerFault::Kind::Syntax);
  EXPECT_EQ(faults[0].line, 18u);
  EXPECT_EQ(faults[0].text, "Not a name of any known instruction: 'foo'");
}

TEST(AssembleTest, TooMuchSharedMemoryIsRecognised) {
  std::vector<AssemblerFault> faults = faultsOf(assemble(kernel("", 300000), hopper()));
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].kind, AssemblerFault::Kind::SharedMemory);
  EXPECT_EQ(faults[0].kernel, "shift");
  EXPECT_EQ(faults[0].limitBytes, hopper().sharedPerBlock);
}

TEST(AssembleTest, ErrorTextJoinsLineAndWords) {
  llvm::Expected<Assembly> assembly = assemble(kernel("foo %f1;"), hopper());
  EXPECT_EQ(llvm::toString(assembly.takeError()), "ptx line 18: Not a name of any known instruction: 'foo'");
}

/// A shell script that stands for ptxas; removed with the object.
class FakePtxas {
public:
  explicit FakePtxas(llvm::StringRef script) {
    EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("ptxas", "sh", path));
    std::error_code problem;
    llvm::raw_fd_ostream(path, problem) << "#!/bin/sh\n" << script;
    llvm::sys::fs::setPermissions(path, llvm::sys::fs::perms::owner_all);
  }
  ~FakePtxas() { llvm::sys::fs::remove(path); }

  AssembleOptions options() const {
    AssembleOptions result;
    result.ptxas = path.str().str();
    return result;
  }

private:
  llvm::SmallString<64> path;
};

TEST(AssembleTest, ExternalAssemblerGetsTheOptionsAndGivesTheCode) {
  FakePtxas ptxas(R"(
echo "ptxas info    : Compiling entry function 'shift' for 'sm_90a'"
echo "ptxas info    : Used 21 registers, used 1 barriers"
while [ "$1" != -o ]; do options="$options $1"; shift; done
echo "code of$options" | sed 's/ [^ ]*[.]ptx$//' > "$2"
)");
  AssembleOptions options = ptxas.options();
  options.maxRegisters = 40;
  llvm::Expected<Assembly> assembly = assemble(kernel(""), hopper(), options);
  ASSERT_TRUE(static_cast<bool>(assembly)) << llvm::toString(assembly.takeError());
  EXPECT_EQ(
      assembly->cubin,
      "code of --gpu-name=sm_90a --verbose --fmad=false --generate-line-info --split-compile=0 --maxrregcount=40\n");
  ASSERT_EQ(assembly->kernels.size(), 1u);
  EXPECT_EQ(assembly->kernels[0].registers, 21u);
}

TEST(AssembleTest, ExternalAssemblerThatFailsIsReportedWithItsWords) {
  FakePtxas ptxas("echo 'ptxas fatal   : no license'; exit 255\n");
  llvm::Expected<Assembly> assembly = assemble(kernel(""), hopper(), ptxas.options());
  ASSERT_FALSE(static_cast<bool>(assembly));
  EXPECT_EQ(llvm::toString(assembly.takeError()), "no license");
}

TEST(AssembleTest, VersionOfEitherAssembler) {
  EXPECT_EQ(llvm::cantFail(assemblerVersion()), "nvPTXCompiler 13.5");
  FakePtxas ptxas("echo 'Cuda compilation tools, release 13.0, V13.0.88'\n");
  EXPECT_EQ(llvm::cantFail(assemblerVersion(ptxas.options())), "ptxas 13.0.88");
}

TEST(AssembleTest, MissingExternalAssemblerIsNamed) {
  AssembleOptions options;
  options.ptxas = "/nowhere/ptxas";
  llvm::Expected<Assembly> assembly = assemble(kernel(""), hopper(), options);
  ASSERT_FALSE(static_cast<bool>(assembly));
  std::string text = llvm::toString(assembly.takeError());
  EXPECT_NE(text.find("cannot run `/nowhere/ptxas`, which"), std::string::npos) << text;
}

} // namespace tile
