/* Work of streams: operations in the order in which each stream got them, done when somebody has to know.
 *
 * The virtual GPU is as late as the rules allow. An operation is done when a call waits for it, or for something that
 * has to come behind it; until then a copy has neither read its source nor written its destination. A program that
 * forgets a wait sees old bytes, on every run. When an operation starts and ends on the machine is another matter:
 * that is the clock's (time/clock.h), and does not depend on when it is done here.
 *
 * A kernel may wait for the host, or for another stream: its launch pauses then, and stays first in its stream
 * (wait.c).
 *
 * Lifetimes: a stream owns the operations that wait in it. Marks are counted: an event, a recording operation and each
 * operation that waits for it hold one. */
#ifndef HAUL_VGPU_WORK_H
#define HAUL_VGPU_WORK_H

#include "base/arena.h"
#include "driver/driver.h"
#include "time/clock.h"

#include <haul/haul.h>
#include <stdbool.h>

/* A point in a stream: reached when everything before it is done. */
typedef struct sim_mark {
    unsigned users;
    bool reached;
    double when; /* on the clock, once reached */
    CUstream stream;
    struct sim_slot *slot; /* that other processes see; NULL: none */
    uint64_t number;       /* of the record there */
} sim_mark;

typedef enum sim_work_kind {
    SIM_WORK_COPY_IN,
    SIM_WORK_COPY_OUT,
    SIM_WORK_COPY_DEVICE,
    SIM_WORK_COPY_BOX, /* rows, between memory and arrays */
    SIM_WORK_FILL,
    SIM_WORK_LAUNCH,
    SIM_WORK_CALL,      /* a host function */
    SIM_WORK_MARK,      /* reaches a mark */
    SIM_WORK_WAIT,      /* for a mark of another stream */
    SIM_WORK_FREE,      /* memory of a pool */
    SIM_WORK_CONDITION, /* puts a graph's works in its place */
} sim_work_kind;

typedef struct sim_work {
    sim_work_kind kind;
    double issued; /* it cannot start before */
    uint64_t turn; /* in the order in which the context got its work */
    CUdeviceptr to, from;
    void *host; /* the copy's host side */
    uint64_t bytes;
    unsigned value, width; /* FILL: what with, in elements of 1, 2 or 4 bytes */
    bool pageable;
    uint64_t source, effects; /* COPY_IN, with checks: hash of the source when issued, and the context's count then */
    CUfunction function;
    CUlaunchConfig config;
    uint32_t cluster[3];
    struct sim_running *running; /* a launch that has paused; NULL: it has not begun, or has ended */
    bool ends_now;               /* it may pause no more */
    unsigned char *parameters;   /* packed; the operation's own */
    struct sim_box_copy *box;    /* COPY_BOX: likewise; host and bytes: what it touches of the host's */
    CUaccessPolicyWindow window; /* of a launch */
    haul_run *run; /* that gets the record of a launch, in its element run_launch; NULL: nobody wants it */
    size_t run_launch;
    arena *record_memory;
    CUhostFn call;
    void *data;
    CUgraphNode condition; /* CONDITION */
    sim_mark *mark;        /* MARK, WAIT */
    size_t node;           /* in an executable graph: which mark */
    unsigned branch;
    struct sim_work *next;
} sim_work;

/* Appends a copy of `work` to the stream; what it points to becomes the stream's, also after a failure. */
CUresult sim_work_add(CUstream stream, const sim_work *work);
void sim_work_release(sim_work *work); /* what it points to */
void sim_running_drop(struct sim_running *running);
/* Does the stream's first operation, or one that it waits for. False: nothing was done, since a kernel waits there for
 * others. The stream has an operation. */
bool sim_work_advance(CUstream stream);

sim_mark *sim_mark_new(CUstream stream);
sim_mark *sim_mark_use(sim_mark *mark); /* NULL stays NULL */
void sim_mark_drop(sim_mark *mark);

/* Does what is needed until the mark is reached, all of the stream's work, or all of the context's (of the streams that
 * wait for the legacy default stream only, if `blocking`). The host program's time is not moved. Where a kernel waits
 * for others, other streams' work is done and other threads go on; it ends as a deadlock if nobody is left. */
CUresult sim_work_until(CUcontext context, sim_mark *mark);
CUresult sim_work_finish(CUstream stream);
CUresult sim_work_finish_all(CUcontext context, bool blocking);
/* Does all of the context's work that need not wait for a kernel which waits for others. *left: there is more. */
CUresult sim_work_try_all(CUcontext context, bool blocking, bool *left);
/* Whether the thread is not in a host function that a stream calls, of a program whose threads share the driver. */
CUresult sim_work_may_call(void);
/* Something was done, or a kernel that waits has changed something. */
void sim_work_note_news(void);
/* How threads share the driver. */
const struct sim_sharing *sim_work_sharing(void);
/* Does one operation on the way to the mark: polling lets time go by. */
CUresult sim_work_step(CUcontext context, sim_mark *mark);

#endif
