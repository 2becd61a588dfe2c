/* The virtual GPU's linker: PTX texts that become one module. The linked image holds the texts one after the other,
 * each after its name and the lengths of both:
 *
 *     haul linked PTX
 *     2
 *     5 1234            lengths of the name and of the text
 *     a.ptx.version ...
 *
 * Nothing is compiled at the link: texts are checked one by one as they come, and together at the end, by linking
 * them as loading will (ptx_module_link()). The image is text, so it can be handed on where PTX can;
 * cuModuleLoadData() recognises it by its first line (sim_is_linked()). Inputs that are not PTX are refused here;
 * standin/cuda/link.c finds PTX in them before. */
#include "base/file.h"
#include "base/memory.h"
#include "base/status.h"
#include "exec/system_call.h"
#include "ptx/far.h"
#include "ptx/flatten.h"
#include "vgpu/device_library.h"
#include "vgpu/internal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC "haul linked PTX\n"
enum { INPUTS = 6, LEAST_HEADER = sizeof "0 0\n" - 1 };

struct CUlinkState_st {
    CUcontext context;
    text texts;         /* with their names and lengths */
    size_t count;       /* of texts */
    bool asks, defines; /* a text calls the device library; one has functions of that name */
    text image;         /* of the last completion; the program's pointer leads here */
    CUlinkState next;
};

/* ---- images ---- */

bool sim_is_linked(const char *image) {
    return strncmp(image, MAGIC, strlen(MAGIC)) == 0;
}

static haul_status damaged(void) {
    return haul_fail(HAUL_ERROR_SYNTAX, "linked PTX: the image is damaged");
}

/* Numbers above 64 bits become the largest one, which no image is as long as. */
static bool read_number(const char **at, char end, size_t *value) {
    char *past;
    if (!isdigit((unsigned char)**at)) return false;
    *value = strtoull(*at, &past, 10);
    if (*past != end) return false;
    *at = past + 1;
    return true;
}

/* *name is a copy with a NUL, which the caller frees; the text stays in the image. */
static haul_status read_source(const char **at, const char *end, ptx_source *source, char **name) {
    size_t name_length, length;
    if (!read_number(at, ' ', &name_length) || !read_number(at, '\n', &length)) return damaged();
    const size_t left = (size_t)(end - *at);
    if (name_length > left || length > left - name_length) return damaged();
    *name = memory_zeroed(1, name_length + 1);
    if (!*name) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "linked PTX: no memory to load it");
    memcpy(*name, *at, name_length);
    *source = (ptx_source){*name, *at + name_length, length};
    *at += name_length + length;
    return HAUL_OK;
}

static haul_status read_sources(const char *at, const char *end, ptx_source *sources, char **names, size_t count) {
    for (size_t i = 0; i < count; i++) HAUL_TRY(read_source(&at, end, &sources[i], &names[i]));
    return HAUL_OK;
}

/* The image may come from anywhere, so all lengths are checked. */
haul_status sim_link_load(const char *image, ptx_module **module) {
    const char *at = image + strlen(MAGIC), *const end = at + strlen(at);
    size_t count;
    *module = NULL;
    if (!read_number(&at, '\n', &count) || count == 0 || count > (size_t)(end - at) / LEAST_HEADER) return damaged();
    ptx_source *sources = memory_zeroed(count, sizeof *sources);
    char **names = memory_zeroed(count, sizeof *names);
    haul_status status = sources && names
                             ? read_sources(at, end, sources, names, count)
                             : haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "linked PTX: no memory to load the image");
    if (status == HAUL_OK) status = ptx_module_link(count > 1 ? "linked PTX" : names[0], sources, count, module);
    for (size_t i = 0; names && i < count; i++) memory_free(names[i]);
    memory_free(names);
    memory_free(sources);
    return status;
}

/* ---- calls ---- */

