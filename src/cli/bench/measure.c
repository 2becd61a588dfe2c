/* Measures a row: allocates its arrays, runs and verifies its candidates, and times them.
 *
 * A row is measured in three steps. The arrays are created in several sets, over which timing rotates so that no launch
 * finds its data in L2, and filled by kernels of verify.cu: the host would take far longer for gigabytes. Then each
 * candidate runs once on the first set, from a result that is poison, and another kernel counts wrong elements on the
 * device, guards behind the result included. Only candidates whose results are right are timed, all together, round by
 * round (lib/timing.h). A failure of the device or a kernel is the row's result, and the next row is measured; only a
 * lack of host memory ends the command. */
#include "base/memory.h"
#include "base/status.h"
#include "cli/bench/bench.h"
#include "lib/device.h"

#include <kernels/launch.h>
#include <kernels/verify.h>

#include <string.h>

enum { MOST_SETS = 64, THREADS = 256 }; /* THREADS: of a block of verify.cu's kernels */

/* State of a row during its measurement. */
typedef struct row_state {
    bench *bench;
    bench_result *result;
    const bench_work *work;
    bench_extent extent; /* of result->size */
    haul_buffer *errors; /* a 64-bit counter on the device, for count_wrong() */
    unsigned set_count;  /* sets that were begun; the last one may be incomplete after an error */
    bench_set sets[MOST_SETS];
} row_state;

/* A candidate, in the form that timing calls. */
typedef struct queued {
    row_state *state;
    const bench_candidate *candidate;
} queued;

/* Copies the message of the last failure to the results, because the next call overwrites it. Fails without memory. */
static haul_status note_failure(bench *b, const char **failure) {
    const char *message = haul_message();
    *failure = arena_copy(&b->memory, message, strlen(message));
    return *failure ? HAUL_OK : haul_no_memory("the bench's results");
}

/* ---- the kernels of verify.cu ---- */

/* Launches a kernel of verify.cu with a thread for each of `threads` elements, and waits. */
static haul_status run_verify(bench *b, const char *kernel, uint64_t threads, const haul_argument *arguments,
                              size_t count) {
    haul_module *module;
    HAUL_TRY(kernels_module(b->kernels, "verify", &module));
    const haul_launch launch = {.kernel = kernel,
                                .grid = {(uint32_t)((threads + THREADS - 1) / THREADS), 1, 1},
                                .block = {THREADS, 1, 1},
                                .arguments = arguments,
                                .argument_count = count};
    return haul_launch_run(module, &launch, NULL);
}

static haul_argument word(uint32_t value) {
    return (haul_argument){.kind = HAUL_ARGUMENT_I32, .integer = value};
}

static haul_argument wide(uint64_t value) {
    return (haul_argument){.kind = HAUL_ARGUMENT_I64, .integer = (int64_t)value};
}

static haul_argument array(haul_buffer *buffer) {
    return (haul_argument){.kind = HAUL_ARGUMENT_BUFFER, .buffer = buffer};
}

/* Fills an array and its guard with values of a stream of verify.cu, around `middle`. Does nothing for an array that
 * the work lacks. */
static haul_status fill(bench *b, haul_buffer *buffer, uint64_t n, uint64_t stream, float middle) {
    const haul_argument arguments[] = {
        array(buffer), wide(n), wide(stream), {.kind = HAUL_ARGUMENT_F32, .real = (double)middle}};
    return buffer ? run_verify(b, "verify_fill", n + VERIFY_GUARD, arguments, 4) : HAUL_OK;
}

/* Resets the result before a launch: poison, so that an element that is not written counts as wrong. A result that is
 * also read gets values instead, and only the guard behind it is poison. */
static haul_status reset_result(row_state *s, const bench_set *set) {
    const uint64_t n = s->extent.out;
    const haul_argument arguments[] = {array(set->out), wide(n)};
    if (s->work->adds) HAUL_TRY(fill(s->bench, set->out, n, VERIFY_SECOND, 0));
    if (!s->work->adds) return run_verify(s->bench, "verify_poison", n + VERIFY_GUARD, arguments, 2);
    haul_argument guard[] = {array(set->out), wide(0)};
    guard[0].offset = n * sizeof(float);
    return run_verify(s->bench, "verify_poison", VERIFY_GUARD, guard, 2);
}

