/// Accesses through views and raw pointers, in bounds and out where that is defined.
#include "test/unit/interpreter/Launch.h"

using namespace tile;

static std::vector<float> countFrom(float first, int64_t count) {
  std::vector<float> data(count);
  for (int64_t i = 0; i < count; ++i)
    data[i] = first + i;
  return data;
}

TEST(ViewAccess, PositionsOutsideReadZeroOrElseAndAreNotWritten) {
  std::vector<float> a = countFrom(1, 12), b(20, -1), c(12, -1);
  Launch launch(R"mlir(
func.func @k(%pa: !tile.ptr<f32>, %pb: !tile.ptr<f32>, %pc: !tile.ptr<f32>) {
  %low = arith.constant -1 : index
  %zero = arith.constant 0 : index
  %seven = arith.constant 7.0 : f32
  %va = tile.make_view %pa, [3, 4], [4, 1] : !tile.ptr<f32> -> !tile.view<3x4xf32>
  %vb = tile.make_view %pb, [5, 4], [4, 1] : !tile.ptr<f32> -> !tile.view<5x4xf32>
  %vc = tile.make_view %pc, [3, 4], [4, 1] : !tile.ptr<f32> -> !tile.view<3x4xf32>
  %t = tile.load %va[%low :+ 5, %low :+ 4] else %seven : f32 : !tile.view<3x4xf32>, (index, index) -> tensor<5x4xf32>
  tile.store %t, %vb[%zero :+ 5, %zero :+ 4] : tensor<5x4xf32>, !tile.view<5x4xf32>, (index, index)
  tile.store %t, %vc[%low :+ 5, %low :+ 4] : tensor<5x4xf32>, !tile.view<3x4xf32>, (index, index)
  return
})mlir");
  launch.in(a).out(b).out(c).runClean();
  EXPECT_EQ(b, (std::vector<float>{7, 7, 7, 7, 7, 1, 2, 3, 7, 5, 6, 7, 7, 9, 10, 11, 7, 7, 7, 7}));
  EXPECT_EQ(c, (std::vector<float>{1, 2, 3, -1, 5, 6, 7, -1, 9, 10, 11, -1}));
}

TEST(ViewAccess, FarOutsideIsStillOutside) {
  std::vector<float> a = countFrom(1, 4), b(4, -1);
  Launch launch(R"mlir(
func.func @k(%pa: !tile.ptr<f32>, %pb: !tile.ptr<f32>, %far: index) {
  %zero = arith.constant 0 : index
  %va = tile.make_view %pa, [4], [1] : !tile.ptr<f32> -> !tile.view<4xf32>
  %vb = tile.make_view %pb, [4], [1] : !tile.ptr<f32> -> !tile.view<4xf32>
  %t = tile.load %va[%far :+ 4] : !tile.view<4xf32>, (index) -> tensor<4xf32>
  tile.store %t, %vb[%zero :+ 4] : tensor<4xf32>, !tile.view<4xf32>, (index)
  tile.store %t, %vb[%far :+ 4] : tensor<4xf32>, !tile.view<4xf32>, (index)
  return
})mlir");
  launch.in(a).out(b);
  for (int64_t far : {INT64_MAX, INT64_MIN, int64_t(1) << 62, int64_t(-4), int64_t(4)}) {
    b.assign(4, -1);
    launch.arguments.resize(2);
    launch.index(far).runClean();
    EXPECT_EQ(b, std::vector<float>(4, 0)) << far;
  }
}

