// RUN: tile-opt %s --tgpu-linearize-grid | FileCheck %s

// CHECK-LABEL: func @two_axes
// CHECK-SAME:    %[[M:[^:]*]]: index, %[[N:[^:]*]]: index
// CHECK-SAME:    tgpu.linear_grid
// CHECK-DAG:     %[[PADDED:.*]] = arith.addi %[[M]], %c127
// CHECK:         %[[ROWS:.*]] = arith.divui %[[PADDED]], %c128
// CHECK:         %[[ROWS32:.*]] = arith.index_cast %[[ROWS]] : index to i32
// CHECK:         arith.remui %{{.*}}, %[[ROWS32]]
// CHECK:         arith.divui %{{.*}}, %{{.*}} : i32
// CHECK-NOT:     tile.program_id 1
// CHECK:         tile.assert
func.func @two_axes(%m: index, %n: index) attributes {tile.contract = {
    abi = [{dim = "M"}, {dim = "N"}], constants = [{name = "B", value = 128 : i64}],
    grid = [["M", "B", "cdiv"], ["N"]]}} {
  %i = tile.program_id 0
  %j = tile.program_id 1
  %rows = tile.num_programs 0
  %s = arith.addi %i, %j : index
  %c = arith.cmpi slt, %s, %rows : index
  tile.assert %c, "used" : i1
  return
}

// CHECK-LABEL: func @launcher_knows_more
// CHECK-NOT:     linear_grid
// CHECK:         tile.program_id 1
func.func @launcher_knows_more(%m: index, %n: index) attributes {tile.contract = {
    abi = [{dim = "M"}, {dim = "N"}], grid = [["num_sms"], ["N"]]}} {
  // The operators are all known; runtime/launch/README.md lists them.
  %j = tile.program_id 1
  %c = arith.cmpi slt, %j, %m : index
  tile.assert %c, "used" : i1
  return
}

// An axis that the grid does not have: its id is 0 and it holds one program.
// CHECK-LABEL: func @third_axis_of_two
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[ONE:.*]] = arith.constant 1 : index
// CHECK:         arith.cmpi slt, %[[ZERO]], %[[ONE]]
func.func @third_axis_of_two(%m: index, %n: index) attributes {tile.contract = {
    abi = [{dim = "M"}, {dim = "N"}], grid = [["M"], ["N"]]}} {
  %i = tile.program_id 2
  %size = tile.num_programs 2
  %c = arith.cmpi slt, %i, %size : index
  tile.assert %c, "used" : i1
  return
}

// Every operator that the launcher has.
// CHECK-LABEL: func @all_operators
// CHECK-SAME:    tgpu.linear_grid
func.func @all_operators(%m: index, %n: index) attributes {tile.contract = {
    abi = [{dim = "M"}, {dim = "N"}], grid = [
      ["M", "N", "+", 1, "-", 2, "*", "N", "/", "M", "%", "N", "min", "M", "max", "N", "cdiv", 3, "floordiv", "N",
       "floormod"],
      ["M", "N", "==", "M", "N", "!=", "<", "N", "<=", "M", ">", "N", ">=", "M", "&&", "N", "||", "M", "&", "N", "|",
       "M", "^", 2, "<<", "N", ">>", "neg", "!", "next_pow2", "M", "N", "select"]]}} {
  return
}
