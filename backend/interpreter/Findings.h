/// Findings of one thread, one per kind and place; merged in an order that does not depend on the threads.
#ifndef BACKEND_INTERPRETER_FINDINGS_H
#define BACKEND_INTERPRETER_FINDINGS_H

#include "backend/interpreter/Interpreter.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>

namespace tile::interpreter {

/// A place in the kernel where something may be found. Lives as long as the compiled kernel.
struct Site {
  mlir::Location location;
  /// Position in the order of the kernel's ops.
  int64_t order;
};

/// A program by its position in the grid and by its linear number, first axis fastest.
struct Program {
  std::array<int64_t, 3> position = {0, 0, 0};
  int64_t number = 0;
};

class Findings {
public:
  /// Counts an occurrence; `message` is called if it is the first of its kind at this site, or in an earlier program.
  void add(FindingKind kind, const Site &site, const Program &program, int buffer, int64_t element,
           llvm::function_ref<std::string()> message);

  void merge(const Findings &other);

  /// By program, then site, then kind.
  std::vector<Finding> sorted() const;

private:
  struct Entry {
    Finding finding;
    int64_t program;
  };
  std::map<std::pair<int64_t, FindingKind>, Entry> entries;
};

} // namespace tile::interpreter

#endif