/* Fills the inputs and resets the result. Each set has the same contents. */
static haul_status fill_set(row_state *s, const bench_set *set) {
    const bench_extent *e = &s->extent;
    HAUL_TRY(fill(s->bench, set->in, e->in, 0, 0));
    HAUL_TRY(fill(s->bench, set->small, e->small, VERIFY_SECOND, VERIFY_MIDDLE));
    HAUL_TRY(reset_result(s, set));
    const haul_argument index[] = {array(set->index), wide(e->index), word((uint32_t)e->index)};
    return set->index ? run_verify(s->bench, "verify_index", e->index, index, 3) : HAUL_OK;
}

/* Counts wrong elements of the set's result on the device. `lanes` threads check an element. */
static haul_status count_wrong(row_state *s, const bench_set *set, unsigned long long *wrong) {
    uint32_t shape[2];
    s->work->shape(&s->result->size, shape);
    const haul_argument arguments[] = {array(set->out), wide(s->extent.out), word(shape[0]), word(shape[1]),
                                       array(s->errors)};
    *wrong = 0;
    HAUL_TRY(haul_buffer_write(s->errors, 0, wrong, sizeof *wrong));
    HAUL_TRY(run_verify(s->bench, s->work->verify, (s->extent.out + VERIFY_GUARD) * s->work->lanes, arguments, 5));
    return haul_buffer_read(s->errors, 0, wrong, sizeof *wrong);
}

/* ---- arrays ---- */

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* Bytes of an array with its guard; 0 for an array that the work lacks. */
static uint64_t bytes_of(uint64_t floats) {
    return floats ? (floats + VERIFY_GUARD) * sizeof(float) : 0;
}

/* The plain copy moves as many bytes from `in` to `out`, which may therefore be longer than the work needs. */
static uint64_t in_bytes(const bench_extent *e) {
    return bytes_of(larger(e->in, e->copied));
}

static uint64_t out_bytes(const bench_extent *e) {
    return bytes_of(larger(e->out, e->copied));
}

static uint64_t set_bytes(const bench_extent *e) {
    return in_bytes(e) + out_bytes(e) + bytes_of(e->small) + bytes_of(e->temporary) + bytes_of(e->index);
}

static haul_status open_buffer(haul_device *d, uint64_t bytes, haul_buffer **buffer) {
    return bytes ? haul_buffer_create(d, bytes, buffer) : HAUL_OK;
}

/* An error leaves buffers of the set open; close_arrays() frees them. */
static haul_status open_set(row_state *s, bench_set *set) {
    const bench_extent *e = &s->extent;
    haul_device *d = s->bench->device;
    HAUL_TRY(open_buffer(d, in_bytes(e), &set->in));
    HAUL_TRY(open_buffer(d, out_bytes(e), &set->out));
    HAUL_TRY(open_buffer(d, bytes_of(e->small), &set->small));
    HAUL_TRY(open_buffer(d, bytes_of(e->temporary), &set->temporary));
    HAUL_TRY(open_buffer(d, bytes_of(e->index), &set->index));
    return fill_set(s, set);
}

static void close_set(bench_set *set) {
    haul_buffer_free(set->in);
    haul_buffer_free(set->out);
    haul_buffer_free(set->small);
    haul_buffer_free(set->temporary);
    haul_buffer_free(set->index);
}

/* As many sets as timing asks for, and room allows. */
static haul_status open_arrays(row_state *s) {
    unsigned wanted = timing_sets(s->bench->device, set_bytes(&s->extent));
    HAUL_TRY(haul_buffer_create(s->bench->device, sizeof(unsigned long long), &s->errors));
    while (s->set_count < wanted && s->set_count < MOST_SETS) HAUL_TRY(open_set(s, &s->sets[s->set_count++]));
    return HAUL_OK;
}

static void close_arrays(row_state *s) {
    for (unsigned i = 0; i < s->set_count; i++) close_set(&s->sets[i]);
    haul_buffer_free(s->errors);
}

/* ---- running a candidate ---- */

/* Peers are libraries for the CUDA runtime: they take device addresses as pointers. */
static float *pointer_to(const haul_buffer *buffer) {
    return buffer ? (float *)(uintptr_t)haul_buffer_address(buffer) : NULL;
}

