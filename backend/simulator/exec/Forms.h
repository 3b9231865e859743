/// \file
/// Forms of opcodes that several families share: `add` is an integer and a floating-point instruction, `div` has exact
/// and approximate forms. The opcode's row asks the family that its modifiers name.
#ifndef BACKEND_SIMULATOR_EXEC_FORMS_H
#define BACKEND_SIMULATOR_EXEC_FORMS_H

#include "backend/simulator/decode/Form.h"

namespace tile::sim {

void decodeIntegerAbs(Form &form);
void decodeIntegerAdd(Form &form);
void decodeIntegerDiv(Form &form);
void decodeIntegerMad(Form &form);
void decodeIntegerMax(Form &form);
void decodeIntegerMin(Form &form);
void decodeIntegerMul(Form &form);
void decodeIntegerNeg(Form &form);
void decodeIntegerSub(Form &form);

/// What a load, a store or an atomic operation says about order, scope and space.
Access takeAccess(Form &form);
/// Refuses unless there are `count` operands and, with `.L2::cache_hint`, a policy behind them, which has no effect.
bool expectOperandsAndPolicy(Form &form, size_t count);

/// Decodes the instruction if it says `.cc`; else takes nothing and returns false.
bool decodeCarry(Form &form);
/// Decodes the instruction if it says `.approx` (or `.full`); else takes nothing and returns false.
bool decodeApproximate(Form &form);
bool decodeApproximateDivide(Form &form);

} // namespace tile::sim

#endif // BACKEND_SIMULATOR_EXEC_FORMS_H
