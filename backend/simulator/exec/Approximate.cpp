/// `.approx` and `.full`. (PTX ISA 9.0, 9.7.3.8 to 9.7.3.22, 9.7.4.9, 9.7.4.10)
#include "backend/simulator/numerics/Approximate.h"
#include "backend/simulator/exec/Families.h"
#include "backend/simulator/exec/Forms.h"
#include "backend/simulator/exec/Lanewise.h"
#include "backend/simulator/numerics/Integer.h"

namespace tile::sim {

using numerics::BFloat;
using numerics::Half;

namespace {
/// A function of one value; the handler's mode is `.ftz`.
struct ApproximateRow {
  std::string_view opcode;
  ptx::Type type;
  Handler handler;
};
} // namespace

template <class T, T (*function)(T, bool)> static T flushing(uint32_t ftz, T a) { return function(a, ftz); }
template <class T, T (*function)(T)> static T plain(T a) { return function(a); }
template <class T, T (*function)(T, bool)> static uint32_t flushingHalves(uint32_t ftz, uint32_t a) {
  return numerics::onHalves<uint16_t>(a, 0, [&](uint16_t x, uint16_t) { return function(T{x}, ftz).bits; });
}
template <class T, T (*function)(T)> static uint32_t plainHalves(uint32_t a) {
  return numerics::onHalves<uint16_t>(a, 0, [&](uint16_t x, uint16_t) { return function(T{x}).bits; });
}
static double rcpF64(uint32_t, double a) { return numerics::rcpApproxFtzF64(a); }
static double rsqrtF64(uint32_t ftz, double a) {
  return ftz ? numerics::rsqrtApproxFtzF64(a) : numerics::rsqrtApprox<double>(a, false);
}
static float divideFull(uint32_t ftz, float a, float b) { return numerics::divFull(a, b, ftz); }
static float divideApprox(uint32_t ftz, float a, float b) { return numerics::divApprox(a, b, ftz); }

static constexpr ApproximateRow kRows[] = {
    {"cos", ptx::Type::F32, lanewiseByMode<flushing<float, numerics::cosApprox>>},
    {"ex2", ptx::Type::F32, lanewiseByMode<flushing<float, numerics::ex2Approx<float>>>},
    {"ex2", ptx::Type::F16, lanewiseByMode<flushing<Half, numerics::ex2Approx<Half>>>},
    {"ex2", ptx::Type::BF16, lanewiseByMode<flushing<BFloat, numerics::ex2Approx<BFloat>>>},
    {"ex2", ptx::Type::F16x2, lanewiseByMode<flushingHalves<Half, numerics::ex2Approx<Half>>>},
    {"ex2", ptx::Type::BF16x2, lanewiseByMode<flushingHalves<BFloat, numerics::ex2Approx<BFloat>>>},
    {"lg2", ptx::Type::F32, lanewiseByMode<flushing<float, numerics::lg2Approx>>},
    {"rcp", ptx::Type::F32, lanewiseByMode<flushing<float, numerics::rcpApprox>>},
    {"rcp", ptx::Type::F64, lanewiseByMode<rcpF64>},
    {"rsqrt", ptx::Type::F32, lanewiseByMode<flushing<float, numerics::rsqrtApprox<float>>>},
    {"rsqrt", ptx::Type::F64, lanewiseByMode<rsqrtF64>},
    {"sin", ptx::Type::F32, lanewiseByMode<flushing<float, numerics::sinApprox>>},
    {"sqrt", ptx::Type::F32, lanewiseByMode<flushing<float, numerics::sqrtApprox>>},
    {"tanh", ptx::Type::F32, lanewise<plain<float, numerics::tanhApprox<float>>>},
    {"tanh", ptx::Type::F16, lanewise<plain<Half, numerics::tanhApprox<Half>>>},
    {"tanh", ptx::Type::BF16, lanewise<plain<BFloat, numerics::tanhApprox<BFloat>>>},
    {"tanh", ptx::Type::F16x2, lanewise<plainHalves<Half, numerics::tanhApprox<Half>>>},
    {"tanh", ptx::Type::BF16x2, lanewise<plainHalves<BFloat, numerics::tanhApprox<BFloat>>>},
};

bool decodeApproximate(Form &form) {
  if (!form.take("approx"))
    return false;
  bool ftz = form.take("ftz");
  ptx::Type type = form.takeType();
  if (!form.expectOperands(2))
    return true;
  form.result(0, type);
  form.source(1, type);
  for (const ApproximateRow &row : kRows)
    if (row.opcode == form.instruction.opcode && row.type == type)
      form.run(row.handler, ftz);
  return true;
}

bool decodeApproximateDivide(Form &form) {
  int kind = form.takeOne({"approx", "full"});
  if (kind < 0)
    return false;
  bool ftz = form.take("ftz");
  ptx::Type type = form.takeType();
  if (type != ptx::Type::F32)
    form.refuse("only of f32");
  if (!form.expectOperands(3))
    return true;
  form.result(0, type);
  form.source(1, type);
  form.source(2, type);
  form.run(kind ? lanewiseByMode<divideFull> : lanewiseByMode<divideApprox>, ftz);
  return true;
}

static void decodeOnlyApproximate(Form &form) {
  if (!decodeApproximate(form))
    form.refuse("it lacks `.approx`");
}

InstructionRows approximateRows() {
  return {
      {"cos", "Floating Point", "f32", decodeOnlyApproximate},
      {"ex2", "Floating Point, Half Precision Floating Point", "f32, f16, bf16 and packed", decodeOnlyApproximate},
      {"lg2", "Floating Point", "f32", decodeOnlyApproximate},
      {"rsqrt", "Floating Point", "f32, f64", decodeOnlyApproximate},
      {"sin", "Floating Point", "f32", decodeOnlyApproximate},
      {"tanh", "Floating Point, Half Precision Floating Point", "f32, f16, bf16 and packed", decodeOnlyApproximate},
  };
}

} // namespace tile::sim
