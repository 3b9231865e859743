#include "backend/ptx/ResidencyBound.h"

#include <gtest/gtest.h>

namespace tile {

TEST(ResidencyBound, IsOneBlockForNamedKernelsOnly) {
  const char *ptx = ".version 8.0\n"
                    ".visible .entry soft(\n\t.param .u64 a\n)\n.reqntid 128\n.minnctapersm 8\n{\n\tret;\n}\n"
                    ".visible .entry soft$fast(\n\t.param .u64 a\n)\n.reqntid 128\n.minnctapersm 8\n{\n\tret;\n}";
  llvm::StringSet<> names;
  EXPECT_EQ(relaxResidencyBounds(ptx, names), ptx);
  names.insert("soft");
  EXPECT_EQ(relaxResidencyBounds(ptx, names),
            ".version 8.0\n"
            ".visible .entry soft(\n\t.param .u64 a\n)\n.reqntid 128\n.minnctapersm 1\n{\n\tret;\n}\n"
            ".visible .entry soft$fast(\n\t.param .u64 a\n)\n.reqntid 128\n.minnctapersm 8\n{\n\tret;\n}");
}

TEST(ResidencyBound, IsAddedWhereThereIsNone) {
  llvm::StringSet<> names;
  names.insert("k");
  EXPECT_EQ(relaxResidencyBounds(".entry k()\n.reqntid 1024\n{\n", names),
            ".entry k()\n.reqntid 1024\n.minnctapersm 1\n{\n");
}

} // namespace tile
