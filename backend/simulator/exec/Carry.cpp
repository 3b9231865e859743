/// Sums with a carry: `add.cc`, `addc`, `sub.cc`, `subc`, `mad.cc`, `madc`. (PTX ISA 9.0, 9.7.2)
///
/// The carry is one register of the kernel, of which every lane has its own. The last source is the carry that comes
/// in; the second result, where there is one, is the carry that goes out.
#include "backend/simulator/exec/ByType.h"
#include "backend/simulator/exec/Families.h"
#include "backend/simulator/exec/Forms.h"
#include "backend/simulator/numerics/Integer.h"

namespace tile::sim {

using numerics::WithCarry;

/// Sources: a, b, carry in.
template <class T, WithCarry<T> (*sum)(T, T, bool)> static Step runSum(Warp &warp, const Op &op) {
  LaneSource<T> a(warp, op.source(0)), b(warp, op.source(1));
  uint32_t in = warp.predicate(op.source(2)), out = 0;
  Cell<T> values[kLanes];
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    WithCarry<T> result = sum(a[lane], b[lane], in >> lane & 1);
    values[lane] = toCell<T>(result.value);
    out |= uint32_t(result.carry) << lane;
  }
  warp.write(op.result(0), values);
  if (op.results > 1)
    warp.writePredicate(op.result(1), out);
  warp.spreadUndefined(op);
  return Step::Next;
}

/// Sources: a, b, c, carry in: a half of a · b, and c.
template <class T, bool high> static Step runProductSum(Warp &warp, const Op &op) {
  LaneSource<T> a(warp, op.source(0)), b(warp, op.source(1)), c(warp, op.source(2));
  uint32_t in = warp.predicate(op.source(3)), out = 0;
  Cell<T> values[kLanes];
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    T product = high ? numerics::mulHi(a[lane], b[lane]) : numerics::mulLo(a[lane], b[lane]);
    WithCarry<T> result = numerics::addCarry(product, c[lane], in >> lane & 1);
    values[lane] = toCell<T>(result.value);
    out |= uint32_t(result.carry) << lane;
  }
  warp.write(op.result(0), values);
  if (op.results > 1)
    warp.writePredicate(op.result(1), out);
  warp.spreadUndefined(op);
  return Step::Next;
}

template <class T> struct SumCarry {
  static constexpr Handler handler = runSum<T, numerics::addCarry<T>>;
};
template <class T> struct DifferenceCarry {
  static constexpr Handler handler = runSum<T, numerics::subBorrow<T>>;
};
template <class T> struct LowProductCarry {
  static constexpr Handler handler = runProductSum<T, false>;
};
template <class T> struct HighProductCarry {
  static constexpr Handler handler = runProductSum<T, true>;
};

static void addSources(Form &form, ptx::Type type, size_t count, bool takesCarry, bool givesCarry) {
  if (!form.expectOperands(1 + count))
    return;
  form.result(0, type);
  if (givesCarry)
    form.carryResult();
  for (size_t i = 1; i <= count; ++i)
    form.source(i, type);
  if (takesCarry)
    form.carrySource();
  else
    form.constant(0, ptx::Type::Pred);
}

template <template <class> class F> static void decodeSum(Form &form, bool takesCarry) {
  bool givesCarry = form.take("cc");
  ptx::Type type = form.takeType();
  addSources(form, type, 2, takesCarry, givesCarry);
  form.run(forWord<F>(type));
}

static void decodeProductSum(Form &form, bool takesCarry) {
  bool givesCarry = form.take("cc");
  int half = form.takeOne({"lo", "hi"});
  ptx::Type type = form.takeType();
  if (half < 0)
    return form.refuse("it says neither `.lo` nor `.hi`");
  addSources(form, type, 3, takesCarry, givesCarry);
  form.run(half ? forWord<HighProductCarry>(type) : forWord<LowProductCarry>(type));
}

bool decodeCarry(Form &form) {
  bool carries = false;
  for (const std::string &modifier : form.instruction.modifiers)
    carries |= modifier == "cc";
  if (!carries)
    return false;
  if (form.instruction.opcode == "add")
    decodeSum<SumCarry>(form, false);
  else if (form.instruction.opcode == "sub")
    decodeSum<DifferenceCarry>(form, false);
  else
    decodeProductSum(form, false);
  return true;
}

static void decodeAddCarry(Form &form) { decodeSum<SumCarry>(form, true); }
static void decodeSubCarry(Form &form) { decodeSum<DifferenceCarry>(form, true); }
static void decodeMadCarry(Form &form) { decodeProductSum(form, true); }

InstructionRows carryRows() {
  return {
      {"addc", "Extended-Precision Integer Arithmetic", "32 and 64 bits, `.cc`; `add.cc` too", decodeAddCarry},
      {"madc", "Extended-Precision Integer Arithmetic", "32 and 64 bits, `.lo .hi`, `.cc`; `mad.cc` too",
       decodeMadCarry},
      {"subc", "Extended-Precision Integer Arithmetic", "32 and 64 bits, `.cc`; `sub.cc` too", decodeSubCarry},
  };
}

} // namespace tile::sim
