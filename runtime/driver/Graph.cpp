#include "runtime/driver/Graph.h"

#include "runtime/driver/Api.h"
#include "runtime/driver/Driver.h"

#include <utility>

namespace tile {

Result<Graph> Graph::record(CUstream_st *stream, const std::function<Status()> &work) {
  Result<const DriverApi *> driver = loadDriver();
  if (!driver)
    return driver.error();
  const DriverApi &api = **driver;
  TILE_DRIVER_CALL(api, cuStreamBeginCapture, stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  Status status = work();
  // The stream records until this call, whatever became of the work.
  CUgraph graph = nullptr;
  int ended = static_cast<int>(api.cuStreamEndCapture(stream, &graph));
  CUgraphExec handle = nullptr;
  int made = 0;
  if (status && !ended)
    made = static_cast<int>(api.cuGraphInstantiate(&handle, graph, 0));
  if (graph)
    (void)api.cuGraphDestroy(graph);
  if (!status)
    return status.error();
  if (ended)
    return driverError(api, "cuStreamEndCapture", ended);
  if (made)
    return driverError(api, "cuGraphInstantiate", made);
  return Graph(handle);
}

Graph::~Graph() {
  if (handle)
    (void)(*loadDriver())->cuGraphExecDestroy(handle); // fails only where a kernel has faulted
}

Status Graph::launch(CUstream_st *stream) const {
  const DriverApi &api = **loadDriver();
  TILE_DRIVER_CALL(api, cuGraphLaunch, handle, stream);
  return {};
}

} // namespace tile
