#include "assembler/frame_layout.h"

#include "base/number.h"

enum { LEAST_ALIGNMENT = 8 };

void sim_frame_layout_find(const ptx_function *f, arena *memory, sim_frame_layout *layout) {
    *layout = (sim_frame_layout){.alignment = LEAST_ALIGNMENT};
    for (size_t i = 0; i < f->variable_count; i++) {
        const ptx_variable *v = f->variables[i];
        if (v->space != PTX_SPACE_LOCAL) continue;
        const uint64_t at = number_align(layout->end, v->alignment);
        pointer_map_add(&layout->by_variable, memory, v, at);
        layout->end = at + v->size;
        if (v->alignment > layout->alignment) layout->alignment = v->alignment;
    }
}
