/* Streams and events, and the beginning and end of captures. Handles are the driver's, so most functions pass their
 * arguments on. The forms _ptsz, for programs compiled with a default stream for each thread, replace stream 0 by
 * standin_own().
 *
 * Streams and events themselves are in vgpu/stream.c; graph.c has the other functions of captures. Callbacks and
 * queries of attributes forward to the functions of the driver API, as if the program had called them. */
#include "standin/cuda/cuda.h"

/* Priorities are kept, and have no effect. */
CUresult cudaStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority) {
    STANDIN_CALL_BESIDE(stream_create(stream, flags, priority));
}

CUresult cudaStreamCreateWithFlags(CUstream *stream, unsigned flags) {
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

CUresult cudaStreamCreate(CUstream *stream) {
    return cudaStreamCreateWithFlags(stream, 0);
}

/* Does the stream's work first. */
CUresult cudaStreamDestroy(CUstream stream) {
    STANDIN_CALL(stream_destroy(stream));
}

CUresult cudaStreamSynchronize(CUstream stream) {
    STANDIN_CALL_BESIDE(stream_synchronize(stream));
}

CUresult cudaStreamSynchronize_ptsz(CUstream stream) {
    return cudaStreamSynchronize(standin_own(stream));
}

/* Each query does some of the stream's work, so a program that polls gets on. */
CUresult cudaStreamQuery(CUstream stream) {
    STANDIN_CALL_BESIDE(stream_query(stream));
}

CUresult cudaStreamQuery_ptsz(CUstream stream) {
    return cudaStreamQuery(standin_own(stream));
}

/* Later work of the stream begins when the event's last record is reached. */
CUresult cudaStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
    STANDIN_CALL_BESIDE(stream_wait(stream, event, flags));
}

CUresult cudaStreamWaitEvent_ptsz(CUstream stream, CUevent event, unsigned flags) {
    return cudaStreamWaitEvent(standin_own(stream), event, flags);
}

/* The function runs without the lock, and may not call the runtime. */
CUresult cudaLaunchHostFunc(CUstream stream, CUhostFn call, void *data) {
    STANDIN_CALL(stream_host(stream, call, data));
}

CUresult cudaLaunchHostFunc_ptsz(CUstream stream, CUhostFn call, void *data) {
    return cudaLaunchHostFunc(standin_own(stream), call, data);
}

CUresult cudaStreamAddCallback(CUstream stream, cuda_stream_callback call, void *data, unsigned flags) {
    STANDIN_FORWARD(cuStreamAddCallback(stream, call, data, flags));
}

CUresult cudaStreamAddCallback_ptsz(CUstream stream, cuda_stream_callback call, void *data, unsigned flags) {
    return cudaStreamAddCallback(standin_own(stream), call, data, flags);
}

CUresult cudaEventCreateWithFlags(CUevent *event, unsigned flags) {
    STANDIN_CALL_BESIDE(event_create(event, flags));
}

/* With timing. */
CUresult cudaEventCreate(CUevent *event) {
    return cudaEventCreateWithFlags(event, 0);
}

CUresult cudaEventDestroy(CUevent event) {
    STANDIN_CALL_BESIDE(event_destroy(event));
}

CUresult cudaEventRecord(CUevent event, CUstream stream) {
    STANDIN_CALL_BESIDE(event_record(event, stream));
}

CUresult cudaEventRecord_ptsz(CUevent event, CUstream stream) {
    return cudaEventRecord(event, standin_own(stream));
}

CUresult cudaEventSynchronize(CUevent event) {
    STANDIN_CALL_BESIDE(event_synchronize(event));
}

CUresult cudaEventQuery(CUevent event) {
    STANDIN_CALL_BESIDE(event_query(event));
}

/* Time on the simulated clock, in milliseconds. */
CUresult cudaEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
    STANDIN_CALL_BESIDE(event_elapsed(milliseconds, start, end));
}

CUresult cudaEventElapsedTime_v2(float *milliseconds, CUevent start, CUevent end) {
    return cudaEventElapsedTime(milliseconds, start, end);
}

/* The mode is not enforced. */
CUresult cudaStreamBeginCapture(CUstream stream, int mode) {
    STANDIN_CALL(capture_begin(stream, mode));
}

CUresult cudaStreamBeginCapture_ptsz(CUstream stream, int mode) {
    return cudaStreamBeginCapture(standin_own(stream), mode);
}

/* Must be called for the stream that began the capture. */
CUresult cudaStreamEndCapture(CUstream stream, CUgraph *graph) {
    STANDIN_CALL(capture_end(stream, graph));
}

CUresult cudaStreamEndCapture_ptsz(CUstream stream, CUgraph *graph) {
    return cudaStreamEndCapture(standin_own(stream), graph);
}

/* Thrust calls this before it waits for a stream. */
CUresult cudaStreamIsCapturing(CUstream stream, int *status) {
    STANDIN_CALL_BESIDE(capture_status(stream, status));
}

CUresult cudaStreamIsCapturing_ptsz(CUstream stream, int *status) {
    return cudaStreamIsCapturing(standin_own(stream), status);
}

/* ---- queries of streams ---- */

/* Defines a query of one value of a stream, with its form for programs with a default stream for each thread. */
#define STREAM_CALL(name, parameter, call)             \
    CUresult name(CUstream stream, parameter) {        \
        STANDIN_FORWARD(call);                         \
    }                                                  \
    CUresult name##_ptsz(CUstream stream, parameter) { \
        stream = standin_own(stream);                  \
        STANDIN_FORWARD(call);                         \
    }
STREAM_CALL(cudaStreamGetFlags, unsigned *flags, cuStreamGetFlags(stream, flags))
STREAM_CALL(cudaStreamGetPriority, int *priority, cuStreamGetPriority(stream, priority))
STREAM_CALL(cudaStreamGetId, unsigned long long *number, cuStreamGetId(stream, number))
STREAM_CALL(cudaStreamGetDevice, int *number, cuStreamGetDevice(stream, number))

CUresult cudaStreamSetAttribute(CUstream stream, int attribute, const CUstreamAttrValue *value) {
    STANDIN_FORWARD(cuStreamSetAttribute(stream, attribute, value));
}

CUresult cudaStreamSetAttribute_ptsz(CUstream stream, int attribute, const CUstreamAttrValue *value) {
    return cudaStreamSetAttribute(standin_own(stream), attribute, value);
}

CUresult cudaStreamGetAttribute(CUstream stream, int attribute, CUstreamAttrValue *value) {
    STANDIN_FORWARD(cuStreamGetAttribute(stream, attribute, value));
}

CUresult cudaStreamGetAttribute_ptsz(CUstream stream, int attribute, CUstreamAttrValue *value) {
    return cudaStreamGetAttribute(standin_own(stream), attribute, value);
}

CUresult cudaStreamCopyAttributes(CUstream to, CUstream from) {
    STANDIN_FORWARD(cuStreamCopyAttributes(to, from));
}

CUresult cudaStreamCopyAttributes_ptsz(CUstream to, CUstream from) {
    return cudaStreamCopyAttributes(standin_own(to), standin_own(from));
}

CUresult cudaEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags) {
    STANDIN_FORWARD(cuEventRecordWithFlags(event, stream, flags));
}

CUresult cudaEventRecordWithFlags_ptsz(CUevent event, CUstream stream, unsigned flags) {
    return cudaEventRecordWithFlags(event, standin_own(stream), flags);
}
