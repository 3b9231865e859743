// Counts of bytes, in shared memory and then in global memory, by atomics; and the same by plain sums.
constexpr int kBins = 256;

template <bool isRacy> __device__ void count(const unsigned char *x, unsigned *counts, int n) {
  __shared__ unsigned bins[kBins];
  for (int i = threadIdx.x; i < kBins; i += blockDim.x)
    bins[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    if (isRacy)
      ++bins[x[i]];
    else
      atomicAdd(&bins[x[i]], 1);
  __syncthreads();
  for (int i = threadIdx.x; i < kBins; i += blockDim.x)
    if (bins[i])
      atomicAdd(&counts[i], bins[i]);
}

extern "C" __global__ void histogram(const unsigned char *x, unsigned *counts, int n) { count<false>(x, counts, n); }

extern "C" __global__ void histogram_racy(const unsigned char *x, unsigned *counts, int n) { count<true>(x, counts, n); }