/* Queues a peer's work; does not wait. The job has all arrays that the work has, and the numbers that it adds. */
static haul_status run_peer(const row_state *s, const bench_candidate *c, const bench_set *set) {
    haul_peer_job job = {.n = s->extent.out,
                         .alpha = VERIFY_ALPHA,
                         .in = pointer_to(set->in),
                         .small = pointer_to(set->small),
                         .index = (const unsigned *)pointer_to(set->index),
                         .out = pointer_to(set->out),
                         .temporary = pointer_to(set->temporary)};
    s->work->job(&s->result->size, &job);
    int error = c->peer->run(&job, c->peer->context);
    if (!error) return HAUL_OK;
    return haul_fail(HAUL_ERROR_DRIVER, "%s", c->library->explain(error));
}

/* The driver's copy of as many bytes as the work moves; it is asynchronous, as kernels are while timing. */
static haul_status run_copy(const row_state *s, const bench_set *set) {
    haul_device *d = s->bench->device;
    return device_check(
        d, d->driver->copy_on_device_async(set->out->address, set->in->address, s->extent.copied * sizeof(float), NULL),
        "copying on the device");
}

/* `run` gets the launch's record; NULL while timing. Peers and copies have none. */
static haul_status run_candidate(row_state *s, const bench_candidate *c, const bench_set *set, haul_run *run) {
    if (c->peer) return run_peer(s, c, set);
    if (strcmp(c->who, "memcpy") == 0) return run_copy(s, set);
    return s->work->ship(s->bench->kernels, c->form, &s->result->size, set, run);
}

/* The candidate as lib/timing.h calls it (timing_queue). */
static haul_status queue_candidate(void *context, unsigned set) {
    const queued *q = context;
    return run_candidate(q->state, q->candidate, &q->state->sets[set], NULL);
}

/* ---- candidates ---- */

/* The array has room for most_candidates(). */
static bench_candidate *add_candidate(row_state *s, const char *who, const char *label) {
    bench_candidate *c = &s->result->candidates[s->result->count++];
    *c = (bench_candidate){.who = who, .label = label, .bytes = s->extent.bytes};
    return c;
}

static void add_form(row_state *s, const char *who, unsigned form) {
    add_candidate(s, who, s->work->forms[form].label)->form = form;
}

/* A peer whose own library is missing on this machine is left out. */
static bool is_for(const haul_peer *peer, const bench_work *work) {
    return strcmp(peer->work, work->name) == 0 && (!peer->there || peer->there());
}

static haul_status add_peer(row_state *s, const haul_peers_table *table, const haul_peer *p) {
    const char *label = *p->variant ? arena_printf(&s->bench->memory, "%s, %s", p->text, p->variant) : p->text;
    if (!label) return haul_no_memory("the bench's results");
    bench_candidate *c = add_candidate(s, p->name, label);
    c->peer = p;
    c->library = table;
    return HAUL_OK;
}

static haul_status add_peers(row_state *s) {
    for (size_t l = 0; l < s->bench->peers.count; l++) {
        const haul_peers_table *table = s->bench->peers.libraries[l].table;
        for (size_t i = 0; i < table->count; i++) {
            if (is_for(&table->peers[i], s->work)) HAUL_TRY(add_peer(s, table, &table->peers[i]));
        }
    }
    return HAUL_OK;
}

/* Forms, of which one may be added twice, the copy, and all peers. */
static size_t most_candidates(const row_state *s) {
    size_t most = s->work->form_count + 2;
    for (size_t l = 0; l < s->bench->peers.count; l++) most += s->bench->peers.libraries[l].table->count;
    return most;
}

/* Form 0 is haul's own choice for the device. The order is that of the report. */
static haul_status add_candidates(row_state *s) {
    s->result->candidates = ARENA_ARRAY(&s->bench->memory, most_candidates(s), bench_candidate);
    if (!s->result->candidates) return haul_no_memory("the bench's results");
    add_form(s, "haul", 0);
    add_candidate(s, "memcpy", "cudaMemcpyAsync")->bytes = 8.0 * (double)s->extent.copied;
    add_form(s, "plain", s->work->plain);
    HAUL_TRY(add_peers(s));
    for (unsigned f = 1; s->bench->options.forms && f < s->work->form_count; f++) {
        if (f != s->work->plain) add_form(s, "form", f);
    }
    return HAUL_OK;
}

/* ---- verification ---- */

/* Names the form that a recommended one turned out to be: among those whose kernel's name is a prefix of the launched
 * one's, the longest. */
