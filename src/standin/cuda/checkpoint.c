/* Checkpoints of the process itself: calls of CUDA wait, and the memory of the devices may be saved.
 *
 * A virtual GPU's memory is the process's own, so that whatever saves the process saves that, too: a checkpoint and its
 * restoration only change the state. Other processes cannot be reached. */
#include "standin/cuda/cuda.h"

#include <pthread.h>
#include <unistd.h>

enum { RUNNING, LOCKED, CHECKPOINTED };

static int state = RUNNING;
static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;

static CUresult check(int process) {
    return process == getpid() ? CUDA_SUCCESS : process > 0 ? CUDA_NOT_SUPPORTED : CUDA_INVALID_VALUE;
}

/* Work that was submitted is done first. */
static CUresult change(int process, int from, int to) {
    CUresult result = check(process);
    if (result != CUDA_SUCCESS) return result;
    pthread_mutex_lock(&changing);
    if (state != from) result = CUDA_ILLEGAL_STATE;
    if (result == CUDA_SUCCESS && from == RUNNING) standin_hold_up();
    if (result == CUDA_SUCCESS && to == RUNNING) standin_go_on();
    if (result == CUDA_SUCCESS) state = to;
    pthread_mutex_unlock(&changing);
    return result;
}

/* A time limit is not needed, as work ends. */
CUresult cuCheckpointProcessLock(int process, void *arguments) {
    (void)arguments;
    return change(process, RUNNING, LOCKED);
}

CUresult cuCheckpointProcessCheckpoint(int process, void *arguments) {
    (void)arguments;
    return change(process, LOCKED, CHECKPOINTED);
}

/* Other devices to restore to do not exist. */
CUresult cuCheckpointProcessRestore(int process, void *arguments) {
    (void)arguments;
    return change(process, CHECKPOINTED, LOCKED);
}

CUresult cuCheckpointProcessUnlock(int process, void *arguments) {
    (void)arguments;
    return change(process, LOCKED, RUNNING);
}

CUresult cuCheckpointProcessGetState(int process, int *now) {
    const CUresult result = now ? check(process) : CUDA_INVALID_VALUE;
    if (result != CUDA_SUCCESS) return result;
    pthread_mutex_lock(&changing);
    *now = state;
    pthread_mutex_unlock(&changing);
    return CUDA_SUCCESS;
}

/* No thread of haul's is needed to restore. */
CUresult cuCheckpointProcessGetRestoreThreadId(int process, int *thread) {
    const CUresult result = thread ? check(process) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) *thread = process;
    return result;
}
