// Work of a stream, recorded once and launched as a whole: many short kernels follow each other without the host, whose
// calls would take longer than they do.

#ifndef TILE_RUNTIME_DRIVER_GRAPH_H
#define TILE_RUNTIME_DRIVER_GRAPH_H

#include "runtime/Result.h"

#include <functional>

struct CUgraphExec_st;
struct CUstream_st;

namespace tile {

class Graph {
public:
  /// Records what `work` queues on `stream`, none of which runs. Fails as `work` does, or as the driver does.
  static Result<Graph> record(CUstream_st *stream, const std::function<Status()> &work);
  Graph(Graph &&other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  Graph &operator=(Graph &&other) noexcept {
    std::swap(handle, other.handle);
    return *this;
  }
  ~Graph();

  /// Queues all of it.
  Status launch(CUstream_st *stream) const;

private:
  explicit Graph(CUgraphExec_st *handle) : handle(handle) {}
  CUgraphExec_st *handle;
};

} // namespace tile

#endif // TILE_RUNTIME_DRIVER_GRAPH_H
