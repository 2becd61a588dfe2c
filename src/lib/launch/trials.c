/* Implements lib/launch/trials.h.
 *
 * A kernel's outcome depends on its buffers, on the module's variables and on the heap of malloc(). Buffers belong to
 * the launch and are filled again before each trial. Variables and heap live on from launch to launch, so they are
 * saved before the first trial (`before`) and restored before each further one. At the end they become what the first
 * trial left (`after`), as if only that had happened. Addresses are the same in all trials, since the workspace stays;
 * contents that are addresses compare equal, too. */
#include "lib/launch/trials.h"

#include "base/memory.h"
#include "base/status.h"
#include "lib/device.h"
#include "vgpu/driver.h"

#include <string.h>

/* ---- contents ---- */

void launch_contents_free(launch_contents *c) {
    for (size_t i = 0; i < c->count; i++) memory_free(c->pieces[i].bytes);
    memory_free(c->pieces);
    *c = (launch_contents){0};
}

/* Adds a piece of zeros, to be filled. Returns NULL if the host has no memory. A piece of 0 bytes has memory, too. */
static launch_piece *add_piece(launch_contents *c, uint64_t size) {
    launch_piece *pieces = memory_resize(c->pieces, (c->count + 1) * sizeof *pieces);
    if (!pieces) return NULL;
    c->pieces = pieces;
    pieces[c->count] = (launch_piece){.size = size, .bytes = memory_zeroed(size + 1, 1)};
    return pieces[c->count].bytes ? &pieces[c->count++] : NULL;
}

/* Adds a piece with part of a buffer's contents. */
static haul_status add_buffer(launch_contents *c, haul_buffer *buffer, uint64_t at, uint64_t size,
                              launch_piece **piece) {
    *piece = add_piece(c, size);
    return *piece ? haul_buffer_read(buffer, at, (*piece)->bytes, size) : haul_no_memory("the launch");
}

/* Adds what the kernel may have written through argument `i`: a buffer's words or a surface. Kernels do not write
 * textures. */
static haul_status take_argument(const launch_argument *a, const launch_workspace *w, size_t i, launch_contents *c) {
    launch_piece *piece = NULL;
    if (a->texture && a->texture->is_surface) {
        piece = add_piece(c, a->words * sizeof(uint32_t));
        HAUL_TRY(piece ? haul_array_read(w->arrays[i], 0, piece->bytes) : haul_no_memory("the launch"));
    } else if (!a->texture && w->buffers[i]) {
        HAUL_TRY(add_buffer(c, w->buffers[i], a->offset, a->words * sizeof(uint32_t), &piece));
    }
    if (piece) piece->argument = i;
    return HAUL_OK;
}

static haul_status take_arguments(const launch_trials *t, launch_contents *c) {
    for (size_t i = 0; i < t->workspace.own; i++)
        HAUL_TRY(take_argument(&t->launch->arguments[i], &t->workspace, i, c));
    return HAUL_OK;
}

/* Adds the contents of a variable, whose name the module owns. */
static haul_status take_variable(const launch_trials *t, const char *name, uint64_t size, launch_contents *c) {
    haul_buffer *variable;
    launch_piece *piece;
    HAUL_TRY(haul_module_variable(t->module, name, &variable));
    HAUL_TRY(add_buffer(c, variable, 0, size, &piece));
    piece->variable = name;
    return HAUL_OK;
}

/* Adds all variables of the module in global and constant memory. Constant memory does not change while a kernel runs,
 * but values of a launch may have been set there. */
static haul_status take_variables(const launch_trials *t, launch_contents *c) {
    const ptx_module *m = t->module->ptx;
    for (size_t i = 0; m && i < m->variable_count; i++) {
        const ptx_variable *v = m->variables[i];
        const bool is_kept = v->space == PTX_SPACE_GLOBAL || v->space == PTX_SPACE_CONST;
        if (is_kept && v->size && !v->is_extern) HAUL_TRY(take_variable(t, v->name, v->size, c));
    }
    return HAUL_OK;
}

static haul_status put_variables(const launch_trials *t, const launch_contents *c) {
    for (size_t i = 0; i < c->count; i++) {
        haul_buffer *variable;
        HAUL_TRY(haul_module_variable(t->module, c->pieces[i].variable, &variable));
        HAUL_TRY(haul_buffer_write(variable, 0, c->pieces[i].bytes, c->pieces[i].size));
    }
    return HAUL_OK;
}

/* ---- comparing ---- */

