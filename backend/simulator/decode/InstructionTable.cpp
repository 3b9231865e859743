#include "backend/simulator/decode/InstructionTable.h"

#include "backend/simulator/exec/Families.h"

#include <algorithm>
#include <map>

namespace tile::sim {

const std::vector<InstructionRow> &instructionTable() {
  static const std::vector<InstructionRow> table = [] {
    std::vector<InstructionRow> all;
    for (auto family : {approximateRows, arithmeticRows, asyncCopyRows, atomicRows, barrierRows, carryRows,
                        collectiveRows, comparisonRows, controlRows, conversionRows, integerRows, matrixRows,
                        mbarrierRows, memoryRows, moveRows, wgmmaRows})
      for (const InstructionRow &row : family())
        all.push_back(row);
    std::sort(all.begin(), all.end(),
              [](const InstructionRow &a, const InstructionRow &b) { return a.opcode < b.opcode; });
    return all;
  }();
  return table;
}

const InstructionRow *findRow(const ptx::Instruction &instruction) {
  static const std::map<std::string_view, const InstructionRow *> byOpcode = [] {
    std::map<std::string_view, const InstructionRow *> map;
    for (const InstructionRow &row : instructionTable())
      map.emplace(row.opcode, &row);
    return map;
  }();
  const InstructionRow *best = nullptr;
  std::string name = instruction.opcode;
  for (size_t next = 0;; ++next) {
    if (auto known = byOpcode.find(name); known != byOpcode.end())
      best = known->second;
    if (next == instruction.modifiers.size())
      return best;
    name += "." + instruction.modifiers[next];
  }
}

} // namespace tile::sim
