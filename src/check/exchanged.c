/* Loads whose value the lanes of a warp exchange. */
#include "check/internal.h"
#include "ptx/liveness.h"
#include "ptx/traits.h"

enum { MOST_VALUES = 16 };

/* Registers that the loaded value has flowed into. */
typedef struct values {
    uint32_t registers[MOST_VALUES];
    unsigned count;
    bool reads; /* the instruction at hand reads one of them */
} values;

static void note_read(void *context, uint32_t reg, bool writes) {
    values *v = context;
    for (unsigned k = 0; !writes && k < v->count; k++) v->reads |= v->registers[k] == reg;
}

static void note_written(void *context, uint32_t reg, bool writes) {
    values *v = context;
    if (writes && v->count < MOST_VALUES) v->registers[v->count++] = reg;
}

bool sim_is_exchanged(const ptx_function *f, uint32_t load, uint32_t later) {
    enum { NEAR = 64 };
    values v = {.count = 0};
    ptx_visit_registers(&f->instructions[load], note_written, &v);
    const size_t end = later > load ? later : f->instruction_count; /* before the load: in a loop's next round */
    for (uint32_t i = load + 1; i < end && i <= load + NEAR; i++) {
        const ptx_instruction *at = &f->instructions[i];
        v.reads = false;
        ptx_visit_registers(at, note_read, &v);
        if (v.reads && ptx_is(at->op, PTX_KIND_COLLECTIVE)) return true;
        if (v.reads && ptx_is_pure(at->op)) ptx_visit_registers(at, note_written, &v);
    }
    return false;
}
