/* A program with large launches, written for the driver API: launches COUNT times the kernel that its first argument
 * names, with BLOCKS blocks of 32 threads, and prints a sum of what each block left.
 * usage: launches KERNEL BLOCKS [COUNT] */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int cuInit(unsigned flags);
extern int cuDevicePrimaryCtxRetain(void **context, int device);
extern int cuCtxSetCurrent(void *context);
extern int cuCtxSynchronize(void);
extern int cuMemAlloc_v2(uint64_t *address, size_t bytes);
extern int cuMemsetD32_v2(uint64_t address, unsigned value, size_t count);
extern int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes);
extern int cuModuleLoadData(void **module, const void *image);
extern int cuModuleGetFunction(void **function, void *module, const char *name);
extern int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                          unsigned shared, void *stream, void **parameters, void **extra);

/* %r1: the block, %r2: blocks, %rd1: out, %rd2: the block's word there, behind 4 words for all of them */
#define BEGIN(name, directives)                                                                                       \
    ".visible .entry " name "(.param .u64 out)" directives "{\n  .reg .b64 %rd<8>;\n  .reg .b32 %r<8>;\n"             \
    "  .reg .pred %p<4>;\n  ld.param.u64 %rd1, [out];\n  mov.u32 %r1, %ctaid.x;\n  mov.u32 %r2, %nctaid.x;\n"         \
    "  mad.wide.u32 %rd2, %r1, 4, %rd1;\n  add.u64 %rd2, %rd2, 16;\n  mov.u32 %r7, %tid.x;\n  setp.ne.u32 %p3, %r7, " \
    "0;\n  @%p3 ret;\n"
#define ADD_ONE "  ld.global.u32 %r3, [%rd2];\n  add.u32 %r3, %r3, 1;\n  st.global.u32 [%rd2], %r3;\n"
#define LOOP                                                                                                     \
    "  mov.u32 %r4, 0;\nagain:\n  add.u32 %r4, %r4, 1;\n  mul.lo.u32 %r5, %r4, %r4;\n  xor.b32 %r6, %r6, %r5;\n" \
    "  setp.lt.u32 %p1, %r4, 4000;\n  @%p1 bra again;\n"
#define END "  ret;\n}\n"

static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                          ".extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 list);\n"
                          ".global .align 1 .b8 text[4] = {111, 107, 10, 0};\n" /* ok */
    /* adds one to the block's word */
    BEGIN("once", "") ADD_ONE END
        /* and waits before that until the block before it has done so */
        BEGIN("chain",
              "") "  setp.eq.u32 %p1, %r1, 0;\n  @%p1 bra done;\n"
                  "again:\n  ld.volatile.global.u32 %r4, [%rd2+-4];\n  setp.eq.u32 %p2, %r4, 0;\n  @%p2 bra again;\n"
                  "done:\n  ld.global.u32 %r3, [%rd2];\n  add.u32 %r3, %r3, 1;\n  st.volatile.global.u32 [%rd2], "
                  "%r3;\n" END
                      /* and waits before that for all other blocks */
                      BEGIN("barrier",
                            "") "  atom.global.add.u32 %r4, [%rd1], 1;\n"
                                "again:\n  ld.volatile.global.u32 %r4, [%rd1];\n  setp.lt.u32 %p2, %r4, %r2;\n  @%p2 "
                                "bra again;\n" ADD_ONE END
                                    /* the same in clusters of 3 */
                                    BEGIN("cluster", " .reqnctapercluster 3, 1, 1 ") ADD_ONE END
                                        /* and prints from the first, the middle and the last block, after a loop */
                                        BEGIN("print", "") LOOP ADD_ONE
    "  sub.u32 %r4, %r2, 1;\n  shr.u32 %r5, %r2, 1;\n  setp.eq.u32 %p1, %r1, 0;\n  @%p1 bra say;\n"
    "  setp.eq.u32 %p1, %r1, %r4;\n  @%p1 bra say;\n  setp.ne.u32 %p1, %r1, %r5;\n  @%p1 ret;\n"
    "say:\n  mov.u64 %rd3, text;\n  cvta.global.u64 %rd3, %rd3;\n"
    "  { .param .b64 f; .param .b64 l; .param .b32 r;\n  st.param.b64 [f], %rd3;\n  st.param.b64 [l], %rd3;\n"
    "  call.uni (r), vprintf, (f, l);\n  }\n" END
        /* and goes round a loop before that */
        BEGIN("loop", "") LOOP ADD_ONE END
            /* but the last block writes where nothing is */
            BEGIN("fault",
                  "") "  sub.u32 %r4, %r2, 1;\n  setp.ne.u32 %p1, %r1, %r4;\n  @%p1 bra well;\n  mov.u64 %rd2, 8;\n"
                      "  st.global.u32 [%rd2], %r4;\nwell:\n" ADD_ONE END;

static void must(int result, const char *what) {
    if (!result) return;
    printf("%s gave %d\n", what, result);
    exit(1);
}

int main(int count, char **values) {
    const unsigned blocks = count > 2 ? (unsigned)strtoul(values[2], NULL, 10) : 1;
    const size_t words = (size_t)blocks + 4;
    void *context, *module, *kernel;
    uint64_t out, sum = 0;
    must(cuInit(0), "cuInit");
    must(cuDevicePrimaryCtxRetain(&context, 0), "the context");
    must(cuCtxSetCurrent(context), "the context");
    must(cuModuleLoadData(&module, ptx), "the module");
    must(cuModuleGetFunction(&kernel, module, count > 1 ? values[1] : ""), "the kernel");
    must(cuMemAlloc_v2(&out, 4 * words), "the memory");
    must(cuMemsetD32_v2(out, 0, words), "the memory");
    void *parameters[] = {&out};
    for (int k = 0; k < (count > 3 ? atoi(values[3]) : 1); k++)
        must(cuLaunchKernel(kernel, blocks, 1, 1, 32, 1, 1, 0, NULL, parameters, NULL), "the launch");
    must(cuCtxSynchronize(), "the kernel");
    uint32_t *left = malloc(4 * words);
    must(cuMemcpyDtoH_v2(left, out, 4 * words), "the copy");
    for (unsigned b = 0; b < blocks; b++) sum += (uint64_t)left[4 + b] * (b % 7 + 1);
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
