/* A program may end while its kernels are still being compiled. */
#include "kernel.h"

#include "jit/code.h"
#include "jit/compiled.h"

#include <sys/wait.h>
#include <unistd.h>

enum { STEPS = 12, ADDITIONS = 60, PATIENCE = 2000, RUNS = 3 };

/* A loop of many blocks, each of which is worth compiling. */
static char *long_kernel(void) {
    static char ptx[1 << 20];
    char *end = ptx + sprintf(ptx, "%s", HEAD BEGIN "mov.u32 %r3, 0;\nLOOP:\n");
    for (int s = 0; s < STEPS; s++) {
        for (int k = 0; k < ADDITIONS; k++) end += sprintf(end, "mad.lo.u32 %%r4, %%r4, %d, %%r3;\n", 2 * k + s);
        end += sprintf(end, "setp.eq.u32 %%p0, %%r0, %d;\n@%%p0 bra END;\n", 1000 + s);
    }
    sprintf(end, "%s", "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p0, %r3, 20000;\n@%p0 bra LOOP;\nEND:\n" OUT("%r4") END);
    return ptx;
}

/* Ends by exit() when some blocks have been compiled and others are waiting; the compiler is busy then. */
static void end_early(void) {
    uint32_t out[256] = {0};
    if (try_elsewhere("sim:h100", &(kernel_run){.ptx = long_kernel(), .blocks = 8, INTO(out)}) != HAUL_OK) exit(1);
    for (int k = 0; k < PATIENCE && sim_compiler_made() < 2; k++) usleep(1000);
    exit(0);
}

static const char *self;

static void a_program_may_end_while_kernels_are_compiled(void **state) {
    (void)state;
    if (sim_compiling().when != SIM_COMPILING_HEAT || !sim_compiler_is_possible()) skip();
    for (int k = 0; k < RUNS; k++) {
        const pid_t child = fork();
        if (child == 0) {
            setenv("HAUL_CACHE", "off", 1);
            execl(self, self, "end", NULL);
            _exit(2);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
}

int main(int count, char **words) {
    if (count > 1) end_early();
    self = words[0];
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_program_may_end_while_kernels_are_compiled)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
