/// MLIR's own timing prints a tree to a stream of its choice; a flat list is what a benchmark and a table want, and the
/// steps after MLIR belong in it too.
#include "backend/pipeline/PassTrace.h"

#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/Support/Format.h"

namespace tile {

void StepTimes::add(llvm::StringRef stage, llvm::StringRef step, double milliseconds) {
  for (StepTime &known : all)
    if (known.stage == stage && known.step == step) {
      known.milliseconds += milliseconds;
      return;
    }
  all.push_back({stage.str(), step.str(), milliseconds});
}

void printTimes(const StepTimes &times, llvm::raw_ostream &os) {
  auto row = [&](llvm::StringRef stage, llvm::StringRef step, double milliseconds) {
    os << llvm::left_justify(stage, 8) << llvm::left_justify(step, 40) << llvm::format("%9.2f ms\n", milliseconds);
  };
  double total = 0;
  for (const StepTime &step : times.steps()) {
    row(step.stage, step.step, step.milliseconds);
    total += step.milliseconds;
  }
  row("total", "", total);
}

namespace {
/// Passes nest through adaptors, which have no name and are left to their inner passes.
class PassTimer : public mlir::PassInstrumentation {
public:
  PassTimer(llvm::StringRef stage, StepTimes &times) : stage(stage), times(times) {}

  void runBeforePass(mlir::Pass *pass, mlir::Operation *) override {
    starts.push_back(std::chrono::steady_clock::now());
  }
  void runAfterPass(mlir::Pass *pass, mlir::Operation *) override {
    double milliseconds =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - starts.pop_back_val()).count();
    if (!pass->getArgument().empty())
      times.add(stage, pass->getArgument(), milliseconds);
  }
  void runAfterPassFailed(mlir::Pass *pass, mlir::Operation *op) override { runAfterPass(pass, op); }

private:
  std::string stage;
  StepTimes &times;
  llvm::SmallVector<std::chrono::steady_clock::time_point> starts;
};

class PassFollower : public mlir::PassInstrumentation {
public:
  explicit PassFollower(std::string &current) : current(current) {}
  void runBeforePass(mlir::Pass *pass, mlir::Operation *) override { current = pass->getArgument().str(); }

private:
  std::string &current;
};
} // namespace

void followPasses(mlir::PassManager &passes, std::string &current) {
  passes.addInstrumentation(std::make_unique<PassFollower>(current));
}

void traceTimes(mlir::PassManager &passes, llvm::StringRef stage, StepTimes &times) {
  passes.addInstrumentation(std::make_unique<PassTimer>(stage, times));
}

void printAfter(mlir::PassManager &passes, std::vector<std::string> names, llvm::raw_ostream &os) {
  auto isNamed = [names = std::move(names)](mlir::Pass *pass, mlir::Operation *) {
    return llvm::is_contained(names, pass->getArgument());
  };
  passes.enableIRPrinting({}, isNamed, /*printModuleScope=*/true, /*printAfterOnlyOnChange=*/false,
                          /*printAfterOnlyOnFailure=*/false, os);
}

} // namespace tile
