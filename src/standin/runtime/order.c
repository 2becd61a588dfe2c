/* haul check -- PROGRAM: operations of the program that use the same bytes, and that nothing orders.
 *
 * The driver finds them (vgpu/order.h) and asks here for the place of each call. One finding is reported for each pair
 * of places. */
#include "base/mangled.h"
#include "base/memory.h"
#include "report/source.h"
#include "standin/report.h"
#include "standin/runtime/call_finding.h"
#include "vgpu/driver.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Reported findings; never freed. */
typedef struct told {
    const void *later, *earlier;
    haul_finding_kind kind;
    struct told *next;
} told;

static told *all_told;

static bool is_told(const void *later, const void *earlier, haul_finding_kind kind) {
    for (const told *t = all_told; t; t = t->next)
        if (t->later == later && t->earlier == earlier && t->kind == kind) return true;
    told *t = memory_zeroed(1, sizeof *t);
    if (!t) return true;
    *t = (told){later, earlier, kind, all_told};
    all_told = t;
    return false;
}

static sim_site site_now(void) {
    const standin_caller caller = standin_caller_now();
    return (sim_site){caller.address, caller.function};
}

static standin_finding_end end_of(const sim_order_end *e) {
    const bool frees = e->kind == SIM_ORDER_FREE || e->kind == SIM_ORDER_HOST_FREE;
    const haul_action action = e->kind == SIM_ORDER_ALLOCATE ? HAUL_ACTION_ALLOCATE
                               : frees                       ? HAUL_ACTION_FREE
                               : e->writes                   ? HAUL_ACTION_WRITE
                                                             : HAUL_ACTION_READ;
    const char *function = e->kind == SIM_ORDER_HOST ? "host code" : e->site.function;
    return (standin_finding_end){{e->site.address, function}, action};
}

/* ---- sentences ---- */

static void put_memory(text *out, const sim_order_finding *f) {
    sim_allocation a;
    const char *const kinds[] = {"device memory", "pinned memory", "managed memory"};
    if (!sim_driver_allocation(f->address, &a)) return;
    text_printf(out, "byte %llu of %llu of %s", f->address - a.first, (unsigned long long)a.bytes, kinds[a.kind]);
}

/* "kernel scale (scale.cu:4), in stream 2, writes" */
static void put_end(text *out, const sim_order_end *e) {
    const char *file;
    uint32_t line;
    size_t length;
    const char *kernel = mangled_name(e->kernel, &length);
    switch (e->kind) {
    case SIM_ORDER_LAUNCH: text_printf(out, "kernel %.*s", (int)length, kernel); break;
    case SIM_ORDER_FILL: text_put(out, "the fill"); break;
    case SIM_ORDER_FREE:
    case SIM_ORDER_HOST_FREE: text_put(out, "the release"); break;
    case SIM_ORDER_HOST: text_put(out, e->is_before_site ? "the host code before this call" : "the host code"); break;
    case SIM_ORDER_ALLOCATE: text_put(out, "the allocation"); break;
    default: text_put(out, "the copy");
    }
    if (e->kind == SIM_ORDER_LAUNCH && sim_driver_kernel_place(e->function, e->instruction, &file, &line))
        text_printf(out, " (%s:%" PRIu32 ")", report_local_name(file), line);
    const bool by_host = e->kind == SIM_ORDER_HOST || e->kind == SIM_ORDER_HOST_FREE;
    if (!by_host) text_printf(out, " in stream %llu", e->stream);
    const haul_action action = end_of(e).action;
    text_put(out, action == HAUL_ACTION_ALLOCATE ? " provides"
                  : action == HAUL_ACTION_FREE   ? " frees"
                  : e->writes                    ? " writes"
                                                 : " reads");
}

static void put_what(text *out, const sim_order_finding *f) {
    put_end(out, &f->later);
    if (f->fault == SIM_ORDER_OVERLAPS) {
        text_printf(out, " %llu bytes that it reads itself", (unsigned long long)f->bytes);
        return;
    }
    if (f->fault == SIM_ORDER_UNWRITTEN) {
        text_printf(out, " %llu bytes, of which nobody has written %llu", (unsigned long long)f->of,
                    (unsigned long long)f->bytes);
        return;
    }
    text_put(out, " what ");
    put_end(out, &f->earlier);
    if (f->later.kind == SIM_ORDER_HOST)
        text_put(out, ", and has not waited for it");
    else if (f->later.kind == SIM_ORDER_HOST_FREE)
        text_put(out, ", and the program has not waited for it: this call does not wait either for memory of a pool");
    else if (f->overlaps && !f->is_next)
        text_put(out, ", and does not wait for it: griddepcontrol.wait (cudaGridDependencySynchronize()) waits for the "
                      "launch in front only, and a launch between the two does not wait");
    else if (f->overlaps)
        text_put(out, ", and does not wait for it: the launch may start early, and its kernel has no "
                      "griddepcontrol.wait (cudaGridDependencySynchronize())");
    else if (f->is_at_start)
        text_put(out,
                 ", and does so before its thread's griddepcontrol.wait (cudaGridDependencySynchronize()): the launch "
                 "may start early");
    else
        text_put(out, ", and nothing orders the two");
}

/* ---- the finding ---- */

static haul_finding_kind kind_of(const sim_order_finding *f) {
    if (f->fault == SIM_ORDER_OVERLAPS) return HAUL_FINDING_COPY_OVERLAPS;
    if (f->fault == SIM_ORDER_UNWRITTEN) return HAUL_FINDING_UNINITIALISED_READ;
    if (f->later.kind == SIM_ORDER_HOST || f->earlier.kind == SIM_ORDER_HOST) return HAUL_FINDING_RACE_HOST;
    const bool frees = end_of(&f->later).action == HAUL_ACTION_FREE || end_of(&f->earlier).action == HAUL_ACTION_FREE;
    return frees ? HAUL_FINDING_USE_AFTER_FREE : HAUL_FINDING_RACE_STREAMS;
}

/* Host code is noticed at its first byte: how many it uses is not known. */
static void report(const sim_order_finding *f) {
    text what = {0}, object = {0};
    const haul_finding_kind kind = kind_of(f);
    if (is_told(f->later.site.address, f->earlier.site.address, kind)) return;
    put_what(&what, f);
    put_memory(&object, f);
    const standin_call_finding found = {.kind = kind,
                                        .what = text_string(&what),
                                        .object = object.length ? text_string(&object) : NULL,
                                        .call = end_of(&f->later),
                                        .is_advice = f->fault == SIM_ORDER_UNWRITTEN,
                                        .earlier = f->fault ? (standin_finding_end){.action = HAUL_ACTION_NONE}
                                                            : end_of(&f->earlier),
                                        .address = f->address,
                                        .bytes = kind == HAUL_FINDING_RACE_HOST ? 0 : f->bytes};
    standin_report_call_finding(&found);
    text_free(&what);
    text_free(&object);
}

haul_status standin_watch_order(void) {
    return sim_driver_watch_order(&(sim_order_watch){site_now, report});
}
