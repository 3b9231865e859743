/// \file
/// What a CTA must ask its barriers when threads return.
#ifndef BACKEND_SIMULATOR_EXEC_BARRIER_H
#define BACKEND_SIMULATOR_EXEC_BARRIER_H

namespace tile::sim {

class Cta;

/// Opens the barriers at which nobody is missing any more: threads that return are not waited for.
void openWhereEveryoneLeftHasCome(Cta &cta);

} // namespace tile::sim

#endif // BACKEND_SIMULATOR_EXEC_BARRIER_H
