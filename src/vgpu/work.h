/* Work of streams: operations in the order in which each stream got them, done when somebody needs their result.
 *
 * The virtual GPU is as late as the rules allow. An operation is done when a call waits for it, or for something that
 * depends on it; until then a copy has neither read its source nor written its destination. So a program that forgets a
 * wait sees old bytes, on every run. The clock (time/clock.h) decides when an operation starts and ends on the machine;
 * that does not depend on when it is done here.
 *
 * A kernel may wait for the host, or for another stream. Its launch then pauses, and stays first in its stream
 * (wait.c).
 *
 * Lifetimes: a stream owns its pending operations. Marks are reference-counted: an event, a recording operation and
 * each operation that waits hold one reference. */
#ifndef HAUL_VGPU_WORK_H
#define HAUL_VGPU_WORK_H

#include "base/arena.h"
#include "driver/driver.h"
#include "time/clock.h"
#include "vgpu/driver.h"

#include <haul/haul.h>
#include <stdbool.h>

/* A point in a stream, reached when everything before it is done. */
typedef struct sim_mark {
    unsigned users;
    bool reached;
    double when; /* on the clock, once reached */
    CUstream stream;
    struct sim_slot *slot;   /* visible to other processes; NULL: it is not */
    uint64_t number;         /* of the record in the slot */
    struct sim_stamp *stamp; /* what comes before it (order.h); NULL: not watched */
} sim_mark;

typedef enum sim_work_kind {
    SIM_WORK_COPY_IN,
    SIM_WORK_COPY_OUT,
    SIM_WORK_COPY_DEVICE,
    SIM_WORK_COPY_BOX, /* rows between memory and arrays */
    SIM_WORK_FILL,
    SIM_WORK_LAUNCH,
    SIM_WORK_CALL,      /* a host function */
    SIM_WORK_MARK,      /* reaches a mark */
    SIM_WORK_WAIT,      /* waits for a mark of another stream */
    SIM_WORK_FREE,      /* frees memory of a pool */
    SIM_WORK_CONDITION, /* replaces itself by the work of the selected graph */
    SIM_WORK_WRITE,     /* writes a value */
    SIM_WORK_AWAIT,     /* waits for a value in memory */
    SIM_WORK_FORGET,    /* memory of a graph loses its contents */
} sim_work_kind;

typedef struct sim_work {
    sim_work_kind kind;
    sim_site site;               /* of the call that made it, if that is not the one that issues it */
    struct sim_ordered *ordered; /* its place in the order (order.h); NULL: not watched */
    double issued;               /* the earliest time at which it can start */
    uint64_t turn;               /* its rank among the context's work */
    CUdeviceptr to, from;
    void *host; /* the copy's host side */
    uint64_t bytes;
    uint64_t value; /* FILL, WRITE, AWAIT: of `width` bytes */
    unsigned width;
    int comparison; /* AWAIT: SIM_VALUE_... */
    bool pageable;
    uint64_t source, effects; /* COPY_IN, with checks: hash of the source, and context->effects, when issued */
    CUfunction function;
    CUlaunchConfig config;
    uint32_t cluster[3];
    int priority;
    bool is_cooperative;
    unsigned given;              /* bit k: attribute k of the launch was given */
    bool is_programmatic;        /* it may start before the launch in front of it has ended */
    bool is_hidden;              /* so the launch itself takes no time if the one in front still runs */
    struct sim_running *running; /* a paused launch; NULL: it has not begun, or has ended */
    bool ends_now;               /* it may not pause again */
    unsigned char *parameters;   /* packed; owned */
    struct sim_box_copy *box;    /* COPY_BOX: owned; then host and bytes say what it touches in host memory */
    CUaccessPolicyWindow window; /* of a launch */
    haul_run *run;               /* gets the record of the launch as element run_launch; NULL: no record */
    size_t run_launch;
    arena *record_memory;
    CUhostFn call;
    void *data;
    CUgraphNode condition; /* CONDITION */
    sim_mark *mark;        /* MARK, WAIT */
    size_t node;           /* in an executable graph: the index of its mark */
    unsigned branch;
    struct sim_work *next;
} sim_work;

/* Appends a copy of `work` to the stream, which owns what it points to, also after a failure. */
CUresult sim_work_add(CUstream stream, const sim_work *work);
void sim_work_release(sim_work *work); /* frees what it points to */
/* Sets the value of an attribute of a launch, by its id; one that no launch has stays. */
void sim_work_attribute(const sim_work *work, CUlaunchAttribute *attribute);
void sim_running_drop(struct sim_running *running);
/* Does the stream's first operation, or one that it waits for. Returns false if nothing was done, because a kernel
 * there waits for something else. The stream must have an operation. */
bool sim_work_advance(CUstream stream);
/* values.c: write the value; set whether it is as awaited, and fail if that cannot be any more. */
haul_status sim_value_write(CUcontext context, const sim_work *work);
haul_status sim_value_await(CUcontext context, const sim_work *work, bool *is_there);
/* Around a kernel's run in `stream`: lets calls of other threads in that do not disturb it. False if there are none. */
bool sim_work_begin_run(CUstream stream);
void sim_work_end_run(CUstream stream);

sim_mark *sim_mark_new(CUstream stream);
sim_mark *sim_mark_use(sim_mark *mark); /* NULL stays NULL */
void sim_mark_drop(sim_mark *mark);

/* Do what is needed to reach the mark, to finish the stream, or to finish the context (if `blocking`, only streams that
 * synchronize with the legacy default stream). The host program's time does not move. While a kernel waits for
 * something else, other streams' work is done and other threads run; if nothing is left, it ends as a deadlock. */
CUresult sim_work_until(CUcontext context, sim_mark *mark);
CUresult sim_work_finish(CUstream stream);
CUresult sim_work_finish_all(CUcontext context, bool blocking);
/* Does all of the context's work that need not wait for a waiting kernel; sets *left if more is pending. */
CUresult sim_work_try_all(CUcontext context, bool blocking, bool *left);
/* Fails if the thread is in a host function that a stream calls, in a program whose threads share the driver. */
CUresult sim_work_may_call(void);
/* Notes that work was done, or that a waiting kernel changed something. */
void sim_work_note_news(void);
/* Returns how threads share the driver. */
const struct sim_sharing *sim_work_sharing(void);
/* Does one operation on the path to the mark, so that polling makes progress. */
CUresult sim_work_step(CUcontext context, sim_mark *mark);

#endif
