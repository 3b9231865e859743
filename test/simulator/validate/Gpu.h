/// \file
/// The driver of a GPU, opened where there is one.
#ifndef TEST_SIMULATOR_VALIDATE_GPU_H
#define TEST_SIMULATOR_VALIDATE_GPU_H

#include "test/simulator/validate/Sweep.h"

namespace tile::sim::validate {

class Gpu {
public:
  /// Ends the program with the driver's text if there is none.
  Gpu();
  /// The output of `kernel`, from `code`: PTX or a cubin. Fails likewise.
  Bytes run(const Kernel &kernel, const std::string &code);

private:
  struct Driver;
  static const Driver &theDriver();
  const Driver &driver;
};

} // namespace tile::sim::validate

#endif // TEST_SIMULATOR_VALIDATE_GPU_H
