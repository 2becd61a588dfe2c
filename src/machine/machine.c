/* The table of machines.def. */
#include "machine/machine.h"

#include <string.h>

#define KIB(n) ((n)*1024u)
#define MIB(n) ((n)*1024ull * 1024)
#define GIB(n) ((n)*1024ull * 1024 * 1024)

const uint32_t sim_most_block[3] = {1024, 1024, 64}, sim_most_grid[3] = {0x7fffffff, 65535, 65535};

const sim_machine sim_machines[] = {
#define MACHINE(id, ...) {.name = #id, __VA_ARGS__},
#include "machine/machines.def"
#undef MACHINE
};
const size_t sim_machine_count = sizeof sim_machines / sizeof *sim_machines;

const sim_machine *sim_machine_find(const char *name) {
    for (size_t i = 0; i < sim_machine_count; i++)
        if (strcmp(sim_machines[i].name, name) == 0) return &sim_machines[i];
    return NULL;
}
