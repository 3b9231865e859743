/// What a name stands for, and what may have been meant by one that stands for nothing.
#include "frontend/irgen/Builtins.h"
#include "frontend/irgen/Program.h"

#include "ir/Tile/Knobs.h"

#include <limits>

using namespace tile;
using namespace tile::irgen;
using ast::dynCast;

namespace {
/// What other languages call a type, and its name here.
struct ForeignType {
  std::string_view theirs, ours;
};
} // namespace

static constexpr ForeignType kForeignTypes[] = {
#define TILE_FOREIGN_TYPE(THEIRS, OURS) {THEIRS, OURS},
#include "frontend/diagnostic/ForeignTypes.def"
};

namespace {
/// What other languages have a name for, and what is written here.
struct ForeignName {
  std::string_view theirs, help;
};
} // namespace

static constexpr ForeignName kForeignNames[] = {
    {"__syncthreads", "there is no barrier to write: the compiler knows where one is needed"},
    {"arange", "write `iota<i32>[n]`, whose elements are 0 to n - 1"},
    {"associative_scan", kRunningSum},
    {"atomicAdd", "write `atomic_add(x[i], value)`"},
    {"blockDim", "a program works on tiles, whose extents are its own: `iota<i32>[BLOCK]`"},
    {"blockIdx", "write `program_id(0)`"},
    {"constexpr", "compile-time parameters stand in `<…>` behind the name: `kernel k<BLOCK: int = 1024>(…)`"},
    {"debug_barrier", "there is no barrier to write: the compiler knows where one is needed"},
    {"expand_dims", "write `x[:, None]` or `x[None, :]`"},
    {"expf", "write `exp(x)`"},
    {"fabs", "write `abs(x)`"},
    {"fabsf", "write `abs(x)`"},
    {"fmaxf", "write `fmax(a, b)`"},
    {"fminf", "write `fmin(a, b)`"},
    {"full_like", "write `like(x, value)`"},
    {"gridDim", "write `num_programs(0)`"},
    {"jnp", "the functions of the language have no prefix: `sum(x, axis = 1)`"},
    {"len", "the extents of a tensor are the names that its declaration gives them"},
    {"libdevice", "the functions of the language have no prefix: `erf(x)`"},
    {"logf", "write `log(x)`"},
    {"matmul", "write `a @ b`"},
    {"maximum", "write `max(a, b)`"},
    {"mean", "write `sum(x, axis = 1) / (N as f32)`"},
    {"minimum", "write `min(a, b)`"},
    {"np", "the functions of the language have no prefix: `sum(x, axis = 1)`"},
    {"num_ctas", "a kernel takes it from what stands before it: `@heuristic(ctas = 1)`"},
    {"num_stages", "it stands before the loop: `@stages(3) for k in 0 .. K step BK { … }`"},
    {"num_warps", "it is called `warps`; a kernel takes it from what stands before it, `@heuristic(warps = 4)`, or "
                  "from `--warps=4`"},
    {"ones_like", "write `like(x, 1)`"},
    {"pow", "write a power as a product, `x * x`, or as `exp2(y * log2(x))`"},
    {"powf", "write a power as a product, `x * x`, or as `exp2(y * log2(x))`"},
    {"range", "a loop runs over `lo .. hi` or `lo .. hi step s`"},
    {"rsqrtf", "write `rsqrt(x)`"},
    {"softmax", "write `exp(x - max(x))`, and divide by its `sum`"},
    {"sqrtf", "write `sqrt(x)`"},
    {"static_range", "write `static for i in 0 .. n { … }`"},
    {"threadIdx", "there is no thread: a program works on tiles, `iota<i32>[BLOCK]` numbers their elements"},
    {"tl", "the functions of the language have no prefix: `sum(x, axis = 1)`"},
    {"torch", "the functions of the language have no prefix: `sum(x, axis = 1)`"},
    {"trans", "write `x.T`"},
    {"transpose", "write `x.T`"},
    {"warpSize", "there is no thread: a program works on tiles, `iota<i32>[BLOCK]` numbers their elements"},
    {"zeros_like", "write `like(x, 0)`"},
};

