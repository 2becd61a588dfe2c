/* Waiting for streams' work. A kernel may loop until the host, or a kernel of another stream, changes something. Its
 * launch then pauses, and the thread that waits for it lets others run until it can continue.
 *
 * Streams advance in the order in which their first operations were issued, so that results do not depend on who
 * waits. A stream whose first operation cannot go on is held up (`is_held_up`) until another one has done something.
 * If nothing moves in any stream, the thread waits: it releases the program's lock for growing pauses, in which
 * other threads may change what the kernel polls. If no thread can, the kernel ends as a deadlock. work.c does
 * single operations. */
#include "vgpu/internal.h"
#include "vgpu/work.h"

#include <time.h>

/* ---- streams that can proceed ---- */

static bool takes_part(const struct CUstream_st *s, bool blocking) {
    return s->first && !s->is_held_up && !(blocking && s->flags & DRIVER_STREAM_NON_BLOCKING);
}

/* Finds the stream whose first operation was issued first; the clock gets work in this order when all must be done. */
static CUstream oldest(CUcontext c, bool blocking) {
    CUstream found = takes_part(&c->legacy, blocking) ? &c->legacy : NULL;
    for (CUstream s = c->streams; s; s = s->next) {
        if (!takes_part(s, blocking)) continue;
        if (!found || s->first->turn < found->first->turn) found = s;
    }
    return found;
}

/* Lets blocked streams try again. Returns whether there were any. */
static bool unblock_all(CUcontext c) {
    bool any = c->legacy.is_held_up;
    c->legacy.is_held_up = false;
    for (CUstream s = c->streams; s; s = s->next) {
        any |= s->is_held_up;
        s->is_held_up = false;
    }
    return any;
}

/* Does all streams' work; blocked streams try again after others have done something. Returns whether anything was
 * done. */
static bool do_all(CUcontext c, bool blocking, bool *left) {
    bool any = false, news;
    do {
        news = false;
        for (CUstream s; (s = oldest(c, blocking));) {
            const bool advanced = sim_work_advance(s);
            if (!advanced) s->is_held_up = true;
            news |= advanced;
        }
        any |= news;
        *left = unblock_all(c);
    } while (*left && news);
    return any;
}

/* *left: a paused kernel keeps some work from being done. */
CUresult sim_work_try_all(CUcontext c, bool blocking, bool *left) {
    (void)do_all(c, blocking, left);
    return sim_sticky(c);
}

/* ---- waiting for others ---- */

/* Finds the paused launch, or the wait for a value, at the head of the stream or of the stream that it waits for. */
static sim_work *paused_of(CUstream s) {
    while (s->first && s->first->kind == SIM_WORK_WAIT && !s->first->mark->reached) s = s->first->mark->stream;
    return s->first && (s->first->running || s->first->kind == SIM_WORK_AWAIT) ? s->first : NULL;
}

/* The first one found; NULL if no launch has paused. */
static sim_work *paused_in(CUcontext c, bool blocking) {
    sim_work *found = paused_of(&c->legacy);
    for (CUstream s = c->streams; s && !found; s = s->next)
        if (takes_part(s, blocking)) found = paused_of(s);
    return found;
}

const char *sim_driver_waiting_kernel(void) {
    const CUcontext c = sim_current();
    const sim_work *found = NULL;
    for (unsigned i = 0; c && i < sim_member_count(c) && !found; i++) found = paused_in(sim_member_of(c, i), false);
    if (found && found->kind == SIM_WORK_AWAIT) return "(a stream's wait for a value)";
    return found ? found->function->entry->name : NULL;
}

/* Rounds that a thread has waited since something last changed. */
typedef struct wait_state {
    uint64_t news; /* of sim_driver_news() */
    unsigned rounds;
    unsigned in_turn; /* rounds in which waiting kernels did something, since the thread last let others in */
} wait_state;

/* Does work of all streams on all devices of the program. */
static bool others_do_something(CUcontext c) {
    bool any = false, left;
    for (unsigned i = 0; i < sim_member_count(c); i++) any |= do_all(sim_member_of(c, i), false, &left);
    return any;
}

/* A kernel waits for others, and the caller for `stuck`: lets others run, or ends the kernel as a deadlock. `stuck`
 * is the paused launch, if there is one. Kernels of several devices that wait for each other's flags take turns here;
 * now and then other threads get theirs. Pauses double a few times. */
static void let_others_go_on(CUcontext c, sim_work *stuck, wait_state *w) {
    enum { SHORTEST_NS = 20000, DOUBLINGS = 6, MOST_IN_TURN = 64 };
    static unsigned waiting; /* threads that wait here */
    const sim_sharing *sharing = sim_work_sharing();
    const uint64_t before = sim_driver_news();
    if (others_do_something(c) || !stuck) return;
    const bool any_news = before != sim_driver_news();
    if (w->news != sim_driver_news()) *w = (wait_state){.news = sim_driver_news(), .in_turn = w->in_turn};
    if (!any_news && (!sharing->let_go || sharing->is_alone(waiting))) stuck->ends_now = true;
    if (stuck->ends_now || (any_news && w->in_turn++ < MOST_IN_TURN) || !sharing->let_go) return;
    w->in_turn = 0;
    const struct timespec pause = {.tv_nsec = SHORTEST_NS << (w->rounds < DOUBLINGS ? w->rounds : DOUBLINGS)};
    w->rounds++;
    waiting++;
    sharing->let_go();
    nanosleep(&pause, NULL);
    sharing->take_back();
    waiting--;
}

/* Also works for a mark in a stream of another device. */
CUresult sim_work_until(CUcontext c, sim_mark *mark) {
    wait_state w = {0};
    if (!mark->reached) c = mark->stream->context;
    while (!mark->reached)
        if (!sim_work_advance(mark->stream)) let_others_go_on(c, paused_of(mark->stream), &w);
    return sim_sticky(c);
}

CUresult sim_work_finish(CUstream s) {
    wait_state w = {0};
    while (s->first)
        if (!sim_work_advance(s)) let_others_go_on(s->context, paused_of(s), &w);
    return sim_sticky(s->context);
}

CUresult sim_work_finish_all(CUcontext c, bool blocking) {
    wait_state w = {0};
    bool left;
    for (do_all(c, blocking, &left); left; do_all(c, blocking, &left)) let_others_go_on(c, paused_in(c, blocking), &w);
    return sim_sticky(c);
}
