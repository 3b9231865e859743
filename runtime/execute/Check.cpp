#include "runtime/execute/Check.h"

#include "runtime/execute/CheckArguments.h"
#include "runtime/execute/Interpret.h"
#include "runtime/execute/LaunchArguments.h"

#include "backend/interpreter/Bounds.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <cstring>

using namespace mlir;

namespace tile {

namespace {

std::string print(const char *format, double value) {
  char text[64];
  std::snprintf(text, sizeof(text), format, std::isnan(value) ? std::fabs(value) : value); // a NaN has no sign here
  return text;
}

/// One `out` or `inout` tensor: what the kernel left, what the spec says, and how far apart they may be.
class Comparison {
public:
  Comparison(const Parameter &parameter, const NpyArray &found, const NpyArray &expected, const CheckCase &one,
             const std::vector<double> &errors, CheckResult &result)
      : parameter(parameter), found(found), expected(expected), one(one), errors(errors), result(result) {}

  void run() {
    int64_t width = getBytes(found.type), wide = getBytes(expected.type);
    forEachElement(found, [&](int64_t index, int64_t offset) {
      uint64_t bits = 0, wanted = 0;
      std::memcpy(&bits, found.data.data() + offset * width, width);
      std::memcpy(&wanted, expected.data.data() + index * wide, wide);
      // All ones is the poison: the spec says nothing of this element.
      bool isUndefined = isFloat(found.type) && wanted == ~uint64_t(0);
      if (isUndefined)
        return;
      ++result.compared;
      if (!isFloat(found.type))
        return compareExactly(index, bits, wanted);
      double exact = fromBits(DataType::F64, wanted);
      if (one.exact)
        return compareExactly(index, bits, roundToBits(found.type, exact));
      compareFloats(index, offset, fromBits(found.type, bits), exact);
    });
    if (different > 1)
      result.difference +=
          llvm::formatv("; {0} of {1} elements of `{2}` differ", different, countElements(found), parameter.name).str();
  }

private:
  void compareExactly(int64_t index, uint64_t bits, uint64_t wanted) {
    bool bothNaN =
        isFloat(found.type) && std::isnan(fromBits(found.type, bits)) && std::isnan(fromBits(found.type, wanted));
    if (bits != wanted && !bothNaN)
      differ(index, textOf(bits), textOf(wanted), "exactly");
  }

  void compareFloats(int64_t index, int64_t offset, double value, double exact) {
    if ((std::isnan(value) && std::isnan(exact)) || value == exact)
      return;
    double tolerance = toleranceOf(offset, exact);
    double error = std::fabs(value - exact);
    if (std::isfinite(exact) && std::isfinite(value) && error <= tolerance) {
      if (std::isfinite(tolerance))
        result.worst = std::max(result.worst, error / tolerance);
      return;
    }
    // What rounds to infinity in the kernel's type may be infinite.
    if (std::isinf(value) && std::isfinite(exact) && (value > 0) == (exact > 0) &&
        std::isinf(fromBits(found.type, roundToBits(found.type, exact + std::copysign(tolerance, exact)))))
      return;
    differ(index, print("%.9g", value), print("%.9g", exact), print("within %.3g", tolerance));
  }

  double toleranceOf(int64_t offset, double exact) const {
    if (one.rtol || one.atol)
      return one.atol.value_or(0) + one.rtol.value_or(0) * std::fabs(exact);
    // The spec itself rounds in f64; long sums of it lose a few bits.
    double spec = std::fabs(exact) * 0x1p-40;
    return errors.empty() ? spec : errors[offset] + spec;
  }

  std::string textOf(uint64_t bits) const {
    if (isFloat(found.type))
      return print("%.9g", fromBits(found.type, bits)) + " (" + llvm::utohexstr(bits) + ")";
    int shift = 64 - 8 * static_cast<int>(getBytes(found.type));
    return isSignedInteger(found.type) ? std::to_string(static_cast<int64_t>(bits << shift) >> shift)
                                       : std::to_string(bits);
  }

  void differ(int64_t index, const std::string &value, const std::string &wanted, const std::string &how) {
    if (different++ || !result.isRight)
      return;
    result.isRight = false;
    std::string place;
    for (size_t axis = found.extents.size(); axis-- > 0; index /= found.extents[axis])
      place = std::to_string(index % found.extents[axis]) + (place.empty() ? "" : ", ") + place;
    result.difference = "`" + parameter.name + "[" + place + "]` is " + value + "; expected " + wanted + " " + how;
  }

  const Parameter &parameter;
  const NpyArray &found, &expected;
  const CheckCase &one;
  const std::vector<double> &errors;
  CheckResult &result;
  int64_t different = 0;
};

/// One case, step by step.
class CaseRunner {
public:
  CaseRunner(Session &session, FileId file, const ast::Module &module, const ast::KernelItem &item,
             const CheckCase &one, const CheckOptions &options)
      : session(session), file(file), module(module), item(item), one(one), options(options) {}

  std::optional<CheckResult> run();

private:
  IrgenOptions valuesForIrgen() const;
  std::optional<LoadedKernel> load(bool isSpec);
  bool runSpec();
  bool runBounds();
  std::optional<CheckResult> runForFault();

