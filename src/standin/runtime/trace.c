/* haul profile --timeline FILE.json -- PROGRAM: the streams of the program as a trace.
 *
 * The driver tells of all work that took time. A launch with a record is added when the record is done with, so that
 * its span waits here until then; its run identifies it. */
#include "base/mangled.h"
#include "base/status.h"
#include "report/trace/trace.h"
#include "standin/report.h"
#include "vgpu/driver.h"

enum { MOST_WAITING = 1024, NAME = 256 };

typedef struct waiting {
    const haul_run *run;
    report_trace_span span;
} waiting;

static report_trace *trace;
static waiting launches[MOST_WAITING];
static size_t launch_count;

/* Returns the span of a launch and forgets it, as its run will be freed. False if it does not wait. */
static bool take_waiting(const haul_run *run, report_trace_span *span) {
    for (size_t i = 0; i < launch_count; i++) {
        if (launches[i].run != run) continue;
        *span = launches[i].span;
        launches[i] = launches[--launch_count];
        return true;
    }
    return false;
}

static void note(const sim_placed *p) {
    char name[NAME];
    report_trace_span old;
    const report_trace_span span = {p->from, p->to, standin_number_of(p->device), p->stream};
    if (p->run) (void)take_waiting(p->run, &old);
    if (p->run && launch_count < MOST_WAITING)
        launches[launch_count++] = (waiting){p->run, span};
    else
        report_trace_add_work(trace, &span, mangled_copy(p->name, name, sizeof name), p->bytes);
}

void standin_watch_placed(void) {
    if (standin_asked.task != STANDIN_PROFILE || !standin_asked.trace) return;
    trace = report_trace_new();
    if (trace) sim_driver_on_placed(note);
}

void standin_trace_launch(const haul_run *run) {
    char name[NAME];
    report_trace_span span;
    const haul_launch_record *r = run->launches;
    if (trace && take_waiting(run, &span))
        report_trace_add_launch(trace, &span, mangled_copy(r->kernel, name, sizeof name), r,
                                sim_machine_find(run->machine));
}

haul_status standin_put_trace(void) {
    text out = {0};
    if (!trace) return standin_asked.trace ? haul_no_memory("the trace") : HAUL_OK;
    haul_status status = report_trace_put(trace, &out);
    if (status == HAUL_OK) status = standin_write(standin_asked.trace, &out);
    text_free(&out);
    if (standin_is_collecting()) return status; /* more may come */
    report_trace_free(trace);
    trace = NULL;
    sim_driver_on_placed(NULL);
    return status;
}