static void name_form(const row_state *s, bench_candidate *c) {
    size_t longest = 0;
    for (unsigned f = 1; f < s->work->form_count; f++) {
        size_t length = strlen(s->work->forms[f].kernel);
        if (length <= longest || strncmp(c->kernel, s->work->forms[f].kernel, length) != 0) continue;
        longest = length;
        c->label = s->work->forms[f].label;
        c->form = f;
    }
}

/* Runs the candidate once and keeps the name of the kernel that was launched, the last one if there are several. */
static haul_status run_recorded(row_state *s, bench_candidate *c) {
    haul_run *run;
    HAUL_TRY(haul_run_create(s->bench->device, &run));
    haul_status status = run_candidate(s, c, &s->sets[0], run);
    if (status == HAUL_OK && run->launch_count) {
        const char *kernel = run->launches[run->launch_count - 1].kernel;
        c->kernel = arena_copy(&s->bench->memory, kernel, strlen(kernel));
        if (!c->kernel) status = haul_no_memory("the bench's results");
    }
    haul_run_free(run);
    return status;
}

/* Waits, since neither peers nor a copy do. */
static haul_status finish(const row_state *s) {
    return device_check(s->bench->device, s->bench->device->driver->synchronize(), "waiting for a result");
}

/* Runs a candidate and checks its result. The copy moves other bytes than the work's result, except in the work `copy`,
 * so there is nothing to check. */
static haul_status verify(row_state *s, bench_candidate *c) {
    bool copies = strcmp(c->who, "memcpy") == 0 && s->work != &bench_copy;
    if (!copies) HAUL_TRY(reset_result(s, &s->sets[0]));
    HAUL_TRY(run_recorded(s, c));
    HAUL_TRY(finish(s));
    if (!copies) HAUL_TRY(count_wrong(s, &s->sets[0], &c->wrong));
    c->right = c->wrong == 0;
    if (c->kernel && c->form == 0) name_form(s, c);
    return HAUL_OK;
}

/* A form that the device cannot run, at all or at this size, is left out, unless it is the recommended or the plain
 * one. */
static bool is_optional(const bench_candidate *c, haul_status status) {
    return strcmp(c->who, "form") == 0 && (status == HAUL_ERROR_UNSUPPORTED || status == HAUL_ERROR_ARGUMENT);
}

/* Verifies all candidates and drops those that are not to be timed or shown: optional forms that cannot run here, and
 * the form that the recommended one turned out to be. A peer that fails is shown with its failure; a form of haul's
 * that fails is an error. */
static haul_status verify_all(row_state *s) {
    size_t kept = 0;
    bench_result *r = s->result;
    for (size_t i = 0; i < r->count; i++) {
        bench_candidate *c = &r->candidates[i];
        haul_status status = verify(s, c);
        bool again = strcmp(c->who, "form") == 0 && c->form == r->candidates[0].form;
        if (again || (status != HAUL_OK && is_optional(c, status))) continue;
        if (status != HAUL_OK && c->peer)
            HAUL_TRY(note_failure(s->bench, &c->failure));
        else if (status != HAUL_OK)
            return haul_fail_in(status, "%s", c->label);
        if (!c->right) s->bench->wrong++;
        r->candidates[kept++] = *c;
    }
    r->count = kept;
    return HAUL_OK;
}

/* ---- timing ---- */

/* Times `count` candidates together; samples lie one candidate after the other. */
static haul_status time_works(row_state *s, queued *queue, timing_work *works, double *samples, size_t count) {
    timing_plan plan = timing_plan_for(s->bench->device, s->bench->options.rounds);
    plan.sets = s->set_count;
    HAUL_TRY(timing_measure(s->bench->device, works, count, &plan, samples));
    for (size_t i = 0; i < count; i++) {
        bench_candidate *c = &s->result->candidates[queue[i].candidate - s->result->candidates];
        c->samples = samples + i * plan.rounds;
        HAUL_TRY(timing_summarise(c->samples, plan.rounds, &c->time));
    }
    return HAUL_OK;
}

/* Only right results are timed: a wrong kernel may be fast because it does less. */
static haul_status time_all(row_state *s) {
    bench_result *r = s->result;
    r->rounds = timing_plan_for(s->bench->device, s->bench->options.rounds).rounds;
    queued *queue = ARENA_ARRAY(&s->bench->memory, r->count, queued);
    timing_work *works = ARENA_ARRAY(&s->bench->memory, r->count, timing_work);
    double *samples = ARENA_ARRAY(&s->bench->memory, r->count * r->rounds, double);
    if (!queue || !works || !samples) return haul_no_memory("the bench's results");
    size_t count = 0;
    for (size_t i = 0; i < r->count; i++) {
        if (!r->candidates[i].right) continue;
        queue[count] = (queued){s, &r->candidates[i]};
        works[count] = (timing_work){queue_candidate, &queue[count]};
        count++;
    }
    return count ? time_works(s, queue, works, samples, count) : HAUL_OK;
}

