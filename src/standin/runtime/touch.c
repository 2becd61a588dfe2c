/* Host code that touches device memory is stopped by the operating system, as on hardware; this file explains why.
 *
 * Device memory lies at addresses that the host cannot access, so such a touch is a SIGSEGV. The handler (ending.c)
 * calls standin_tell_touch() before the report. In a handler little is safe; the program is ending anyway, and an
 * alarm ends it if this does not. */
#include "standin/runtime/touch.h"

#include "base/text.h"
#include "machine/memory.h"
#include "standin/runtime/caller.h"
#include "standin/standin.h"
#include "vgpu/driver.h"

#include <execinfo.h>
#include <stdint.h>
#include <stdio.h>
#include <ucontext.h>

enum { DEEPEST = 64 };

/* The address of the instruction that was interrupted; 0 on processors that are not known here. */
static uintptr_t program_counter(const void *context) {
    const ucontext_t *c = context;
#if defined __x86_64__
    return (uintptr_t)c->uc_mcontext.gregs[REG_RIP];
#elif defined __aarch64__
    return c->uc_mcontext.pc;
#else
    (void)c;
    return 0;
#endif
}

/* The instruction itself or, if it belongs to a library (memcpy(), say), the program's call of it. A place is looked
 * up by return address; that of the instruction itself is one byte further. */
static const void *place_of(uintptr_t at) {
    void *frames[DEEPEST];
    const int count = backtrace(frames, DEEPEST);
    int i = 0;
    while (i < count && (uintptr_t)frames[i] != at) i++;
    for (int k = i; k < count; k++) {
        if (!standin_is_program(frames[k])) continue;
        return (char *)frames[k] + (k == i);
    }
    return (const void *)(at + 1);
}

const void *standin_code_of(const void *context) {
    return place_of(program_counter(context));
}

/* ", byte 16 of an allocation of 1024". Says nothing if the address is in none, or if another thread holds the lock. */
static void put_allocation(CUdeviceptr address, text *out) {
    sim_allocation a;
    if (!standin_is_free()) return;
    (void)standin_enter_driver();
    if (sim_driver_allocation(address, &a))
        text_printf(out, ", byte %llu of an allocation of %llu", address - a.first, (unsigned long long)a.bytes);
    (void)standin_leave_driver(CUDA_SUCCESS);
}

void standin_tell_touch(const siginfo_t *signal, const void *context) {
    const uintptr_t address = (uintptr_t)signal->si_addr;
    text place = {0}, allocation = {0};
    if (!sim_memory_at_address(address)) return;
    standin_put_place(standin_code_of(context), &place);
    put_allocation(address, &allocation);
    fprintf(stderr,
            "haul: the program's host code touched device memory, which only kernels and copies can access: 0x%llx%s, "
            "at %s\n"
            "haul: copy it with cudaMemcpy(), or allocate it with cudaMallocManaged() or cudaMallocHost()\n",
            (unsigned long long)address, text_string(&allocation), text_string(&place));
    text_free(&place);
    text_free(&allocation);
}
