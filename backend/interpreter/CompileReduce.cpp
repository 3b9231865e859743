/// Reductions. Of the n elements along the axis the last floor(n / 2) are combined with the first, until one is left;
/// each such step runs the combiner once, on all elements at a time if everything in it is elementwise.
#include "backend/interpreter/Compiler.h"

using namespace mlir;
using namespace tile;
using namespace tile::interpreter;

namespace {
/// One operand of a reduction, and where the combiner finds its two elements and leaves their combination.
struct Operand {
  Array source, result;
  Array first, second, combined;
  /// What is left of one slice along the outer dims.
  int64_t rest;
};

struct ReducePlan {
  /// The tile is `outer` slices of `extent` x `inner` elements.
  int64_t outer = 1, extent, inner = 1;
  SmallVector<Operand> operands;
  Body combine;
  /// Elements that one run of `combine` takes.
  int64_t lanes;
};
} // namespace

static void runReduce(const ReducePlan &plan, Frame &frame) {
  int64_t outerLanes = frame.lanes;
  for (int64_t slice = 0; slice < plan.outer; ++slice) {
    for (const Operand &x : plan.operands) {
      int64_t bytes = plan.extent * plan.inner * sizeOf(x.source.element);
      memcpy(frame.at(x.rest), frame.at(x.source.offset + slice * bytes), bytes);
    }
    for (int64_t left = plan.extent; left > 1;) {
      int64_t half = left / 2, pairs = half * plan.inner, second = (left - half) * plan.inner;
      for (int64_t lane = 0; lane < pairs; lane += plan.lanes) {
        frame.lanes = std::min(plan.lanes, pairs - lane);
        for (const Operand &x : plan.operands) {
          int64_t size = sizeOf(x.source.element), bytes = frame.lanes * size;
          memcpy(frame.at(x.first.offset), frame.at(x.rest + lane * size), bytes);
          memcpy(frame.at(x.second.offset), frame.at(x.rest + (second + lane) * size), bytes);
        }
        plan.combine.run(frame);
        for (const Operand &x : plan.operands) {
          int64_t size = sizeOf(x.source.element);
          memcpy(frame.at(x.rest + lane * size), frame.at(x.combined.offset), frame.lanes * size);
        }
      }
      left -= half;
    }
    for (const Operand &x : plan.operands) {
      int64_t bytes = plan.inner * sizeOf(x.source.element);
      memcpy(frame.at(x.result.offset + slice * bytes), frame.at(x.rest), bytes);
    }
  }
  frame.lanes = outerLanes;
}

/// The sum of bounded floats, whose error holds for every order: any of the n - 1 partial sums is at most the sum of
/// the magnitudes, and rounds.
static void runBoundedSum(const ReducePlan &plan, const FloatFormat &format, Frame &frame) {
  const Operand &x = plan.operands.front();
  double roundoff = format.computeRoundoff + format.storeRoundoff;
  for (int64_t slice = 0; slice < plan.outer; ++slice)
    for (int64_t lane = 0; lane < plan.inner; ++lane) {
      const Bounded *source = frame.at<Bounded>(x.source.offset) + slice * plan.extent * plan.inner + lane;
      Bounded sum{0, 0};
      double settled = 0;   // of the terms that are exactly infinite
      double magnitude = 0; // of the others
      for (int64_t i = 0; i < plan.extent; ++i) {
        const Bounded &term = source[i * plan.inner];
        sum.value += term.value;
        sum.error += term.error;
        if (!std::isfinite(term.value) && term.error == 0)
          settled += term.value;
        else
          magnitude += std::abs(term.value) + term.error;
      }
      double rounding = (plan.extent - 1) * (roundoff * magnitude + format.subnormalError);
      bool mayOverflow = !(magnitude + rounding <= format.largest);
      // Beside an infinity, partial sums that overflow to the other one make NaN; that stays what it is.
      if (std::isnan(settled))
        sum.error = 0;
      else
        sum.error = mayOverflow ? HUGE_VAL : std::isinf(settled) ? 0 : sum.error + rounding;
      frame.at<Bounded>(x.result.offset)[slice * plan.inner + lane] = sum;
    }
}

std::optional<LogicalResult> tile::interpreter::compileReduce(Compiler &compiler, Operation *op) {
  auto reduce = dyn_cast<ReduceOp>(op);
  if (!reduce)
    return std::nullopt;
  auto plan = std::make_shared<ReducePlan>();
  ArrayRef<int64_t> shape = shapeOf(reduce.getOperands()[0].getType());
  int64_t axis = reduce.getAxis();
  plan->extent = shape[axis];
  for (int64_t dim = 0; dim < static_cast<int64_t>(shape.size()); ++dim)
    (dim < axis ? plan->outer : plan->inner) *= dim == axis ? 1 : shape[dim];

  if (isa_and_nonnull<arith::AddFOp>(reduce.getSoleCombiner()) && compiler.bounded) {
    plan->operands.push_back(
        {compiler.at(reduce.getOperands()[0]), compiler.define(reduce.getResult(0)), {}, {}, {}, 0});
    compiler.emit([plan, format = compiler.formatFor(reduce.getResult(0).getType())](Frame &frame) {
      runBoundedSum(*plan, *format, frame);
    });
    return success();
  }

  Block &block = reduce.getCombiner().front();
  auto isInside = [&](Value value) { return value.getParentBlock() == &block; };
  bool laneWise = llvm::all_of(block.without_terminator(), [](Operation &inner) { return isElementwise(&inner); }) &&
                  llvm::all_of(block.getTerminator()->getOperands(), isInside);
  plan->lanes = laneWise ? std::max<int64_t>(plan->extent / 2 * plan->inner, 1) : 1;
  size_t count = reduce.getNumOperands();
  for (size_t i = 0; i < count; ++i) {
    Array source = compiler.at(reduce.getOperands()[i]);
    auto lanesOf = [&] {
      return Array{compiler.scratch(plan->lanes * sizeOf(source.element)), source.element, plan->lanes};
    };
    Operand operand{source, compiler.define(reduce.getResult(i)), lanesOf(), lanesOf(), lanesOf(), 0};
    operand.rest = compiler.scratch(plan->extent * plan->inner * sizeOf(source.element));
    compiler.slots.bind(block.getArgument(i), operand.first);
    compiler.slots.bind(block.getArgument(count + i), operand.second);
    plan->operands.push_back(operand);
  }
  int64_t outerCapacity = std::exchange(compiler.laneCapacity, laneWise ? plan->lanes : 0);
  auto yield = [&] {
    for (auto [value, operand] : llvm::zip_equal(block.getTerminator()->getOperands(), plan->operands))
      compiler.emit([=, from = compiler.at(value), to = operand.combined](Frame &frame) {
        memcpy(frame.at(to.offset), frame.at(from.offset), frame.lanes * sizeOf(to.element));
      });
  };
  if (failed(compiler.compileBlock(block, plan->combine, yield)))
    return failure();
  compiler.laneCapacity = outerCapacity;
  compiler.emit([plan](Frame &frame) { runReduce(*plan, frame); });
  return success();
}
