#include "backend/simulator/counters/InstructionClass.h"

namespace tile::sim {

const char *nameOf(InstructionClass kind) {
  static constexpr const char *kNames[kInstructionClasses] = {
      "floating point", "special function", "integer",       "logic",          "comparison",   "conversion",
      "move",           "control",          "exchange",      "barrier",        "wait",         "fence",
      "global load",    "global store",     "global atomic", "shared load",    "shared store", "shared atomic",
      "local load",     "local store",      "constant load", "generic access", "async copy",   "tensor core",
      "other"};
  return kNames[size_t(kind)];
}

namespace {
/// What an opcode says of its class.
enum class Rule : uint8_t {
  Is,          ///< the class of the row
  ByType,      ///< arithmetic: floating point or integer
  ByPrecision, ///< the special function unit approximates; what is rounded is arithmetic
  Access,      ///< by the space that it accesses
};

struct ClassRow {
  std::string_view opcode;
  InstructionClass kind;
  Rule rule = Rule::Is;
};
} // namespace

using Class = InstructionClass;

static constexpr ClassRow kRows[] = {
    {"abs", Class::Other, Rule::ByType},
    {"activemask", Class::Exchange},
    {"add", Class::Other, Rule::ByType},
    {"addc", Class::Integer},
    {"and", Class::Logic},
    {"applypriority", Class::Other},
    {"atom", Class::Other, Rule::Access},
    {"bar", Class::Barrier},
    {"bar.warp", Class::Exchange},
    {"barrier", Class::Barrier},
    {"bfe", Class::Logic},
    {"bfi", Class::Logic},
    {"bfind", Class::Logic},
    {"bmsk", Class::Logic},
    {"bra", Class::Control},
    {"brev", Class::Logic},
    {"brkpt", Class::Control},
    {"brx", Class::Control},
    {"call", Class::Control},
    {"clz", Class::Logic},
    {"cnot", Class::Logic},
    {"copysign", Class::FloatingPoint},
    {"cos", Class::SpecialFunction},
    {"cp.async", Class::AsyncCopy},
    {"cp.async.wait_all", Class::Wait},
    {"cp.async.wait_group", Class::Wait},
    {"createpolicy", Class::Other},
    {"cvt", Class::Conversion},
    {"cvta", Class::Move},
    {"discard", Class::Other},
    {"div", Class::Other, Rule::ByPrecision},
    {"dp2a", Class::Integer},
    {"dp4a", Class::Integer},
    {"elect", Class::Exchange},
    {"ex2", Class::SpecialFunction},
    {"exit", Class::Control},
    {"fence", Class::Fence},
    {"fma", Class::FloatingPoint},
    {"fns", Class::Logic},
    {"getctarank", Class::Move},
    {"griddepcontrol", Class::Wait},
    {"isspacep", Class::Comparison},
    {"ld", Class::Other, Rule::Access},
    {"ldmatrix", Class::Other, Rule::Access},
    {"ldu", Class::Other, Rule::Access},
    {"lg2", Class::SpecialFunction},
    {"lop3", Class::Logic},
    {"mad", Class::Other, Rule::ByType},
    {"mad24", Class::Integer},
    {"madc", Class::Integer},
    {"mapa", Class::Move},
    {"match", Class::Exchange},
    {"max", Class::Other, Rule::ByType},
    {"mbarrier", Class::Barrier},
    {"mbarrier.test_wait", Class::Wait},
    {"mbarrier.try_wait", Class::Wait},
    {"membar", Class::Fence},
    {"min", Class::Other, Rule::ByType},
    {"mma", Class::TensorCore},
    {"mov", Class::Move},
    {"movmatrix", Class::Exchange},
    {"mul", Class::Other, Rule::ByType},
    {"mul24", Class::Integer},
    {"nanosleep", Class::Other},
    {"neg", Class::Other, Rule::ByType},
    {"not", Class::Logic},
    {"or", Class::Logic},
    {"pmevent", Class::Other},
    {"popc", Class::Logic},
    {"prefetch", Class::Other},
    {"prefetchu", Class::Other},
    {"prmt", Class::Move},
    {"rcp", Class::Other, Rule::ByPrecision},
    {"red", Class::Other, Rule::Access},
    {"redux", Class::Exchange},
    {"rem", Class::Integer},
    {"ret", Class::Control},
    {"rsqrt", Class::Other, Rule::ByPrecision},
    {"sad", Class::Integer},
    {"selp", Class::Move},
    {"set", Class::Comparison},
    {"setmaxnreg", Class::Other},
    {"setp", Class::Comparison},
    {"shf", Class::Logic},
    {"shfl", Class::Exchange},
    {"shl", Class::Logic},
    {"shr", Class::Logic},
    {"sin", Class::SpecialFunction},
    {"slct", Class::Move},
    {"sqrt", Class::Other, Rule::ByPrecision},
    {"st", Class::Other, Rule::Access},
    {"stmatrix", Class::Other, Rule::Access},
    {"sub", Class::Other, Rule::ByType},
    {"subc", Class::Integer},
    {"szext", Class::Logic},
    {"tanh", Class::SpecialFunction},
    {"testp", Class::Comparison},
    {"trap", Class::Control},
    {"vote", Class::Exchange},
    {"wgmma", Class::TensorCore},
    {"wgmma.fence", Class::Fence},
    {"wgmma.wait_group", Class::Wait},
    {"xor", Class::Logic},
};

/// The row of the longest opcode that `text` starts with, word by word; null if there is none.
static const ClassRow *rowOf(std::string_view text) {
  const ClassRow *best = nullptr;
  for (const ClassRow &row : kRows)
    if (text.substr(0, row.opcode.size()) == row.opcode &&
        (text.size() == row.opcode.size() || text[row.opcode.size()] == '.') &&
        (!best || row.opcode.size() > best->opcode.size()))
      best = &row;
  return best;
}

bool hasClass(std::string_view opcode) { return rowOf(opcode) != nullptr; }

static bool isFloat(ptx::Type type) {
  switch (type) {
  case ptx::Type::F16:
  case ptx::Type::F16x2:
  case ptx::Type::BF16:
  case ptx::Type::BF16x2:
  case ptx::Type::F32:
  case ptx::Type::F32x2:
  case ptx::Type::F64:
    return true;
  default:
    return false;
  }
}

/// Whether a modifier of `text` holds.
template <class Holds> static bool anyModifier(std::string_view text, Holds holds) {
  for (size_t dot = text.find('.'); dot != std::string_view::npos;) {
    size_t next = text.find('.', dot + 1);
    if (holds(text.substr(dot + 1, next == std::string_view::npos ? next : next - dot - 1)))
      return true;
    dot = next;
  }
  return false;
}

static Class accessClass(const Transfer &transfer) {
  bool isAtomic = transfer.kind == Transfer::Kind::Atomic;
  bool isStore = transfer.kind == Transfer::Kind::Store || transfer.kind == Transfer::Kind::StoreMatrix;
  switch (transfer.access.space) {
  case ptx::Space::Global:
    return isAtomic ? Class::GlobalAtomic : isStore ? Class::GlobalStore : Class::GlobalLoad;
  case ptx::Space::Shared:
    return isAtomic ? Class::SharedAtomic : isStore ? Class::SharedStore : Class::SharedLoad;
  case ptx::Space::Local:
    return isStore ? Class::LocalStore : Class::LocalLoad;
  case ptx::Space::Constant:
    return Class::ConstantLoad;
  case ptx::Space::Parameter: // the call that a parameter is for is inlined, and ptxas hands it over in a register
    return transfer.access.isCallParameter ? Class::Move : Class::ConstantLoad;
  default:
    return Class::GenericAccess;
  }
}

InstructionClass classOf(const Origin &origin, const Transfer *transfer) {
  const ClassRow *row = rowOf(origin.text);
  if (!row)
    return Class::Other;
  auto floats = [](std::string_view modifier) {
    std::optional<ptx::Type> type = ptx::typeNamed(modifier);
    return type && isFloat(*type);
  };
  auto approximates = [](std::string_view modifier) { return modifier == "approx" || modifier == "full"; };
  switch (row->rule) {
  case Rule::Is:
    return row->kind;
  case Rule::ByPrecision:
    if (anyModifier(origin.text, approximates))
      return Class::SpecialFunction;
    [[fallthrough]];
  case Rule::ByType:
    return anyModifier(origin.text, floats) ? Class::FloatingPoint : Class::Integer;
  case Rule::Access:
    return transfer ? accessClass(*transfer) : Class::Other;
  }
  return Class::Other;
}

} // namespace tile::sim