void Evaluator::reportUnknown(const std::string &name, SourceRange range, const std::string &what, Use use) {
  DiagnosticBuilder diagnostic = report(Code::E0100, range, "unknown " + what + " " + quote(name));
  auto foreign = llvm::find_if(kForeignTypes, [&](const ForeignType &type) { return type.theirs == name; });
  if (foreign != std::end(kForeignTypes)) {
    diagnostic.replace(range, foreign->ours, "the type is called ");
    return;
  }
  auto known = llvm::find_if(kForeignNames, [&](const ForeignName &other) { return other.theirs == name; });
  if (known != std::end(kForeignNames)) {
    diagnostic.help(std::string(known->help));
    return;
  }
  std::vector<std::string_view> candidates;
  frame->scope->collectNames(candidates);
  if (use == Use::Assignment) {
    if (std::string_view closest = closestName(name, candidates); !closest.empty())
      diagnostic.replace(range, closest, "did you mean ", "?");
    else
      diagnostic.replace(range, "var " + name, "to declare it, write ", " where it is first given a value");
    return;
  }
  const LoadedModule *file = frame->scope->file();
  for (const LoadedModule *module : {file, file ? file->standard : nullptr})
    if (module)
      for (const auto &[name, item] : module->items)
        if (!dynCast<ast::KernelItem>(item)) // which is no value
          candidates.push_back(name);
  collectBuiltins(candidates);
  const LoadedModule *owner = nullptr;
  if (file && !file->standard && program.standardLibrary()->find(name, owner))
    diagnostic.help("the standard library has it: add `import std`");
  else if (std::string_view closest = closestName(name, candidates); !closest.empty())
    diagnostic.replace(range, closest, "did you mean ", "?");
  else if (findKnob(name))
    diagnostic.help("`prune` of `@autotune` knows " + quote(name) + ", where the configurations set it");
}

/// `blockIdx.y`: reported with what it is here, unless something of the program has that name.
bool Evaluator::reportForeignAxis(const ast::Member &member) {
  auto *base = dynCast<ast::Name>(member.base);
  static constexpr std::string_view axes = "xyz";
  size_t axis = member.name.text.size() == 1 ? axes.find(member.name.text) : axes.npos;
  bool isIndex = base && base->text == "blockIdx", isCount = base && base->text == "gridDim";
  if ((!isIndex && !isCount) || axis == axes.npos || frame->scope->find(base->text))
    return false;
  report(Code::E0100, base->range, "unknown name " + quote(base->text))
      .replace(member.range, (isIndex ? "program_id(" : "num_programs(") + std::to_string(axis) + ")", "write ");
  return true;
}

Value Evaluator::lookup(const ast::Name &name, Use use) {
  if (BindingPtr binding = frame->scope->find(name.text)) {
    if (binding->notTaken) {
      report(Code::E0101, name.range, quote(name.text) + " is declared in a branch of a `static if` that is not taken")
          .secondary(*binding->notTaken, "this condition decides");
      return {};
    }
    auto *absent = binding->value.as<AbsentValue>();
    if (absent && !absent->parameter.empty() && use != Use::Presence) {
      report(Code::E0105, name.range, "optional parameter " + quote(name.text) + " may be absent")
          .secondary(binding->range, "declared optional here")
          .help("use it under `static if has(" + name.text + ")`");
      return {};
    }
    return binding->value;
  }
  const LoadedModule *file = frame->scope->file(), *owner = nullptr;
  if (file) {
    if (const ast::Item *item = file->find(name.text, owner)) {
      if (auto *constant = dynCast<ast::ConstItem>(item)) {
        auto [it, isNew] = owner->constants.try_emplace(name.text, std::nullopt);
        if (!isNew && !it->second)
          return fail(Code::E0305, name.range, "the value of const " + quote(name.text) + " needs itself");
        FrameGuard guard(*this, constant, owner->scope);
        if (isNew)
          owner->constants[name.text] = evaluateConstant(*constant->value, "the value of const " + quote(name.text));
        Value value = *owner->constants[name.text];
        std::optional<Type> type = constant->type ? evaluateType(*constant->type) : std::nullopt;
        return type ? coerce({value, constant->value->range}, *type, quote(name.text)) : value;
      }
      if (auto *function = dynCast<ast::FnDecl>(item))
        return std::make_shared<const Function>(Function{name.text, function, nullptr, owner->scope, nullptr, nullptr});
      if (dynCast<ast::KernelItem>(item))
        return fail(Code::E0107, name.range,
                    "kernel " + quote(name.text) + " is no value; kernels are launched, not called");
      return {}; // a struct, which was reported
    }
    if (const LoadedModule *module = file->imports.lookup(name.text))
      return module;
  }
  if (std::optional<Scalar> scalar = scalarNamed(name.text))
    return Value::type(Type::scalar(*scalar));
  static const std::pair<std::string_view, Type::Kind> kinds[] = {
      {"int", Type::Kind::Int}, {"float", Type::Kind::Float}, {"type", Type::Kind::Type}};
  for (auto [spelling, kind] : kinds)
    if (name.text == spelling)
      return Value::type(Type::of(kind));
  if (name.text == "inf")
    return floatLiteral(std::numeric_limits<double>::infinity());
  if (name.text == "nan")
    return floatLiteral(std::numeric_limits<double>::quiet_NaN());
  if (const Builtin *builtin = findBuiltin(name.text))
    return builtin;
  for (std::string_view unsupported : {"u4", "i4", "f4e2m1"})
    if (name.text == unsupported)
      return fail(Code::E0900, name.range, "type " + quote(name.text) + " is not supported by this version");
  reportUnknown(name.text, name.range, "name", use);
  return {};
}
