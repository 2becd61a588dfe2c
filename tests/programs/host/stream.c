/* Streams, events, graphs. */
#include "host.h"

CUresult cudaStreamCreateWithFlags(CUstream *stream, unsigned flags) {
    HOST_CALL(stream_create(stream, flags, 0));
}

CUresult cudaStreamCreate(CUstream *stream) {
    return cudaStreamCreateWithFlags(stream, 0);
}

CUresult cudaStreamDestroy(CUstream stream) {
    HOST_CALL(stream_destroy(stream));
}

CUresult cudaStreamSynchronize(CUstream stream) {
    HOST_CALL(stream_synchronize(stream));
}

CUresult cudaStreamSynchronize_ptsz(CUstream stream) {
    return cudaStreamSynchronize(host_own(stream));
}

CUresult cudaStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
    HOST_CALL(stream_wait(stream, event, flags));
}

CUresult cudaLaunchHostFunc(CUstream stream, CUhostFn call, void *data) {
    HOST_CALL(stream_host(stream, call, data));
}

CUresult cudaEventCreate(CUevent *event) {
    HOST_CALL(event_create(event, 0));
}

CUresult cudaEventDestroy(CUevent event) {
    HOST_CALL(event_destroy(event));
}

CUresult cudaEventRecord(CUevent event, CUstream stream) {
    HOST_CALL(event_record(event, stream));
}

CUresult cudaEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
    HOST_CALL(event_elapsed(milliseconds, start, end));
}

CUresult cudaStreamBeginCapture(CUstream stream, int mode) {
    HOST_CALL(capture_begin(stream, mode));
}

CUresult cudaStreamEndCapture(CUstream stream, CUgraph *graph) {
    HOST_CALL(capture_end(stream, graph));
}

/* Thrust asks before it waits for a stream. */
CUresult cudaStreamIsCapturing(CUstream stream, int *status) {
    HOST_CALL(capture_status(stream, status));
}

CUresult cudaGraphInstantiate(CUgraphExec *executable, CUgraph graph, unsigned long long flags) {
    HOST_CALL(graph_instantiate(executable, graph, flags));
}

CUresult cudaGraphLaunch(CUgraphExec executable, CUstream stream) {
    HOST_CALL(graph_launch(executable, stream));
}

CUresult cudaGraphExecDestroy(CUgraphExec executable) {
    HOST_CALL(executable_destroy(executable));
}

CUresult cudaGraphDestroy(CUgraph graph) {
    HOST_CALL(graph_destroy(graph));
}
