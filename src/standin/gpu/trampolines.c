/* The names that libcuda.so.1 exports. Each jumps through its own variable, which holds the real function's address
 * once the driver is loaded, and preserves all argument registers. Before that it leads to `gpu_first_call`, which
 * loads the driver and jumps again. Functions of wrapped.def are defined elsewhere: the symbols here are weak.
 *
 * A trampoline needs neither the function's parameters nor its result: it changes no register but %r11, which
 * callees may change anyway. That is why the whole API of any driver version can be exported from a list of names. */
#include "standin/gpu/trampolines.h"

#include <string.h>

#ifndef __x86_64__
#error "the trampolines are written for x86-64"
#endif

/* %r11 has the variable's address. The stack is 8 bytes off a multiple of 16, as at the start of every function. All
 * registers that carry arguments are saved around gpu_load(), with %rax, which counts vector registers of a variadic
 * call. */
__asm__(".text\n"
        ".type gpu_first_call, @function\n"
        "gpu_first_call:\n"
        "    endbr64\n"
        "    push %rdi\n    push %rsi\n    push %rdx\n    push %rcx\n    push %r8\n    push %r9\n    push %rax\n"
        "    push %r11\n"
        "    sub $136, %rsp\n"
        "    movups %xmm0, (%rsp)\n    movups %xmm1, 16(%rsp)\n    movups %xmm2, 32(%rsp)\n"
        "    movups %xmm3, 48(%rsp)\n    movups %xmm4, 64(%rsp)\n    movups %xmm5, 80(%rsp)\n"
        "    movups %xmm6, 96(%rsp)\n    movups %xmm7, 112(%rsp)\n"
        "    call gpu_load\n"
        "    movups (%rsp), %xmm0\n    movups 16(%rsp), %xmm1\n    movups 32(%rsp), %xmm2\n"
        "    movups 48(%rsp), %xmm3\n    movups 64(%rsp), %xmm4\n    movups 80(%rsp), %xmm5\n"
        "    movups 96(%rsp), %xmm6\n    movups 112(%rsp), %xmm7\n"
        "    add $136, %rsp\n"
        "    pop %r11\n"
        "    pop %rax\n    pop %r9\n    pop %r8\n    pop %rcx\n    pop %rdx\n    pop %rsi\n    pop %rdi\n"
        "    jmp *(%r11)\n"
        ".size gpu_first_call, . - gpu_first_call\n");

/* The variable is hidden, so that a trampoline reads it without a relocation. Exported names are weak: a function of
 * launches.c or driver.c with that name takes precedence. */
#define NAME(name, version)                                    \
    __asm__(".pushsection .data.gpu_real, \"aw\", @progbits\n" \
            ".balign 8\n"                                      \
            ".hidden gpu_real_" #name "\n"                     \
            ".globl gpu_real_" #name "\n"                      \
            ".type gpu_real_" #name ", @object\n"              \
            ".size gpu_real_" #name ", 8\n"                    \
            "gpu_real_" #name ": .quad gpu_first_call\n"       \
            ".popsection\n"                                    \
            ".text\n"                                          \
            ".balign 16\n"                                     \
            ".weak " #name "\n"                                \
            ".type " #name ", @function\n" #name ":\n"         \
            "    endbr64\n"                                    \
            "    lea gpu_real_" #name "(%rip), %r11\n"         \
            "    jmp *(%r11)\n"                                \
            ".size " #name ", . - " #name "\n");               \
    extern __attribute__((visibility("hidden"))) gpu_function gpu_real_##name;
#include "standin/cuda/names.def"
#undef NAME

static const struct {
    const char *name;
    gpu_function *real;
} trampolines[] = {
#define NAME(name, version) {#name, &gpu_real_##name},
#include "standin/cuda/names.def"
#undef NAME
};

/* Other threads may be using trampolines meanwhile: each address is written at once. */
void gpu_set_trampolines(gpu_function (*find)(const char *name)) {
    for (size_t i = 0; i < sizeof trampolines / sizeof *trampolines; i++) {
        const gpu_function real = find(trampolines[i].name);
        __atomic_store_n(trampolines[i].real, real, __ATOMIC_RELEASE);
    }
}
