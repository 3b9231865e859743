// A tiled matrix product, and the same without the barrier before a tile is overwritten.
constexpr int kTile = 16;

template <bool isRacy> __device__ void multiply(const float *a, const float *b, float *c, int m, int n, int k) {
  __shared__ float left[kTile][kTile], right[kTile][kTile];
  int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int begin = 0; begin < k; begin += kTile) {
    int x = begin + threadIdx.x, y = begin + threadIdx.y;
    left[threadIdx.y][threadIdx.x] = row < m && x < k ? a[row * k + x] : 0;
    right[threadIdx.y][threadIdx.x] = y < k && column < n ? b[y * n + column] : 0;
    __syncthreads();
    for (int i = 0; i < kTile; ++i)
      sum += left[threadIdx.y][i] * right[i][threadIdx.x];
    if (!isRacy)
      __syncthreads();
  }
  if (row < m && column < n)
    c[row * n + column] = sum;
}

extern "C" __global__ void matmul(const float *a, const float *b, float *c, int m, int n, int k) {
  multiply<false>(a, b, c, m, n, k);
}

extern "C" __global__ void matmul_racy(const float *a, const float *b, float *c, int m, int n, int k) {
  multiply<true>(a, b, c, m, n, k);
}
