// The arguments that a shape describes, as texts.

#include "runtime/search/Shapes.h"

#include "test/unit/runtime/search/Searching.h"

#include "gtest/gtest.h"

using namespace tile;
using namespace tile::test;

namespace {

/// The arguments of the first shape of a `@bench` with `inputs`, or the diagnostics.
std::string argumentsWith(const std::string &inputs) {
  Searched searched("@bench(shapes = [{M: 8, N: 100, s: 0.5}]" + inputs + R"()
kernel pick<T: type = f32>(x: tensor<T>[M, N], label: tensor<i32>[M], inout sums: tensor<f32>[M], out y: tensor<T>[M], s: f32) grid [M] {
    let row = program_id(0)
    y[row] = (s * (x[row, label[row]] as f32)) as T
    sums[row] += 1.0
}
)");
  searched.options.numSms = 1;
  std::string text;
  for (const LaunchShape &shape : benchShapes(searched.session, *searched.kernel, {}))
    if (auto arguments = argumentsOf(searched.session, *searched.module, *searched.kernel, searched.options, shape))
      for (const std::string &argument : *arguments)
        text += (text.empty() ? "" : " ") + argument;
  return text.empty() ? searched.errors() : text;
}

TEST(Shapes, ArgumentsAreNormalUnlessInputsSayOtherwise) {
  EXPECT_EQ(argumentsWith(""), "x=normal:f32[8,100] label=normal:i32[8] sums=normal:f32[8] y=empty:f32[8] s=0.5");
  EXPECT_EQ(argumentsWith(", inputs = {label: range(0, N - 1), sums: zeros}"),
            "x=normal:f32[8,100] label=range(0,99):i32[8] sums=zeros:f32[8] y=empty:f32[8] s=0.5");
  EXPECT_EQ(
      argumentsWith(", inputs = range(-s, s)"),
      "x=range(-0.5,0.5):f32[8,100] label=range(-0.5,0.5):i32[8] sums=range(-0.5,0.5):f32[8] y=empty:f32[8] s=0.5");
}

TEST(Shapes, InputsAreCheckedAsThoseOfCheck) {
  auto expect = [](const std::string &inputs, const std::string &message) {
    std::string found = argumentsWith(", inputs = " + inputs);
    EXPECT_NE(found.find(message), std::string::npos) << found;
  };
  expect("{label: range(N, 0)}",
         "E0606]: the range of `label` goes from 100 to 0 in this shape; expected its lower end first");
  expect("{lable: zeros}", "E0606]: kernel `pick` has no parameter `lable`");
  expect("{y: zeros}", "E0606]: `y` is `out`, which begins as poison; expected a parameter that is read");
  expect("noise", "E0606]: found `noise`; expected `range(low, high)` or one of: ");
}

} // namespace
