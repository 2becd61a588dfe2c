/* haul cc: compiles CUDA programs with clang, through toolchain/haulcc.
 *
 * haul becomes the compiler driver with execv(): haulcc gets the options unchanged, and its exit status is the
 * command's. The driver is a script that knows compilers' flags. It cannot know where haul's runtime library is in this
 * build or installation, so it gets that folder in HAUL_LIBRARIES. */
#include "base/arena.h"
#include "base/status.h"
#include "cli/parts.h"
#include "cli/session.h"
#include "lib/compile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY "standin/libcudart.so.12"

/* Returns only with an error. */
static haul_status become_driver(const cli_values *v, text *driver, arena *memory) {
    const char *library = cli_find_part(LIBRARY, memory);
    if (!library)
        return haul_fail(HAUL_ERROR_NOT_FOUND, LIBRARY " is missing: build or install haul again, without sanitizers");
    HAUL_TRY(compile_find_own("toolchain/haulcc", driver));
    const char *folder = arena_copy(memory, library, (size_t)(strrchr(library, '/') - library));
    if (!folder || setenv("HAUL_LIBRARIES", folder, 1) != 0)
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the environment");
    execv(text_string(driver), v->argv);
    return haul_fail(HAUL_ERROR_FILE, "%s: cannot be run: %s", text_string(driver), strerror(errno));
}

int cli_run_cc(const cli_values *values) {
    arena memory = {0};
    text driver = {0};
    const haul_status status = become_driver(values, &driver, &memory);
    text_free(&driver);
    arena_free(&memory);
    return status == HAUL_OK ? CLI_FINE : cli_fail("cc");
}
