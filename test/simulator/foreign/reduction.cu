// The sum of each block's elements by shuffles and one word of shared memory a warp, and the same without the barrier
// between the warps and the first of them.
template <bool isRacy> __device__ void sum(const float *x, float *y, int n) {
  __shared__ float sums[32];
  int thread = threadIdx.x, warp = thread / 32;
  float value = 0;
  for (int i = blockIdx.x * blockDim.x + thread; i < n; i += gridDim.x * blockDim.x)
    value += x[i];
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_down_sync(0xffffffff, value, distance);
  if (thread % 32 == 0)
    sums[warp] = value;
  if (!isRacy)
    __syncthreads();
  if (warp > 0)
    return;
  value = thread < (blockDim.x + 31) / 32 ? sums[thread] : 0;
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_xor_sync(0xffffffff, value, distance);
  if (thread == 0)
    y[blockIdx.x] = value;
}

extern "C" __global__ void reduction(const float *x, float *y, int n) { sum<false>(x, y, n); }

extern "C" __global__ void reduction_racy(const float *x, float *y, int n) { sum<true>(x, y, n); }
