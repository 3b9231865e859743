#include "runtime/compile/ManifestText.h"

#include "ir/Tile/TileOps.h"
#include "ir/TileGPU/TileGPUOps.h"
#include "ir/TileGPU/Variants.h"
#include "runtime/artifact/Manifest.h"
#include "runtime/compile/ContractJson.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace tile {

/// Which form of its kernel `function` is. Before the forms are made it is the one that serves every launch.
static const tgpu::Variant &variantOf(FunctionOpInterface function) {
  auto name = function->getAttrOfType<StringAttr>(tgpu::TileGPUDialect::kVariant);
  const tgpu::Variant *known = name ? tgpu::findVariant(name) : nullptr;
  return known ? *known : tgpu::allVariants().back();
}

/// The symbol of the kernel that `function` is a form of.
static std::string kernelOf(FunctionOpInterface function) {
  llvm::StringRef symbol = function.getName();
  symbol.consume_back(variantOf(function).symbol(""));
  return symbol.str();
}

std::vector<KernelEntry> contractsOf(ModuleOp module) {
  std::vector<KernelEntry> entries;
  llvm::StringSet<> known;
  for (auto function : module.getOps<FunctionOpInterface>()) {
    auto contract = function->getAttrOfType<DictionaryAttr>(TileDialect::kContract);
    std::string kernel = contract ? kernelOf(function) : "";
    if (!contract || !known.insert(kernel).second)
      continue;
    llvm::json::Value entry = toJson(contract);
    entries.push_back({std::move(kernel), std::move(*entry.getAsObject())});
  }
  return entries;
}

static int64_t attribute(LLVM::LLVMFuncOp function, llvm::StringRef name) {
  auto value = function->getAttrOfType<IntegerAttr>(name);
  return value ? value.getInt() : 0;
}

/// The variant that `function` is.
static llvm::json::Object describe(LLVM::LLVMFuncOp function, const tgpu::Variant &variant,
                                   llvm::ArrayRef<KernelReport> kernels) {
  llvm::json::Object entry{{"name", variant.name},
                           {"symbol", function.getSymName()},
                           {"warps", attribute(function, tgpu::TileGPUDialect::kWarps)},
                           {"shared_bytes", attribute(function, tgpu::TileGPUDialect::kSharedBytes)}};
  llvm::json::Array conditions;
  for (llvm::StringRef condition : variant.conditions)
    conditions.push_back(condition);
  entry["requires"] = std::move(conditions);
  if (function->hasAttr(tgpu::TileGPUDialect::kLinearGrid))
    entry["grid"] = "linear";
  const auto *used = llvm::find_if(kernels, [&](const auto &k) { return k.resources.name == function.getSymName(); });
  if (used == kernels.end())
    return entry;
  entry["registers"] = used->resources.registers;
  entry["spill_bytes"] = used->resources.spillStoreBytes;
  return entry;
}

/// The compiled forms of the kernel called `symbol`, those that require something first.
static llvm::json::Array variantsOf(llvm::StringRef symbol, ModuleOp compiled, llvm::ArrayRef<KernelReport> kernels) {
  llvm::json::Array special, generic;
  for (auto function : compiled.getOps<LLVM::LLVMFuncOp>()) {
    if (!function->hasAttr(TileDialect::kContract) || kernelOf(function) != symbol)
      continue;
    const tgpu::Variant &variant = variantOf(function);
    (variant.promisesNothing() ? generic : special).push_back(describe(function, variant, kernels));
  }
  for (llvm::json::Value &last : generic)
    special.push_back(std::move(last));
  return special;
}

/// Adds to the constants of `contract` what the compiler chose for its code.
static void addChoices(llvm::json::Object &contract, llvm::StringRef symbol, ModuleOp compiled) {
  auto function = compiled.lookupSymbol<LLVM::LLVMFuncOp>(symbol);
  if (!function || !function->hasAttr(tgpu::TileGPUDialect::kWarpsChosen))
    return;
  llvm::json::Array constants;
  if (llvm::json::Array *known = contract.getArray("constants"))
    constants = std::move(*known);
  constants.push_back(llvm::json::Object{{"name", "warps"},
                                         {"type", "int"},
                                         {"value", attribute(function, tgpu::TileGPUDialect::kWarps)},
                                         {"source", "compiler"}});
  contract["constants"] = std::move(constants);
}

llvm::Expected<std::string> manifestText(SourceText source, llvm::ArrayRef<std::string> flags,
                                         const CompileOptions &options, std::vector<KernelEntry> entries,
                                         ModuleOp compiled, llvm::ArrayRef<KernelReport> kernels) {
  llvm::Expected<std::string> assembler = assemblerVersion(options.assembler);
  if (!assembler)
    return assembler.takeError();
  llvm::json::Array list;
  for (KernelEntry &entry : entries) {
    addChoices(entry.contract, entry.symbol, compiled);
    entry.contract["variants"] = variantsOf(entry.symbol, compiled, kernels);
    list.push_back(std::move(entry.contract));
  }
  llvm::json::Object manifest{
      {"schema", int64_t(kManifestSchema)},
      {"compiler",
       llvm::json::Object{{"tile", TILE_VERSION}, {"llvm", LLVM_VERSION_STRING}, {"assembler", *assembler}}},
      {"target", llvm::StringRef(options.assembledFor().name)},
      {"flags", llvm::json::Array(flags)},
      {"source", llvm::json::Object{{"file", llvm::json::fixUTF8(source.name)},
                                    {"hash", llvm::utohexstr(llvm::xxh3_64bits(source.text), /*LowerCase=*/true, 16)}}},
      {"kernels", std::move(list)}};
  return llvm::formatv("{0}", llvm::json::Value(std::move(manifest))).str();
}

} // namespace tile