TEST(ViewAccess, GatherTilesActTogetherWhereTheFirstStood) {
  // k[page, n, :] of a paged cache: page and n broadcast against each other.
  std::vector<float> a = countFrom(0, 4 * 3 * 2), b(2 * 3 * 2);
  Launch launch(R"mlir(
func.func @k(%pa: !tile.ptr<f32>, %pb: !tile.ptr<f32>) {
  %zero = arith.constant 0 : index
  %page = arith.constant dense<[[3], [9]]> : tensor<2x1xi32>
  %n = arith.constant dense<[[2, 0, -1]]> : tensor<1x3xi64>
  %va = tile.make_view %pa, [4, 3, 2], [6, 2, 1] : !tile.ptr<f32> -> !tile.view<4x3x2xf32>
  %vb = tile.make_view %pb, [2, 3, 2], [6, 2, 1] : !tile.ptr<f32> -> !tile.view<2x3x2xf32>
  %t = tile.load %va[%page gather, %n gather, %zero :+ 2]
    : !tile.view<4x3x2xf32>, (tensor<2x1xi32>, tensor<1x3xi64>, index) -> tensor<2x3x2xf32>
  tile.store %t, %vb[%zero :+ 2, %zero :+ 3, %zero :+ 2]
    : tensor<2x3x2xf32>, !tile.view<2x3x2xf32>, (index, index, index)
  return
})mlir");
  launch.in(a).out(b).runClean();
  EXPECT_EQ(b, (std::vector<float>{22, 23, 18, 19, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(ViewAccess, ScatterWritesWhereTheIndicesSayAndDropsTheOthers) {
  std::vector<float> a(6, -1);
  Launch launch(R"mlir(
func.func @k(%pa: !tile.ptr<f32>) {
  %one = arith.constant 1 : index
  %at = arith.constant dense<[2, 0, 5]> : tensor<3xi32>
  %t = arith.constant dense<[10.0, 20.0, 30.0]> : tensor<3xf32>
  %va = tile.make_view %pa, [3, 2], [2, 1] : !tile.ptr<f32> -> !tile.view<3x2xf32>
  tile.store %t, %va[%at gather, %one] : tensor<3xf32>, !tile.view<3x2xf32>, (tensor<3xi32>, index)
  return
})mlir");
  launch.out(a).runClean();
  EXPECT_EQ(a, (std::vector<float>{-1, 20, -1, -1, -1, 10}));
}

TEST(ViewAccess, StridedViewsReadTransposedAndRepeatedMemory) {
  std::vector<float> a = countFrom(0, 6), b(6), c(3);
  Launch launch(R"mlir(
func.func @k(%pa: !tile.ptr<f32>, %pb: !tile.ptr<f32>, %pc: !tile.ptr<f32>) {
  %zero = arith.constant 0 : index
  %va = tile.make_view %pa, [3, 2], [1, 3] : !tile.ptr<f32> -> !tile.view<3x2xf32, strided>
  %vr = tile.make_view %pa, [3], [0] : !tile.ptr<f32> -> !tile.view<3xf32, strided>
  %vb = tile.make_view %pb, [3, 2], [2, 1] : !tile.ptr<f32> -> !tile.view<3x2xf32>
  %vc = tile.make_view %pc, [3], [1] : !tile.ptr<f32> -> !tile.view<3xf32>
  %t = tile.load %va[%zero :+ 3, %zero :+ 2] : !tile.view<3x2xf32, strided>, (index, index) -> tensor<3x2xf32>
  tile.store %t, %vb[%zero :+ 3, %zero :+ 2] : tensor<3x2xf32>, !tile.view<3x2xf32>, (index, index)
  %r = tile.load %vr[%zero :+ 3] : !tile.view<3xf32, strided>, (index) -> tensor<3xf32>
  tile.store %r, %vc[%zero :+ 3] : tensor<3xf32>, !tile.view<3xf32>, (index)
  return
})mlir");
  launch.in(a).out(b).out(c).runClean();
  EXPECT_EQ(b, (std::vector<float>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(c, (std::vector<float>{0, 0, 0}));
}

TEST(ViewAccess, AWindowStopsAtItsBoundsAndThoseOfItsParent) {
  std::vector<float> a = countFrom(0, 12), b(8, -1);
  std::vector<int64_t> extents(2);
  Launch launch(R"mlir(
func.func @k(%pa: !tile.ptr<f32>, %pb: !tile.ptr<f32>, %pe: !tile.ptr<i64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %ten = arith.constant 10 : index
  %va = tile.make_view %pa, [3, 4], [4, 1] : !tile.ptr<f32> -> !tile.view<3x4xf32>
  %vb = tile.make_view %pb, [8], [1] : !tile.ptr<f32> -> !tile.view<8xf32>
  %ve = tile.make_view %pe, [2], [1] : !tile.ptr<i64> -> !tile.view<2xi64>
  %row = tile.subview %va, [%two, %one], [%three] kept [false, true] : !tile.view<3x4xf32> -> !tile.view<?xf32>
  %tail = tile.subview %va, [%one, %two], [%ten] kept [false, true] : !tile.view<3x4xf32> -> !tile.view<?xf32>
  %t = tile.load %row[%zero :+ 4] : !tile.view<?xf32>, (index) -> tensor<4xf32>
  %u = tile.load %tail[%zero :+ 4] : !tile.view<?xf32>, (index) -> tensor<4xf32>
  tile.store %t, %vb[%zero :+ 4] : tensor<4xf32>, !tile.view<8xf32>, (index)
  %four = arith.constant 4 : index
  tile.store %u, %vb[%four :+ 4] : tensor<4xf32>, !tile.view<8xf32>, (index)
  %d = tile.dim %row axis 0 : !tile.view<?xf32>
  %d64 = arith.index_cast %d : index to i64
  tile.store %d64, %ve[%zero] : i64, !tile.view<2xi64>, (index)
  %e = tile.dim %tail axis 0 : !tile.view<?xf32>
  %e64 = arith.index_cast %e : index to i64
  tile.store %e64, %ve[%one] : i64, !tile.view<2xi64>, (index)
  return
})mlir");
  launch.in(a).out(b).out(extents).runClean();
  EXPECT_EQ(b, (std::vector<float>{9, 10, 0, 0, 6, 7, 0, 0}));
  EXPECT_EQ(extents, (std::vector<int64_t>{2, 2}));
}

TEST(ViewAccess, InsideSaysWhichPositionsAreInBounds) {
  std::vector<float> a(6);
  std::vector<char> b(12, 9);
  Launch launch(R"mlir(
func.func @k(%pa: !tile.ptr<f32>, %pb: !tile.ptr<i1>) {
  %low = arith.constant -1 : index
  %one = arith.constant 1 : index
  %zero = arith.constant 0 : index
  %va = tile.make_view %pa, [2, 3], [3, 1] : !tile.ptr<f32> -> !tile.view<2x3xf32>
  %vb = tile.make_view %pb, [3, 4], [4, 1] : !tile.ptr<i1> -> !tile.view<3x4xi1>
  %m = tile.inside %va[%low :+ 3, %one :+ 4] : !tile.view<2x3xf32>, (index, index) -> tensor<3x4xi1>
  tile.store %m, %vb[%zero :+ 3, %zero :+ 4] : tensor<3x4xi1>, !tile.view<3x4xi1>, (index, index)
  return
})mlir");
  launch.in(a).out(b).runClean();
  EXPECT_EQ(b, (std::vector<char>{0, 0, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0}));
}

TEST(ViewAccess, AnyByteButZeroIsTrue) {
  std::vector<char> a = {0, 1, 2, -1}, b(4);
  Launch launch(R"mlir(
func.func @k(%pa: !tile.ptr<i1>, %pb: !tile.ptr<i1>) {
  %zero = arith.constant 0 : index
  %va = tile.make_view %pa, [4], [1] : !tile.ptr<i1> -> !tile.view<4xi1>
  %vb = tile.make_view %pb, [4], [1] : !tile.ptr<i1> -> !tile.view<4xi1>
  %t = tile.load %va[%zero :+ 4] : !tile.view<4xi1>, (index) -> tensor<4xi1>
  tile.store %t, %vb[%zero :+ 4] : tensor<4xi1>, !tile.view<4xi1>, (index)
  return
})mlir");
  launch.in(a).out(b).runClean();
  EXPECT_EQ(b, (std::vector<char>{0, 1, 1, 1}));
}

TEST(Atomic, ProgramsAddToOneElementAndMaskedOrOutsideLanesAreDropped) {
  constexpr int64_t kPrograms = 257;
  std::vector<int32_t> a(3);
  std::vector<float> b(2);
  Launch launch(R"mlir(
func.func @k(%pa: !tile.ptr<i32>, %pb: !tile.ptr<f32>) {
  %zero = arith.constant 0 : index
  %va = tile.make_view %pa, [3], [1] : !tile.ptr<i32> -> !tile.view<3xi32>
  %vb = tile.make_view %pb, [2], [1] : !tile.ptr<f32> -> !tile.view<2xf32>
  %t = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %m = arith.constant dense<[true, false, true, true]> : tensor<4xi1>
  %old = tile.atomic add %t, %va[%zero :+ 4] mask %m : tensor<4xi1> : tensor<4xi32>, !tile.view<3xi32>, (index)
  %half = arith.constant 0.5 : f32
  %f = tile.atomic add %half, %vb[%zero] : f32, !tile.view<2xf32>, (index)
  return
})mlir");
  launch.inout(a).inout(b);
  launch.options.conflicts = true;
  launch.runClean({kPrograms, 1, 1});
  EXPECT_EQ(a, (std::vector<int32_t>{kPrograms, 0, 3 * kPrograms}));
  EXPECT_EQ(b, (std::vector<float>{0.5f * kPrograms, 0}));
}

TEST(Atomic, GivesWhatWasThereAndZeroForDroppedLanes) {
  std::vector<int32_t> a = {5, 6}, b(3, -1);
  Launch launch(R"mlir(
func.func @k(%pa: !tile.ptr<i32>, %pb: !tile.ptr<i32>) {
  %zero = arith.constant 0 : index
  %va = tile.make_view %pa, [2], [1] : !tile.ptr<i32> -> !tile.view<2xi32>
  %vb = tile.make_view %pb, [3], [1] : !tile.ptr<i32> -> !tile.view<3xi32>
  %t = arith.constant dense<[1, 2, 3]> : tensor<3xi32>
  %old = tile.atomic add %t, %va[%zero :+ 3] : tensor<3xi32>, !tile.view<2xi32>, (index)
  tile.store %old, %vb[%zero :+ 3] : tensor<3xi32>, !tile.view<3xi32>, (index)
  return
})mlir");
  launch.inout(a).out(b).runClean();
  EXPECT_EQ(a, (std::vector<int32_t>{6, 8}));
  EXPECT_EQ(b, (std::vector<int32_t>{5, 6, 0}));
}

TEST(Pointer, MaskedLanesReadOtherOrZeroAndWriteNothing) {
  std::vector<float> a = countFrom(1, 4), b(8, -1);
  Launch launch(R"mlir(
func.func @k(%pa: !tile.ptr<f32>, %pb: !tile.ptr<f32>) {
  %i = tile.iota : tensor<4xi32>
  %four = arith.constant 4 : index
  %m = arith.constant dense<[true, false, true, false]> : tensor<4xi1>
  %sa = tile.splat %pa : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  %sb = tile.splat %pb : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  %qa = tile.ptr_add %sa, %i : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
  %qb = tile.ptr_add %sb, %i : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
  %pc = tile.ptr_add %pb, %four : !tile.ptr<f32>, index
  %sc = tile.splat %pc : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  %qc = tile.ptr_add %sc, %i : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
  %o = arith.constant dense<9.0> : tensor<4xf32>
  %t = tile.load_ptr %qa mask %m : tensor<4xi1> else %o : tensor<4xf32> : tensor<4x!tile.ptr<f32>> -> tensor<4xf32>
  %u = tile.load_ptr %qa mask %m : tensor<4xi1> : tensor<4x!tile.ptr<f32>> -> tensor<4xf32>
  tile.store_ptr %t, %qb : tensor<4xf32>, tensor<4x!tile.ptr<f32>>
  tile.store_ptr %u, %qc mask %m : tensor<4xi1> : tensor<4xf32>, tensor<4x!tile.ptr<f32>>
  return
})mlir");
  launch.in(a).out(b).runClean();
  EXPECT_EQ(b, (std::vector<float>{1, 9, 3, 9, 1, -1, 3, -1}));
}

TEST(Pointer, APointerReadFromMemoryFindsItsBuffer) {
  std::vector<float> a = {1, 2}, b = {3, 4}, c(2);
  std::vector<uint64_t> table = {reinterpret_cast<uint64_t>(b.data()), reinterpret_cast<uint64_t>(a.data())};
  Launch launch(R"mlir(
func.func @k(%pt: !tile.ptr<!tile.ptr<f32>>, %pc: !tile.ptr<f32>, %pa: !tile.ptr<f32>, %pb: !tile.ptr<f32>) {
  %id = tile.program_id 0
  %zero = arith.constant 0 : index
  %vt = tile.make_view %pt, [2], [1] : !tile.ptr<!tile.ptr<f32>> -> !tile.view<2x!tile.ptr<f32>>
  %vc = tile.make_view %pc, [2], [1] : !tile.ptr<f32> -> !tile.view<2xf32>
  %p = tile.load %vt[%id] : !tile.view<2x!tile.ptr<f32>>, (index) -> !tile.ptr<f32>
  %q = tile.ptr_add %p, %id : !tile.ptr<f32>, index
  %x = tile.load_ptr %q : !tile.ptr<f32> -> f32
  tile.store %x, %vc[%id] : f32, !tile.view<2xf32>, (index)
  return
})mlir");
  launch.in(table).out(c).in(a).in(b).runClean({2, 1, 1});
  EXPECT_EQ(c, (std::vector<float>{3, 2}));
}
