// The table in backend/simulator/README.md says what the decoder knows. TILE_UPDATE_README=1 writes it anew.
#include "backend/simulator/decode/InstructionTable.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace tile::sim::test {

static const std::string kBegin = "<!-- begin instruction table -->\n", kEnd = "<!-- end instruction table -->";

static std::string table() {
  std::string text = "| instruction | PTX ISA: instructions of | forms |\n|---|---|---|\n";
  for (const InstructionRow &row : instructionTable())
    text +=
        "| `" + std::string(row.opcode) + "` | " + std::string(row.section) + " | " + std::string(row.forms) + " |\n";
  return text;
}

TEST(InstructionTable, TheReadmeShowsIt) {
  std::stringstream stream;
  stream << std::ifstream(TILE_SIMULATOR_README).rdbuf();
  std::string text = stream.str();
  size_t begin = text.find(kBegin), end = text.find(kEnd);
  ASSERT_NE(begin, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  begin += kBegin.size();
  if (std::getenv("TILE_UPDATE_README"))
    std::ofstream(TILE_SIMULATOR_README) << text.substr(0, begin) + table() + text.substr(end);
  else
    EXPECT_EQ(text.substr(begin, end - begin), table()) << "TILE_UPDATE_README=1 writes it anew";
}

TEST(InstructionTable, HasEachOpcodeOnce) {
  const std::vector<InstructionRow> &rows = instructionTable();
  for (size_t i = 1; i < rows.size(); ++i)
    EXPECT_NE(rows[i].opcode, rows[i - 1].opcode);
}

} // namespace tile::sim::test