/* Ignores compiler options, which have no meaning here. */
CUresult sim_call_link_create(unsigned option_count, int *options, void **values, CUlinkState *state) {
    SIM_ENTER(c);
    (void)option_count, (void)options, (void)values;
    if (!state) return sim_wrong("cuLinkCreate: an argument is missing");
    *state = memory_zeroed(1, sizeof **state);
    if (!*state) return sim_result_of(haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual GPU: no memory for a linker"));
    (*state)->context = c;
    (*state)->next = c->linkers;
    c->linkers = *state;
    return CUDA_SUCCESS;
}

/* The link to the linker in the context's list; NULL if it is not there. */
static CUlinkState *place_of(CUcontext c, CUlinkState state) {
    CUlinkState *link = &c->linkers;
    while (*link && *link != state) link = &(*link)->next;
    return *link ? link : NULL;
}

static CUresult check_linker(CUcontext c, CUlinkState state) {
    if (place_of(c, state)) return CUDA_SUCCESS;
    (void)sim_wrong("cuLink: no such linker");
    return CUDA_INVALID_HANDLE;
}

/* CUjitInputType: the message names what the program has passed. */
static haul_status check_type(int type) {
    static const char *const inputs[INPUTS] = {"a cubin", "PTX", "a fat binary", "an object", "a library", "NVVM IR"};
    if (type == DRIVER_LINK_PTX) return HAUL_OK;
    if (type < 0 || type >= INPUTS) return haul_fail(HAUL_ERROR_ARGUMENT, "cuLink: there is no input of type %d", type);
    return haul_fail(HAUL_ERROR_UNSUPPORTED, "cuLink: the virtual GPU links PTX (1), not %s (%d)", inputs[type], type);
}

/* Checks a text on its own at once, like the driver. */
static haul_status check_text(CUlinkState state, const char *name, const char *ptx, size_t length) {
    ptx_module *module;
    HAUL_TRY(ptx_module_parse(name, ptx, length, &module));
    for (size_t i = 0; i < module->function_count; i++)
        if (sim_library_has(module->functions[i]->name))
            *(module->functions[i]->has_body ? &state->defines : &state->asks) = true;
    ptx_module_free(module);
    return HAUL_OK;
}

static void append(CUlinkState state, const char *name, const char *ptx, size_t length) {
    text_printf(&state->texts, "%zu %zu\n%s", strlen(name), length, name);
    text_append(&state->texts, ptx, length);
    state->count++;
}

/* NULs at the end, which CUDA's callers include, do not count. */
static haul_status add(CUlinkState state, const char *name, const char *ptx, size_t length) {
    while (length && ptx[length - 1] == '\0') length--;
    HAUL_TRY(check_text(state, name, ptx, length));
    append(state, name, ptx, length);
    return state->texts.failed ? haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "%s: no memory to link it", name) : HAUL_OK;
}

/* NULs may follow the text, and `bytes` may include them. */
CUresult sim_call_link_add(CUlinkState state, int type, void *data, size_t bytes, const char *name,
                           unsigned option_count, int *options, void **values) {
    SIM_ENTER(c);
    (void)option_count, (void)options, (void)values;
    const CUresult checked = check_linker(c, state);
    if (checked != CUDA_SUCCESS) return checked;
    if (!data) return sim_wrong("cuLinkAddData: no data");
    haul_status status = check_type(type);
    if (status == HAUL_OK) status = add(state, name ? name : "PTX", data, bytes);
    return sim_result_of(status);
}

CUresult sim_call_link_add_file(CUlinkState state, int type, const char *path, unsigned option_count, int *options,
                                void **values) {
    text ptx = {0};
    SIM_ENTER(c);
    (void)option_count, (void)options, (void)values;
    const CUresult checked = check_linker(c, state);
    if (checked != CUDA_SUCCESS) return checked;
    if (!path) return sim_wrong("cuLinkAddFile: no file");
    haul_status status = check_type(type);
    if (status == HAUL_OK) status = file_read(path, &ptx);
    if (status == HAUL_ERROR_FILE) status = HAUL_ERROR_ARGUMENT; /* as an H100's driver */
    if (status == HAUL_OK) status = add(state, path, text_string(&ptx), ptx.length);
    text_free(&ptx);
    return sim_result_of(status);
}

/* ---- completion ---- */

/* HAUL_ERROR_NOT_FOUND, with the name and its line. */
static haul_status undefined(const ptx_module *m, const char *what, const char *name, ptx_position at) {
    return haul_fail(HAUL_ERROR_NOT_FOUND, "%s: %s '%s', declared in line %u, is not defined", m->name, what, name,
                     at.line);
}

