func.func @k(%p: !tile.ptr<f32>, %x: f32) {
  %0 = math.acosh %x : f32
  tile.store_ptr %0, %p : f32, !tile.ptr<f32>
  return
}