  Session &session;
  FileId file;
  const ast::Module &module;
  const ast::KernelItem &item;
  const CheckCase &one;
  const CheckOptions &options;
  std::optional<LoadedKernel> kernel, spec;
  std::vector<HostArgument> arguments, specArguments;
  std::vector<BoundedElements> bounds; // per parameter; empty where elements are compared otherwise
};

/// The case's values without those of scalar parameters, which are arguments; optional parameters are there unless the
/// case says otherwise.
IrgenOptions CaseRunner::valuesForIrgen() const {
  IrgenOptions result = options.build.source;
  result.kernel = item.name.text;
  result.pointerSizes = one.sizes;
  for (const auto &[name, value] : one.values)
    result.values[name] = value;
  for (const ast::Parameter &parameter : item.parameters) {
    result.values.erase(parameter.name.text);
    if (parameter.isOptional)
      result.values.try_emplace("has(" + parameter.name.text + ")", "true");
  }
  return result;
}

std::optional<LoadedKernel> CaseRunner::load(bool isSpec) {
  BuildOptions build = options.build;
  build.source = valuesForIrgen();
  StepTimes times;
  OwningOpRef<ModuleOp> generated =
      isSpec ? generateSpec(module, session.sources, session.engine, session.context, build.source)
             : loadKernels(session, module, build, times);
  return generated ? takeKernel(session, std::move(generated)) : std::nullopt;
}

bool CaseRunner::runSpec() {
  spec = load(/*isSpec=*/true);
  if (!spec)
    return false;
  specArguments = makeSpecArguments(spec->contract, kernel->contract, arguments);
  RunOptions run;
  run.threads = options.threads;
  return runOn(DeviceKind::Cpu, session, file, *spec, specArguments, run).has_value();
}

bool CaseRunner::runBounds() {
  std::optional<InterpreterLaunch> bound = bindForInterpreter(session, kernel->contract, arguments);
  if (!bound || bound->binding.isEmpty())
    return bound.has_value();
  InterpretOptions interpretOptions;
  interpretOptions.threads = options.threads;
  llvm::Expected<BoundsReport> report = interpretBounds(kernel->function, bound->invocation(), interpretOptions);
  if (!report) {
    reportInterpretError(session, report.takeError());
    return false;
  }
  bounds.resize(arguments.size());
  for (auto [elements, parameter] : llvm::zip_equal(report->buffers, bound->parameters))
    bounds[parameter] = std::move(elements);
  return true;
}

/// The interpreter must report the fault that the case names, and nothing else.
std::optional<CheckResult> CaseRunner::runForFault() {
  RunOptions run;
  run.threads = options.threads;
  std::optional<InterpreterLaunch> launch = bindForInterpreter(session, kernel->contract, arguments);
  std::optional<InterpretReport> report = launch ? interpretKernel(session, *kernel, *launch, run) : std::nullopt;
  if (!report)
    return std::nullopt;
  CheckResult result;
  for (const Finding &finding : report->findings)
    result.isRight |= llvm::StringRef(finding.message).contains(one.fault);
  if (!result.isRight)
    result.difference =
        "the interpreter found " + std::to_string(report->findings.size()) + " faults; expected `" + one.fault + "`";
  return result;
}

std::optional<CheckResult> CaseRunner::run() {
  kernel = load(/*isSpec=*/false);
  if (!kernel)
    return std::nullopt;
  std::optional<std::vector<HostArgument>> made = makeCheckArguments(session, kernel->contract, one, options.seed);
  if (!made)
    return std::nullopt;
  arguments = std::move(*made);
  if (!one.fault.empty())
    return runForFault();
  // A spec has no tiles of extent 0; then only the launch itself is checked.
  bool hasEmpty = llvm::any_of(arguments, [](const HostArgument &argument) {
    return argument.kind == HostArgument::Kind::Tensor && countElements(argument.tensor) == 0;
  });
  bool isDerived = !one.exact && !one.rtol && !one.atol;
  if (!hasEmpty && (!runSpec() || (isDerived && !runBounds())))
    return std::nullopt;
  RunOptions run;
  run.build = options.build;
  run.threads = options.threads;
  run.checked = true;
  std::vector<bool> isWritten;
  for (const Parameter &parameter : kernel->contract.parameters)
    isWritten.push_back(mayWrite(parameter));
  KernelContract contract = kernel->contract;
  if (!runOn(options.device, session, file, *kernel, arguments, run))
    return std::nullopt;
  CheckResult result;
  result.isRight = true;
  size_t next = 0; // among the spec's arguments, which are those that are present
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].kind == HostArgument::Kind::None)
      continue;
    const HostArgument &expected = specArguments[next++];
    if (hasEmpty || !isWritten[i] || arguments[i].kind != HostArgument::Kind::Tensor)
      continue;
    static const std::vector<double> none;
    const std::vector<double> &errors = isDerived && !bounds.empty() ? bounds[i].errors : none;
    Comparison(contract.parameters[i], arguments[i].tensor, expected.tensor, one, errors, result).run();
  }
  return result;
}

} // namespace

std::optional<CheckResult> runCheck(Session &session, FileId file, const ast::Module &module,
                                    const ast::KernelItem &kernel, const CheckCase &one, const CheckOptions &options) {
  return CaseRunner(session, file, module, kernel, one, options).run();
}

} // namespace tile
