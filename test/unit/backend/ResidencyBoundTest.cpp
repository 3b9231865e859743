#include "backend/ptx/ResidencyBound.h"

#include <gtest/gtest.h>

namespace tile {

TEST(ResidencyBound, IsDroppedFromNamedKernelsOnly) {
  const char *ptx = ".version 8.0\n"
                    ".visible .entry soft(\n\t.param .u64 a\n)\n.reqntid 128\n.minnctapersm 8\n{\n\tret;\n}\n"
                    ".visible .entry soft$fast(\n\t.param .u64 a\n)\n.reqntid 128\n.minnctapersm 8\n{\n\tret;\n}";
  llvm::StringSet<> names;
  EXPECT_EQ(dropResidencyBounds(ptx, names), ptx);
  names.insert("soft");
  EXPECT_EQ(dropResidencyBounds(ptx, names),
            ".version 8.0\n"
            ".visible .entry soft(\n\t.param .u64 a\n)\n.reqntid 128\n{\n\tret;\n}\n"
            ".visible .entry soft$fast(\n\t.param .u64 a\n)\n.reqntid 128\n.minnctapersm 8\n{\n\tret;\n}");
}

} // namespace tile
