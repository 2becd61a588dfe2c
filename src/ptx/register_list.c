#include "ptx/register_list.h"

#include "ptx/liveness.h"

ptx_register_list ptx_register_list_make(const ptx_function *f, arena *memory) {
    return (ptx_register_list){.round_of = ARENA_ARRAY(memory, f->register_count + 1, uint32_t),
                               .round = 1,
                               .registers = ARENA_ARRAY(memory, f->register_count + 1, uint32_t)};
}

void ptx_register_list_clear(ptx_register_list *list) {
    list->round++;
    list->count = 0;
}

void ptx_list_register(ptx_register_list *list, uint32_t reg) {
    if (ptx_is_listed(list, reg)) return;
    list->round_of[reg] = list->round;
    list->registers[list->count++] = reg;
}

static void list_result(void *context, uint32_t reg, bool writes) {
    if (writes) ptx_list_register(context, reg);
}

static void list_source(void *context, uint32_t reg, bool writes) {
    if (!writes) ptx_list_register(context, reg);
}

void ptx_list_results(ptx_register_list *list, const ptx_instruction *i) {
    ptx_visit_registers(i, list_result, list);
}

void ptx_list_sources(ptx_register_list *list, const ptx_instruction *i) {
    ptx_visit_registers(i, list_source, list);
}
