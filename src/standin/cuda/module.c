/* Modules from all kinds of images: PTX, linked PTX, fat binaries; and JIT options.
 *
 * A module is loaded by its content, never by what the program says it is. Machine code alone (ELF) is refused with
 * a message that tells how to get PTX. The program's texts for errors (JIT options) get haul's message.
 * runtime/fatbin.c reads fat binaries, vgpu/module.c loads PTX. */
#include "base/file.h"
#include "base/status.h"
#include "standin/cuda/cuda.h"
#include "standin/settings.h"
#include "vgpu/driver.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- JIT options ---- */

/* CUjit_option: those that concern messages. */
enum {
    JIT_WALL_TIME = 2,
    JIT_INFORMATION = 3,
    JIT_INFORMATION_BYTES = 4,
    JIT_ERRORS = 5,
    JIT_ERROR_BYTES = 6,
};

/* Reads options, and sets the time of compilation to 0. Options for machine code are ignored. */
cuda_log cuda_read_log(unsigned count, const int *options, void **values) {
    cuda_log log = {0};
    for (unsigned i = 0; options && values && i < count; i++) {
        const unsigned k = options[i] >= JIT_ERRORS;
        switch (options[i]) {
        case JIT_WALL_TIME: memset(&values[i], 0, sizeof(float)); break;
        case JIT_INFORMATION:
        case JIT_ERRORS: log.text[k] = values[i]; break;
        case JIT_INFORMATION_BYTES:
        case JIT_ERROR_BYTES:
            log.room[k] = (size_t)(uintptr_t)values[i];
            log.written[k] = &values[i];
            break;
        default: break; /* options for machine code */
        }
    }
    return log;
}

/* Information is always empty. */
void cuda_write_log(const cuda_log *log, CUresult result) {
    const char *const texts[] = {"", result == CUDA_SUCCESS ? "" : haul_message()};
    for (unsigned k = 0; k < 2; k++) {
        size_t length = 0;
        if (log->text[k] && log->room[k]) {
            snprintf(log->text[k], log->room[k], "%s", texts[k]);
            length = strlen(log->text[k]);
        }
        if (log->written[k]) *log->written[k] = (void *)(uintptr_t)length;
    }
}

/* ---- images ---- */

static bool is_elf(const char *image) {
    return strncmp(image, ELFMAG, SELFMAG) == 0;
}

/* CUDA_NO_BINARY_FOR_GPU, as a GPU returns without code for its architecture. */
static CUresult refuse_machine_code(const char *name) {
    haul_fail(HAUL_ERROR_UNSUPPORTED,
              "%s is machine code alone (a cubin), which a virtual GPU cannot run: hand over PTX, as "
              "`nvcc -ptx` or -gencode arch=compute_80,code=compute_80 make it",
              name);
    return CUDA_NO_BINARY_FOR_GPU;
}

/* The image's name is for messages during this load only. */
CUresult cuda_load_image(const driver_table *d, const char *name, const void *image, CUmodule *module) {
    if (!module || !image) return cuda_wrong(CUDA_INVALID_VALUE, "a module is loaded from nothing, or to nowhere");
    *module = NULL;
    if (is_elf(image)) return refuse_machine_code(name);
    sim_driver_name_image(name);
    const CUresult result =
        standin_is_fatbin(image) ? standin_load_fatbin(d, image, module) : d->module_load(module, image, 0, NULL, NULL);
    sim_driver_name_image("PTX");
    return result;
}

static CUresult read_file(const char *path, text *content) {
    if (!path) return cuda_wrong(CUDA_INVALID_VALUE, "no file is named");
    if (file_read(path, content) != HAUL_OK) return CUDA_FILE_NOT_FOUND;
    text_append(content, "\0\0\0", 4); /* an image ends with NUL */
    return content->failed ? CUDA_OUT_OF_MEMORY : CUDA_SUCCESS;
}

CUresult cuda_load_file(const driver_table *d, const char *path, CUmodule *module) {
    text content = {0};
    CUresult result = read_file(path, &content);
    if (result == CUDA_SUCCESS) result = cuda_load_image(d, path, text_string(&content), module);
    text_free(&content);
    return result;
}

/* ---- modules ---- */

