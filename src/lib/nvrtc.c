/* Implements lib/nvrtc.h. NVRTC compiles a string, in this process; it has its own names for options, which are made
 * here of cu2ptx's. It compiles kernels only: source with host functions, or headers of the C library, does not
 * compile. */
#include "lib/nvrtc.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/status.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the library ---- */

typedef struct nvrtc_program nvrtc_program;

/* Its functions, each of which returns 0 if it succeeds. */
#define NVRTC_FUNCTIONS(FUNCTION)                                                                            \
    FUNCTION(version, Version, (int *major, int *minor))                                                     \
    FUNCTION(create, CreateProgram,                                                                          \
             (nvrtc_program **, const char *source, const char *name, int headers, const char *const *texts, \
              const char *const *names))                                                                     \
    FUNCTION(destroy, DestroyProgram, (nvrtc_program **))                                                    \
    FUNCTION(compile, CompileProgram, (nvrtc_program *, int count, const char *const *options))              \
    FUNCTION(log_size, GetProgramLogSize, (nvrtc_program *, size_t *))                                       \
    FUNCTION(log, GetProgramLog, (nvrtc_program *, char *))                                                  \
    FUNCTION(ptx_size, GetPTXSize, (nvrtc_program *, size_t *))                                              \
    FUNCTION(ptx, GetPTX, (nvrtc_program *, char *))

typedef struct nvrtc_library {
    void *handle;
    char path[PATH_MAX]; /* where the loader found it */
#define MEMBER(field, name, parameters) int(*field) parameters;
    NVRTC_FUNCTIONS(MEMBER)
#undef MEMBER
} nvrtc_library;

bool nvrtc_is_named(const char *compiler) {
    if (!compiler) return false;
    const char *slash = strrchr(compiler, '/');
    return strcmp(compiler, "nvrtc") == 0 || strncmp(slash ? slash + 1 : compiler, "libnvrtc", strlen("libnvrtc")) == 0;
}

static void *open_below(const char *root) {
    char path[PATH_MAX];
    const int length = snprintf(path, sizeof path, "%s/lib64/libnvrtc.so", root);
    return length > 0 && length < PATH_MAX ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
}

/* The loader's own places come first, then the toolkit's, as cu2ptx looks for nvcc. */
static void *open_library(const char *compiler) {
    static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"};
    static const char *const variables[] = {"CUDA_HOME", "CUDA_PATH"};
    if (strcmp(compiler, "nvrtc") != 0) return dlopen(compiler, RTLD_NOW | RTLD_LOCAL);
    void *handle = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !handle; i++)
        handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; i < sizeof variables / sizeof *variables && !handle; i++) {
        const char *root = getenv(variables[i]);
        if (root && *root) handle = open_below(root);
    }
    return handle ? handle : open_below("/usr/local/cuda");
}

