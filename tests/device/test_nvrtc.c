/* NVRTC compiles kernels that include haul/device.h, without a header of the host; what it makes of one is run. Skipped
 * where there is no libnvrtc. Also: how long the header may be. */
#include "machines.h"

#include <dlfcn.h>
#include <glob.h>

typedef struct program *program;

/* The functions of NVRTC that are used; results other than 0 are failures. */
typedef struct nvrtc {
    int (*create)(program *, const char *source, const char *name, int headers, const char *const *texts,
                  const char *const *names);
    int (*compile)(program, int count, const char *const *options);
    int (*log_size)(program, size_t *);
    int (*log)(program, char *);
    int (*ptx_size)(program, size_t *);
    int (*ptx)(program, char *);
    int (*destroy)(program *);
} nvrtc;

static void *library(void) {
    static const char *const names[] = {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12",
                                        "/usr/local/cuda/lib64/libnvrtc.so"};
    for (size_t i = 0; i < COUNT(names); i++) {
        void *handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (handle) return handle;
    }
    return NULL;
}

static nvrtc find_nvrtc(void) {
    nvrtc n = {0};
    void *handle = library();
    if (!handle) skip();
#define FIND(member, name) *(void **)&n.member = dlsym(handle, name)
    FIND(create, "nvrtcCreateProgram");
    FIND(compile, "nvrtcCompileProgram");
    FIND(log_size, "nvrtcGetProgramLogSize");
    FIND(log, "nvrtcGetProgramLog");
    FIND(ptx_size, "nvrtcGetPTXSize");
    FIND(ptx, "nvrtcGetPTX");
    FIND(destroy, "nvrtcDestroyProgram");
#undef FIND
    if (!n.create || !n.compile || !n.log_size || !n.log || !n.ptx_size || !n.ptx || !n.destroy) skip();
    return n;
}

/* Copies a block's tiles through a pipeline of four stages, eight tiles in all. */
static const char source[] = "#include <haul/device.h>\n"
                             "extern \"C\" __global__ void through(float *out, const float *in) {\n"
                             "    __shared__ __align__(128) float tile[4][256];\n"
                             "    HAUL_SEQUENTIAL(t, 1024, 16, 256, HAUL_AUTO);\n"
                             "    HAUL_BLOCK_PIPELINE(p, 4, 256, HAUL_AUTO);\n"
                             "    for (unsigned k = 0; k < 3; k++) {\n"
                             "        const unsigned s = haul_block_pipeline_acquire(&p);\n"
                             "        haul_block_pipeline_load(&p, t, tile[s], in + 256 * k);\n"
                             "        haul_block_pipeline_commit(&p);\n"
                             "    }\n"
                             "    for (unsigned k = 0; k < 8; k++) {\n"
                             "        const unsigned full = haul_block_pipeline_wait(&p);\n"
                             "        if (k + 3 < 8) {\n"
                             "            const unsigned s = haul_block_pipeline_acquire(&p);\n"
                             "            haul_block_pipeline_load(&p, t, tile[s], in + 256 * (k + 3));\n"
                             "            haul_block_pipeline_commit(&p);\n"
                             "        }\n"
                             "        out[256 * k + threadIdx.x] = tile[full][threadIdx.x ^ 1];\n"
                             "        haul_block_pipeline_release(&p);\n"
                             "    }\n"
                             "}\n";

static char *compile(const nvrtc *n, const char *architecture, const char *define) {
    const char *const options[] = {architecture, "-I" TEST_DATA "/../../include", "--std=c++17", define};
    program p;
    size_t size = 0;
    assert_int_equal(n->create(&p, source, "through.cu", 0, NULL, NULL), 0);
    if (n->compile(p, COUNT(options), options) != 0) {
        assert_int_equal(n->log_size(p, &size), 0);
        char *log = calloc(size + 1, 1);
        n->log(p, log);
        fail_msg("%s: %.3000s", architecture, log);
    }
    assert_int_equal(n->ptx_size(p, &size), 0);
    char *ptx = malloc(size);
    assert_non_null(ptx);
    assert_int_equal(n->ptx(p, ptx), 0);
    n->destroy(&p);
    return ptx;
}

static void run_through(const char *name, const char *ptx) {
    enum { COUNT_OF_FLOATS = 2048 };
    const haul_device_options one_thread = {.threads = 1};
    float in[COUNT_OF_FLOATS], out[COUNT_OF_FLOATS];
    haul_device *device;
    haul_module *module;
    for (int i = 0; i < COUNT_OF_FLOATS; i++) in[i] = (float)i;
    must(haul_device_open(name, &one_thread, &device));
    must(haul_module_load(device, "through", ptx, strlen(ptx), &module));
    haul_buffer *to = upload(device, in, sizeof in), *from = upload(device, in, sizeof in);
    const haul_argument arguments[] = {{.kind = HAUL_ARGUMENT_BUFFER, .buffer = to},
                                       {.kind = HAUL_ARGUMENT_BUFFER, .buffer = from}};
    const haul_launch launch = {
        .kernel = "through", .grid = {1, 1, 1}, .block = {256, 1, 1}, .arguments = arguments, .argument_count = 2};
    must(haul_launch_run(module, &launch, NULL));
    must(haul_buffer_read(to, 0, out, sizeof out));
    for (int i = 0; i < COUNT_OF_FLOATS; i++)
        if (out[i] != in[i ^ 1]) fail_msg("%s: element %d is %g", name, i, (double)out[i]);
    haul_device_close(device);
}

static void nvrtc_compiles_the_header(void **state) {
    (void)state;
    const nvrtc n = find_nvrtc();
    static const char *const architectures[][2] = {{"--gpu-architecture=compute_80", "sim:a100"},
                                                   {"--gpu-architecture=compute_90", "sim:h100"}};
    for (size_t i = 0; i < COUNT(architectures); i++) {
        char *usual = compile(&n, architectures[i][0], "-DUSUAL"),
             *debug = compile(&n, architectures[i][0], "-DHAUL_DEBUG");
        run_through(architectures[i][1], usual);
        run_through(architectures[i][1], debug);
        free(usual);
        free(debug);
    }
}

static unsigned lines_of(const char *pattern) {
    glob_t found;
    unsigned lines = 0;
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        size_t length = 0;
        char *text = file_text(found.gl_pathv[i], &length);
        for (size_t k = 0; k < length; k++) lines += text[k] == '\n';
        free(text);
    }
    globfree(&found);
    return lines;
}

static void the_header_is_short(void **state) {
    (void)state;
    const unsigned lines =
        lines_of(TEST_DATA "/../../include/haul/device/*.h") + lines_of(TEST_DATA "/../../include/haul/device.h") +
        lines_of(TEST_DATA "/../../include/haul/flags.h") + lines_of(TEST_DATA "/../../include/haul/fields.h") +
        lines_of(TEST_DATA "/../../include/haul/transfer.h");
    assert_in_range(lines, 1, 3999);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nvrtc_compiles_the_header),
        cmocka_unit_test(the_header_is_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
