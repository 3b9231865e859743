// A kernel for the fake driver, whose candidates differ in their symbols, which is what the script of the driver tells
// them by.

#ifndef TILE_TEST_UNIT_RUNTIME_TUNE_MEASUREDKERNEL_H
#define TILE_TEST_UNIT_RUNTIME_TUNE_MEASUREDKERNEL_H

#include "runtime/artifact/Cubin.h"
#include "runtime/artifact/File.h"

#include <string>

/// Writes a cubin of `y = f(x, z)` whose code is called `symbol`, and gives its path. `role` is of `y`, argument 2 of
/// the launch; argument 0 is `x`.
inline std::string writeCubin(const std::string &folder, const std::string &symbol, const std::string &role = "out",
                              const std::string &roleOfX = "in") {
  std::string manifest = R"json({"schema": 1, "target": "sm_80", "kernels": [{
    "name": "scale",
    "parameters": [{"name": "x", "dtype": "f32", "role": ")json" +
                         roleOfX + R"json(", "extents": [["N"]]},
                   {"name": "y", "dtype": "f32", "role": ")json" +
                         role + R"json(", "extents": [["N"]]},
                   {"name": "w", "dtype": "f32", "optional": true, "present": false, "extents": [["N"]]},
                   {"name": "c", "kind": "scalar", "dtype": "i32"}],
    "dims": [{"name": "N", "parameter": "x", "axis": 0}],
    "grid": [["N", 128, "cdiv"]],
    "abi": [{"pointer": "x"}, {"dim": "N"}, {"pointer": "y"}, {"scalar": "c"}],
    "variants": [{"name": "generic", "symbol": ")json" +
                         symbol +
                         R"json(", "warps": 4, "registers": 40, "spill_bytes": 8, "shared_bytes": 2048}]}]})json";
  std::string path = folder + "/" + symbol + ".cubin";
  (void)tile::writeFile(path, *tile::appendManifest(*tile::readFile(TILE_TEST_FIXTURES "/add_one.cubin"), manifest));
  return path;
}

#endif // TILE_TEST_UNIT_RUNTIME_TUNE_MEASUREDKERNEL_H
