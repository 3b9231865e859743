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
