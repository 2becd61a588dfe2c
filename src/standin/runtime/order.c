/* haul check -- PROGRAM: operations of the program that use the same bytes, and that nothing orders.
 *
 * The driver finds them (vgpu/order.h) and asks here for the place of each call. A finding is made into a record of
 * two calls, so that reports, rules and files treat it like one of a kernel. One is reported for each pair of
 * places. */
#include "base/mangled.h"
#include "base/memory.h"
#include "base/status.h"
#include "lib/run.h"
#include "report/source.h"
#include "standin/report.h"
#include "standin/runtime/caller.h"
#include "vgpu/driver.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What was reported; never freed. */
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

/* A kernel<<<...>>> is launched by a function of its own, whose place would say nothing. */
static sim_site site_now(void) {
    const void *launch = standin_take_launching();
    const standin_caller caller = standin_caller_now();
    return (sim_site){launch ? launch : caller.address, caller.function};
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
    case SIM_ORDER_FREE: text_put(out, "the release"); break;
    case SIM_ORDER_HOST: text_put(out, "the host code"); break;
    default: text_put(out, "the copy");
    }
    if (e->kind == SIM_ORDER_LAUNCH && sim_driver_kernel_place(e->function, e->instruction, &file, &line))
        text_printf(out, " (%s:%" PRIu32 ")", report_local_name(file), line);
    if (e->kind != SIM_ORDER_HOST) text_printf(out, " in stream %llu", e->stream);
    text_put(out, e->kind == SIM_ORDER_FREE ? " frees" : e->writes ? " writes" : " reads");
}

static void put_what(text *out, const sim_order_finding *f) {
    put_end(out, &f->later);
    text_put(out, " what ");
    put_end(out, &f->earlier);
    text_put(out, f->later.kind == SIM_ORDER_HOST ? ", and has not waited for it" : ", and nothing orders the two");
}

/* ---- the record ---- */

static const char *copy_text(arena *memory, const text *t) {
    return arena_copy(memory, text_string(t), t->length);
}

static void fill_call(const sim_order_end *e, arena *memory, haul_instruction_record *r) {
    text file = {0};
    const char *name = e->kind == SIM_ORDER_HOST ? "host code" : e->site.function ? e->site.function : "a call";
    r->text = r->mnemonic = arena_copy(memory, name, strlen(name));
    if (standin_find_line(e->site.address, &file, &r->place.line)) r->place.file = copy_text(memory, &file);
    text_free(&file);
}

static haul_finding_access access_of(const sim_order_end *e, size_t call) {
    const haul_action action = e->kind == SIM_ORDER_FREE ? HAUL_ACTION_FREE
                               : e->writes               ? HAUL_ACTION_WRITE
                                                         : HAUL_ACTION_READ;
    return (haul_finding_access){.action = action, .instruction = call};
}

static haul_finding_kind kind_of(const sim_order_finding *f) {
    if (f->later.kind == SIM_ORDER_HOST || f->earlier.kind == SIM_ORDER_HOST) return HAUL_FINDING_RACE_HOST;
    const bool frees = f->later.kind == SIM_ORDER_FREE || f->earlier.kind == SIM_ORDER_FREE;
    return frees ? HAUL_FINDING_USE_AFTER_FREE : HAUL_FINDING_RACE_STREAMS;
}

static void fill_record(const sim_order_finding *f, arena *memory, haul_launch_record *r) {
    text what = {0}, object = {0};
    haul_instruction_record *calls = ARENA_ARRAY(memory, 2, haul_instruction_record);
    haul_finding *found = ARENA_ARRAY(memory, 1, haul_finding);
    const haul_finding_kind kind = kind_of(f);
    *r = (haul_launch_record){.kernel = "the program",
                              .instructions = calls,
                              .instruction_count = 2,
                              .findings = found,
                              .finding_count = 1,
                              .checked = true};
    fill_call(&f->later, memory, &calls[0]);
    fill_call(&f->earlier, memory, &calls[1]);
    put_what(&what, f);
    put_memory(&object, f);
    *found = (haul_finding){.kind = kind,
                            .grade = haul_finding_kinds[kind].grade,
                            .access = access_of(&f->later, 0),
                            .other = access_of(&f->earlier, 1),
                            .space = HAUL_SPACE_GLOBAL,
                            .address = f->address,
                            .bytes = f->bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)f->bytes,
                            .object = object.length ? copy_text(memory, &object) : NULL,
                            .what = copy_text(memory, &what)};
    text_free(&what);
    text_free(&object);
}

static void report(const sim_order_finding *f) {
    haul_run *run;
    haul_launch_record *record;
    if (is_told(f->later.site.address, f->earlier.site.address, kind_of(f))) return;
    if (haul_run_create(standin_device(), &run) != HAUL_OK) return;
    if (run_add_launch(run, &record) == HAUL_OK) {
        jmp_buf out_of_memory;
        run_memory(run)->out_of_memory = &out_of_memory;
        if (!setjmp(out_of_memory)) {
            fill_record(f, run_memory(run), record);
            standin_check_program(record);
        }
        run_memory(run)->out_of_memory = NULL;
    }
    haul_run_free(run);
}

haul_status standin_watch_order(void) {
    return sim_driver_watch_order(&(sim_order_watch){site_now, report});
}