CUresult cuda_check_module(CUmodule module) {
    return sim_driver_has_module(module) ? CUDA_SUCCESS : cuda_wrong(CUDA_INVALID_HANDLE, "there is no such module");
}

/* Options other than those for messages are ignored. */
CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count, int *options, void **values) {
    CUDA_ENTER_BESIDE(d);
    const cuda_log log = cuda_read_log(count, options, values);
    const CUresult result = cuda_load_image(d, "PTX", image, module);
    cuda_write_log(&log, result);
    return cuda_leave(result);
}

CUresult cuModuleLoadData(CUmodule *module, const void *image) {
    return cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *fat) {
    return cuModuleLoadDataEx(module, fat, 0, NULL, NULL);
}

CUresult cuModuleLoad(CUmodule *module, const char *path) {
    CUDA_ENTER_BESIDE(d);
    return cuda_leave(cuda_load_file(d, path, module));
}

/* With a report, kernels that were launched must keep their names and lines. */
CUresult cuda_unload(const driver_table *d, CUmodule module) {
    if (standin_asked.task != STANDIN_RUN) return d->synchronize();
    return d->module_unload(module);
}

CUresult cuModuleUnload(CUmodule module) {
    CUDA_ENTER_HANDLE(d);
    const CUresult result = cuda_check_module(module);
    return cuda_leave(result == CUDA_SUCCESS ? cuda_unload(d, module) : result);
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
    CUDA_ENTER_HANDLE_BESIDE(d);
    CUresult result = function && name ? cuda_check_module(module) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) result = d->module_function(function, module, name);
    return cuda_leave(result);
}

/* Either output may be NULL. */
CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name) {
    CUDA_ENTER_HANDLE_BESIDE(d);
    CUresult result = name ? cuda_check_module(module) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) result = d->module_variable(address, bytes, module, name);
    return cuda_leave(result);
}

/* Modules are loaded eagerly (1), not lazily. */
CUresult cuModuleGetLoadingMode(int *mode) {
    enum { EAGER = 1 };
    if (!mode) return CUDA_INVALID_VALUE;
    *mode = EAGER;
    return CUDA_SUCCESS;
}

/* ---- all kernels of a module ---- */

/* Functions that are only declared do not count. */
const char *cuda_next_kernel(CUmodule module, size_t *at) {
    const ptx_module *ptx = sim_driver_module_ptx(module);
    while (*at < ptx->function_count) {
        const ptx_function *f = ptx->functions[(*at)++];
        if (f->is_entry && f->has_body) return f->name;
    }
    return NULL;
}

CUresult cuModuleGetFunctionCount(unsigned *count, CUmodule module) {
    CUDA_ENTER_HANDLE_BESIDE(d);
    (void)d;
    const CUresult result = count ? cuda_check_module(module) : CUDA_INVALID_VALUE;
    if (result != CUDA_SUCCESS) return cuda_leave(result);
    *count = 0;
    for (size_t at = 0; cuda_next_kernel(module, &at);) ++*count;
    return cuda_leave(CUDA_SUCCESS);
}

/* Gives at most `room` functions, in the order of the PTX. */
CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned room, CUmodule module) {
    CUDA_ENTER_HANDLE_BESIDE(d);
    CUresult result = functions ? cuda_check_module(module) : CUDA_INVALID_VALUE;
    const char *name;
    unsigned count = 0;
    for (size_t at = 0; result == CUDA_SUCCESS && count < room && (name = cuda_next_kernel(module, &at)); count++)
        result = d->module_function(&functions[count], module, name);
    return cuda_leave(result);
}

/* ---- texts for the linker ---- */

bool cuda_is_archive(const void *image) {
    static const char magic[] = "!<arch>\n";
    return strncmp(image, magic, strlen(magic)) == 0;
}

/* Leaves a message if there is no PTX. In a fat binary, the first object counts. */
char *cuda_text_of_image(const void *image) {
    enum { ONE = 1 };
    char *ptx = NULL;
    if (is_elf(image)) {
        refuse_machine_code("the linker's input");
        return NULL;
    }
    if (!standin_is_fatbin(image)) return strdup(image);
    if (standin_fatbin_texts(image, &ptx, ONE)) return ptx;
    haul_fail(HAUL_ERROR_UNSUPPORTED, "the linker's input is a fat binary without PTX");
    return NULL;
}