/* ---- rows ---- */

/* Halves the work until its arrays are small enough, or it cannot be halved. */
static bench_size fitting_size(const bench_row *row, uint64_t most_bytes) {
    bench_size size = row->size, before;
    bench_extent e = row->work->extent(&size);
    do {
        if (!most_bytes || larger(e.in, e.out) * sizeof(float) <= most_bytes) break;
        before = size;
        row->work->shrink(&size);
        e = row->work->extent(&size);
    } while (memcmp(&size, &before, sizeof size) != 0);
    return size;
}

/* The result lives in the bench's arena; its title describes the size that is measured, not the row's. NULL without
 * memory. */
static bench_result *new_result(bench *b, const bench_row *row) {
    text title = {0};
    bench_result *r = ARENA_NEW(&b->memory, bench_result);
    if (!r) return NULL;
    *r = (bench_result){.row = row, .size = fitting_size(row, b->options.most_bytes)};
    r->whole = memcmp(&r->size, &row->size, sizeof r->size) == 0;
    row->work->describe(&r->size, &title);
    r->title = title.failed ? NULL : arena_copy(&b->memory, text_string(&title), title.length);
    text_free(&title);
    return r->title ? r : NULL;
}

static haul_status measure(row_state *s) {
    HAUL_TRY(open_arrays(s));
    HAUL_TRY(verify_all(s));
    return time_all(s);
}

/* Measures, and turns a failure of the device or a kernel into `result->failure`. Wrong candidates and failed rows are
 * counted in `wrong`, which decides the exit status. */
static haul_status run_row(row_state *s) {
    haul_status status = measure(s);
    close_arrays(s);
    if (status == HAUL_OK) return HAUL_OK;
    s->bench->wrong++;
    return note_failure(s->bench, &s->result->failure);
}

/* The result is linked before it is measured, so that a failed row is reported, too. */
haul_status bench_measure_row(bench *b, const bench_row *row) {
    bench_result *r = new_result(b, row);
    if (!r) return haul_no_memory("the bench's results");
    row_state s = {.bench = b, .result = r, .work = row->work, .extent = row->work->extent(&r->size)};
    HAUL_TRY(add_candidates(&s));
    *b->last = r;
    b->last = &r->next;
    return run_row(&s);
}

/* Measures the copy's first row without other candidates. Its result is not linked: only the rate is kept. */
haul_status bench_measure_ceiling(bench *b) {
    bench_candidate copy = {.who = "memcpy", .label = "cudaMemcpyAsync"};
    bench_result *r = new_result(b, &bench_rows[0]);
    if (!r) return haul_no_memory("the bench's results");
    row_state s = {.bench = b, .result = r, .work = r->row->work, .extent = r->row->work->extent(&r->size)};
    copy.bytes = s.extent.bytes;
    r->candidates = &copy;
    r->count = 1;
    HAUL_TRY(run_row(&s));
    if (copy.time.median > 0) b->ceiling = copy.bytes / copy.time.median * 1e6;
    return HAUL_OK;
}

/* ---- comparing ---- */

/* A name may stand for several candidates: a peer's variants. */
const bench_candidate *bench_find(const bench_result *r, const char *who) {
    const bench_candidate *best = NULL;
    for (size_t i = 0; i < r->count && !r->failure; i++) {
        const bench_candidate *c = &r->candidates[i];
        if (strcmp(c->who, who) != 0 || !c->right) continue;
        if (!best || c->time.median < best->time.median) best = c;
    }
    return best;
}

/* Times are compared round by round; factors of bytes turn a ratio of times into one of rates. */
haul_status bench_ratio(const bench_result *r, const bench_candidate *own, const bench_candidate *reference,
                        timing_summary *ratio) {
    const double bytes = own->bytes / reference->bytes;
    HAUL_TRY(timing_compare(own->samples, reference->samples, r->rounds, ratio));
    ratio->median *= bytes;
    ratio->low *= bytes;
    ratio->high *= bytes;
    ratio->least *= bytes;
    ratio->most *= bytes;
    return HAUL_OK;
}