/* Finds the functions, and the library's path by one of them. */
static haul_status bind(nvrtc_library *l) {
    Dl_info info;
#define BIND(field, name, parameters)                                                                        \
    {                                                                                                        \
        void *function = dlsym(l->handle, "nvrtc" #name);                                                    \
        if (!function)                                                                                       \
            return haul_fail(HAUL_ERROR_COMPILER, "this libnvrtc has no nvrtc" #name "(): install another"); \
        memcpy(&l->field, &function, sizeof function);                                                       \
        if (dladdr(function, &info)) snprintf(l->path, sizeof l->path, "%s", info.dli_fname);                \
    }
    NVRTC_FUNCTIONS(BIND)
#undef BIND
    return HAUL_OK;
}

/* Opens the library. It is not closed: NVRTC leaves threads and atexit() functions behind. */
static haul_status load(const char *compiler, nvrtc_library *l) {
    *l = (nvrtc_library){.handle = open_library(compiler)};
    if (l->handle) return bind(l);
    if (strcmp(compiler, "nvrtc") != 0) return haul_fail(HAUL_ERROR_COMPILER, "NVRTC cannot be loaded: %s", dlerror());
    return haul_fail(
        HAUL_ERROR_COMPILER,
        "NVRTC not found: install the CUDA toolkit's libnvrtc, give its path as the compiler, or use clang");
}

haul_status nvrtc_find(const char *compiler, text *line) {
    nvrtc_library library;
    int major = 0, minor = 0;
    HAUL_TRY(load(compiler, &library));
    (void)library.version(&major, &minor);
    text_printf(line, "nvrtc %d.%d %s", major, minor, library.path);
    return HAUL_OK;
}

/* ---- its options ---- */

/* The options in one text, each with its NUL, and where each begins. */
typedef struct option_list {
    text bytes;
    size_t count;
} option_list;

static void add(option_list *o, const char *name, const char *value) {
    text_put(&o->bytes, name);
    text_append(&o->bytes, value, strlen(value) + 1);
    o->count++;
}

/* Options of two words become one: -I DIR is -IDIR. */
static haul_status add_flags(option_list *o, const char *const *flags, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const bool is_header = strcmp(flags[i], "-include") == 0;
        const bool has_value =
            is_header || strcmp(flags[i], "-I") == 0 || strcmp(flags[i], "-D") == 0 || strcmp(flags[i], "-U") == 0;
        if (strcmp(flags[i], "--no-lineinfo") == 0) continue;
        if (has_value && i + 1 == count) return haul_fail(HAUL_ERROR_COMPILER, "%s needs a value", flags[i]);
        add(o, is_header ? "-include=" : flags[i], has_value ? flags[i + 1] : "");
        i += has_value;
    }
    return HAUL_OK;
}

static bool wants_lines(const nvrtc_request *r) {
    for (size_t i = 0; i < r->flag_count; i++)
        if (strcmp(r->flags[i], "--no-lineinfo") == 0) return false;
    return true;
}

/* The folder of a file, as an -I option. */
static void add_folder(option_list *o, const char *path, const char *below) {
    const char *slash = strrchr(path, '/');
    text folder = {0};
    if (slash) text_append(&folder, path, (size_t)(slash - path + 1));
    text_put(&folder, slash ? below : ".");
    add(o, "-I", text_string(&folder));
    o->bytes.failed |= folder.failed;
    text_free(&folder);
}

/* NVRTC makes PTX for virtual architectures, compute_90. NVRTC looks for headers only in the folders of its options:
 * beside the source, in haul's folders, and in the toolkit that it belongs to. */
static haul_status make_options(option_list *o, const nvrtc_library *l, const nvrtc_request *r) {
    if (strncmp(r->architecture, "sm_", 3) != 0)
        return haul_fail(HAUL_ERROR_COMPILER, "not an architecture: %s: give sm_80, sm_90, sm_90a, ...",
                         r->architecture);
    add(o, "--gpu-architecture=compute_", r->architecture + 3);
    add(o, "--std=c++17", "");
    if (wants_lines(r)) add(o, "-lineinfo", "");
    if (r->separate) add(o, "-rdc=true", "");
    HAUL_TRY(add_flags(o, r->flags, r->flag_count));
    add_folder(o, r->path, "");
    for (size_t i = 0; i < r->include.count; i++) add(o, "-I", r->include.items[i]);
    char real[PATH_MAX];
    if (realpath(l->path, real)) add_folder(o, real, "../include");
    return HAUL_OK;
}

/* ---- compiling ---- */

/* Appends a text that the library writes, without its NUL. */
static void take(text *to, nvrtc_program *program, int (*size)(nvrtc_program *, size_t *),
                 int (*get)(nvrtc_program *, char *)) {
    size_t bytes = 0;
    if (size(program, &bytes) != 0 || bytes < 2) return;
    char *words = memory_zeroed(bytes + 1, 1);
    if (!words)
        to->failed = true;
    else if (get(program, words) == 0)
        text_put(to, words);
    memory_free(words);
}

static haul_status run(const nvrtc_library *l, nvrtc_program *program, const char *path, const option_list *o,
                       text *ptx, text *messages) {
    const char **list = memory_zeroed(o->count, sizeof *list), *at = text_string(&o->bytes);
    if (!list || o->bytes.failed) {
        memory_free((void *)list);
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory to start the compiler");
    }
    for (size_t i = 0; i < o->count; i++, at += strlen(at) + 1) list[i] = at;
    const int result = l->compile(program, (int)o->count, list);
    memory_free((void *)list);
    take(messages, program, l->log_size, l->log);
    if (result != 0)
        return haul_fail(HAUL_ERROR_COMPILER, "%s: nvrtc could not compile it for %s", path,
                         text_string(&o->bytes) + strlen("--gpu-architecture="));
    take(ptx, program, l->ptx_size, l->ptx);
    return ptx->failed ? haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "%s: no memory for its PTX", path) : HAUL_OK;
}

static haul_status compile_text(const nvrtc_library *l, const char *source, const nvrtc_request *r, text *ptx,
                                text *messages) {
    option_list o = {0};
    nvrtc_program *program = NULL;
    haul_status status = make_options(&o, l, r);
    if (status == HAUL_OK && l->create(&program, source, r->path, 0, NULL, NULL) != 0)
        status = haul_fail(HAUL_ERROR_COMPILER, "%s: NVRTC cannot make a program of it", r->path);
    if (status == HAUL_OK) status = run(l, program, r->path, &o, ptx, messages);
    if (program) (void)l->destroy(&program);
    text_free(&o.bytes);
    return status;
}

haul_status nvrtc_compile(const nvrtc_request *request, text *ptx, text *messages) {
    nvrtc_library library;
    text source = {0};
    HAUL_TRY(load(request->compiler, &library));
    haul_status status = file_read(request->path, &source);
    if (status == HAUL_OK) status = compile_text(&library, text_string(&source), request, ptx, messages);
    text_free(&source);
    return status;
}
