#include "check/scratch.h"

#include "base/status.h"

haul_status sim_with_scratch(void (*work)(void *context, arena *scratch), void *context) {
    arena scratch;
    jmp_buf out_of_memory;
    arena_init(&scratch, &out_of_memory);
    if (setjmp(out_of_memory)) {
        arena_free(&scratch);
        return haul_no_memory("the launch's checks");
    }
    work(context, &scratch);
    arena_free(&scratch);
    return HAUL_OK;
}
