// RUN: tile-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{pointer to 'tensor<4xf32>'; expected a scalar}}
func.func private @pointer_to_a_tile(!tile.ptr<tensor<4xf32>>)

// -----

// expected-error @below {{found `sparse`; expected `strided` or `constant`}}
func.func private @unknown_kind_of_view(!tile.view<?xf32, sparse>)

// -----

// expected-error @below {{attribute 'tile.contract' is not a dictionary}}
func.func private @contract_of_text() attributes {tile.contract = "softmax"}

// -----

// expected-error @below {{unknown attribute 'tile.speed' of dialect 'tile'}}
func.func private @unknown_attribute() attributes {tile.speed = 1 : i64}

// -----

// expected-error @below {{attribute 'tile.divisibility' of argument 0 is 0 : i64; expected a positive i64}}
func.func private @divisible_by_nothing(i64 {tile.divisibility = 0 : i64})

// -----

// expected-error @below {{view of 'tensor<4xf32>'; expected a scalar}}
func.func private @view_of_tiles(!tile.view<?xtensor<4xf32>>)

// -----

func.func @empty_tile() {
  // expected-error @below {{'tile.iota' op result is 'tensor<0xi32>'; expected a static extent of at least 1}}
  %0 = tile.iota : tensor<0xi32>
  return
}

// -----

func.func @no_elements(%x: f32) {
  // expected-error @below {{'tile.splat' op result #0 must be tile with extents of at least 1, but got 'tensor<4x0xf32>'}}
  %0 = tile.splat %x : f32 -> tensor<4x0xf32>
  return
}

// -----

func.func @contract_of_an_op(%x: f32) {
  // expected-error @below {{attribute 'tile.contract' is on 'arith.negf'; expected a function}}
  %0 = arith.negf %x {tile.contract = {}} : f32
  return
}

// -----

func.func @schedule_of_an_op(%x: f32) {
  // expected-error @below {{attribute 'tile.schedule' is on 'arith.negf'; expected a loop or a kernel}}
  %0 = arith.negf %x {tile.schedule = {}} : f32
  return
}

// -----

// expected-error @below {{attribute 'tile.schedule' is not a dictionary}}
func.func private @schedule_of_a_number() attributes {tile.schedule = 4 : i64}

// -----

// expected-error @below {{unknown attribute 'tile.speed' of argument 0}}
func.func private @unknown_argument_attribute(i64 {tile.speed = 1 : i64})

// -----

// expected-error @below {{attribute 'tile.contract': `parameters` is "x"; expected a list of dictionaries}}
func.func private @parameters_of_text() attributes {tile.contract = {parameters = "x"}}

// -----

// expected-error @below {{attribute 'tile.contract': `kind` of `parameters[1]` is missing; expected a string}}
func.func private @parameter_without_kind() attributes {tile.contract = {parameters = [{kind = "scalar", name = "x"}, {name = "y"}]}}

// -----

// expected-error @below {{attribute 'tile.contract': `extents` of `parameters[0]` is missing; expected a list of lists of numbers and strings}}
func.func private @tensor_without_extents() attributes {tile.contract = {parameters = [{kind = "tensor", name = "x"}]}}

// -----

// expected-error @below {{attribute 'tile.contract': `axis` of `abi[0]` is missing; expected an integer}}
func.func private @stride_without_axis() attributes {tile.contract = {abi = [{stride = "x"}]}}

// -----

// expected-error @below {{attribute 'tile.contract': `alias` is ["x"]; expected a list of lists of strings}}
func.func private @alias_of_one() attributes {tile.contract = {alias = ["x"]}}