/* Bytes beyond the piece's end count as 0. */
static uint32_t word_of(const launch_piece *p, uint64_t word) {
    uint32_t value = 0;
    const uint64_t at = word * sizeof value, left = p->size - at;
    memcpy(&value, p->bytes + at, left < sizeof value ? left : sizeof value);
    return value;
}

/* Counts the words that differ, and notes the first one of all pieces. */
static void compare_piece(const launch_piece *a, const launch_piece *b, launch_difference *d) {
    if (a->size != b->size || memcmp(a->bytes, b->bytes, a->size) == 0) return;
    for (uint64_t word = 0; word * sizeof(uint32_t) < a->size; word++) {
        const uint32_t left = word_of(a, word), right = word_of(b, word);
        if (left == right) continue;
        if (d->words++ == 0) *d = (launch_difference){a, word, 1, {left, right}};
    }
}

bool launch_contents_differ(const launch_contents *a, const launch_contents *b, launch_difference *difference) {
    *difference = (launch_difference){0};
    for (size_t i = 0; i < a->count && i < b->count; i++) compare_piece(&a->pieces[i], &b->pieces[i], difference);
    return difference->words > 0;
}

/* ---- states ---- */

static haul_status save(const launch_trials *t, launch_state *s) {
    HAUL_TRY(device_enter(t->device));
    HAUL_TRY(take_variables(t, &s->variables));
    return t->device->extras->heap_copy(&s->heap);
}

static haul_status restore(const launch_trials *t, const launch_state *s) {
    HAUL_TRY(put_variables(t, &s->variables));
    HAUL_TRY(device_enter(t->device));
    t->device->extras->heap_restore(s->heap);
    return HAUL_OK;
}

static void free_state(launch_state *s) {
    launch_contents_free(&s->variables);
    sim_heap_copy_free(s->heap);
    *s = (launch_state){0};
}

/* ---- runs ---- */

void launch_trial_free(launch_trial *trial) {
    haul_run_free(trial->run);
    launch_contents_free(&trial->contents);
    *trial = (launch_trial){0};
}

haul_status launch_trials_begin(launch_trials *t, haul_device *device, haul_module *module, launch_description *d) {
    *t = (launch_trials){.device = device, .module = module, .launch = d};
    HAUL_TRY(launch_workspace_start(device, module, d->arguments, launch_value_count(d), &t->workspace));
    return save(t, &t->before);
}

/* As launch_run() does it, with the workspace that exists. */
static haul_status launch(launch_trials *t, haul_run *run) {
    const haul_launch launch = launch_workspace_launch(&t->workspace, t->module, t->launch);
    HAUL_TRY(module_opt_in(t->module, &launch, &t->launch->opted_in));
    HAUL_TRY(launch_set_aside(t->device, t->launch, true));
    const haul_status status = haul_launch_run(t->module, &launch, run);
    if (status != HAUL_OK) return launch_end_aside(t->device, t->launch, status);
    return launch_set_aside(t->device, t->launch, false);
}

/* Keeps what the first trial left, for launch_trials_end(). */
static haul_status keep_first(launch_trials *t) {
    t->has_run = true;
    HAUL_TRY(launch_workspace_take(&t->workspace, t->launch->arguments));
    return save(t, &t->after);
}

/* A failing kernel is an outcome: its contents are taken, too, and its message names the launch. */
haul_status launch_trials_run(launch_trials *t, const haul_device_options *schedule, launch_trial *trial) {
    *trial = (launch_trial){0};
    if (t->has_run) {
        HAUL_TRY(restore(t, &t->before));
        HAUL_TRY(launch_workspace_refill(&t->workspace, t->launch->arguments));
    }
    HAUL_TRY(device_enter(t->device));
    device_set_schedule(t->device, schedule);
    HAUL_TRY(haul_run_create(t->device, &trial->run));
    trial->status = launch(t, trial->run);
    if (trial->run->launch_count) trial->record = &trial->run->launches[trial->run->launch_count - 1];
    if (trial->status != HAUL_OK) (void)haul_fail_in(trial->status, "%s", t->launch->where);
    HAUL_TRY(take_arguments(t, &trial->contents));
    HAUL_TRY(take_variables(t, &trial->contents));
    return t->has_run ? HAUL_OK : keep_first(t);
}

haul_status launch_trials_end(launch_trials *t) {
    const haul_status status = t->has_run ? restore(t, &t->after) : HAUL_OK;
    free_state(&t->before);
    free_state(&t->after);
    launch_workspace_end(&t->workspace);
    *t = (launch_trials){0};
    return status;
}
