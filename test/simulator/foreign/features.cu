// What the other kernels leave out of PTX: constant and initialised memory, addresses in tables, calls by address and
// by name, printing, local arrays, inline assembly with scopes of its own, vectors, doubles, and half precision.
#include <cstdio>
#include <cuda_fp16.h>

__constant__ float weights[4] = {1.0f, -2.5f, 0.0f, 1e-3f};
__device__ int table[2][3] = {{1, 2}, {4, 5, 6}};
__device__ const char *names[2] = {"first", "second"};

typedef float (*Function)(float, int);
__device__ __noinline__ float power(float x, int n) { return n == 0 ? 1.0f : x * power(x, n - 1); }
__device__ __noinline__ float scaled(float x, int n) { return x * weights[n & 3]; }
__device__ Function functions[2] = {power, scaled};

__device__ unsigned lastBitWaited(unsigned value) {
  unsigned bits;
  asm volatile("{\n\t.reg .pred done;\n\t.reg .b32 bits;\n\tmov.b32 bits, %1;\n\tAGAIN:\n\tshr.b32 bits, bits, 1;\n\t"
               "setp.le.u32 done, bits, 1;\n\t@!done bra AGAIN;\n\tmov.b32 %0, bits;\n\t}"
               : "=r"(bits)
               : "r"(value));
  return bits;
}

extern "C" __global__ void __launch_bounds__(128, 2) features(const float4 *x, double *y, const __half *h, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float4 v = x[i];
  float sums[8];
  for (int k = 0; k < 8; ++k)
    sums[k] = v.x * k + table[k & 1][k % 3];
  float chosen = functions[i & 1](v.y, n & 7) + sums[n & 7];
  if (chosen < 0)
    printf("%s %f\n", names[i & 1], chosen);
  unsigned bits = lastBitWaited(i) + lastBitWaited(i + 1);
  y[i] = sqrt(static_cast<double>(chosen)) + power(v.z, 3) + __half2float(h[i]) + bits;
}
