/* Linking of PTX, alone or in fat binaries; messages go to the program's buffers.
 *
 * A linker is the driver's handle; this file adds the program's buffers for messages, by that handle, which are
 * written after each step. Inputs are PTX whatever kind the program names: cubins and fat binaries are searched for
 * PTX, other kinds go to the driver. vgpu/link.c joins the texts; the result is linked PTX, which all functions that
 * load images accept. */
#include "base/file.h"
#include "base/memory.h"
#include "base/status.h"
#include "standin/cuda/cuda.h"

#include <stdlib.h>
#include <string.h>

enum { INPUT_CUBIN = 0, INPUT_FATBIN = 2, INPUT_LIBRARY = 4 }; /* CUjitInputType */

/* The message buffers of a linker. */
typedef struct linker {
    CUlinkState state;
    cuda_log log;
    struct linker *next;
} linker;

static linker *linkers;

/* Ends a call: writes the messages into the program's buffers. */
static CUresult finish(CUlinkState state, CUresult result) {
    for (linker *l = linkers; l; l = l->next)
        if (l->state == state) cuda_write_log(&l->log, result);
    return cuda_leave(result);
}

CUresult cuLinkCreate_v2(unsigned count, int *options, void **values, CUlinkState *state) {
    CUDA_ENTER(d);
    linker *l = memory_zeroed(1, sizeof *l);
    if (!l || !state) {
        memory_free(l);
        return cuda_leave(l ? CUDA_INVALID_VALUE : CUDA_OUT_OF_MEMORY);
    }
    *l = (linker){.log = cuda_read_log(count, options, values), .next = linkers};
    const CUresult result = d->link_create(0, NULL, NULL, state);
    if (result != CUDA_SUCCESS) {
        memory_free(l);
        return cuda_leave(result);
    }
    l->state = *state;
    linkers = l;
    return cuda_leave(CUDA_SUCCESS);
}

CUresult cuLinkCreate(unsigned count, int *options, void **values, CUlinkState *state) {
    return cuLinkCreate_v2(count, options, values, state);
}

/* Tools that make cubins may have put PTX there, so the content decides. */
static CUresult add_image(const driver_table *d, CUlinkState state, const char *name, const void *image) {
    if (cuda_is_archive(image)) return CUDA_SUCCESS;
    char *ptx = cuda_text_of_image(image);
    if (!ptx) return CUDA_NO_BINARY_FOR_GPU;
    const CUresult result =
        d->link_add(state, DRIVER_LINK_PTX, ptx, strlen(ptx) + 1, name ? name : "PTX", 0, NULL, NULL);
    free(ptx);
    return result;
}

static bool is_image(int type) {
    return type == INPUT_CUBIN || type == INPUT_FATBIN || type == INPUT_LIBRARY;
}

/* Options for a single input are ignored. */
CUresult cuLinkAddData_v2(CUlinkState state, int type, void *data, size_t bytes, const char *name, unsigned count,
                          int *options, void **values) {
    CUDA_ENTER(d);
    (void)count, (void)options, (void)values;
    if (!data || !bytes) return finish(state, cuda_wrong(CUDA_INVALID_VALUE, "cuLinkAddData: no data"));
    if (is_image(type)) return finish(state, add_image(d, state, name, data));
    return finish(state, d->link_add(state, type, data, bytes, name, 0, NULL, NULL));
}

CUresult cuLinkAddData(CUlinkState state, int type, void *data, size_t bytes, const char *name, unsigned count,
                       int *options, void **values) {
    return cuLinkAddData_v2(state, type, data, bytes, name, count, options, values);
}

/* As add_image(), for a file's content. */
static CUresult add_file(const driver_table *d, CUlinkState state, const char *path) {
    text content = {0};
    if (file_read(path, &content) != HAUL_OK) return CUDA_FILE_NOT_FOUND;
    text_append(&content, "\0\0\0", 4);
    const CUresult result = content.failed ? CUDA_OUT_OF_MEMORY : add_image(d, state, path, text_string(&content));
    text_free(&content);
    return result;
}

CUresult cuLinkAddFile_v2(CUlinkState state, int type, const char *path, unsigned count, int *options, void **values) {
    CUDA_ENTER(d);
    (void)count, (void)options, (void)values;
    if (!path) return finish(state, cuda_wrong(CUDA_INVALID_VALUE, "cuLinkAddFile: no file is named"));
    if (is_image(type)) return finish(state, add_file(d, state, path));
    return finish(state, d->link_add_file(state, type, path, 0, NULL, NULL));
}

CUresult cuLinkAddFile(CUlinkState state, int type, const char *path, unsigned count, int *options, void **values) {
    return cuLinkAddFile_v2(state, type, path, count, options, values);
}

/* The image belongs to the linker, and lives as long. */
CUresult cuLinkComplete(CUlinkState state, void **image, size_t *bytes) {
    CUDA_ENTER(d);
    return finish(state, d->link_complete(state, image, bytes));
}

/* Also ends the image. */
CUresult cuLinkDestroy(CUlinkState state) {
    CUDA_ENTER(d);
    const CUresult result = d->link_destroy(state);
    for (linker **l = &linkers; result == CUDA_SUCCESS && *l;) {
        linker *const one = *l;
        if (one->state != state) {
            l = &one->next;
            continue;
        }
        *l = one->next;
        memory_free(one);
    }
    return cuda_leave(result);
}
