/* nvJitLink, NVIDIA's linker as a library, for programs that look up its functions globally, as Python's bindings do.
 * It links PTX as the driver does; the program gets PTX in place of a cubin.
 *
 * The real library makes machine code, which the virtual GPU cannot run. The program then loads PTX as if it were a
 * cubin, and module.c accepts it. Inputs are kept by the driver's linker (vgpu/link.c) until the link is complete.
 * Results are nvJitLink's own numbers; messages go to the error log, which the program may ask for. */
#include "base/file.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/text.h"
#include "standin/cuda/cuda.h"

#include <stdlib.h>
#include <string.h>

/* Values of nvJitLinkResult and nvJitLinkInputType. */
enum { SUCCESS, INVALID_INPUT = 3, PTX_ERROR = 4, INTERNAL_ERROR = 6, UNRECOGNIZED_INPUT = 8 };
enum { INPUT_PTX = 2, INPUT_LTO_IR = 3 };

typedef struct jit_link {
    CUlinkState state; /* the driver's linker; owns the image */
    const void *image; /* the driver's */
    size_t bytes;
    text errors; /* one line for each failure */
} jit_link;

/* Declares and defines an exported function: these have no header here. */
#define CALL(name, parameters)  \
    extern int name parameters; \
    int name parameters

/* Adds haul's message to the log if the driver's call failed. Must precede the call's end. */
static int told(jit_link *l, CUresult result, int failure) {
    if (result == CUDA_SUCCESS) return SUCCESS;
    text_printf(&l->errors, "%s\n", haul_message());
    return failure;
}

/* ---- creation ---- */

/* 12.0: from 12.3 on, Numba and cuda.core pass LTO IR, which only NVIDIA's library can compile; before, they pass PTX
 * to the driver. */
CALL(nvJitLinkVersion, (unsigned *major, unsigned *minor)) {
    *major = 12;
    *minor = 0;
    return SUCCESS;
}

/* Options concern machine code, and are ignored. */
CALL(nvJitLinkCreate, (jit_link * *link, uint32_t count, const char **options)) {
    (void)count, (void)options;
    jit_link *l = link ? memory_zeroed(1, sizeof *l) : NULL;
    if (!l) return link ? INTERNAL_ERROR : INVALID_INPUT;
    const driver_table *d = standin_enter();
    const CUresult result = standin_leave_driver(d->link_create(0, NULL, NULL, &l->state));
    *link = result == CUDA_SUCCESS ? l : NULL;
    if (result != CUDA_SUCCESS) memory_free(l);
    return result == CUDA_SUCCESS ? SUCCESS : INTERNAL_ERROR;
}

CALL(nvJitLinkDestroy, (jit_link * *link)) {
    if (!link || !*link) return INVALID_INPUT;
    const driver_table *d = standin_enter();
    const CUresult result = standin_leave_driver(d->link_destroy((*link)->state));
    text_free(&(*link)->errors);
    memory_free(*link);
    *link = NULL;
    return result == CUDA_SUCCESS ? SUCCESS : INTERNAL_ERROR;
}

/* ---- input ---- */

/* `data` is NUL-terminated. The kind matters only for PTX and LTO IR: all else is searched for PTX by its content. */
static int add(jit_link *l, int type, const char *data, const char *name) {
    if (cuda_is_archive(data)) return SUCCESS;
    char *own = type == INPUT_PTX || type == INPUT_LTO_IR ? NULL : cuda_text_of_image(data);
    const char *ptx = type == INPUT_PTX ? data : own;
    if (!ptx) {
        text_printf(&l->errors, "%s: has no PTX, which is all that a virtual GPU runs\n", name ? name : "input");
        return UNRECOGNIZED_INPUT;
    }
    const driver_table *d = standin_enter();
    const CUresult result = d->link_add(l->state, DRIVER_LINK_PTX, (void *)(uintptr_t)ptx, strlen(ptx) + 1,
                                        name ? name : "PTX", 0, NULL, NULL);
    const int failed = told(l, result, PTX_ERROR);
    (void)standin_leave_driver(CUDA_SUCCESS);
    free(own);
    return failed;
}

/* Copies the data, to end it with NULs. */
CALL(nvJitLinkAddData, (jit_link * l, int type, const void *data, size_t bytes, const char *name)) {
    text copy = {0};
    if (!l || !data || !bytes) return INVALID_INPUT;
    text_append(&copy, data, bytes);
    text_append(&copy, "\0\0\0", 4);
    const int result = copy.failed ? INTERNAL_ERROR : add(l, type, text_string(&copy), name);
    text_free(&copy);
    return result;
}

CALL(nvJitLinkAddFile, (jit_link * l, int type, const char *path)) {
    text content = {0};
    if (!l || !path) return INVALID_INPUT;
    if (file_read(path, &content) != HAUL_OK) return told(l, CUDA_FILE_NOT_FOUND, INVALID_INPUT);
    const int result = nvJitLinkAddData(l, type, text_string(&content), content.length, path);
    text_free(&content);
    return result;
}

/* ---- output ---- */

/* The driver's linker keeps the image until it is destroyed. */
CALL(nvJitLinkComplete, (jit_link * l)) {
    void *image = NULL;
    if (!l) return INVALID_INPUT;
    const driver_table *d = standin_enter();
    const int result = told(l, d->link_complete(l->state, &image, &l->bytes), PTX_ERROR);
    l->image = image;
    (void)standin_leave_driver(CUDA_SUCCESS);
    return result;
}

/* INVALID_INPUT before the link is complete. */
static int get_size(const jit_link *l, size_t *bytes) {
    if (!l || !bytes || !l->image) return INVALID_INPUT;
    *bytes = l->bytes;
    return SUCCESS;
}

static int get_image(const jit_link *l, void *image) {
    if (!l || !image || !l->image) return INVALID_INPUT;
    memcpy(image, l->image, l->bytes);
    return SUCCESS;
}

CALL(nvJitLinkGetLinkedCubinSize, (jit_link * l, size_t *bytes)) {
    return get_size(l, bytes);
}

CALL(nvJitLinkGetLinkedCubin, (jit_link * l, void *cubin)) {
    return get_image(l, cubin);
}

CALL(nvJitLinkGetLinkedPtxSize, (jit_link * l, size_t *bytes)) {
    return get_size(l, bytes);
}

CALL(nvJitLinkGetLinkedPtx, (jit_link * l, char *ptx)) {
    return get_image(l, ptx);
}

CALL(nvJitLinkGetErrorLogSize, (jit_link * l, size_t *bytes)) {
    if (!l || !bytes) return INVALID_INPUT;
    *bytes = l->errors.length + 1;
    return SUCCESS;
}

CALL(nvJitLinkGetErrorLog, (jit_link * l, char *log)) {
    if (!l || !log) return INVALID_INPUT;
    memcpy(log, text_string(&l->errors), l->errors.length + 1);
    return SUCCESS;
}

/* The log of information is always empty. */
CALL(nvJitLinkGetInfoLogSize, (jit_link * l, size_t *bytes)) {
    if (!l || !bytes) return INVALID_INPUT;
    *bytes = 1;
    return SUCCESS;
}

CALL(nvJitLinkGetInfoLog, (jit_link * l, char *log)) {
    if (!l || !log) return INVALID_INPUT;
    *log = '\0';
    return SUCCESS;
}
