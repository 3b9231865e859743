/// Links the few libdevice functions that a kernel calls. The bitcode is read lazily: of its 300 functions only the
/// called ones and what they call are parsed.
#include "backend/ptx/Libdevice.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Linker/Linker.h"

using namespace llvm;

namespace tile {

static bool isUndefinedLibdeviceCall(const Function &function) {
  return function.isDeclaration() && function.getName().starts_with("__nv_") && !function.use_empty();
}

/// What libdevice asks about the compilation. LLVM's own reflect pass answers 0 to `__CUDA_PREC_SQRT`, which turns the
/// roots inside hypot and the Bessel functions into approximations.
static int reflectedValue(StringRef question, const Target &target) {
  if (question == "__CUDA_ARCH")
    return target.capability * 10;
  if (question == "__CUDA_PREC_SQRT" || question == "__CUDA_PREC_DIV")
    return 1;
  return 0; // __CUDA_FTZ among them: subnormals are kept
}

static StringRef reflectQuestion(const CallInst &call) {
  auto *text = dyn_cast<GlobalVariable>(call.getArgOperand(0)->stripPointerCasts());
  auto *bytes = text && text->hasInitializer() ? dyn_cast<ConstantDataSequential>(text->getInitializer()) : nullptr;
  return bytes && bytes->isCString() ? bytes->getAsCString() : StringRef();
}

static void resolveReflection(Module &module, const Target &target) {
  Function *reflect = module.getFunction("__nvvm_reflect");
  if (!reflect)
    return;
  for (User *user : make_early_inc_range(reflect->users())) {
    auto *call = dyn_cast<CallInst>(user);
    if (!call)
      continue;
    call->replaceAllUsesWith(ConstantInt::get(call->getType(), reflectedValue(reflectQuestion(*call), target)));
    call->eraseFromParent();
  }
  if (reflect->use_empty())
    reflect->eraseFromParent();
}

/// Instructions that all copies of one function may have together. The assembler's time grows faster than the code, and
/// a sine for each of 128 elements takes it seconds.
static constexpr size_t kMaxCopied = 8192;

/// Keeps functions from being copied into each of very many calls.
static void boundCopies(Module &module) {
  for (Function &function : module) {
    if (function.isDeclaration() || !function.getName().starts_with("__nv_"))
      continue;
    StringMap<size_t> calls;
    for (const User *user : function.users())
      if (auto *call = dyn_cast<CallInst>(user))
        ++calls[call->getFunction()->getName()];
    size_t instructions = function.getInstructionCount();
    if (none_of(calls, [&](const auto &caller) { return caller.getValue() * instructions > kMaxCopied; }))
      continue;
    function.removeFnAttr(Attribute::AlwaysInline);
    function.addFnAttr(Attribute::NoInline);
  }
}

Error linkLibdevice(Module &module, const Target &target) {
  if (none_of(module, isUndefinedLibdeviceCall))
    return Error::success();

  Expected<std::unique_ptr<Module>> library =
      getLazyBitcodeModule(MemoryBufferRef(libdeviceBitcode(), "libdevice"), module.getContext());
  if (!library)
    return library.takeError();
  // libdevice names a target of its own, which the linker would warn about.
  (*library)->setTargetTriple(module.getTargetTriple());
  (*library)->setDataLayout(module.getDataLayout());

  auto internalize = [](Module &linked, const StringSet<> &added) {
    for (const auto &name : added)
      if (GlobalValue *value = linked.getNamedValue(name.getKey()); value && !value->isDeclaration())
        value->setLinkage(GlobalValue::InternalLinkage);
  };
  if (Linker::linkModules(module, std::move(*library), Linker::LinkOnlyNeeded, internalize))
    return createStringError("linking libdevice failed");
  for (const Function &function : module)
    if (isUndefinedLibdeviceCall(function))
      return createStringError("libdevice has no function `" + function.getName() + "`");
  resolveReflection(module, target);
  boundCopies(module);
  return Error::success();
}

} // namespace tile