/* The functions that kernels may call. */
typedef struct reach {
    bool *has;                 /* by function */
    const ptx_function **list; /* it grows while it is walked */
    size_t count;
} reach;

static void reach_function(reach *r, const ptx_function *f) {
    if (r->has[f->index]) return;
    r->has[f->index] = true;
    r->list[r->count++] = f;
}

/* A call through a register may mean each function whose address is taken. */
static void reach_all(reach *r, ptx_module *m) {
    ptx_find_far(m);
    for (size_t i = 0; i < m->function_count; i++)
        if (m->functions[i]->is_entry || m->functions[i]->is_addressed) reach_function(r, m->functions[i]);
    for (size_t k = 0; k < r->count; k++)
        for (size_t i = 0; i < r->list[k]->instruction_count; i++) {
            const ptx_instruction *call = &r->list[k]->instructions[i];
            if (call->op == PTX_OP_CALL && !ptx_is_indirect(call)) reach_function(r, ptx_callee_of(call));
        }
}

/* Functions that haul itself provides need no definition (exec/system_call.h), nor do those that no kernel reaches:
 * nvcc adds NVIDIA's device library to programs of which it makes PTX only, and that calls functions of the driver.
 * A kernel that launches kernels fails at its own launch, so that the others of its module run. */
static bool is_missing(const ptx_function *f, const reach *r) {
    const bool provided = sim_is_system_call(f->name) || sim_launches_kernels(f->name);
    const bool there = f->has_body || f->alias_of || !f->is_extern || provided;
    return !there && r->has[f->index];
}

static haul_status check_functions(ptx_module *m) {
    reach r = {.has = memory_zeroed(m->function_count + 1, sizeof *r.has),
               .list = memory_zeroed(m->function_count + 1, sizeof *r.list)};
    haul_status status =
        r.has && r.list ? HAUL_OK : haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "%s: no memory to link it", m->name);
    if (status == HAUL_OK) reach_all(&r, m);
    for (size_t i = 0; status == HAUL_OK && i < m->function_count; i++) {
        const ptx_function *f = m->functions[i];
        if (is_missing(f, &r)) status = undefined(m, "function", f->name, f->position);
    }
    memory_free(r.has);
    memory_free(r.list);
    return status;
}

/* Names that no text defines are errors now, not at a launch. */
static haul_status check_whole(const char *image) {
    ptx_module *m;
    HAUL_TRY(sim_link_load(image, &m));
    const ptx_variable *v = ptx_find_undefined(m);
    const haul_status status = v ? undefined(m, "variable", v->name, v->position) : check_functions(m);
    ptx_module_free(m);
    return status;
}

CUresult sim_call_link_complete(CUlinkState state, void **image, size_t *bytes) {
    SIM_ENTER(c);
    const CUresult checked = check_linker(c, state);
    if (checked != CUDA_SUCCESS) return checked;
    if (!image || !state->count) return sim_wrong("cuLinkComplete: nothing was added");
    if (state->asks && !state->defines) append(state, "haul's device library", sim_library, strlen(sim_library));
    state->defines |= state->asks;
    text_free(&state->image);
    text_printf(&state->image, MAGIC "%zu\n", state->count);
    text_append(&state->image, text_string(&state->texts), state->texts.length);
    if (state->image.failed)
        return sim_result_of(haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "linked PTX: no memory for the image"));
    const haul_status status = check_whole(text_string(&state->image));
    const CUresult result = sim_result_of(status);
    if (status == HAUL_ERROR_SYNTAX || status == HAUL_ERROR_NOT_FOUND) return CUDA_INVALID_SOURCE; /* as an H100 */
    if (status != HAUL_OK) return result;
    *image = (void *)(uintptr_t)text_string(&state->image);
    if (bytes) *bytes = state->image.length + 1;
    return CUDA_SUCCESS;
}

CUresult sim_call_link_destroy(CUlinkState state) {
    SIM_ENTER(c);
    const CUresult checked = check_linker(c, state);
    if (checked != CUDA_SUCCESS) return checked;
    *place_of(c, state) = state->next;
    text_free(&state->texts);
    text_free(&state->image);
    memory_free(state);
    return CUDA_SUCCESS;
}

void sim_free_linkers(CUcontext c) {
    while (c->linkers) (void)sim_call_link_destroy(c->linkers);
}
